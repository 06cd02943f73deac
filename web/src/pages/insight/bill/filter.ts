import { oneOf, pageIn } from '../../../ui/useAddress.ts';
import type { Asked } from './queries.ts';

const groupings = ['repository', 'sku', 'day', 'all'] as const;
export type Grouping = (typeof groupings)[number];

export const groupingWords: Record<Grouping, string> = {
  repository: 'Repository',
  sku: 'SKU',
  day: 'Day',
  all: 'All three',
};

const measures = ['cost', 'net_cost'] as const;
export type Measure = (typeof measures)[number];

/** `months` are the months with a bill. An unknown month in the address becomes the newest. */
export function filterIn(params: URLSearchParams, months: readonly string[]) {
  return {
    month: oneOf(months, params.get('month'), months[0] ?? null),
    measure: oneOf(measures, params.get('metric'), 'cost'),
    by: oneOf(groupings, params.get('by'), 'repository'),
    sku: params.get('sku') ?? '',
    repository: params.get('repository') ?? '',
    page: pageIn(params),
  };
}

export type Filter = ReturnType<typeof filterIn>;

export function isNarrowed({ sku, repository }: Pick<Filter, 'sku' | 'repository'>): boolean {
  return sku !== '' || repository !== '';
}

const monthsShown = 12;

/**
 * Months that the bill has, newest first. Only recent ones, because a mistyped date can be years ahead and a report
 * years long.
 */
export function monthsOf(billed: readonly { month: string }[], today: string): string[] {
  const [year, number] = today.split('-').map(Number) as [number, number];
  return Array.from({ length: monthsShown + 1 }, (_, back) =>
    new Date(Date.UTC(year, number - 1 - back)).toISOString().slice(0, 7),
  ).filter((month) => billed.some((each) => each.month === month));
}

/** Any month that has begun. Another text in the address becomes the newest of `months`, or the last month. */
export function closedMonthIn(params: URLSearchParams, months: readonly string[], today: string): string {
  const asked = params.get('month') ?? '';
  if (/^20\d\d-(0[1-9]|1[0-2])$/.test(asked) && asked <= today.slice(0, 7)) return asked;
  return months[0] ?? monthBefore(today);
}

function monthBefore(today: string): string {
  const first = new Date(`${today.slice(0, 7)}-01T00:00:00Z`);
  return new Date(first.getTime() - 1).toISOString().slice(0, 7);
}

function daysOf(month: string): { from: string; to: string } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: `${month}-01`, to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) };
}

const rowsPerPage = 100;

export function askedBy({ month, by, page, sku, repository }: Filter): Asked {
  return {
    by,
    page,
    per_page: rowsPerPage,
    ...(month !== null && daysOf(month)),
    ...(sku && { sku }),
    ...(repository && { repository }),
  };
}
