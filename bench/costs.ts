import pg from 'pg';
import { send } from './load.ts';
import { isQuick } from './quick.ts';
import { logProgress, rounded, type Report } from './report.ts';
import { loadRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import { median, percentile } from './statistics.ts';
import type { Storage } from './storage.ts';

const clients = 4;
const rounds = isQuick ? 1 : 5;
// A fixed number of requests rather than a fixed time, which would leave out the slowest answers.
const answersPerRound = isQuick ? 8 : 40;
const historyDays = 365;
const jobsPerRun = 2;
const runsPerStatement = 500_000;

/** A question, and the same question in SQL over a join of runs `r` and jobs `j`. */
const questions = [
  { title: 'by repository', query: 'group_by=repository', columns: 'r.repository', where: 'true', aim: 0.5 },
  { title: 'by branch', query: 'group_by=branch', columns: 'r.branch', where: 'true', aim: 0.5 },
  {
    title: 'by actor and runner, of push',
    query: 'group_by=actor,runner&event=push',
    columns: 'r.actor, j.runner_kind',
    where: "r.event = 'push'",
    aim: 1.5,
  },
];

/**
 * Measures questions about 30 of 365 days with a history of 10 million runs, and beside them the same questions as plain
 * SQL over runs and jobs.
 */
export async function benchCosts(
  storage: Storage,
  nodeOptions: string[],
  { runs = isQuick ? 10_000 : 10_000_000 }: { runs?: number | undefined } = {},
): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  logProgress(`Loading ${rounded(runs)} runs …`);
  await loadVariedHistory(service, runs);
  logProgress('Asking once, which makes the columns of 30 days …');
  const started = performance.now();
  const [{ path, ...first }] = requestsOf(service, questions[0]!.query) as [Asked];
  await (await fetch(service.url + path, first)).text();
  const firstSeconds = (performance.now() - started) / 1_000;
  const rows: string[][] = [];
  for (const question of questions) {
    logProgress(`Asking ${question.title} …`);
    rows.push(await measure(service, question));
  }
  const [sizes] = (await service.db.query(sizesSql)).rows as {
    columns: string;
    facts: string;
    days: string;
  }[];
  await service.stop();
  return {
    headings: ['30 DAYS', 'P95 MS', 'PLAIN SQL P95 MS', 'RATIO', 'AIM MS'],
    rows,
    notes: [
      `${rounded(runs)} runs of ${jobsPerRun} jobs over ${historyDays} days. ${clients} clients ask questions that differ in ` +
        `their limit, so that no answer is shared or kept; ${rounds} rounds of ${answersPerRound} answers.`,
      `The first answer took ${firstSeconds.toFixed(1)} s: it made the columns of 30 days.`,
      `The columns of ${sizes!.days} days take ${sizes!.columns}; runs and jobs of all days take ${sizes!.facts}.`,
    ],
  };
}

const sizesSql = `
  select pg_size_pretty(pg_total_relation_size('day_columns')) as columns,
    pg_size_pretty(pg_total_relation_size('runs') + pg_total_relation_size('jobs')) as facts,
    (select count(distinct day) from day_columns) as days`;

type Asked = { method: 'GET'; path: string; headers: Record<string, string> };
let asked = 0;

const maxLimit = 1_000;

/** Each limit makes a different question, so that no answer is shared or cached. */
function requestsOf({ token }: Service, query: string): Asked[] {
  return Array.from({ length: answersPerRound }, () => ({
    method: 'GET',
    path: `/api/v1/costs?days=30&${query}&limit=${20 + (asked++ % (maxLimit - 20))}`,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
  }));
}

async function measure(
  service: Service,
  { title, query, columns, where, aim }: (typeof questions)[number],
): Promise<string[]> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { p95Milliseconds } = await send(service.url, requestsOf(service, query), clients);
    const times = await plainTimes(service, columns, where);
    if (round === 0) continue;
    ours.push(p95Milliseconds);
    plain.push(percentile(times, 95));
  }
  const ratio = (median(ours) / median(plain)).toFixed(2);
  return [title, rounded(median(ours)), rounded(median(plain)), ratio, String(aim * 1_000)];
}

