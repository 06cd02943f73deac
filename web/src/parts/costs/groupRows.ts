import type { Costs } from '../../analysis/queries.ts';
import { maxRowsFor, narrowed, type Question } from '../../analysis/question.ts';
import { rangeOf } from '../../analysis/ranges.ts';
import { dimensionTitle, type Granularity } from '../../analysis/words.ts';
import { keyOf, othersTitle, titleOf, type Group } from '../../charts/series.ts';
import { endOf, spanTitle, trendOf } from '../../charts/spans.ts';

export type Row = {
  key: string;
  title: string;
  /** The key of the part of the chart that the row belongs to. */
  part: string;
  slot: number | null;
  value: number;
  previous: number | null;
  share: number;
  values: number[];
  next: Question | null;
};

type RowContext = {
  costs: Costs;
  /** Parts of the chart, which determine the colors of the rows. */
  parts: readonly { key: string; slot: number | null }[];
  /** Whether each part of the chart is a whole value of the first dimension. */
  isByFirst: boolean;
  today: string;
};

/** The groups in the API's order; without groups, the days, weeks or months. */
export function rowsOf(question: Question, { costs, parts, isByFirst, today }: RowContext): Row[] {
  const slots = new Map(parts.map(({ key, slot }) => [key, slot]));
  const partOf = ({ by }: Group) => keyOf({ by: isByFirst ? by.slice(0, 1) : by });
  const { granularity } = costs;
  if (question.groupBy.length === 0)
    return granularity === 'total' ? [] : spanRows(question, { costs, granularity, today });
  const rows: Row[] = costs.groups.map((group) => ({
    key: keyOf(group),
    title: titleOf(group),
    part: partOf(group),
    slot: slots.get(partOf(group)) ?? null,
    value: group.value,
    previous: group.previous_value,
    share: group.share_percent,
    values: trendOf(group.series, costs),
    next: narrowed(question, group.narrow),
  }));
  const { other } = costs;
  if (!other) return rows;
  const most = maxRowsFor(question, today);
  return [
    ...rows,
    {
      key: '',
      title: othersTitle(other.groups),
      part: '',
      slot: null,
      value: other.value,
      previous: other.previous_value,
      share: other.share_percent,
      values: trendOf(other.series, costs),
      next: question.limit < most ? { ...question, limit: most } : null,
    },
  ];
}

export function headingOf({ group_by, granularity }: Costs): string {
  if (group_by.length > 0) return group_by.map(dimensionTitle).join(' · ');
  return granularity === 'day' ? 'Day' : granularity === 'week' ? 'Week' : 'Month';
}

type SpanContext = { costs: Costs; granularity: Granularity; today: string };

function spanRows(question: Question, { costs: { total, period }, granularity, today }: SpanContext): Row[] {
  const rows = total.series.map(({ start, value, previous_value }): Row => ({
    key: start,
    title: spanTitle(start, granularity, period),
    part: start,
    slot: 0,
    value,
    previous: previous_value,
    share: total.value > 0 ? (100 * value) / total.value : 0,
    values: [],
    next: zoomed(question, { from: start, to: endOf(start, granularity, period) }, today),
  }));
  return sortedRows(rows, question);
}

/** Sorts like the API. The row for everything that the list leaves out stays last. */
export function sortedRows(rows: readonly Row[], { sort, groupBy }: Question): Row[] {
  const change = ({ value, previous }: Row) => value - (previous ?? 0);
  // Days sort by date.
  const nameOf = ({ key, title }: Row) => (groupBy.length === 0 ? key : title);
  const column = sort.replace(/^-/, '').replace('share', 'value');
  const sorted = rows
    .filter(({ key }) => key !== '')
    .toSorted((a, b) =>
      column === 'name'
        ? nameOf(a).localeCompare(nameOf(b))
        : column === 'value'
          ? a.value - b.value
          : change(a) - change(b),
    );
  return [...(sort.startsWith('-') ? sorted.toReversed() : sorted), ...rows.filter(({ key }) => key === '')];
}

/** Narrows the range to these days and lets the interval follow from it. */
export function zoomed(question: Question, dates: { from: string; to: string }, today: string): Question {
  return { ...question, range: rangeOf(dates, today), granularity: null };
}
