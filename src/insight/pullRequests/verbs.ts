import type { Logger } from 'pino';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { leavingOf } from '../../platform/http/leaving.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { paginationView, readPagination } from '../../platform/http/views.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import type { EstimateThreads } from '../estimates/threads.ts';
import { keyOf } from '../explore/lists.verbs.ts';
import { readFilters, readOwnersOn, readWindow } from '../explore/readQuestion.ts';
import { ListQuery, ListSchema } from './list.schema.ts';
import { listPullRequests, type PullRequestList } from './list.ts';
import { pullRequestReport } from './report.ts';
import { maxBodyBytes, ReportBody, ReportSchema } from './schema.ts';
import { estimateOf, listView, reportView } from './view.ts';

type ReportProgram = { log: Logger; publicUrl: () => string; estimates: EstimateThreads };

const verb = verbsWith<VerbContext & ReportProgram>();

const coalesce = createCoalescer<PullRequestList>();

export const pullRequestVerbs = [
  verb({
    tag: 'Costs',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'pull-request list',
    at: 'GET /pull-requests',
    title: 'List what pull requests cost',
    page: '/pull-requests',
    assistant: true,
    description:
      'Pull requests with jobs in the period, most expensive first, and what those cost that were merged or closed ' +
      'without a merge in it. Filters are those of `GET /costs`. For costs by author, team, week or anything else, ask ' +
      '`GET /costs` and filter by `pull_request_state`.',
    query: ListQuery,
    answer: ListSchema,
    rows: 'data.pull_requests',
    columns: [
      'repository',
      ['number', 'pull request'],
      'title',
      'author',
      'state',
      'cost',
      ['total_cost', 'in total'],
      'pushes',
      'reruns',
    ],
    isWhole: true,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const question = {
        window: readWindow(query, ctx),
        filters: readFilters(query).map(({ filter }) => filter),
        ownersOn: readOwnersOn(query, ctx.clock),
      };
      const list = await coalesce(keyOf(ctx, question, page), () => listPullRequests(ctx, question, page));
      return { data: listView(list, ctx.providers), pagination: paginationView(page, list.total) };
    },
  }),
  verb({
    tag: 'Costs',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'pull-request report',
    at: 'POST /pull-request-reports',
    title: 'Report the cost of a pull request',
    description:
      'What the runs of a pull request cost so far, and what its workflow changes cost a month, with a comment and ' +
      'a check for its page at the provider. ' +
      'Stores nothing.',
    body: ReportBody,
    maxBodyBytes,
    answer: ReportSchema,
    faults: [413],
    run: async (ctx, { body }, { reply }) => {
      const { repository, pull_request: number, provider, base, head, fail_above: limit = null } = body;
      const failAbove = limit === null ? null : toNanos(limit);
      if (limit !== null && failAbove === null)
        throw invalid('fail_above', 'must have at most nine decimals');
      if (!base !== !head)
        throw invalid(base ? 'head' : 'base', 'must be given too: `base` and `head` are a pair');
      const asked = { repository, number, provider };
      const report = await pullRequestReport(ctx, asked);
      const estimate =
        base && head ? await estimateOf(ctx, asked, { base, head }, { signal: leavingOf(reply) }) : null;
      return reportView(report, { failAbove, estimate, publicUrl: ctx.publicUrl() });
    },
  }),
];
