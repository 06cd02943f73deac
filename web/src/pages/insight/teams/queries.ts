import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Answer, dataQuery } from '../../../api/query.ts';

export type Asked = {
  month: string;
  by: 'team' | 'cost_center';
  metric: 'cost' | 'net_cost' | 'full_cost';
};

export type Showback = Answer<'/api/v1/showback'>;
export type OwnerCosts = Showback['owners'][number];

export function useShowback(asked: Asked) {
  return useQuery({
    ...dataQuery('/api/v1/showback', { query: asked }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
