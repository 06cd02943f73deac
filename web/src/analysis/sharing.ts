import { filterValueTitle, questionIn, queryOf, type Question } from './question.ts';
import { datesOf, daysBetween, rangeTitle, type Range } from './ranges.ts';
import { comparisons, dimensions, groupingInWords, metrics } from './words.ts';

export const charts = ['bars', 'lines', 'treemap'] as const;

/** As many days up to today, which move with the calendar; null for days that are over. */
export function movingRange(range: Range, today: string): Range | null {
  const dates = datesOf(range, today);
  return dates.to === today ? { kind: 'days', days: daysBetween(dates) } : null;
}

/** The question of a share link. With fixed days, it does not show later ones. */
export function sharedQueryOf(question: Question, today: string, { isMoving = false } = {}): string {
  const { range } = question;
  const moving = isMoving ? movingRange(range, today) : null;
  const shown: Range = moving ?? { kind: 'dates', ...datesOf(range, today) };
  const asked = queryOf({ ...question, range: shown }, today);
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
