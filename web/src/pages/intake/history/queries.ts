import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, bodyQuery, dataQuery, everySeconds } from '../../../api/query.ts';
import { isMoving } from '../../../ui/task.ts';

export type Backfill = Answer<'/api/v1/backfills'>[number];
export type RepositoryCompleteness = Answer<'/api/v1/backfills/completeness'>[number];

export const backfillsKey = ['/api/v1/backfills'];

export const backfillsQuery = (page: number) =>
  queryOptions({
    ...bodyQuery('/api/v1/backfills', { query: { page, per_page: 25 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? 2_000 : 15_000),
    placeholderData: keepPreviousData,
  });

/** Repositories of these providers that had costs in the last 90 days, the most expensive first. */
export const knownRepositoriesQuery = (provider: string[]) =>
  queryOptions({
    ...dataQuery('/api/v1/costs', { query: { group_by: 'repository', provider, days: 90, limit: 1_000 } }),
    select: ({ groups }) => groups.flatMap(({ by: [part] }) => part?.value ?? []),
    staleTime: 300_000,
  });

export type UsageImport = Answer<'/api/v1/usage-imports'>[number];

export const usageImportsKey = ['/api/v1/usage-imports'];

export const usageImportsQuery = (page: number) =>
  queryOptions({
    ...bodyQuery('/api/v1/usage-imports', { query: { page, per_page: 10 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? 2_000 : 15_000),
    placeholderData: keepPreviousData,
  });

export const completenessQuery = (days: number, page: number) => ({
  ...bodyQuery('/api/v1/backfills/completeness', { query: { days, page, per_page: 20 } }),
  ...everySeconds(15),
});
