import type { Figures } from '../../ledger/costs/costFigures.ts';
import type { CostQuestion } from '../../ledger/costs/costQuestion.ts';
import type { Costs } from '../../ledger/costs/costs.ts';
import { percentChange } from '../../ledger/costs/overview.ts';
import type { Values } from '../../ledger/costs/sumRows.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { formatNanos, percentOf, usd, type DecimalNumber } from '../../platform/lib/money.ts';
import { dimensionNames, dimensions, ofJobsOnly, type DimensionName } from './readQuestion.ts';

type Asked = Pick<CostQuestion, 'groupBy' | 'metric' | 'granularity' | 'filters' | 'compare'>;

const nameOf = new Map(dimensionNames.map((name) => [dimensions[name] as string, name]));

export function groupByNames({ groupBy }: Pick<CostQuestion, 'groupBy'>): DimensionName[] {
  return groupBy.map((dimension) => nameOf.get(dimension)!);
}

/** What people call a value: a workflow has an id and a name. */
export function readableName(
  name: DimensionName,
  value: string | null,
  { workflows }: Pick<Costs, 'workflows'>,
): string {
  if (value === null) return name === 'runner' ? 'unpriced' : 'none';
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
    total: figuresView(question, total),
    groups: groups.map((group) => ({
      by: group.values.map((value, index) => {
        const dimension = names[index]!;
        return { dimension, value, name: readableName(dimension, value, costs) };
      }),
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

function amountView({ metric }: Asked, value: bigint): DecimalNumber | number {
  return metric === 'cost' ? usd(value) : Number(value);
}

function figuresView(question: Asked, { series, ...figure }: Figures) {
  const of = ({ value, previous }: Pick<Figures, 'value' | 'previous'>) => ({
    value: amountView(question, value),
    previous_value: previous === null ? null : amountView(question, previous),
    change: previous === null ? null : amountView(question, value - previous),
    change_percent: changePercent(value, previous),
  });
  return { ...of(figure), series: series.map((point) => ({ start: point.start, ...of(point) })) };
}

/** Null without a comparison, and where there was nothing before. */
export function changePercent(value: bigint, previous: bigint | null): number | null {
  return previous === null || previous === 0n ? null : percentChange(value, previous);
}

/** From the large to the small: what one usually asks next. */
const steps: readonly DimensionName[] = ['repository', 'workflow', 'job', 'runner', 'branch'];

/** The same question about this group only, by the next dimension that is not settled yet. */
function narrowPath(question: Asked, { period }: Costs, values: Values): string {
  const { metric, granularity, compare } = question;
  const parameters = new URLSearchParams({ from: period.start, to: period.end, metric });
  if (granularity !== 'total') parameters.set('granularity', granularity);
  if (compare !== 'none') parameters.set('compare', compare);
  const settled = new Set<DimensionName>();
  groupByNames(question).forEach((name, index) => {
    parameters.append(name, literal(values[index] ?? null));
    settled.add(name);
  });
  for (const { dimension, values: texts } of question.filters) {
    const name = nameOf.get(dimension)!;
    if (settled.has(name)) continue;
    for (const text of texts) parameters.append(name, text);
    if (texts.length === 1 && !/^!|\*/.test(texts[0]!)) settled.add(name);
  }
  const isPossible = (name: DimensionName) => metric !== 'runs' || !ofJobsOnly.includes(name);
  const next = steps.find((name) => isPossible(name) && !settled.has(name));
  if (next) parameters.set('group_by', next);
  return `/api/v1/costs?${parameters.toString()}`;
}

/** As a filter that only this value passes. */
function literal(value: string | null): string {
  return value !== null && /^[!=]|\*/.test(value) ? `=${value}` : (value ?? '');
}

const amountColumns = { cost: 'cost_usd', minutes: 'minutes', jobs: 'jobs', runs: 'runs' } as const;

/**
 * A line for each group, and with a granularity for each of its spans of time. `row` says what it is: a group, all other
 * groups, or the total where no dimension is asked for. No value is an empty cell.
 */
export function costsCsv(question: Asked, costs: Costs): string {
  const names = groupByNames(question);
  const amount = amountColumns[question.metric];
  const text = (value: bigint) => (question.metric === 'cost' ? formatNanos(value) : String(value));
  const cellsOf = (name: DimensionName, value: string | null) =>
    name === 'workflow'
      ? [value ?? '', value === null ? '' : readableName(name, value, costs)]
      : [value ?? ''];
  const rows: { row: string; cells: string[]; figures: Figures }[] = costs.groups.map(
    ({ values, ...figures }) => ({
      row: 'group',
      cells: values.flatMap((value, index) => cellsOf(names[index]!, value)).map(harmless),
      figures,
    }),
  );
  const columns = names.flatMap((name) => (name === 'workflow' ? ['workflow', 'workflow_name'] : [name]));
  if (names.length === 0) rows.push({ row: 'total', cells: [], figures: costs.total });
  if (costs.other) rows.push({ row: 'other', cells: columns.map(() => ''), figures: costs.other });
  const lines = rows.flatMap(({ row, cells, figures }) => {
    const points =
      question.granularity === 'total' ? [{ start: costs.period.start, ...figures }] : figures.series;
    return points.map(({ start, value, previous }) => [
      ...[row, start, ...cells, text(value)],
      ...(previous === null ? [] : [text(previous), text(value - previous)]),
    ]);
  });
  const compared = costs.previousPeriod === null ? [] : [`previous_${amount}`, `change_${amount}`];
  return [['row', 'start', ...columns, amount, ...compared], ...lines].map(csvLine).join('');
}
