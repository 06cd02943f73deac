import { dayIn, oneOf, pageIn } from '../../../ui/useAddress.ts';
import type { Asked } from './queries.ts';

export const groupings = ['repository', 'sku', 'day', 'all'] as const;
export type Grouping = (typeof groupings)[number];

export const groupingWords: Record<Grouping, string> = {
  repository: 'Repository',
  sku: 'SKU',
  day: 'Day',
  all: 'All three',
};

export function filterIn(params: URLSearchParams) {
  return {
    by: oneOf(groupings, params.get('by'), 'repository'),
    from: dayIn(params, 'from') ?? '',
    to: dayIn(params, 'to') ?? '',
    sku: params.get('sku') ?? '',
    repository: params.get('repository') ?? '',
    page: pageIn(params),
  };
}

export type Filter = ReturnType<typeof filterIn>;

export function isNarrowed({ from, to, sku, repository }: Filter): boolean {
  return [from, to, sku, repository].some((value) => value !== '');
}

export function askedBy({ by, page, ...texts }: Filter): Asked {
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  return { by, page, per_page: 25, ...given };
}
