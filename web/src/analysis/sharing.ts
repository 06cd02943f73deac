import { filterValueTitle, questionIn, queryOf, type Question } from './question.ts';
import { datesOf, rangeTitle } from './ranges.ts';
import { comparisons, dimensions, groupingInWords, metrics } from './words.ts';

export const charts = ['bars', 'lines', 'treemap'] as const;

/** The question of a share link, with fixed dates so that the link does not show later days. */
export function sharedQueryOf(question: Question, today: string): string {
  const { days: _, ...asked } = queryOf(question, today, datesOf(question.range, today));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    for (const each of [value].flat()) if (each !== undefined) params.append(name, String(each));
  }
  return params.toString();
}

export function titleOfQuestion({ metric, groupBy }: Pick<Question, 'metric' | 'groupBy'>): string {
  const by = groupingInWords(groupBy);
  return `${metrics[metric].title}${by && ` by ${by}`}`;
}

/** For example `Branch is main or release/*`, one for each filter. */
export function filterTitles(
  { filters }: Pick<Question, 'filters'>,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  return filters.map(({ dimension, isNot, values }) => {
    const listed = values.map((value) => filterValueTitle(dimension, value, names)).join(' or ');
    return `${dimensions[dimension]} ${isNot ? 'is not' : 'is'} ${listed}`;
  });
}

/** Includes the name of the range, such as the last 30 days, rather than its dates. */
export function titleOfShare(query: string): string {
  const question = questionIn(new URLSearchParams(query));
  return [titleOfQuestion(question), rangeTitle(question.range), ...filterTitles(question)].join(' · ');
}

/** What can differ between links with the same title, such as `by day, vs previous period`. */
export function detailsOfShare(query: string): string {
  const params = new URLSearchParams(query);
  const { granularity, compare } = questionIn(params);
  return [
    granularity && `by ${granularity}`,
    params.has('compare') && compare !== 'none' && `vs ${comparisons[compare].toLowerCase()}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** `?theme=dark` or `?theme=light` sets the embed's color scheme. */
export function frameOf(url: string): string {
  return `<iframe src="${url}" title="CI costs" width="100%" height="720" loading="lazy"></iframe>`;
}
