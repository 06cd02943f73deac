import { Type } from 'typebox';
import { defaulted, idParams, PageQuery, sampleText } from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { usd } from '../../platform/lib/money.ts';
import { readAmounts, reportAmounts } from './amounts.ts';
import {
  countRuns,
  deleteRun,
  deleteRuns,
  findUnknownRuns,
  type DeleteRunDependents,
  type RunChoice,
} from './deleteRuns.ts';
import { findPriceable } from './priceable.ts';
import { getRun, listRuns, listUnpriced } from './reading.ts';
import { receiptText } from './receiptText.ts';
import {
  AmountsBody,
  DeletedRunsSchema,
  RunChoiceBody,
  RunDetail,
  RunsQuery,
  RunsSchema,
  UnpricedRunners,
} from './schema.ts';
import { detailedRunView, listedRunView } from './views.ts';

const params = idParams('run_github_7000000001');

const tag = 'Runs';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;
const maxDays = 365;

const verb = verbsWith<VerbContext & { deleteRunDependents: DeleteRunDependents; publicUrl: () => string }>();

export const runVerbs = [
  verb({
    ...read,
    name: 'run list',
    at: 'GET /runs',
    title: 'List the runs',
    assistant: true,
    description: 'Newest first, by creation.',
    query: RunsQuery,
    answer: RunsSchema,
    isWhole: true,
    columns: [
      ['id', 'run'],
      ['repo_name', 'repository'],
      ['workflow_name', 'workflow'],
      'branch',
      ['created_at', 'created'],
      'status',
      'conclusion',
      'cost',
    ],
    run: async (ctx, { query }) => {
      const { days, workflow_id, repo, status, conclusion, branch, flag, created_on, completed_on } = query;
      const page = readPagination(query);
      const { runs, total, period } = await listRuns(
        ctx,
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
      return { data: runs.map(listedRunView), pagination: paginationView(page, total), period };
    },
  }),
  verb({
    ...read,
    name: 'run get',
    at: 'GET /runs/:id',
    title: 'Get a run',
    page: '/runs/:id',
    assistant: true,
    description: 'With the jobs of all attempts, each with a receipt of its cost.',
    params,
    answer: RunDetail,
    faults: [404],
    run: async (ctx, { params: { id } }) => detailedRunView(await getRun(ctx, id), ctx.providers),
  }),
  verb({
    tag,
    access: { scope: 'runs:write', role: 'member' },
    name: 'run amount report',
    at: 'PUT /runs/:id/amounts',
    title: 'Report what a run cost beside its jobs',
    description:
      'Such as the AI credits of an agent. `POST /runs` takes amounts too, for a CI that sends its runs; this is for runs that ' +
      'a provider reports, from within their jobs.',
    params,
    body: AmountsBody,
    answer: Type.Object({ id: sampleText('run_github_7000000001') }),
    faults: [404],
    run: async (ctx, { params: { id }, body: { run_attempt: attempt = 1, key = '', amounts } }) => {
      await reportAmounts(ctx, { runId: id, attempt, key, amounts: readAmounts('amounts', amounts) });
      return { id };
    },
  }),
  verb({
    ...read,
    tag: 'Pricing',
    name: 'price unpriced-runner list',
    at: 'GET /pricing/unpriced',
    title: 'List runners without a price',
    assistant: true,
    description:
      'Their minutes count but cost 0 until you set a price. Those with the most minutes come first.',
    query: Type.Object({
      ...PageQuery.properties,
      days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
    }),
    answer: UnpricedRunners,
    isWhole: true,
    columns: [
      'labels',
      'runner_group',
      'jobs',
      'minutes',
      'last_seen',
      'runner_kind',
      ['estimated_cost', 'would cost'],
    ],
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const days = Math.min(query.days, maxDays);
      const { runners, total } = await listUnpriced(ctx, { ...page, days });
      const priceable = await findPriceable(ctx, days);
      return {
        data: runners.map((runner) => apiFields({ ...runner, ...priceable.of(runner) })),
        pagination: paginationView(page, total),
        priceable: priceable.all && apiFields(priceable.all),
      };
    },
  }),
  verb({
    ...read,
    name: 'run receipt get',
    at: 'GET /runs/:id/receipt.md',
    title: "Get a run's receipt as markdown",
    description: 'What the run costs so far, with a line for each job: for a job summary at the provider.',
    params,
    answer: Type.String({ examples: ['### Cost of this run so far: $0.04'] }),
    text: { title: 'The receipt', contentType: 'text/markdown; charset=utf-8' },
    faults: [404],
    run: async (ctx, { params: { id } }) =>
      receiptText(await getRun(ctx, id), ctx.providers, ctx.publicUrl()),
  }),
  verb({
    ...write,
    name: 'run delete',
    at: 'DELETE /runs/:id',
    title: 'Delete a run',
    description:
      'Deletes the run with all its jobs and subtracts it from every total. If it is reported again, it is recorded again.',
    ...deletes('run_github_7000000001', deleteRun),
    faults: [404],
  }),
  verb({
    ...write,
    name: 'run delete-many',
    at: 'POST /runs/delete',
    title: 'Delete many runs',
    description:
      'Deletes the oldest runs that match all given fields: up to 500 runs or about 5,000 jobs per request. Repeat the request while `has_more` is true. Requires one of `ids`, `provider`, `repo` and `workflow_id`. With `dry_run`, counts all matching runs and deletes nothing.',
    body: RunChoiceBody,
    answer: DeletedRunsSchema,
    run: async (ctx, { body }) => {
      const { dry_run: isDryRun = false, ...choice } = body as RunChoice & { dry_run?: boolean };
      const unknown = choice.ids ? await findUnknownRuns(ctx, choice.ids) : [];
      const { runs, jobs, costNanos, hasMore } = isDryRun
        ? { ...(await countRuns(ctx, choice)), hasMore: false }
        : await deleteRuns(ctx, choice);
      return { runs, jobs, cost: usd(costNanos), has_more: hasMore, unknown_ids: unknown };
    },
  }),
];
