import type { Logger } from 'pino';
import type { Static } from 'typebox';
import { getDurations, type Durations } from '../../ledger/costs/durations.ts';
import { listJobs, listRuns, type ListPage } from '../../ledger/costs/listing.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import {
  DurationsQuery,
  DurationsSchema,
  ListedJobs,
  ListedJobsQuery,
  ListedRuns,
  ListedRunsQuery,
} from './lists.schema.ts';
import { durationsCsv, durationsView, jobsView, runsView } from './listsView.ts';
import { readDurations, readList } from './readLists.ts';

export type ExploreContext = VerbContext & { log: Logger };

export const read = { tag: 'Costs', access: { scope: 'costs:read', role: 'viewer' } } as const;

const paging =
  'Pages do not shift while rows come: follow `next_cursor` until it is null, and each row that has not changed ' +
  'is in the list once. Filters are those of `GET /costs`.';

const verb = verbsWith<ExploreContext>();

const coalesceRuns = createCoalescer<ListPage<'runs'>>();
const coalesceJobs = createCoalescer<ListPage<'jobs'>>();
const coalesceDurations = createCoalescer<Durations>();

export const listVerbs = [
  verb({
    ...read,
    name: 'cost run list',
    at: 'GET /costs/runs',
    title: 'List the runs behind a cost',
    page: '/explore',
    assistant: true,
    description: `Runs that were created in the period, by creation, start, cost or duration. ${paging}`,
    query: ListedRunsQuery,
    answer: ListedRuns,
    isWhole: true,
    columns: [
      ['id', 'run'],
      ['repo_name', 'repository'],
      ['workflow_name', 'workflow'],
      'branch',
      ['started_at', 'started'],
      ['duration_seconds', 'duration'],
      'cost',
      ['conclusion', 'status'],
    ],
    run: async (ctx, { query }) => {
      const question = readList('runs', query, ctx);
      const page = await coalesceRuns(keyOf(ctx, question), () => listRuns(ctx, question));
      return runsView(question, page, ctx.providers);
    },
  }),
  verb({
    ...read,
    name: 'cost job list',
    at: 'GET /costs/jobs',
    title: 'List the jobs behind a cost',
    page: '/explore',
    assistant: true,
    description:
      'Jobs that completed in the period, by start, cost or duration. Their costs add up to the total of ' +
      `\`GET /costs\` with the same period and filters. ${paging}`,
    query: ListedJobsQuery,
    answer: ListedJobs,
    isWhole: true,
    columns: [
      ['name', 'job'],
      ['repo_name', 'repository'],
      ['run_id', 'run'],
      ['runner_kind', 'runner'],
      ['started_at', 'started'],
      ['queue_seconds', 'queued'],
      ['duration_seconds', 'duration'],
      'cost',
    ],
    run: async (ctx, { query }) => {
      const question = readList('jobs', query, ctx);
      const page = await coalesceJobs(keyOf(ctx, question), () => listJobs(ctx, question));
      return jobsView(question, page, ctx.providers);
    },
  }),
  verb({
    ...read,
    name: 'duration list',
    at: 'GET /durations',
    title: 'Ask about durations',
    assistant: true,
    description:
      'How long jobs or runs took and waited for a runner: the median and the 95th percentile, by up to two ' +
      'dimensions. A percentile is the smallest time that at least that share of all times does not exceed ' +
      '(nearest rank). Jobs count on the day when they completed, runs on the day when they were ' +
      'created; those that were skipped, have not started or have not ended do not count. With `Accept: ' +
      'text/csv` the answer is a CSV file. Filters are those of `GET /costs`.',
    query: DurationsQuery,
    answer: DurationsSchema,
    csv: {
      title: 'Durations',
      example:
        'workflow,workflow_name,count,duration_p50_seconds,duration_p95_seconds,queue_p50_seconds,queue_p95_seconds,total_minutes',
      file: async (ctx, { query }) => {
        const [question, durations] = await askDurations(ctx, query);
        const { start, end } = durations.period;
        return { name: `durations-${start}-to-${end}`, text: durationsCsv(question, durations) };
      },
    },
    run: async (ctx, { query }) => durationsView(...(await askDurations(ctx, query))),
  }),
];

async function askDurations(ctx: ExploreContext, query: Static<typeof DurationsQuery>) {
  const question = readDurations(query, ctx);
  const durations = await coalesceDurations(keyOf(ctx, question), () => getDurations(ctx, question));
  return [question, durations] as const;
}

/** Equal questions of an organization that come at once are answered once. */
export function keyOf({ actor }: ExploreContext, ...asked: unknown[]): string {
  return JSON.stringify([actor.orgId, ...asked], bigintsAsText);
}
