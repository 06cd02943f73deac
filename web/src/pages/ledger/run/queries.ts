import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { usualPeriod } from './usual.ts';

export type Run = paths['/api/v1/runs/{id}']['get']['responses'][200]['content']['application/json']['data'];
export type Job = Run['jobs'][number];

export const runKey = '/api/v1/runs/{id}';

export function useRun(id: string) {
  return useQuery({
    queryKey: [runKey, id],
    queryFn: async () => (await api.GET('/api/v1/runs/{id}', { params: { path: { id } } })).data!.data,
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? 30_000 : 5_000),
  });
}

const compared = 50;

/** Costs of earlier runs of the same workflow, and of other runs of that day. */
export function useOtherCosts({ id, workflow, created_at: created }: Run) {
  const query = { workflow: [`=${workflow.id}`], ...usualPeriod(created), limit: compared };
  return useQuery({
    queryKey: ['/api/v1/costs/runs', query],
    queryFn: async () => (await api.GET('/api/v1/costs/runs', { params: { query } })).data!.data,
    staleTime: 60_000,
    select: (runs) =>
      runs.filter((run) => run.id !== id && run.status === 'completed').map(({ cost }) => cost),
  });
}
