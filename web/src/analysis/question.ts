import { calendar } from '../api/calendar.ts';
import type { paths } from '../api/schema.d.ts';
import { oneOf } from '../ui/useAddress.ts';
import { datesOf, daysBetween, defaultRange, rangeIn, rangeParameters, type Range } from './ranges.ts';
import {
  comparisons,
  dimensionNames,
  granularities,
  metrics,
  unpriced,
  ofJobsOnly,
  unowned,
  valueTitle,
  type Comparison,
  type Dimension,
  type Granularity,
  type Metric,
} from './words.ts';

type QueryOf<Path extends '/api/v1/costs' | '/api/v1/costs/change' | '/api/v1/annotations'> = NonNullable<
  paths[Path]['get']['parameters']['query']
>;
export type CostsQuery = QueryOf<'/api/v1/costs'>;
export type ChangeQuery = QueryOf<'/api/v1/costs/change'>;
export type AnnotationsQuery = QueryOf<'/api/v1/annotations'>;

/** Values in the API's syntax: empty means none, `*` matches any characters, and `=` makes the rest literal. */
export type Filter = { dimension: Dimension; isNot: boolean; values: string[] };

type AskedSort = NonNullable<CostsQuery['sort']>;
const sorts = ['-value', 'value', '-share', 'share', '-change', 'change', 'name', '-name'] as const;
export type Sort = (typeof sorts)[number];

export type Question = {
  range: Range;
  compare: Comparison;
  metric: Metric;
  /** Kept as in the address, so that the API can name an invalid one. */
  groupBy: string[];
  filters: Filter[];
  /** Null means by the length of the range. */
  granularity: Granularity | null;
  sort: Sort;
  limit: number;
};

export const defaultRows = 20;
const maxRows = 100;

export const initial: Question = {
  range: defaultRange,
  compare: 'previous_period',
  metric: 'cost',
  groupBy: ['repository'],
  filters: [],
  granularity: null,
  sort: '-value',
  limit: defaultRows,
};

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T & string)[];

export function questionIn(params: URLSearchParams): Question {
  const groupBy = params.get('group_by');
  return {
    range: rangeIn(params),
    compare: oneOf(keysOf(comparisons), params.get('compare'), initial.compare),
    metric: oneOf(keysOf(metrics), params.get('metric'), initial.metric),
    groupBy:
      groupBy === null ? initial.groupBy : groupBy.split(',').filter((name) => name && name !== 'none'),
    filters: filtersIn(params),
    granularity: oneOf(keysOf(granularities), params.get('granularity'), null),
    sort: oneOf(sorts, params.get('sort'), initial.sort),
    limit: params.get('limit') === String(maxRows) ? maxRows : defaultRows,
  };
}

function filtersIn(params: URLSearchParams): Filter[] {
  const filters: Filter[] = [];
  for (const [name, text] of params) {
    const dimension = oneOf(dimensionNames, name, null);
    if (!dimension) continue;
    const isNot = text.startsWith('!');
    const value = isNot ? text.slice(1) : text;
    const same = filters.find((filter) => filter.dimension === dimension && filter.isNot === isNot);
    if (!same) filters.push({ dimension, isNot, values: [value] });
    else if (!same.values.includes(value)) same.values.push(value);
  }
  return filters;
}

const own = ['range', 'days', 'from', 'to', 'compare', 'metric', 'group_by', 'granularity', 'sort', 'limit'];

/** The address of a question. Other parameters in the address, such as the kind of chart, stay. */
export function parametersOf(question: Question, others = new URLSearchParams()): URLSearchParams {
  const { range, compare, metric, groupBy, filters, granularity, limit } = question;
  // Without a comparison there is no change to sort by.
  const sort = compare === 'none' && question.sort.endsWith('change') ? initial.sort : question.sort;
  const params = new URLSearchParams(rangeParameters(range));
  const grouped = groupBy.join(',');
  const set = (name: string, value: string, usual: string) => value === usual || params.set(name, value);
  set('compare', compare, initial.compare);
  set('metric', metric, initial.metric);
  set('group_by', grouped || 'none', initial.groupBy.join(','));
  set('granularity', granularity ?? '', '');
  set('sort', sort, initial.sort);
  set('limit', String(limit), String(defaultRows));
  for (const { dimension, isNot, values } of filters) {
    for (const value of values) params.append(dimension, isNot ? `!${value}` : value);
  }
  const isOther = (name: string) => !own.includes(name) && !(dimensionNames as string[]).includes(name);
  for (const [name, value] of others) if (isOther(name)) params.append(name, value);
  return params;
}

export function granularityOf({ range, granularity }: Question, today: string): Granularity {
  if (granularity) return granularity;
  const days = daysBetween(datesOf(range, today));
  return days <= 92 ? 'day' : days <= 366 ? 'week' : 'month';
}

/** Today is incomplete, so any whole day would cost more. */
export function isOnlyToday({ range }: Pick<Question, 'range'>, today: string): boolean {
  return datesOf(range, today).from === today;
}

type Filters = Partial<Record<Dimension, string[]>>;

function filtersOf(filters: readonly Filter[]): Filters {
  const filtered: Filters = {};
  for (const { dimension, isNot, values } of filters)
    (filtered[dimension] ??= []).push(...values.map((value) => (isNot ? `!${value}` : value)));
  return filtered;
}

