import { changedIn, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const annotation = {
  title: 'Notes',
  words: {
    create: ({ text }) => say`added the note “${text}”`,
    delete: ({ text }) => say`deleted the note “${text}”`,
    update: (details, target) =>
      details['text'] === undefined
        ? changedIn('the note', details, target)
        : say`changed a note to “${details['text']}”`,
  },
} satisfies AuditedKind;
