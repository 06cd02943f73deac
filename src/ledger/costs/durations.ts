import type { Window } from '../../platform/lib/days.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { RowKind } from './columns/dayColumns.queries.ts';
import { createGroupIndex, passingRows, type DayRows, type RowTest, type Values } from './columns/sumRows.ts';
import { withDays } from './columns/withDays.ts';
import { firstOf, nameOrder, type Order } from './costFigures.ts';
import type { CostQuestion, TimeName } from './costQuestion.ts';
import type { CostContext } from './costs.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import { notBelow0 } from './listing.ts';

const measures = [
  'duration_p50',
  'duration_p95',
  'queue_p50',
  'queue_p95',
  'total_minutes',
  'count',
] as const;

type Measure = (typeof measures)[number];

export const durationSorts = [
  ...measures.flatMap((name) => [`-${name}`, name] as const),
  'name',
  '-name',
] as const;

export type DurationQuestion = Pick<CostQuestion, 'window' | 'groupBy' | 'filters' | 'ownersOn'> & {
  of: RowKind;
  sort: (typeof durationSorts)[number];
  limit: number;
};

/** Milliseconds. Null if no value is known. */
export type Percentiles = { p50: number | null; p95: number | null };

export type Times = { count: number; duration: Percentiles; queue: Percentiles; totalMilliseconds: number };

export type Durations = {
  period: Window;
  total: Times;
  groups: (Times & { values: Values })[];
  /** Includes groups beyond the limit. */
  groupCount: number;
  workflows: WorkflowNames;
  providers: CostContext['providers'];
};

const timeColumns = ['durationMilliseconds', 'queueMilliseconds'] as const;

/**
 * Durations and queue times of the jobs that completed in the window, or of the runs that were created in it. Counts
 * only those that have started and ended, and were not skipped.
 */
export async function getDurations(ctx: CostContext, question: DurationQuestion): Promise<Durations> {
  const { of: rowKind, window, groupBy, filters, sort, limit } = question;
  const selection = { rowKind, questions: [question], windows: [window], columns: timeColumns };
  const { days, workflows } = await withDays(ctx, [selection], async ({ read, workflows: names }) => ({
    days: await read(selection, window),
    workflows: names,
  }));
  const index = createGroupIndex(groupBy);
  const tests = filters.map((filter) => testOf(filter, workflows));
  const grouped: GroupedDay[] = [];
  for (const day of days) {
    grouped.push({ day, groups: index.groupsOf(day, countedRows(day, tests)) });
    await yieldToRequests();
  }
  const durations = await distributionOf(grouped, index.size, 'durationMilliseconds');
  const queues = await distributionOf(grouped, index.size, 'queueMilliseconds');
  const timesAt = (group: number): Times => ({
    count: durations.counts[group]!,
    duration: durations.percentiles[group]!,
    queue: queues.percentiles[group]!,
    totalMilliseconds: durations.sums[group]!,
  });
  const every = Array.from({ length: index.size }, (_, group) => group);
  const order = orderOf(sort, timesAt, nameOrder(groupBy, index, workflows));
  const shown = groupBy.length === 0 ? [] : firstOf(every, limit, order);
  return {
    period: window,
    total: timesAt(index.size),
    groups: shown.map((group) => ({ values: index.valuesOf(group), ...timesAt(group) })),
    groupCount: groupBy.length === 0 ? 0 : index.size,
    workflows,
    providers: ctx.providers,
  };
}

/** 1 for each row that passes the tests and has a duration, else 0. */
export function countedRows(day: DayRows, tests: readonly RowTest[]): Uint8Array {
  const passing = passingRows(day, tests);
  const { values, codes } = day.column('durationMilliseconds');
  const isKnown = Uint8Array.from(values, (value) => Number(value !== null));
  for (let row = 0; row < passing.length; row++) passing[row]! &= isKnown[codes[row]!]!;
  return passing;
}

/** The group of each row, or -1 if the row does not count. */
type GroupedDay = { day: DayRows; groups: Int32Array };

/** Indexed by group. The last entry covers all groups together. */
type Distribution = { counts: Float64Array; sums: Float64Array; percentiles: Percentiles[] };