async function plainTimes(
  { databaseUrl, orgId }: Service,
  columns: string,
  where: string,
): Promise<number[]> {
  const sql = `
    select ${columns}, sum(j.cost_nanos)
    from recorded_jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id
    where j.org_id = '${orgId}' and j.status = 'completed' and not j.is_carried_over
      and j.completed_at >= (now() at time zone 'UTC')::date - 29 and ${where}
    group by ${columns} order by 2 desc limit 20`;
  return Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const started = performance.now();
      await client.query(sql);
      const took = performance.now() - started;
      await client.end();
      return took;
    }),
  );
}

/**
 * 500 repositories, 2,000 workflows and 400 people. A third of the runs is on main, the others on branches with six
 * runs each.
 */
export async function loadVariedHistory({ db, orgId }: Service, runs: number): Promise<void> {
  await db.query('set synchronous_commit = off');
  await db.query(`
    insert into workflows
    select '${orgId}', 'wf_' || w, 'acme/service-' || w % 500, 'workflow ' || w, now() from generate_series(0, 1999) w`);
  for (let first = 0; first < runs; first += runsPerStatement) {
    const last = Math.min(first + runsPerStatement, runs) - 1;
    await db.query(runsSql(orgId, first, last, runs));
    await db.query(jobsSql(orgId, first, last));
    logProgress(`${rounded(last + 1)} runs`);
  }
  await loadRollups(db);
  await db.query('vacuum (analyze)');
  await db.query('checkpoint');
}

function runsSql(orgId: string, first: number, last: number, runs: number): string {
  const seconds = (historyDays * 86_400) / runs;
  return `
    insert into runs (
      org_id, id, workflow_id, provider, repository, is_private, workflow_name, event, branch, actor, reported_attempt,
      reported_status, reported_at, attempt, status, conclusion, created_at, started_at, completed_at, duration_seconds, cost_nanos
    )
    select
      '${orgId}', 'run_github_' || (10000000000 + n), 'wf_' || w, 'github', 'acme/service-' || w % 500, true,
      'workflow ' || w, case n % 3 when 0 then 'push' else 'pull_request' end,
      case n % 3 when 0 then 'main' else 'feature/ticket-' || n / 6 end, 'person-' || (n * 7919) % 400,
      1, 'completed', at, 1, 'completed', case n % 9 when 0 then 'failure' else 'success' end,
      at, at, at + (60 + n % 600) * interval '1 second', 60 + n % 600, ${jobsPerRun} * ((60 + n % 600) / 60 + 1) * 8000000
    from (
      select n, (n * 104729) % 2000 as w, date_trunc('second', now()) - (${runs} - n) * interval '1 second' * ${seconds} as at
      from generate_series(${first}::int8, ${last}) n
    ) run`;
}

function jobsSql(orgId: string, first: number, last: number): string {
  return `
    insert into jobs (
      org_id, run_id, attempt, job_id, name, labels, runner_group, status, created_at, started_at, completed_at, ran,
      observed_at, is_carried_over, runner_kind, runner_rule, billed_minutes, nanos_per_minute, cost_nanos, is_unpriced, flags
    )
    select
      '${orgId}', 'run_github_' || (10000000000 + n), 1, j::text, case j when 0 then 'build' else 'test ' || n % 7 end,
      '{ubuntu-latest}', 'GitHub Actions', 'completed', r.created_at, r.created_at, r.completed_at, true, r.completed_at, false,
      case when (n * 104729) % 11 = 0 then 'macos_3_core' else 'linux_2_core' end, 'github_hosted_label',
      r.duration_seconds / 60 + 1, 8000000, (r.duration_seconds / 60 + 1) * 8000000, false, '{}'
    from generate_series(${first}::int8, ${last}) n
    join runs r on r.org_id = '${orgId}' and r.id = 'run_github_' || (10000000000 + n)
    cross join generate_series(0, ${jobsPerRun - 1}) j`;
}