/** The API's weeks begin on Monday unless it is asked for others. */
export function weekStartAsked(): Pick<CostsQuery, 'week_start'> {
  const { week_start } = calendar();
  return week_start === 'monday' ? {} : { week_start };
}

/** Without products: only Explore has figures of the bill, other pages are about jobs. */
export function aboutJobs(question: Question): Question {
  return { ...question, filters: question.filters.filter(({ dimension }) => dimension !== 'product') };
}

/** Its days and filters. */
export function selectionOf({ range, filters }: Pick<Question, 'range' | 'filters'>, today: string) {
  return {
    ...(range.kind === 'days' ? { days: range.days } : datesOf(range, today)),
    ...filtersOf(filters),
  };
}

/** The API's question. */
export function queryOf(question: Question, today: string, changes: Partial<CostsQuery> = {}): CostsQuery {
  const { metric, groupBy, limit } = question;
  // The API calls the order by share the one by value.
  const sort = question.sort.replace('share', 'value') as AskedSort;
  const compare = isOnlyToday(question, today) ? 'none' : question.compare;
  return {
    ...selectionOf(question, today),
    metric,
    compare,
    sort: compare === 'none' && sort.endsWith('change') ? '-value' : sort,
    // All 24 hours of the day are listed.
    limit: groupBy.join() === 'hour' ? Math.max(limit, 24) : limit,
    group_by: groupBy.join(','),
    granularity: granularityOf(question, today),
    ...weekStartAsked(),
    ...changes,
  };
}

/** The API's question for why the cost changed. Without a chosen comparison, it compares with the previous period. */
export function changeQueryOf(question: Question, today: string): ChangeQuery {
  const { compare } = question;
  return {
    ...selectionOf(question, today),
    compare: compare === 'none' ? 'previous_period' : compare,
    ...weekStartAsked(),
  };
}

const notOfNotes: readonly Dimension[] = ['product', 'conclusion', 'weekday', 'hour'];

/** Annotations of these days that match the filters. */
export function annotationsQueryOf({ range, filters }: Question, today: string): AnnotationsQuery {
  return {
    ...datesOf(range, today),
    ...filtersOf(filters.filter(({ dimension }) => !notOfNotes.includes(dimension))),
  };
}

/** The most rows that fit into an answer, which has a figure per span for each row. */
export function maxRowsFor(question: Question, today: string): number {
  const daysPerSpan = { day: 1, week: 7, month: 28 }[granularityOf(question, today)];
  return Math.min(maxRows, Math.floor((20_000 * daysPerSpan) / daysBetween(datesOf(question.range, today))));
}

/** The question about one group, by the next dimension. `narrow` is the API's link to it; the range stays. */
export function narrowed(question: Question, narrow: string): Question {
  const params = new URLSearchParams(narrow.slice(narrow.indexOf('?') + 1));
  const { filters } = questionIn(params);
  const groupBy = (params.get('group_by') ?? '').split(',').filter(Boolean);
  return { ...question, filters, groupBy, sort: initial.sort, limit: initial.limit };
}

/** Whether a filter applies to single jobs of a run, so that only jobs can be listed and counted. */
export function isOfJobs({ filters }: Question): boolean {
  return filters.some(({ dimension }) => [...ofJobsOnly, 'team', 'cost_center'].includes(dimension));
}

/** Replaces `old` by `next`. Filters without values are dropped, and only one filter per kind remains. */
export function withFilter(question: Question, old: Filter | null, next: Filter | null): Question {
  const isSame = (each: Filter) =>
    each.dimension === next?.dimension && each.isNot === next.isNot && next.values.length > 0;
  const kept = question.filters.filter((each) => each === old || !isSame(each));
  const filters = kept.flatMap((each) => (each === old ? [] : [each]));
  if (next && next.values.length > 0) filters.splice(old ? kept.indexOf(old) : kept.length, 0, next);
  return { ...question, filters, limit: initial.limit };
}

/** A filter value that matches only this value. */
export function literal(value: string | null): string {
  return value !== null && /^[!=]|\*/.test(value) ? `=${value}` : (value ?? '');
}

/**
 * One choice for all found values, if they are not a single one and the server finds them by it: in any case only for
 * repositories, and by the values, not their titles.
 */
export function patternOf(
  dimension: Dimension,
  search: string,
  found: readonly { text: string; title: string }[],
): string | null {
  const typed = search.trim();
  if (typed === '' || found.some(({ title }) => title === typed)) return null;
  if (typed.includes('*')) return typed;
  const cased = (text: string) => (dimension === 'repository' ? text.toLowerCase() : text);
  const part = [typed, typed.toLowerCase()].find((each) =>
    found.every(({ text }) => cased(text).includes(cased(each))),
  );
  return found.length !== 1 && part !== undefined ? `*${part}*` : null;
}

const noValue: Partial<Record<Dimension, string>> = {
  runner: unpriced,
  team: unowned,
  cost_center: unowned,
};

/** For example `acme/api`, `none` or `release/*`. `names` maps ids to names. */
export function filterValueTitle(dimension: Dimension, value: string, names?: ReadonlyMap<string, string>) {
  if (value === '') return noValue[dimension] ?? 'none';
  const text = value.startsWith('=') ? value.slice(1) : value;
  return valueTitle(dimension, names?.get(text) ?? text);
}

/** Whether a page for this question need not name the repository. */
export function isOfOneRepository({ filters }: Question): boolean {
  return filters.some(
    ({ dimension, isNot, values }) => dimension === 'repository' && !isNot && values.length === 1,
  );
}
