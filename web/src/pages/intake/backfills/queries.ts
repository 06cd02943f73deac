import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Costs } from '../../../analysis/queries.ts';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import { isMoving } from '../../../ui/task.ts';

export type Backfill = Answer<'/api/v1/backfills'>[number];
export type RepositoryCompleteness = Answer<'/api/v1/backfills/completeness'>[number];

export const backfillsKey = ['/api/v1/backfills'];

const perPage = 25;
const movingMilliseconds = 2_000;
const restingMilliseconds = 15_000;

export const backfillsQuery = (page: number) =>
  queryOptions({
    queryKey: [...backfillsKey, page],
    queryFn: async () => {
      const params = { query: { page, per_page: perPage } };
      return (await api.GET('/api/v1/backfills', { params })).data!;
    },
    refetchInterval: ({ state }) =>
      state.data?.data.some(isMoving) ? movingMilliseconds : restingMilliseconds,
    placeholderData: keepPreviousData,
  });

/** GitHub repositories with costs in the last 90 days, the most expensive first. */
export const knownRepositoriesQuery = queryOptions({
  queryKey: ['/api/v1/costs', 'repositories of GitHub'],
  queryFn: async () => {
    const query = { group_by: 'repository', provider: ['github'], days: 90, limit: 1_000 };
    const { data } = await api.GET('/api/v1/costs', { params: { query } });
    const { groups } = (data as { data: Costs }).data;
    return groups.flatMap(({ by: [part] }) => part?.value ?? []);
  },
  staleTime: 300_000,
});

export const completenessQuery = (days: number, page: number) =>
  queryOptions({
    queryKey: ['/api/v1/backfills/completeness', days, page],
    queryFn: async () => {
      const params = { query: { days, page, per_page: 20 } };
      return (await api.GET('/api/v1/backfills/completeness', { params })).data!;
    },
    refetchInterval: restingMilliseconds,
    placeholderData: keepPreviousData,
  });
