import { textOf, type AuditedKind } from '../../tenancy/audit/words.ts';

export const ownershipImport = {
  title: 'Imports of owners',
  words: {
    cancel: 'canceled an import of owners',
    start: ({ from }) => `started an import of owners from ${textOf(from).replaceAll('_', ' ')}`,
  },
} satisfies AuditedKind;
