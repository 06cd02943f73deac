import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCostChange, useCosts } from '../../../analysis/queries.ts';
import { changeQueryOf, queryOf, type Question } from '../../../analysis/question.ts';
import { addDays } from '../../../analysis/ranges.ts';
import { repricesKey } from '../../../api/queries.ts';
import { type Answer, type Body, bodyQuery, dataQuery } from '../../../api/query.ts';
import { ofSums } from '../../../parts/costs/queries.ts';
import { isMoving } from '../../../ui/task.ts';

export type DataQuality = Answer<'/api/v1/dashboard/unknowns'>;
export type Forecast = Answer<'/api/v1/dashboard/projection'>;
export type EndedList = NonNullable<Answer<'/api/v1/dashboard/outlook'>['ended_price_list']>;
export type Flag = keyof DataQuality['flagged_jobs'] | 'incomplete';
export type RecentRun = Body<'/api/v1/dashboard/recent-runs'>['runs'][number];

export const qualityDays = 30;

export function useTopWorkflows(question: Question, today: string) {
  return useCosts(queryOf({ ...question, groupBy: ['workflow'] }, today, { limit: 6 }));
}

/** A day and its difference from the same weekday a week before. */
export function useDay({ question, today }: { question: Question; today: string }, day: string | null) {
  const of = day ?? today;
  const { compare: _, ...asked } = changeQueryOf(
    { ...question, range: { kind: 'dates', from: of, to: of } },
    today,
  );
  const weekBefore = addDays(of, -7);
  return useCostChange(
    { ...asked, compared_from: weekBefore, compared_to: weekBefore, limit: 100 },
    { enabled: day !== null },
  );
}

export function useForecast() {
  return useQuery({ ...dataQuery('/api/v1/dashboard/projection'), ...ofSums });
}

/** The price list that has ended; null while the chosen one is valid. */
export function useOutlook() {
  return useQuery({
    ...dataQuery('/api/v1/dashboard/outlook'),
    select: ({ ended_price_list: ended }) => ended,
    ...ofSums,
  });
}

/** The most expensive first, of the newest month with a bill. It can be the last one: bills come later than their days. */
export function useOtherProducts(today: string) {
  return useQuery({
    ...dataQuery('/api/v1/bills/months', { query: { from: addDays(today, -31), to: today } }),
    staleTime: 600_000,
    select: (months) => {
      const newest = months.at(-1);
      const products = (newest?.products ?? [])
        .filter(({ product, net }) => product !== 'compute' && net > 0)
        .map((each) => ({ ...each, repositories: each.repositories.toSorted((a, b) => b.net - a.net) }))
        .toSorted((a, b) => b.net - a.net);
      return newest && { month: newest.month, products };
    },
  });
}

export function useDataQuality(options: { enabled?: boolean } = {}) {
  return useQuery({
    ...dataQuery('/api/v1/dashboard/unknowns', { query: { days: qualityDays } }),
    ...ofSums,
    ...options,
  });
}

/** Sums that change with a run. They reload at most this often, in addition to their own polling. */
export const runSums = ['/api/v1/costs', '/api/v1/costs/change', '/api/v1/dashboard/projection'];
export const minSecondsBetweenSums = 30;

export function useFlaggedRuns(flag: Flag, page: number) {
  const query = { flag, page, days: qualityDays, per_page: 20 };
  return useQuery({ ...bodyQuery('/api/v1/runs', { query }), placeholderData: keepPreviousData });
}

export const repriceQuery = (id: string) =>
  queryOptions({
    ...dataQuery('/api/v1/reprices/{id}', { path: { id } }),
    queryKey: [...repricesKey, id],
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? 1_000 : false),
  });
