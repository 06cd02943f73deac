/** Compares what the API shows with the facts, view by view. */
import type { Facts, JobRow, RunRow } from './facts.ts';
import { nanosOf, type Ask } from './history.ts';
import type { WasteParts } from './waste.ts';

export type View = { ask: Ask; facts: Facts; today: number; check: Check };
type Check = (view: string, of: string, found: unknown, expected: unknown) => void;

const dayMs = 86_400_000;
const maxDays = 365;

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => bigint): bigint =>
  rows.reduce((sum, row) => sum + of(row), 0n);
const costOf = (rows: readonly JobRow[]): bigint => sumOf(rows, ({ cost }) => cost);
const netOf = (rows: readonly JobRow[]): bigint => sumOf(rows, ({ net }) => net);

const dayAgo = (today: number, days: number): string =>
  new Date(today - days * dayMs).toISOString().slice(0, 10);

/** The rows of today and the days before. */
function lastDays<Row extends { day: string }>(
  rows: readonly Row[],
  today: number,
  days: number,
  before = 0,
): Row[] {
  const [first, last] = [dayAgo(today, before + days - 1), dayAgo(today, before)];
  return rows.filter(({ day }) => day >= first && day <= last);
}

export async function checkDashboard({ ask, facts, today, check }: View): Promise<void> {
  const [jobs, runs] = [lastDays(facts.jobs, today, 30), lastDays(facts.runs, today, 30)];
  const summary = await ask('/api/v1/dashboard/summary');
  check('summary', 'total_cost', nanosOf(summary.total_cost), costOf(jobs));
  check('summary', 'net_total_cost', nanosOf(summary.net_total_cost), netOf(jobs));
  check('summary', 'total_runs', summary.total_runs, runs.length);
  check(
    'summary',
    'trend_percent',
    summary.trend_percent,
    trendOf(costOf(jobs), costOf(lastDays(facts.jobs, today, 30, 30))),
  );
  const { data } = await ask('/api/v1/dashboard/trends', { days: '90' });
  check('trends', 'days', data.length, 90);
  for (const { date, cost, net_cost, runs: count } of data) {
    const ofDay = facts.jobs.filter(({ day }) => day === date);
    check('trends cost', date, nanosOf(cost), costOf(ofDay));
    check('trends net_cost', date, nanosOf(net_cost), netOf(ofDay));
    check('trends runs', date, count, facts.runs.filter(({ day }) => day === date).length);
  }
  const { workflows } = await ask('/api/v1/dashboard/workflows', { days: '30', per_page: '100' });
  const ids = new Set([...jobs, ...runs].map(({ values }) => values['workflow']));
  check('workflows', 'count', workflows.length, ids.size);
  for (const { workflow_id: id, workflow_name: name, ...shown } of workflows) {
    const own = jobs.filter(({ values }) => values['workflow'] === id);
    const ownRuns = runs.filter(({ values }) => values['workflow'] === id);
    check('workflows total_cost', name, nanosOf(shown.total_cost), costOf(own));
    check('workflows net_total_cost', name, nanosOf(shown.net_total_cost), netOf(own));
    check('workflows total_runs', name, shown.total_runs, ownRuns.length);
    check('workflows success_rate', name, shown.success_rate.toFixed(4), successRateOf(ownRuns).toFixed(4));
  }
  const overview = await ask('/api/v1/dashboard/workflows/summary');
  check('workflows summary', 'total_cost', nanosOf(overview.total_cost), costOf(jobs));
  check('workflows summary', 'net_total_cost', nanosOf(overview.net_total_cost), netOf(jobs));
}

function trendOf(current: bigint, previous: bigint): number {
  if (previous === 0n) return current === 0n ? 0 : 100;
  return Math.round((Number(current - previous) / Number(previous)) * 1_000) / 10;
}

