import { changed, type AuditedKind } from '../../tenancy/audit/words.ts';

export const pullRequests = {
  title: 'Pull requests',
  words: { update: changed('the comments on pull requests') },
} satisfies AuditedKind;
