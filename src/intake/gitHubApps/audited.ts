import { say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const gitHubApp = {
  title: 'GitHub Apps',
  words: {
    start: ({ organization }) =>
      say`began to create a GitHub App ${organization && say`for ${organization}`}`,
  },
} satisfies AuditedKind;