function successRateOf(runs: readonly RunRow[]): number {
  const counted = runs.filter(({ run, conclusion }) => run.status === 2 && conclusion !== 'skipped');
  return counted.length === 0
    ? 0
    : counted.filter(({ conclusion }) => conclusion === 'success').length / counted.length;
}

const runDimensions = [
  'repository',
  'workflow',
  'provider',
  'branch',
  'event',
  'actor',
  'started_by',
  'pull_request',
  'conclusion',
  'visibility',
  'day',
  'weekday',
  'hour',
];
const jobDimensions = [...runDimensions, 'job', 'runner', 'runner_group', 'label'];
const measures: Record<string, (row: JobRow) => bigint> = {
  cost: ({ cost }) => cost,
  net_cost: ({ net }) => net,
  minutes: ({ minutes }) => BigInt(minutes),
  jobs: () => 1n,
};

/** `pick` chooses the questions, because all of them take a second. */
export async function checkGroups(
  { ask, facts, today, check }: View,
  pick: (question: string) => boolean,
): Promise<void> {
  const groupsOf = async (
    metric: string,
    group_by: string,
    expected: Map<string | null, bigint>,
  ): Promise<void> => {
    const { data } = await ask('/api/v1/costs', { metric, group_by, days: `${maxDays}`, limit: '1000' });
    const exact = metric.endsWith('cost') ? nanosOf : BigInt;
    const found = new Map<string | null, bigint>(
      data.groups.map((group: { by: { value: string }[]; value: number }) => [
        group.by[0]!.value,
        exact(group.value),
      ]),
    );
    for (const value of new Set([...found.keys(), ...expected.keys()]))
      check(
        `costs ${metric} by ${group_by}`,
        String(value),
        found.get(value) ?? 0n,
        expected.get(value) ?? 0n,
      );
    check(
      `costs ${metric} by ${group_by}`,
      'total',
      exact(data.total.value),
      sumOf([...expected.values()], (each) => each),
    );
  };
  const grouped = <Row extends JobRow | RunRow>(rows: readonly Row[], by: string, of: (row: Row) => bigint) =>
    new Map(
      [...Map.groupBy(lastDays(rows, today, maxDays), ({ values }) => values[by]!)].map(([value, own]) => [
        value,
        sumOf(own, of),
      ]),
    );
  for (const by of jobDimensions)
    for (const [metric, of] of Object.entries(measures))
      if (pick(`${metric} ${by}`)) await groupsOf(metric, by, grouped(facts.jobs, by, of));
  for (const by of runDimensions)
    if (pick(`runs ${by}`))
      await groupsOf(
        'runs',
        by,
        grouped(facts.runs, by, () => 1n),
      );
}

async function pagesOf(ask: Ask, path: string): Promise<Record<string, never>[]> {
  const rows: Record<string, never>[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: typeof rows; pagination: { next_cursor: string | null } } = await ask(path, {
      days: `${maxDays}`,
      limit: '1000',
      ...(cursor === null ? {} : { cursor }),
    });
    rows.push(...page.data);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  return rows;
}

