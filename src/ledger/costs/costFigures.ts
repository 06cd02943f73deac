import { weekdays, type Day } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import { judgeDay, type AnomalyRule } from './anomaly.ts';
import {
  createGroupIndex,
  createSums,
  passingRows,
  type Amounts,
  type DayRows,
  type GroupIndex,
  type RowTest,
  type Values,
} from './columns/sumRows.ts';
import type { CostQuestion, Dimension } from './costQuestion.ts';
import { testOf, type WorkflowNames } from './filters.ts';

/** `value` is in nano-dollars if the metric is a cost. `previous` is null if it is compared with no day. */
export type Figure = { value: bigint; previous: bigint | null };

/** `series` has a figure per day, week or month. It is empty if the question asks for the total only. */
export type Figures = Figure & { series: Point[] };

/** `isAnomalous` is null if the day is not judged. */
type Point = Figure & { start: Day; isAnomalous: boolean | null };

type GroupFigures = Figures & { values: Values };

/** A day of the current or the previous window, with the index of the time span that it counts toward, if any. */
type PlacedDay = { day: DayRows; period: 'current' | 'previous'; span: number | null };

export type Rows = {
  days: readonly PlacedDay[];
  workflows: WorkflowNames;
  /** Tests in addition to the filters. */
  only?: readonly RowTest[];
  starts: readonly Day[];
  /** The time spans that are compared with any day. */
  compared: ReadonlySet<number>;
  amountsOf: (day: DayRows) => Amounts;
  /** The anomaly rule, with the days before the series. */
  judging: (AnomalyRule & { days: readonly DayRows[] }) | null;
};

type FigureQuestion = Pick<CostQuestion, 'groupBy' | 'filters' | 'compare' | 'granularity'>;

export type CostFigures = {
  total: Figures;
  groups: GroupFigures[];
  other: (Figures & { groups: number }) | null;
};

export async function figuresOf(question: CostQuestion, rows: Rows): Promise<CostFigures> {
  const { groupBy, limit } = question;
  const groups = await sumGroups(question, rows);
  const every = Array.from({ length: groups.index.size }, (_, group) => group);
  const shown = groupBy.length === 0 ? [] : firstOf(every, limit, orderOf(question, groups, rows.workflows));
  return showGroups(question, rows, groups, shown);
}

export type SummedGroups = { index: GroupIndex; amounts: CellAmounts };

export async function sumGroups(question: FigureQuestion, rows: Rows): Promise<SummedGroups> {
  const index = createGroupIndex(question.groupBy);
  return { index, amounts: await sumRows(question, rows, index, (groups) => groups) };
}

