import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { dataOf, defaulted, deletedOf, idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { usd } from '../../platform/lib/money.ts';
import {
  countRuns,
  deleteRun,
  deleteRuns,
  type DeletionContext,
  type ForgetRuns,
  type RunChoice,
} from './deleteRuns.ts';
import { getRun, listRuns, listUnpriced } from './reading.ts';
import { receiptText } from './receiptText.ts';
import {
  DeletedRunsSchema,
  RunChoiceBody,
  RunDetail,
  RunsQuery,
  RunsSchema,
  UnpricedRunners,
} from './schema.ts';
import { detailedRunView, listedRunView, unpricedView } from './views.ts';

const params = idParams('run_github_7000000001');

const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const tags = ['Runs'];
const maxDays = 365;

type RunProgram = Program & { forgetRuns: ForgetRuns; publicUrl: () => string };

export function runRoutes(program: RunProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(unpricedRoutes);
    server.register(receiptRoute(program));
    server.register(runDeletionRoutes(program));
    server.get(
      '/runs',
      {
        config,
        schema: {
          tags,
          summary: 'List the runs',
          description: 'Newest first, by creation.',
          querystring: RunsQuery,
          response: responses(200, RunsSchema),
        },
      },
      async (request) => {
        const { days, workflow_id, repo, status, conclusion, branch, flag, created_on, completed_on } =
          request.query;
        const page = readPagination(request.query);
        const { runs, total, period } = await listRuns(
          request.ctx,
          // An empty form field is no filter.
          {
            days,
            status,
            conclusion,
            flag,
            createdOn: created_on,
            completedOn: completed_on,
            workflowId: workflow_id || undefined,
            repo: repo || undefined,
            branch: branch || undefined,
          },
          page,
        );
        const pagination = paginationView(page, total);
        return { data: runs.map(listedRunView), pagination, period };
      },
    );

    server.get(
      '/runs/:id',
      {
        config,
        schema: {
          tags,
          summary: 'Get a run',
          description: 'With the jobs of all attempts, each with a receipt of its cost.',
          params,
          response: responses(200, RunDetail, [404]),
        },
      },
      async (request) => ({
        data: detailedRunView(await getRun(request.ctx, request.params.id), program.providers),
      }),
    );
    done();
  };
}

function receiptRoute({ providers, publicUrl }: RunProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    const content = {
      'text/markdown': { schema: Type.String({ examples: ['### Cost of this run so far: $0.04'] }) },
    };
    server.get(
      '/runs/:id/receipt.md',
      {
        config,
        schema: {
          tags,
          summary: "Get a run's receipt as markdown",
          description:
            'What the run costs so far, with a line for each job: for a job summary at the provider.',
          params,
          response: { ...responses(200, Type.String(), [404]), 200: { description: 'The receipt', content } },
        },
      },
      async (request, reply) => {
        const found = await getRun(request.ctx, request.params.id);
        return reply.type('text/markdown; charset=utf-8').send(receiptText(found, providers, publicUrl()));
      },
    );
    done();
  };
}

const unpricedRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/pricing/unpriced',
    {
      config,
      schema: {
        tags: ['Pricing'],
        summary: 'List runners without a price',
        description:
          'Their minutes count but cost 0 until you set a price. Those with the most minutes come first.',
        querystring: Type.Object({
          ...PageQuery.properties,
          days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
        }),
        response: responses(200, UnpricedRunners),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const days = Math.min(request.query.days, maxDays);
      const { runners, total } = await listUnpriced(request.ctx, { ...page, days });
      return {
        data: runners.map(unpricedView),
        pagination: paginationView(page, total),
      };
    },
  );
  done();
};

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

function runDeletionRoutes(program: Program & { forgetRuns: ForgetRuns }): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): DeletionContext => ({ ...program, ...request.ctx });

  return (server, _options, done) => {
    server.delete(
      '/runs/:id',
      {
        config: admin,
        schema: {
          tags: ['Runs'],
          summary: 'Delete a run',
          description:
            'Deletes the run with all its jobs and subtracts it from every total. If it is reported again, it is recorded again.',
          params,
          response: responses(200, dataOf(deletedOf('run_github_7000000001')), [404]),
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
            'Deletes the oldest runs that match all given fields: up to 500 runs or about 5,000 jobs per request. Repeat the request while `has_more` is true. Requires one of `ids`, `provider`, `repo` and `workflow_id`. With `dry_run`, counts all matching runs and deletes nothing.',
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