/** Each job and each run by itself. Those that retention may remove may still be there. */
export async function checkLists({ ask, facts, today, check }: View): Promise<void> {
  const mayGo = new Set(facts.runs.filter(({ day }) => day < facts.detailsFrom).map(({ run }) => run.id));
  const count = (ids: Iterable<string>) => [...ids].filter((id) => !mayGo.has(id)).length;
  const inWindow = lastDays(facts.jobs, today, maxDays);
  const keyOf = ({ run, job }: JobRow['paid']) => `${run.id} ${job.attempt} ${job.jobId}`;
  const jobs = new Map(inWindow.map((row) => [keyOf(row.paid), row]));
  const shownJobs = await pagesOf(ask, '/api/v1/costs/jobs');
  const idsOfJobs = inWindow.map(({ paid }) => paid.run.id);
  check('jobs', 'count', count(shownJobs.map((shown) => shown['run_id']!)), count(idsOfJobs));
  for (const shown of shownJobs) {
    const of = `${shown['run_id']} ${shown['attempt']} ${shown['job_id']}`;
    const job = jobs.get(of);
    check('jobs cost', of, nanosOf(shown['cost']!), job?.cost);
    check('jobs billed_minutes', of, shown['billed_minutes'], job?.minutes);
    check('jobs runner_kind', of, shown['runner_kind'], job?.values['runner']);
  }
  const runs = new Map(lastDays(facts.runs, today, maxDays).map((row) => [row.run.id, row]));
  const shownRuns = await pagesOf(ask, '/api/v1/costs/runs');
  check('runs', 'count', count(shownRuns.map((shown) => shown['id']!)), count(runs.keys()));
  for (const shown of shownRuns) {
    const row = runs.get(shown['id']!);
    const status = row && ['queued', 'in_progress', 'completed'][row.run.status];
    check('runs cost', shown['id']!, nanosOf(shown['cost']!), row?.cost);
    check('runs conclusion', shown['id']!, shown['conclusion'], row?.conclusion);
    check('runs status', shown['id']!, shown['status'], status);
  }
}

/** Waste of the last 90 days, which must add up to their costs. */
export async function checkWaste({ ask, facts, today, check }: View): Promise<void> {
  const { data } = await ask('/api/v1/waste', { days: '90' });
  const jobs = lastDays(facts.jobs, today, 90);
  const of = (part: keyof WasteParts) => sumOf(jobs, ({ waste }) => waste[part]);
  check('waste', 'total_cost', nanosOf(data.total_cost), costOf(jobs));
  check('waste', 'useful_cost', nanosOf(data.useful_cost), of('useful'));
  for (const { category, cost } of data.categories)
    check('waste', category, nanosOf(cost), category === 'skipped_after_queueing' ? 0n : of(category));
}

/** Showback of this month and the one before, without rules of owners: all is unowned. */
export async function checkShowback({ ask, facts, today, check }: View): Promise<void> {
  const month = dayAgo(today, 0).slice(0, 7);
  const before = new Date(Date.parse(`${month}-01T00:00:00Z`) - dayMs).toISOString().slice(0, 7);
  for (const each of [month, before]) {
    const jobs = lastDays(facts.jobs, today, maxDays).filter(({ day }) => day.startsWith(each));
    for (const metric of ['cost', 'net_cost']) {
      const { data } = await ask('/api/v1/showback', { month: each, metric });
      check(
        `showback ${metric}`,
        each,
        nanosOf(data.total.cost),
        metric === 'cost' ? costOf(jobs) : netOf(jobs),
      );
    }
  }
}

export type ExportedRow = Record<string, string | number | null>;

/** Whole files of the datasets `jobs` and `daily`, from the first day of the plan's history until today. */
export async function checkExports(
  { facts, today, check }: View,
  exported: (dataset: string, first: string) => Promise<ExportedRow[]>,
): Promise<void> {
  const first = dayAgo(today, maxDays - 1);
  const jobs = lastDays(facts.jobs, today, maxDays);
  const cost = ({ cost: usd }: ExportedRow) => nanosOf(Number(usd));
  const ofJobs = await exported('jobs', first);
  const removed = new Set(facts.runs.filter(({ day }) => day < facts.detailsFrom).map(({ run }) => run.id));
  const kept = ofJobs.filter(({ run_id: id }) => !removed.has(id as string));
  check(
    'export jobs',
    'cost',
    sumOf(kept, cost),
    costOf(jobs.filter(({ paid }) => !removed.has(paid.run.id))),
  );
  const daily = await exported('daily', first);
  for (const day of new Set([...daily.map((row) => row['date'] as string), ...jobs.map((row) => row.day)])) {
    const rows = daily.filter((row) => row['date'] === day);
    const own = jobs.filter((row) => row.day === day);
    check('export daily cost', day, sumOf(rows, cost), costOf(own));
  }
}