export async function showGroups(
  question: FigureQuestion,
  rows: Rows,
  { index, amounts }: SummedGroups,
  shown: readonly number[],
): Promise<CostFigures> {
  const total = totalOf(amounts);
  const figures = shown.map((group) => figureAt(amounts, group));
  const left = question.groupBy.length === 0 ? 0 : index.size - shown.length;
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

/** Sums by cell, for the current window and, if the question compares, for the previous one. */
type CellAmounts = { current: readonly bigint[]; previous: readonly bigint[] | null };

async function sumRows(
  { filters, compare: comparison }: FigureQuestion,
  { days, workflows, amountsOf, only = [] }: Rows,
  index: GroupIndex,
  cellsOf: (groups: Int32Array, span: number | null) => Int32Array,
): Promise<CellAmounts> {
  const tests = [...filters.map((filter) => testOf(filter, workflows)), ...only];
  const [current, previous] = [createSums(), createSums()];
  for (const { day, period, span } of days) {
    const groups = index.groupsOf(day, passingRows(day, tests));
    const sums = period === 'current' ? current : previous;
    sums.add(cellsOf(groups, span), amountsOf(day));
    await yieldToRequests();
  }
  return { current: current.values(), previous: comparison === 'none' ? null : previous.values() };
}

export function figureAt({ current, previous }: CellAmounts, cell: number): Figure {
  return { value: current[cell] ?? 0n, previous: previous && (previous[cell] ?? 0n) };
}

function totalOf({ current, previous }: CellAmounts): Figure {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return { value: sum(current), previous: previous && sum(previous) };
}

function without(total: Figure, parts: readonly Figure[]): Figure {
  return {
    value: parts.reduce((rest, { value }) => rest - value, total.value),
    previous:
      total.previous === null ? null : parts.reduce((rest, { previous }) => rest - previous!, total.previous),
  };
}

type Series = { total: Figures['series']; places: Figures['series'][] };

/** Reads the rows a second time, once we know which groups are shown. The others share the last index. */
async function seriesOf(
  question: FigureQuestion,
  rows: Rows,
  index: GroupIndex,
  shown: readonly number[],
): Promise<Series> {
  const { starts, compared } = rows;
  const places = [...shown, null];
  if (question.granularity === 'total') return { total: [], places: places.map(() => []) };
  const placeOf = new Map(shown.map((group, place) => [group, place]));
  const cellsOf = (groups: Int32Array, span: number | null, width: number) =>
    groups.map((group) =>
      group < 0 || span === null ? -1 : (placeOf.get(group) ?? shown.length) * width + span,
    );
  const amounts = await sumRows(question, rows, index, (groups, span) =>
    cellsOf(groups, span, starts.length),
  );
  const ofPlaces = places.map((_, place) =>
    starts.map((start, span) => {
      const { value, previous } = figureAt(amounts, place * starts.length + span);
      return { start, value, previous: compared.has(span) ? previous : null };
    }),
  );
  const total = starts.map((start, span) => {
    const points = ofPlaces.map((series) => series[span]!);
    return {
      start,
      value: points.reduce((sum, { value }) => sum + value, 0n),
      previous: compared.has(span) ? points.reduce((sum, { previous }) => sum + previous!, 0n) : null,
    };
  });
  const { judging } = rows;
  const unjudged = (points: readonly Omit<Point, 'isAnomalous'>[]) =>
    points.map((point) => ({ ...point, isAnomalous: null }));
  if (!judging) return { total: unjudged(total), places: ofPlaces.map(unjudged) };
  const width = judging.days.length;
  const history = judging.days.map((day, span) => ({ day, period: 'current' as const, span }));
  const { current: costs } = await sumRows(question, { ...rows, days: history }, index, (groups, span) =>
    cellsOf(groups, span, width),
  );
  const historyOf = (place: number): DayCost[] =>
    judging.days.map(({ day }, span) => [day, costs[place * width + span] ?? 0n]);
  const everyDay = places.flatMap((_, place) => historyOf(place));
  return {
    total: judged(total, everyDay, judging),
    places: ofPlaces.map((series, place) => judged(series, historyOf(place), judging)),
  };
}

type DayCost = [day: Day, costNanos: bigint];

/** `history` has the costs of the days before the series. A day can occur several times. */
function judged(
  series: readonly Omit<Point, 'isAnomalous'>[],
  history: readonly DayCost[],
  rule: AnomalyRule,
): Point[] {
  const costs = new Map<Day, bigint>();
  for (const [day, cost] of history) costs.set(day, (costs.get(day) ?? 0n) + cost);
  for (const { start, value } of series) costs.set(start, value);
  return series.map((point) => ({ ...point, isAnomalous: judgeDay(point.start, costs, rule) }));
}

/** Breaks ties by name, so that the same question always gets the same answer. */
function orderOf(
  { groupBy, sort }: CostQuestion,
  { index, amounts: { current, previous } }: SummedGroups,
  workflows: WorkflowNames,
) {
  const valueOf = (group: number) => current[group] ?? 0n;
  const changeOf = (group: number) => valueOf(group) - (previous?.[group] ?? 0n);
  const byName = nameOrder(groupBy, index, workflows);
  const orders: Record<CostQuestion['sort'], Order<number>> = {
    '-value': (a, b) => compare(valueOf(b), valueOf(a)) || byName(a, b),
    value: (a, b) => compare(valueOf(a), valueOf(b)) || byName(a, b),
    '-change': (a, b) => compare(changeOf(b), changeOf(a)) || byName(a, b),
    change: (a, b) => compare(changeOf(a), changeOf(b)) || byName(a, b),
    name: byName,
    '-name': (a, b) => byName(b, a),
  };
  return orders[sort];
}

export type Order<T> = (a: T, b: T) => number;

/** Sorts values by the names that people see, and weekdays from Monday. */
export function nameOrder(
  groupBy: readonly Dimension[],
  index: GroupIndex,
  workflows: WorkflowNames,
): Order<number> {
  const sortable = (value: string | null, dimension: Dimension) => {
    if (dimension === 'weekday') return String(weekdays.indexOf(value!));
    const workflow = dimension === 'workflowId' ? workflows.get(value!) : undefined;
    return workflow ? `${workflow.name} ${workflow.repository} ${value}` : (value ?? '');
  };
  return (a, b) => {
    const [first, second] = [index.valuesOf(a), index.valuesOf(b)];
    for (const [place, dimension] of groupBy.entries()) {
      const order = compare(sortable(first[place]!, dimension), sortable(second[place]!, dimension));
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** The first `limit` items in order, found without sorting all of them. */
export function firstOf<T>(items: readonly T[], limit: number, order: Order<T>): T[] {
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
