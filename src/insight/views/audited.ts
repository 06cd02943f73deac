import { changed, type AuditedKind } from '../../tenancy/audit/words.ts';

export const view = {
  title: 'Saved views',
  words: { create: 'created the view', delete: 'deleted the view', update: changed('the view') },
} satisfies AuditedKind;
