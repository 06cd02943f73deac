import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

type Asked = NonNullable<paths['/api/v1/waste']['get']['parameters']['query']>;
export type Waste = paths['/api/v1/waste']['get']['responses'][200]['content']['application/json']['data'];
export type WastefulWorkflow = Waste['workflows'][number];
export type Category = Waste['categories'][number];
export type CategoryName = Category['category'];

/** Not polled: it reads every job of the period, and changes slowly. */
export function useWaste(asked: Asked, { enabled = true, staleTime = 60_000 } = {}) {
  return useQuery({
    queryKey: ['/api/v1/waste', asked],
    queryFn: async () => (await api.GET('/api/v1/waste', { params: { query: asked } })).data!,
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}
