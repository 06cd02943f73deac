import { setImmediate } from 'node:timers/promises';
import {
  daysOf,
  previousWindow,
  weekdayOf,
  weekdays,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import { testOf, type Filter, type WorkflowNames } from './filters.ts';
import type { DashboardContext } from './overview.ts';
import { readDays, type DayFacts } from './readDays.ts';
import {
  amountOf,
  createGroupIndex,
  createSums,
  passes,
  type AmountName,
  type Dimension,
  type GroupIndex,
  type RowTest,
  type Sums,
  type Values,
} from './sumRows.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export const metrics = ['cost', 'minutes', 'jobs', 'runs'] as const;
export const granularities = ['total', 'day', 'week', 'month'] as const;
export const comparisons = ['none', 'previous_period', 'previous_year'] as const;
export const sorts = ['-value', 'value', '-change', 'change', 'name', '-name'] as const;

export type Metric = (typeof metrics)[number];

export type CostQuestion = {
  window: Window;
  groupBy: readonly Dimension[];
  filters: readonly Filter[];
  metric: Metric;
  granularity: (typeof granularities)[number];
  compare: (typeof comparisons)[number];
  sort: (typeof sorts)[number];
  /** How many groups to return; the others are summed up. */
  limit: number;
};

const amountNames: Record<Metric, AmountName | null> = {
  cost: 'costNanos',
  minutes: 'minutes',
  jobs: null,
  runs: null,
};

/** Nano-dollars where the metric is a cost. `previous` is null without a comparison. */
type Figure = { value: bigint; previous: bigint | null };

/** `series` has a figure for each day, week or month; it is empty where only the total is asked for. */
export type Figures = Figure & { series: (Figure & { start: Day })[] };

export type GroupFigures = Figures & { values: Values };

export type Costs = {
  period: Window;
  previousPeriod: Window | null;
  total: Figures;
  groups: GroupFigures[];
  /** The groups beyond the limit. */
  other: (Figures & { groups: number }) | null;
  workflows: WorkflowNames;
};

/** What the jobs or runs of the window that pass all filters came to, by up to two dimensions. */
export async function getCosts(
  { db, actor }: Pick<DashboardContext, 'db' | 'actor'>,
  question: CostQuestion,
): Promise<Costs> {
  const { window, groupBy, filters, metric } = question;
  const before = windowBefore(question);
  const workflows = await findNames(db, actor.orgId, question);
  const [current = [], previous = []] = await readDays(db, actor.orgId, {
    facts: metric === 'runs' ? 'runs' : 'jobs',
    names: columnsFor(question),
    windows: before ? [window, before] : [window],
  });
  const spans = spansOf(window, question.granularity);
  const rows: Rows = {
    days: [
      ...current.map((facts) => countedDay(facts, window, spans, now)),
      ...previous.map((facts) => countedDay(facts, before!, spans, then)),
    ],
    tests: filters.map((filter) => testOf(filter, workflows)),
    amount: amountNames[metric],
    groups: createGroupIndex(groupBy),
  };
  return { period: window, previousPeriod: before, workflows, ...(await answer(question, spans, rows)) };
}

async function findNames(
  db: DashboardContext['db'],
  orgId: string,
  { groupBy, filters }: CostQuestion,
): Promise<WorkflowNames> {
  const isAsked = [...groupBy, ...filters.map(({ dimension }) => dimension)].includes('workflow');
  return isAsked ? findWorkflowNames(db, orgId) : new Map();
}

function columnsFor({ groupBy, filters, metric }: CostQuestion): ColumnName[] {
  const dimensions = [...groupBy, ...filters.map(({ dimension }) => dimension)];
  const stored = dimensions.filter((dimension) => dimension !== 'day' && dimension !== 'weekday');
  // At least one column, which shows that the day's columns are current.
  return [...new Set<ColumnName>([...stored, amountNames[metric] ?? 'hour'])];
}

function windowBefore({ window, compare: comparison }: CostQuestion): Window | null {
  if (comparison === 'none') return null;
  if (comparison === 'previous_period') return previousWindow(window);
  return windowBetween(yearBefore(window.start), yearBefore(window.end));
}

/** February 29 becomes February 28. */
function yearBefore(day: Day): Day {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return same.endsWith('02-29') ? same.replace('29', '28') : same;
}

/** Each span's first day within the window, and the span of each day of the window. */
type Spans = { starts: Day[]; ofDay: number[] };

function spansOf(window: Window, granularity: CostQuestion['granularity']): Spans {
  const starts: Day[] = [];
  const ofDay = daysOf(window).map((day) => {
    if (starts.length === 0 || beginsSpan(day, granularity)) starts.push(day);
    return starts.length - 1;
  });
  return { starts, ofDay };
}

function beginsSpan(day: Day, granularity: CostQuestion['granularity']): boolean {
  if (granularity === 'week') return weekdayOf(day) === 'monday';
  return granularity === 'day' || (granularity === 'month' && day.endsWith('-01'));
}

const now = 0;
const then = 1;

type CountedDay = { facts: DayFacts; when: typeof now | typeof then; span: number };

/** A day of the earlier window counts for the span of the asked window's day with the same distance from the start. */
function countedDay(
  facts: DayFacts,
  { start }: Window,
  { ofDay }: Spans,
  when: CountedDay['when'],
): CountedDay {
  const distance = windowBetween(start, facts.day).days - 1;
  return { facts, when, span: ofDay[Math.min(distance, ofDay.length - 1)]! };
}

type Rows = {
  days: readonly CountedDay[];
  tests: readonly RowTest[];
  amount: AmountName | null;
  groups: GroupIndex;
};

async function sumRows(
  { days, tests, amount, groups }: Rows,
  cellOf: (group: number, day: CountedDay) => number,
): Promise<Sums> {
  const sums = createSums();
  for (const day of days) {
    const { facts } = day;
    const [isCounted, amountOfRow, groupOf] = [
      passes(facts, tests),
      amountOf(facts, amount),
      groups.groupOf(facts),
    ];
    for (let row = 0; row < facts.rows; row++) {
      if (isCounted(row)) sums.add(cellOf(groupOf(row), day), amountOfRow(row));
    }
    await setImmediate(); // Others are served between two days.
  }
  return sums;
}

async function answer(
  question: CostQuestion,
  { starts }: Spans,
  rows: Rows,
): Promise<Pick<Costs, 'total' | 'groups' | 'other'>> {
  const { groupBy, granularity, limit, compare: comparison } = question;
  const { groups } = rows;
  const sums = await sumRows(rows, (group, { when }) => group * 2 + when);
  const figure = (all: Sums, cells: readonly number[]): Figure => ({
    value: cells.reduce((sum, cell) => sum + all.valueOf(cell * 2 + now), 0n),
    previous:
      comparison === 'none' ? null : cells.reduce((sum, cell) => sum + all.valueOf(cell * 2 + then), 0n),
  });
  const every = Array.from({ length: groups.size }, (_, group) => group);
  const shown = groupBy.length === 0 ? [] : firstOf(every, limit, orderOf(question, groups, sums));
  const isShown = new Set(shown);
  const others = every.filter((group) => !isShown.has(group));

  const seriesOf = granularity === 'total' ? () => [] : await sumSpans(rows, shown, starts, figure);
  const places = [...shown.keys(), shown.length];
  return {
    total: { ...figure(sums, every), series: seriesOf(places) },
    groups: shown.map((group, place) => ({
      values: groups.valuesOf(group),
      ...figure(sums, [group]),
      series: seriesOf([place]),
    })),
    other:
      groupBy.length === 0 || others.length === 0
        ? null
        : { groups: others.length, ...figure(sums, others), series: seriesOf([shown.length]) },
  };
}

/** Reads the rows again, now that it is known which groups are shown: the others share one place. */
async function sumSpans(
  rows: Rows,
  shown: readonly number[],
  starts: readonly Day[],
  figure: (sums: Sums, cells: readonly number[]) => Figure,
): Promise<(places: readonly number[]) => Figures['series']> {
  const placeOf = new Map(shown.map((group, place) => [group, place]));
  const cell = (place: number, span: number) => place * starts.length + span;
  const sums = await sumRows(
    rows,
    (group, { span, when }) => cell(placeOf.get(group) ?? shown.length, span) * 2 + when,
  );
  return (places) =>
    starts.map((start, span) => ({
      start,
      ...figure(
        sums,
        places.map((place) => cell(place, span)),
      ),
    }));
}

/** Equal ones by name, so that the same question gets the same answer. */
function orderOf({ groupBy, sort }: CostQuestion, groups: GroupIndex, sums: Sums) {
  const valueOf = (group: number) => sums.valueOf(group * 2 + now);
  const changeOf = (group: number) => valueOf(group) - sums.valueOf(group * 2 + then);
  const name = (group: number) =>
    groups
      .valuesOf(group)
      .map((value, index) => (groupBy[index] === 'weekday' ? weekdays.indexOf(value!) : (value ?? '')))
      .join('\0');
  const byName = (a: number, b: number) => compare(name(a), name(b));
  const orders: Record<CostQuestion['sort'], (a: number, b: number) => number> = {
    '-value': (a, b) => compare(valueOf(b), valueOf(a)) || byName(a, b),
    value: (a, b) => compare(valueOf(a), valueOf(b)) || byName(a, b),
    '-change': (a, b) => compare(changeOf(b), changeOf(a)) || byName(a, b),
    change: (a, b) => compare(changeOf(a), changeOf(b)) || byName(a, b),
    name: byName,
    '-name': (a, b) => byName(b, a),
  };
  return orders[sort];
}

/** The first `limit` items in order, without sorting the others. */
function firstOf<T>(items: readonly T[], limit: number, order: (a: T, b: T) => number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === limit && order(item, first.at(-1)!) >= 0) continue;
    const place = first.findIndex((other) => order(item, other) < 0);
    first.splice(place === -1 ? first.length : place, 0, item);
    if (first.length > limit) first.pop();
  }
  return first;
}
