import { useQuery } from '@tanstack/react-query';
import { dataQuery } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';
import { usualPeriod } from './usual.ts';

export type Run = paths['/api/v1/runs/{id}']['get']['responses'][200]['content']['application/json']['data'];
export type Job = Run['jobs'][number];

export const runKey = '/api/v1/runs/{id}';

export function useRun(id: string) {
  return useQuery({
    ...dataQuery(runKey, { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? 30_000 : 5_000),
  });
}

const compared = 50;

/** Costs of earlier runs of the same workflow, and of other runs of that day. */
export function useOtherCosts({ id, workflow, created_at: created }: Run) {
  const query = { workflow: [`=${workflow.id}`], ...usualPeriod(created), limit: compared };
  return useQuery({
    ...dataQuery('/api/v1/costs/runs', { query }),
    staleTime: 60_000,
    select: (runs) =>
      runs.filter((run) => run.id !== id && run.status === 'completed').map(({ cost }) => cost),
  });
}
