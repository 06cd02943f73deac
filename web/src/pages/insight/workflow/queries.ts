import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

export type Workflow =
  paths['/api/v1/workflows/{id}']['get']['responses'][200]['content']['application/json']['data'];
export type WorkflowDay = Workflow['daily'][number];
type RunsQuery = NonNullable<paths['/api/v1/runs']['get']['parameters']['query']>;
export type ListedRun =
  paths['/api/v1/runs']['get']['responses'][200]['content']['application/json']['data'][number];

export function useWorkflow(id: string, days: number) {
  return useQuery({
    queryKey: ['/api/v1/workflows/{id}', id, { days }],
    queryFn: async () =>
      (await api.GET('/api/v1/workflows/{id}', { params: { path: { id }, query: { days } } })).data!.data,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

export function useRuns(query: RunsQuery) {
  return useQuery({
    queryKey: ['/api/v1/runs', query],
    queryFn: async () => (await api.GET('/api/v1/runs', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

export const runSums = ['/api/v1/workflows/{id}'];
