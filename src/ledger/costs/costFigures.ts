import { setImmediate } from 'node:timers/promises';
import { weekdays, type Day } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import { amountNames, type CostQuestion, type Dimension } from './costQuestion.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import type { DayFacts } from './readDays.ts';
import {
  amountsOf,
  createGroupIndex,
  createSums,
  passingRows,
  type GroupIndex,
  type Values,
} from './sumRows.ts';

/** Nano-dollars where the metric is a cost. `previous` is null without a comparison. */
type Figure = { value: bigint; previous: bigint | null };

/** `series` has a figure for each day, week or month; it is empty where only the total is asked for. */
export type Figures = Figure & { series: (Figure & { start: Day })[] };

type GroupFigures = Figures & { values: Values };

/** A day of the asked or of the earlier window, and the index of the span of time that it counts for. */
type PlacedDay = { facts: DayFacts; isEarlier: boolean; span: number };

type Rows = { days: readonly PlacedDay[]; workflows: WorkflowNames; starts: readonly Day[] };

export type CostFigures = {
  total: Figures;
  groups: GroupFigures[];
  /** The groups beyond the limit. */
  other: (Figures & { groups: number }) | null;
};

export async function figuresOf(question: CostQuestion, rows: Rows): Promise<CostFigures> {
  const { groupBy, limit } = question;
  const index = createGroupIndex(groupBy);
  const amounts = await sumRows(question, rows, index, (groups) => groups);
  const total = totalOf(amounts);
  const every = Array.from({ length: index.size }, (_, group) => group);
  const shown =
    groupBy.length === 0 ? [] : firstOf(every, limit, orderOf(question, index, amounts, rows.workflows));
  const figures = shown.map((group) => figureAt(amounts, group));
  const left = groupBy.length === 0 ? 0 : index.size - shown.length;
  const series = await seriesOf(question, rows, index, shown);
  return {
    total: { ...total, series: series.total },
    groups: shown.map((group, place) => ({
      values: index.valuesOf(group),
      ...figures[place]!,
      series: series.places[place]!,
    })),
    other:
      left === 0 ? null : { groups: left, ...without(total, figures), series: series.places[shown.length]! },
  };
}

/** Sums by cell, of the asked window and of the earlier one if there is one. */
type CellAmounts = { now: readonly bigint[]; earlier: readonly bigint[] | null };

async function sumRows(
  { metric, filters, compare: comparison }: CostQuestion,
  { days, workflows }: Rows,
  index: GroupIndex,
  cellsOf: (groups: Int32Array, span: number) => Int32Array,
): Promise<CellAmounts> {
  const tests = filters.map((filter) => testOf(filter, workflows));
  const [now, earlier] = [createSums(), createSums()];
  for (const { facts, isEarlier, span } of days) {
    const groups = index.groupsOf(facts, passingRows(facts, tests));
    const sums = isEarlier ? earlier : now;
    sums.add(cellsOf(groups, span), amountsOf(facts, amountNames[metric]));
    await setImmediate(); // Others are served between two days.
  }
  return { now: now.values(), earlier: comparison === 'none' ? null : earlier.values() };
}

function figureAt({ now, earlier }: CellAmounts, cell: number): Figure {
  return { value: now[cell] ?? 0n, previous: earlier && (earlier[cell] ?? 0n) };
}

function totalOf({ now, earlier }: CellAmounts): Figure {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return { value: sum(now), previous: earlier && sum(earlier) };
}

function without(total: Figure, parts: readonly Figure[]): Figure {
  return {
    value: parts.reduce((rest, { value }) => rest - value, total.value),
    previous:
      total.previous === null ? null : parts.reduce((rest, { previous }) => rest - previous!, total.previous),
  };
}

type Series = { total: Figures['series']; places: Figures['series'][] };

/** Reads the rows again, now that it is known which groups are shown: the others share the last place. */
async function seriesOf(
  question: CostQuestion,
  rows: Rows,
  index: GroupIndex,
  shown: readonly number[],
): Promise<Series> {
  const { starts } = rows;
  const places = [...shown, null];
  if (question.granularity === 'total') return { total: [], places: places.map(() => []) };
  const placeOf = new Map(shown.map((group, place) => [group, place]));
  const cellOf = (place: number, span: number) => place * starts.length + span;
  const amounts = await sumRows(question, rows, index, (groups, span) =>
    groups.map((group) => (group < 0 ? group : cellOf(placeOf.get(group) ?? shown.length, span))),
  );
  const ofPlaces = places.map((_, place) =>
    starts.map((start, span) => ({ start, ...figureAt(amounts, cellOf(place, span)) })),
  );
  const total = starts.map((start, span) => {
    const points = ofPlaces.map((series) => series[span]!);
    return {
      start,
      value: points.reduce((sum, { value }) => sum + value, 0n),
      previous: amounts.earlier && points.reduce((sum, { previous }) => sum + previous!, 0n),
    };
  });
  return { total, places: ofPlaces };
}

/** Equal ones by name, so that the same question gets the same answer. */
function orderOf(
  { groupBy, sort }: CostQuestion,
  index: GroupIndex,
  { now, earlier }: CellAmounts,
  workflows: WorkflowNames,
) {
  const valueOf = (group: number) => now[group] ?? 0n;
  const changeOf = (group: number) => valueOf(group) - (earlier?.[group] ?? 0n);
  const byName = nameOrder(groupBy, index, workflows);
  const orders: Record<CostQuestion['sort'], GroupOrder> = {
    '-value': (a, b) => compare(valueOf(b), valueOf(a)) || byName(a, b),
    value: (a, b) => compare(valueOf(a), valueOf(b)) || byName(a, b),
    '-change': (a, b) => compare(changeOf(b), changeOf(a)) || byName(a, b),
    change: (a, b) => compare(changeOf(a), changeOf(b)) || byName(a, b),
    name: byName,
    '-name': (a, b) => byName(b, a),
  };
  return orders[sort];
}

type GroupOrder = (a: number, b: number) => number;

/** By what people call the values; weekdays from Monday. */
export function nameOrder(
  groupBy: readonly Dimension[],
  index: GroupIndex,
  workflows: WorkflowNames,
): GroupOrder {
  const sortable = (value: string | null, dimension: Dimension | undefined) => {
    if (dimension === 'weekday') return weekdays.indexOf(value!);
    const workflow = dimension === 'workflowId' ? workflows.get(value!) : undefined;
    return workflow ? `${workflow.name} ${workflow.repository} ${value}` : (value ?? '');
  };
  const name = (group: number) =>
    index
      .valuesOf(group)
      .map((value, place) => sortable(value, groupBy[place]))
      .join('\0');
  return (a, b) => compare(name(a), name(b));
}

/** The first `limit` items in order, without sorting the others. */
export function firstOf<T>(items: readonly T[], limit: number, order: (a: T, b: T) => number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === limit && order(item, first.at(-1)!) >= 0) continue;
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(item, first[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    first.splice(low, 0, item);
    if (first.length > limit) first.pop();
  }
  return first;
}
