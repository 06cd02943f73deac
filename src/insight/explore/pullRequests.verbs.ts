import { createCoalescer } from '../../platform/db/coalesce.ts';
import { verbsWith } from '../../platform/http/verbs.ts';
import { paginationView, readPagination } from '../../platform/http/views.ts';
import { keyOf, read, type ExploreContext } from './lists.verbs.ts';
import { listPullRequests, listView, type PullRequestList } from './pullRequestList.ts';
import { ListQuery, ListSchema } from './pullRequests.schema.ts';
import { readFilters, readOwnersOn, readWindow } from './readQuestion.ts';

const verb = verbsWith<ExploreContext>();

const coalesce = createCoalescer<PullRequestList>();

export const pullRequestListVerbs = [
  verb({
    ...read,
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
];
