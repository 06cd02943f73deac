import type { Values } from '../../ledger/costs/columns/sumRows.ts';
import type { Figures } from '../../ledger/costs/costFigures.ts';
import { isMoney, type CostQuestion } from '../../ledger/costs/costQuestion.ts';
import type { Costs } from '../../ledger/costs/costs.ts';
import { percentChange } from '../../ledger/costs/ratios.ts';
import { unowned } from '../../ledger/ownership/owners.ts';
import { runnerTitle } from '../../ledger/pricing/runnerWords.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { unitOf } from '../../platform/lib/days.ts';
import { formatNanos, percentOf, usd, usdOrNull, type DecimalNumber } from '../../platform/lib/money.ts';
import { dimensionNames, dimensions, ofJobsOnly, type DimensionName } from './readQuestion.ts';

type Asked = Pick<
  CostQuestion,
  'unit' | 'groupBy' | 'metric' | 'granularity' | 'weekStart' | 'filters' | 'compare' | 'ownersOn'
>;

const noValue: Partial<Record<DimensionName, string>> = {
  runner: 'unpriced',
  team: unowned,
  cost_center: unowned,
};

const nameOf = new Map(dimensionNames.map((name) => [dimensions[name] as string, name]));

export function groupByNames({ groupBy }: Pick<CostQuestion, 'groupBy'>): DimensionName[] {
  return groupBy.map((dimension) => nameOf.get(dimension)!);
}

/** The name that people see. Workflows and runner kinds have ids with separate names. */
export function readableName(
  name: DimensionName,
  value: string | null,
  { workflows, providers }: Pick<Costs, 'workflows' | 'providers'>,
): string {
  if (value === null) return noValue[name] ?? 'none';
  if (name === 'runner') return runnerTitle(value, providers);
  const workflow = name === 'workflow' ? workflows.get(value) : undefined;
  return workflow ? `${workflow.name} (${workflow.repository})` : value;
}

export function costsView(question: Asked, costs: Costs) {
  const names = groupByNames(question);
  const { period, previousPeriod, total, groups, other } = costs;
  return {
    period,
    previous_period: previousPeriod,
    metric: question.metric,
    granularity: question.granularity,
    group_by: names,
    anomaly_threshold_percent: usdOrNull(costs.anomalyThresholdNanos),
    total: figuresView(question, total),
    groups: groups.map((group) => ({
      by: valuesView(names, group.values, costs),
      share_percent: percentOf(group.value, total.value),
      ...figuresView(question, group),
      narrow: narrowPath(question, costs, group.values),
    })),
    other: other && {
      groups: other.groups,
      share_percent: percentOf(other.value, total.value),
      ...figuresView(question, other),
    },
  };
}

export function valuesView(
  names: readonly DimensionName[],
  values: Values,
  costs: Pick<Costs, 'workflows' | 'providers'>,
) {
  const isBilled = names.some((name, index) => name === 'product' && values[index] !== 'compute');
  return values.map((value, index) => {
    const dimension = names[index]!;
    // What the bill has beside jobs ran on no runner, so it is not unpriced.
    const isNone = isBilled && dimension === 'runner' && value === null;
    return { dimension, value, name: isNone ? 'none' : readableName(dimension, value, costs) };
  });
}

function amountView({ metric }: Asked, value: bigint): DecimalNumber | number {
  return isMoney(metric) ? usd(value) : Number(value);
}

function figuresView(question: Asked, { series, ...figure }: Figures) {
  const of = ({ value, previous }: Pick<Figures, 'value' | 'previous'>) => ({
    value: amountView(question, value),
    previous_value: previous === null ? null : amountView(question, previous),
    change: previous === null ? null : amountView(question, value - previous),
    change_percent: changePercent(value, previous),
  });
  return {
    ...of(figure),
    series: series.map((point) => ({
      start: point.start,
      ...of(point),
      is_anomalous: point.isAnomalous,
    })),
  };
}

/** Null without a comparison, or if the previous value is 0. */
export function changePercent(value: bigint, previous: bigint | null): number | null {
  return previous === null || previous === 0n ? null : percentChange(value, previous);
}

/** From coarse to fine, in the order in which people usually drill down. */
const steps: readonly DimensionName[] = ['repository', 'workflow', 'job', 'runner', 'branch'];

