import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { getDurations, type Durations } from '../../ledger/costs/durations.ts';
import { listJobs, listRuns, type ListPage } from '../../ledger/costs/listing.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from '../../platform/http/csv.ts';
import { responses } from '../../platform/http/schemas.ts';
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

const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const tags = ['Costs'];
const paging =
  'Pages do not shift while rows come: follow `next_cursor` until it is null, and each row that has not changed ' +
  'is in the list once. Filters are those of `GET /costs`.';

export function listRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const { clock, providers } = program;
  const shareRuns = createSharedReads<ListPage<'runs'>>();
  const shareJobs = createSharedReads<ListPage<'jobs'>>();
  return (server, _options, done) => {
    server.register(durationRoutes(program));
    server.get(
      '/costs/runs',
      {
        config,
        schema: {
          tags,
          summary: 'List the runs behind a cost',
          description: `Runs that were created in the period, by start, cost or duration. ${paging}`,
          querystring: ListedRunsQuery,
          response: responses(200, ListedRuns),
        },
      },
      async ({ actor, plan, query }) => {
        const question = readList('runs', query, { clock, plan });
        const page = await shareRuns(JSON.stringify([actor.orgId, question]), () =>
          listRuns({ ...program, actor }, question),
        );
        return runsView(question, page, providers);
      },
    );

    server.get(
      '/costs/jobs',
      {
        config,
        schema: {
          tags,
          summary: 'List the jobs behind a cost',
          description:
            'Jobs that completed in the period, by start, cost or duration. Their costs add up to the total of ' +
            `\`GET /costs\` with the same period and filters. ${paging}`,
          querystring: ListedJobsQuery,
          response: responses(200, ListedJobs),
        },
      },
      async ({ actor, plan, query }) => {
        const question = readList('jobs', query, { clock, plan });
        const page = await shareJobs(JSON.stringify([actor.orgId, question]), () =>
          listJobs({ ...program, actor }, question),
        );
        return jobsView(question, page, providers);
      },
    );
    done();
  };
}

function durationRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const share = createSharedReads<Durations>();
  return (server, _options, done) => {
    server.get(
      '/durations',
      {
        config,
        schema: {
          tags,
          summary: 'Ask about durations',
          description:
            'How long jobs or runs took and waited for a runner: the median and the 95th percentile, by up to two ' +
            'dimensions. A percentile is the smallest time that at least that share of all times does not exceed ' +
            '(nearest rank). Jobs count on the day when they completed, runs on the day when they were ' +
            'created; those that were skipped, have not started or have not ended do not count. With `Accept: ' +
            'text/csv` the answer is a CSV file. Filters are those of `GET /costs`.',
          querystring: DurationsQuery,
          response: responsesOrCsv(
            'Durations',
            DurationsSchema,
            'workflow,workflow_name,count,duration_p50_seconds,duration_p95_seconds,queue_p50_seconds,queue_p95_seconds,total_minutes',
          ),
        },
      },
      async (request, reply) => {
        const { actor, plan, query } = request;
        const question = readDurations(query, { clock: program.clock, plan });
        const durations = await share(JSON.stringify([actor.orgId, question]), () =>
          getDurations({ ...program, actor }, question),
        );
        if (!wantsCsv(request, reply)) return { data: durationsView(question, durations) };
        const { start, end } = durations.period;
        return sendCsv(reply, `durations-${start}-to-${end}`, durationsCsv(question, durations));
      },
    );
    done();
  };
}
