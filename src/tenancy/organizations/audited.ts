import { changedIn, say, type AuditedKind } from '../audit/words.ts';

export const organization = {
  title: 'Organization',
  words: {
    create: ({ name }) => say`created the organization “${name}”`,
    update: (details, target) => changedIn('the organization', details, target),
    delete: 'deleted the organization',
  },
} satisfies AuditedKind;
