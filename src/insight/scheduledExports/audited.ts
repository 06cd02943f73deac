import { changed, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const exportUpload = {
  title: 'Uploads',
  words: { repeat: ({ file_name: name }) => say`started the upload of ${name} again` },
} satisfies AuditedKind;

export const scheduledExport = {
  title: 'Scheduled exports',
  words: {
    create: 'created a scheduled export',
    delete: 'deleted a scheduled export',
    test: ({ location, error }) =>
      say`tested a scheduled export by ${location}: ${error ?? 'it was written'}`,
    update: changed('a scheduled export'),
  },
} satisfies AuditedKind;
