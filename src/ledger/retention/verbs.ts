import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { getRetention, retentionStatus, type RetentionLimit } from './retention.ts';
import { RetentionQuery, RetentionSchema } from './schema.ts';

const verb = verbsWith<VerbContext & { config: RetentionLimit }>();

export const retentionVerbs = [
  verb({
    tag: 'Organization',
    access: { scope: 'admin', role: 'viewer' },
    name: 'org retention get',
    at: 'GET /retention',
    title: 'Get how long runs are kept',
    description:
      'How long runs and jobs are kept, and how far their removal is. Daily sums are kept forever. Change it ' +
      'with `run_retention_days` of the organization.',
    query: RetentionQuery,
    answer: RetentionSchema,
    run: async (ctx, { query }) => retentionStatus(await getRetention(ctx, ctx.config, query)),
  }),
];