/**
 * A counting sort: puts the groups of all rows in the order of their values, so the n-th row of a group has its n-th
 * value. Sorting the values of each group would take longer than all the rest.
 */
export async function distributionOf(
  days: readonly GroupedDay[],
  groupCount: number,
  name: TimeName,
): Promise<Distribution> {
  const values = distinctValues(days, name);
  const [counts, sums] = [new Float64Array(groupCount + 1), new Float64Array(groupCount + 1)];
  const ends = new Uint32Array(values.sorted.length);
  const eachRow = async (work: (group: number, rank: number) => void) => {
    for (const { day, groups } of days) {
      const { values: texts, codes } = day.column(name);
      const ranks = Int32Array.from(texts, values.rankOf);
      for (let row = 0; row < groups.length; row++) {
        const rank = ranks[codes[row]!]!;
        if (groups[row]! >= 0 && rank >= 0) work(groups[row]!, rank);
      }
      await yieldToRequests();
    }
  };
  await eachRow((group, rank) => {
    ends[rank]!++;
    counts[group]!++;
    sums[group]! += values.sorted[rank]!;
  });
  const all = groupCount;
  counts[all] = counts.reduce((sum, count) => sum + count, 0);
  sums[all] = sums.reduce((sum, part) => sum + part, 0);
  let rows = 0;
  for (let rank = 0; rank < ends.length; rank++) [ends[rank], rows] = [rows, rows + ends[rank]!];
  const inOrder = new Uint32Array(rows);
  await eachRow((group, rank) => (inOrder[ends[rank]!++] = group));
  const percentiles = Array.from(counts, (): Percentiles => ({ p50: null, p95: null }));
  const [median, high] = [counts.map((count) => rankAt(count, 50)), counts.map((count) => rankAt(count, 95))];
  const seen = new Float64Array(groupCount + 1);
  const look = (group: number, value: number): void => {
    const place = ++seen[group]!;
    if (place === median[group]) percentiles[group]!.p50 = value;
    if (place === high[group]) percentiles[group]!.p95 = value;
  };
  for (let [row, rank] = [0, 0]; row < rows; row++) {
    while (row >= ends[rank]!) rank++;
    look(inOrder[row]!, values.sorted[rank]!);
    look(all, values.sorted[rank]!);
  }
  return { counts, sums, percentiles };
}

/** Nearest rank, from 1: the value at this rank is the smallest that at least `percent` of all values do not exceed. */
function rankAt(count: number, percent: number): number {
  return Math.ceil((percent * count) / 100);
}

type DistinctValues = { sorted: Float64Array; rankOf: (text: string | null) => number };

/** In milliseconds. Unknown values have rank -1. */
function distinctValues(days: readonly GroupedDay[], name: TimeName): DistinctValues {
  const distinct = new Set<number>();
  for (const { day } of days) {
    for (const text of day.column(name).values) if (text !== null) distinct.add(notBelow0(text));
  }
  const sorted = Float64Array.from(distinct).toSorted();
  const ranks = new Map(Array.from(sorted, (value, rank) => [value, rank]));
  return { sorted, rankOf: (text) => (text === null ? -1 : ranks.get(notBelow0(text))!) };
}

const valueOf: Record<Measure, (times: Times) => number | null> = {
  duration_p50: ({ duration }) => duration.p50,
  duration_p95: ({ duration }) => duration.p95,
  queue_p50: ({ queue }) => queue.p50,
  queue_p95: ({ queue }) => queue.p95,
  total_minutes: ({ totalMilliseconds }) => totalMilliseconds,
  count: ({ count }) => count,
};

/** Breaks ties by name. Unknown values sort below 0. */
function orderOf(
  sort: DurationQuestion['sort'],
  timesAt: (group: number) => Times,
  byName: Order<number>,
): Order<number> {
  const isDown = sort.startsWith('-');
  const name = (isDown ? sort.slice(1) : sort) as Measure | 'name';
  if (name === 'name') return isDown ? (a, b) => byName(b, a) : byName;
  const value = (group: number) => valueOf[name](timesAt(group)) ?? -1;
  return (a, b) => (isDown ? value(b) - value(a) : value(a) - value(b)) || byName(a, b);
}
