import { countIn, type AuditedKind } from '../../tenancy/audit/words.ts';

export const backfill = {
  title: 'Backfills',
  words: {
    cancel: 'canceled a backfill',
    start: ({ repositories }) => `started a backfill of ${countIn(repositories, 'repository')}`,
  },
} satisfies AuditedKind;
