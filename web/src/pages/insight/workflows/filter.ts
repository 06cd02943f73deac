import { oneOf, pageIn } from '../../../ui/useAddress.ts';
import type { SumsAsked, WorkflowsAsked } from './queries.ts';

export const daysKnown = ['7', '30', '90', '365'] as const;
export const statuses = [
  'success',
  'failure',
  'cancelled',
  'skipped',
  'queued',
  'in_progress',
  'completed',
] as const;
const sorts = ['cost', 'name', 'runs', 'success_rate', 'duration', 'last_run'] as const;
export type Sort = (typeof sorts)[number];

export function filterIn(params: URLSearchParams) {
  const search = params.get('search') ?? '';
  const repo = params.get('repo') ?? '';
  const status = oneOf(statuses, params.get('status'), null);
  return {
    days: oneOf(daysKnown, params.get('days'), '30'),
    search,
    repo,
    status,
    sortBy: oneOf(sorts, params.get('sort_by'), 'cost'),
    sortOrder: oneOf(['desc', 'asc'], params.get('sort_order'), 'desc'),
    page: pageIn(params),
    isNarrowed: search !== '' || repo !== '' || status !== null,
  };
}

export type Filter = ReturnType<typeof filterIn>;

export function askedBy(filter: Filter): WorkflowsAsked {
  const { sortBy, sortOrder, page } = filter;
  return { ...sumsAskedBy(filter), page, sort_by: sortBy, sort_order: sortOrder };
}

export function sumsAskedBy({ days, search, repo, status }: Filter): SumsAsked {
  return {
    days: Number(days),
    ...(search ? { search } : {}),
    ...(repo ? { repo } : {}),
    ...(status ? { status } : {}),
  };
}

/** A second click on a column reverses it. A new column starts with what people look for first. */
export function sortedBy(column: Sort, { sortBy, sortOrder }: Filter): Record<string, string | null> {
  const first = column === 'name' ? 'asc' : 'desc';
  const order = column === sortBy ? (sortOrder === 'asc' ? 'desc' : 'asc') : first;
  return {
    sort_by: column === 'cost' ? null : column,
    sort_order: order === 'desc' ? null : order,
  };
}
