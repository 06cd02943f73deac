import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

export type Asked = {
  month: string;
  by: 'team' | 'cost_center';
  metric: 'cost' | 'net_cost';
};

export type Showback =
  paths['/api/v1/showback']['get']['responses'][200]['content']['application/json']['data'];
export type OwnerCosts = Showback['owners'][number];

export async function readCsv(asked: Asked): Promise<Blob> {
  const headers = { accept: 'text/csv' };
  const { data } = await api.GET('/api/v1/showback', { params: { query: asked }, headers, parseAs: 'blob' });
  return data as Blob;
}

export function useShowback(asked: Asked) {
  return useQuery({
    queryKey: ['/api/v1/showback', asked],
    queryFn: async () => {
      const { data } = await api.GET('/api/v1/showback', { params: { query: asked } });
      return (data as { data: Showback }).data; // The other answer is CSV.
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
