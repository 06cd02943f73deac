import { say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const billReport = {
  title: 'Bill reports',
  words: {
    delete: 'deleted the bill report',
    import: ({ file_name: file }) => say`imported the bill report ${file}`,
  },
} satisfies AuditedKind;
