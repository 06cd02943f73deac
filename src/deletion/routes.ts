import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { RunChoice } from '../ledger/runs/removeRuns.ts';
import { dataOf, IdParams, responses } from '../platform/http/schemas.ts';
import { usd } from '../platform/lib/money.ts';
import { deleteOrganization, type DeletionProgram } from './deleteOrganization.ts';
import { countRuns, deleteRun, deleteRuns } from './deleteRuns.ts';
import { DeletedSchema, DeletedRunsSchema, DeleteOrganizationQuery, RunChoiceBody } from './schema.ts';

const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const owner = { access: { scope: 'admin', role: 'owner' } } as const;

/** Deleting runs that were reported by mistake, and the organization with everything in it. */
export function deletionRoutes(program: DeletionProgram): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): Context & Pick<DeletionProgram, 'log'> => ({
    ...program,
    actor: request.actor,
  });

  return (server, _options, done) => {
    server.delete(
      '/runs/:id',
      {
        config: admin,
        schema: {
          tags: ['Runs'],
          summary: 'Delete a run',
          description:
            'With its jobs of all attempts, and out of every sum, as if it had never been reported. If it is reported again, it is recorded again.',
          params: IdParams,
          response: responses(200, dataOf(DeletedSchema), [404]),
        },
      },
      async (request) => {
        const { id } = request.params;
        await deleteRun(contextOf(request), id);
        return { data: { id, deleted: true as const } };
      },
    );

    server.post(
      '/runs/delete',
      {
        config: admin,
        schema: {
          tags: ['Runs'],
          summary: 'Delete many runs',
          description:
            'Those that fit all that is given, the oldest first: up to 500 runs or about 5,000 jobs a request. Repeat it while `has_more` is true. One of `ids`, `provider`, `repo` and `workflow_id` is required. With `dry_run`, counts all of them and deletes nothing.',
          body: RunChoiceBody,
          response: responses(200, dataOf(DeletedRunsSchema)),
        },
      },
      async (request) => {
        const { dry_run: isDryRun = false, ...choice } = request.body as RunChoice & { dry_run?: boolean };
        const ctx = contextOf(request);
        const { costNanos, ...deleted } = isDryRun
          ? { ...(await countRuns(ctx, choice)), hasMore: false }
          : await deleteRuns(ctx, choice);
        const { runs, jobs, hasMore } = deleted;
        return { data: { runs, jobs, cost: usd(costNanos), has_more: hasMore } };
      },
    );

    server.delete(
      '/organization',
      {
        config: owner,
        schema: {
          tags: ['Organization'],
          summary: 'Delete the organization',
          description:
            'With everything in it. From the answer on its tokens, sessions and sources are refused and nothing is sent any more; what is stored is removed in the background. It cannot be undone: to keep data, download exports first.',
          querystring: DeleteOrganizationQuery,
          response: responses(200, dataOf(DeletedSchema)),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        await deleteOrganization(ctx, request.query.confirm);
        return { data: { id: ctx.actor.orgId, deleted: true as const } };
      },
    );
    done();
  };
}
