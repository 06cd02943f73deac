import { countIn, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const hostedRunners = {
  title: 'Larger runners at GitHub',
  words: {
    read: ({ runners }) =>
      say`read GitHub's list of larger runners: ${countIn(runners, 'new or changed runner')}`,
  },
} satisfies AuditedKind;
