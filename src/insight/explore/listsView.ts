import type { Durations, DurationQuestion, Times } from '../../ledger/costs/durations.ts';
import { notBelow0, type Cursor, type ListPage, type ListQuestion } from '../../ledger/costs/listing.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { runPages } from '../../ledger/runs/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { dimensionCells, dimensionColumns, groupByNames, valuesView } from './costsView.ts';
import { cursorText } from './readLists.ts';

type Run = ListPage<'runs'>['rows'][number];
type Job = ListPage<'jobs'>['rows'][number];

export function runsView(question: ListQuestion, { rows, next }: ListPage<'runs'>, providers: Providers) {
  const data = rows.map((row) => runView(row, providers));
  return { data, ...pageView('runs', question, next) };
}

export function jobsView(question: ListQuestion, { rows, next }: ListPage<'jobs'>, providers: Providers) {
  const data = rows.map((row) => rowView(row, providers));
  return { data, ...pageView('jobs', question, next) };
}

function pageView(rowKind: 'runs' | 'jobs', question: ListQuestion, next: Cursor | null) {
  const cursor = next && cursorText({ rowKind, ...question }, next);
  return { pagination: { limit: question.limit, next_cursor: cursor }, period: question.window };
}

function runView(run: Run, providers: Providers) {
  return { ...rowView(run, providers), id: run.runId };
}

function rowView<Row extends Run | Job>(row: Row, providers: Providers) {
  return {
    ...apiFields(row),
    repo_name: row.repository,
    duration_seconds: secondsOf(row.durationMilliseconds),
    queue_seconds: secondsOf(row.queueMilliseconds),
    url: runPages({ ...row, id: row.runId, commit: null }, providers).run,
  };
}

function secondsOf(milliseconds: string | null): number | null {
  return milliseconds === null ? null : notBelow0(milliseconds) / 1_000;
}

type AskedDurations = Pick<DurationQuestion, 'of' | 'groupBy'>;

export function durationsView(question: AskedDurations, durations: Durations) {
  const names = groupByNames(question);
  return {
    period: durations.period,
    of: question.of,
    group_by: names,
    total: timesView(durations.total),
    groups: durations.groups.map(({ values, ...times }) => ({
      by: valuesView(names, values, durations),
      ...timesView(times),
    })),
    group_count: durations.groupCount,
  };
}

function timesView(times: Times) {
  return {
    count: times.count,
    duration_p50_seconds: inSeconds(times.duration.p50),
    duration_p95_seconds: inSeconds(times.duration.p95),
    queue_p50_seconds: inSeconds(times.queue.p50),
    queue_p95_seconds: inSeconds(times.queue.p95),
    total_minutes: Math.round(times.totalMilliseconds / 600) / 100,
  };
}

function inSeconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1_000;
}

/** One line per group, or one for all if the question has no dimension. A missing value is an empty cell. */
export function durationsCsv(question: AskedDurations, durations: Durations): string {
  const names = groupByNames(question);
  const groups = names.length === 0 ? [{ values: [], ...durations.total }] : durations.groups;
  const lines = groups.map(({ values, ...times }) => {
    const cells = dimensionCells(names, values, durations).map(harmless);
    return [...cells, ...Object.values(timesView(times)).map((value) => String(value ?? ''))];
  });
  return [[...dimensionColumns(names), ...Object.keys(timesView(durations.total))], ...lines]
    .map(csvLine)
    .join('');
}
