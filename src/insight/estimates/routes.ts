import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { leavingOf } from '../../platform/http/leaving.ts';
import { responses } from '../../platform/http/schemas.ts';
import { EstimateBody, EstimateSchema, maxBodyBytes } from './schema.ts';
import { maxSeconds, maxWaiting, maxWaitSeconds, type EstimateThreads } from './threads.ts';
import { estimateView } from './views.ts';

export function estimateRoutes(
  program: Program & { estimates: EstimateThreads },
): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/estimates',
      {
        bodyLimit: maxBodyBytes,
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Estimates'],
          summary: 'Estimate a change of workflow files',
          description:
            'What a change of workflow files costs or saves a month, from recorded runs of the repository and the ' +
            "organization's prices. Lists its assumptions and what it could not resolve. Stores nothing. " +
            `One estimate of an organization runs at a time, for up to ${maxSeconds} seconds (\`estimate_too_large\`), and ends if you ` +
            `disconnect. Up to ${maxWaiting} more wait up to ${maxWaitSeconds} seconds; then the answer is 429.`,
          body: EstimateBody,
          response: responses(200, EstimateSchema, [413]),
        },
      },
      async ({ actor, plan, body: { own_jobs_only: isOfOwnJobsOnly, ...body } }, reply) => {
        const question = { ...body, isOfOwnJobsOnly };
        const options = { signal: leavingOf(reply) };
        const estimate = await program.estimates.estimate({ ...program, actor, plan }, question, options);
        return { data: estimateView(estimate) };
      },
    );
    done();
  };
}
