import { say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const wasteFix = {
  title: 'Waste fixes',
  words: {
    decide: ({ status }) =>
      status === undefined ? 'changed the reason of a waste fix' : say`marked a waste fix as ${status}`,
    open: ({ repository, pull_request: number }) =>
      say`opened pull request ${number} in ${repository} with a fix`,
    reopen: 'reopened a waste fix',
  },
} satisfies AuditedKind;
