import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

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
