import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { responses } from '../../platform/http/schemas.ts';
import { estimateChange } from './estimate.ts';
import { EstimateBody, EstimateSchema, maxBodyBytes } from './schema.ts';
import { estimateView } from './views.ts';

export function estimateRoutes(program: Program): FastifyPluginCallbackTypebox {
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
            "organization's prices. Lists its assumptions and what it could not resolve. Stores nothing.",
          body: EstimateBody,
          response: responses(200, EstimateSchema, [413]),
        },
      },
      async ({ actor, plan, body: { own_jobs_only: isOfOwnJobsOnly, ...body } }) => {
        const question = { ...body, isOfOwnJobsOnly };
        return { data: estimateView(await estimateChange({ ...program, actor, plan }, question)) };
      },
    );
    done();
  };
}
