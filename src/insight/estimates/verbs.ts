import { leavingOf } from '../../platform/http/leaving.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { EstimateBody, EstimateSchema, maxBodyBytes } from './schema.ts';
import { maxSeconds, maxWaiting, maxWaitSeconds, type EstimateThreads } from './threads.ts';
import { estimateView } from './views.ts';

const verb = verbsWith<VerbContext & { estimates: EstimateThreads }>();

export const estimateVerbs = [
  verb({
    tag: 'Estimates',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'estimate get',
    at: 'POST /estimates',
    title: 'Estimate a change of workflow files',
    description:
      'What a change of workflow files costs or saves a month, from recorded runs of the repository and the ' +
      "organization's prices. Lists its assumptions and what it could not resolve. Stores nothing. " +
      `One estimate of an organization runs at a time, for up to ${maxSeconds} seconds (\`estimate_too_large\`), and ends if you ` +
      `disconnect. Up to ${maxWaiting} more wait up to ${maxWaitSeconds} seconds; then the answer is 429.`,
    body: EstimateBody,
    maxBodyBytes,
    answer: EstimateSchema,
    faults: [413],
    run: async (ctx, { body: { own_jobs_only: isOfOwnJobsOnly, ...body } }, { reply }) => {
      const question = { ...body, isOfOwnJobsOnly };
      return estimateView(await ctx.estimates.estimate(ctx, question, { signal: leavingOf(reply) }));
    },
  }),
];
