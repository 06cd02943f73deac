import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import { dataOf, DeletedSchema, IdParams, responses } from '../../platform/http/schemas.ts';
import { usd } from '../../platform/lib/money.ts';
import { countRuns, deleteRun, deleteRuns, type DeletionContext, type ForgetRuns } from './deleteRuns.ts';
import type { RunChoice } from './removeRuns.ts';
import { DeletedRunsSchema, RunChoiceBody } from './schema.ts';

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** Deleting runs that were reported by mistake. */
export function runDeletionRoutes(
  program: Program & { forgetRuns: ForgetRuns },
): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): DeletionContext => ({ ...program, actor: request.actor });

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
    done();
  };
}
