import { queryOf, type Filter, type Question } from '../../analysis/question.ts';
import { datesOf, daysBetween } from '../../analysis/ranges.ts';
import type { Order } from '../../ui/columns.ts';
import { oneOf, pageIn } from '../../ui/useAddress.ts';
import type { WorkflowsAsked } from './workflows.ts';

export const statuses = [
  'success',
  'failure',
  'cancelled',
  'skipped',
  'queued',
  'in_progress',
  'completed',
] as const;

/** The API's, and by share, which is the order by cost. */
const columns = [
  'cost',
  'share',
  'change',
  'runs',
  'success_rate',
  'duration_p50',
  'duration_p95',
  'waste',
  'last_run',
  'name',
  'repository',
] as const;

/** What the list adds to the question of the bar. */
export type List = {
  search: string;
  status: (typeof statuses)[number] | null;
  order: Order & { column: (typeof columns)[number] };
  page: number;
};

/** Old addresses sort by `duration`, the average. */
export function listIn(params: URLSearchParams): List {
  const column = params.get('sort_by') === 'duration' ? 'duration_p50' : params.get('sort_by');
  return {
    search: params.get('search') ?? '',
    status: oneOf(statuses, params.get('status'), null),
    order: {
      column: oneOf(columns, column, 'cost'),
      isDescending: params.get('sort_order') !== 'asc',
    },
    page: pageIn(params),
  };
}

/** Parameters are left out for the default order, the largest cost first. */
export function orderParameters({ column, isDescending }: Order): Record<string, string | null> {
  return { sort_by: column === 'cost' ? null : column, sort_order: isDescending ? null : 'asc' };
}

/** Turns the parameter `repo` of old addresses into a filter. Its value can lack the owner. */
export function withRepo(question: Question, repo: string | null): Question {
  if (!repo) return question;
  const value = repo.includes('/') ? repo : `*/${repo}`;
  const filter: Filter = { dimension: 'repository', isNot: false, values: [value] };
  return { ...question, filters: [filter, ...question.filters] };
}

/** Waste is computed at list prices, and for at most 90 days. */
export function hasWaste({ metric, range }: Question, today: string): boolean {
  return metric === 'cost' && daysBetween(datesOf(range, today)) <= 90;
}

export function askedBy(question: Question, list: List, today: string): WorkflowsAsked {
  const { metric } = question;
  const { group_by: _, limit: __, sort: ___, ...asked } = queryOf(question, today);
  const column =
    list.order.column === 'share' ||
    (list.order.column === 'change' && asked.compare === 'none') ||
    (list.order.column === 'waste' && !hasWaste(question, today))
      ? 'cost'
      : list.order.column;
  return {
    ...asked,
    metric: metric === 'net_cost' ? metric : 'cost',
    sort: `${list.order.isDescending ? '-' : ''}${column}`,
    page: list.page,
    per_page: perPage,
    ...(list.search ? { search: list.search } : {}),
    ...(list.status ? { status: list.status } : {}),
  };
}

/** Each workflow has a figure for up to 365 days, so larger pages would be too large. */
const perPage = 50;