/** The same question about this group only, by the next dimension that has no fixed value yet. */
function narrowPath(question: Asked, { period }: Costs, values: Values): string {
  const { unit, metric, granularity, weekStart, compare, ownersOn } = question;
  const days = spanOf(question, period);
  const parameters = new URLSearchParams({ ...days, metric });
  if (granularity !== 'total') parameters.set('granularity', granularity);
  if ((granularity === 'week' || unit === 'week') && weekStart) parameters.set('week_start', weekStart);
  if (compare !== 'none') parameters.set('compare', compare);
  if (ownersOn) parameters.set('ownership', 'today');
  narrow(parameters, question, values);
  return `/api/v1/costs?${parameters.toString()}`;
}

/** By its dates, or by a number of days if its dates would be compared with other days. */
function spanOf({ unit = 'day', weekStart }: Asked, period: Costs['period']): Record<string, string> {
  const { start, end, days } = period;
  return unit === unitOf(period, weekStart) ? { from: start, to: end } : { days: String(days) };
}

export function narrow(
  parameters: URLSearchParams,
  question: Pick<Asked, 'groupBy' | 'filters'> & Partial<Pick<Asked, 'metric'>>,
  values: Values,
): void {
  const settled = new Set<DimensionName>();
  groupByNames(question).forEach((name, index) => {
    parameters.append(name, literal(values[index] ?? null));
    settled.add(name);
    // A workflow belongs to one repository.
    if (name === 'workflow') settled.add('repository');
  });
  for (const { dimension, values: texts } of question.filters) {
    const name = nameOf.get(dimension)!;
    if (settled.has(name)) continue;
    for (const text of texts) parameters.append(name, text);
    if (texts.length === 1 && !/^!|\*/.test(texts[0]!)) settled.add(name);
  }
  const isOfJobs = (parameters.getAll('product').at(0) ?? 'compute') === 'compute';
  const isPossible = (name: DimensionName) =>
    (isOfJobs || name === 'repository') && (question.metric !== 'runs' || !ofJobsOnly.includes(name));
  const next = steps.find((name) => isPossible(name) && !settled.has(name));
  if (next) parameters.set('group_by', next);
}

/** A filter that matches only this value. */
function literal(value: string | null): string {
  return value !== null && /^[!=]|\*/.test(value) ? `=${value}` : (value ?? '');
}

const amountColumns = {
  cost: 'cost_usd',
  net_cost: 'net_cost_usd',
  full_cost: 'full_cost_usd',
  minutes: 'minutes',
  jobs: 'jobs',
  runs: 'runs',
} as const;

/** One line per group and time span. `row` is `group`, `other` or `total`. A missing value is an empty cell. */
export function costsCsv(question: Asked, costs: Costs): string {
  const names = groupByNames(question);
  const amount = amountColumns[question.metric];
  const text = (value: bigint) => (isMoney(question.metric) ? formatNanos(value) : String(value));
  const rows: { row: string; cells: string[]; figures: Figures }[] = costs.groups.map(
    ({ values, ...figures }) => ({
      row: 'group',
      cells: dimensionCells(names, values, costs).map(harmless),
      figures,
    }),
  );
  const columns = dimensionColumns(names);
  if (names.length === 0) rows.push({ row: 'total', cells: [], figures: costs.total });
  if (costs.other) rows.push({ row: 'other', cells: columns.map(() => ''), figures: costs.other });
  const judged = costs.anomalyThresholdNanos === null ? [] : ['is_anomalous'];
  const noPrevious = costs.previousPeriod === null ? [] : ['', ''];
  const lines = rows.flatMap(({ row, cells, figures }) => {
    const points =
      question.granularity === 'total'
        ? [{ start: costs.period.start, ...figures, isAnomalous: null }]
        : figures.series;
    return points.map(({ start, value, previous, isAnomalous }) => [
      row,
      start,
      ...cells,
      text(value),
      ...(previous === null ? noPrevious : [text(previous), text(value - previous)]),
      ...(judged.length === 0 ? [] : [String(isAnomalous ?? '')]),
    ]);
  });
  const compared = costs.previousPeriod === null ? [] : [`previous_${amount}`, `change_${amount}`];
  return [['row', 'start', ...columns, amount, ...compared, ...judged], ...lines].map(csvLine).join('');
}

export function dimensionColumns(names: readonly DimensionName[]): string[] {
  return names.flatMap((name) => (name === 'workflow' ? ['workflow', 'workflow_name'] : [name]));
}

export function dimensionCells(
  names: readonly DimensionName[],
  values: Values,
  costs: Pick<Costs, 'workflows' | 'providers'>,
): string[] {
  return values.flatMap((value, index) => {
    const name = names[index]!;
    if (name !== 'workflow') return [value ?? ''];
    return [value ?? '', value === null ? '' : readableName(name, value, costs)];
  });
}
