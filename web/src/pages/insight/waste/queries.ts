import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Answer, type Asked, bodyQuery, dataQuery } from '../../../api/query.ts';

export type WastefulWorkflow = Answer<'/api/v1/waste'>['workflows'][number];
export type Trend = Answer<'/api/v1/waste/trend'>;

export function useTrend(query: Asked<'/api/v1/waste/trend'>, { enabled }: { enabled: boolean }) {
  return useQuery({
    ...dataQuery('/api/v1/waste/trend', { query }),
    placeholderData: keepPreviousData,
    staleTime: 600_000,
    enabled,
  });
}

export function useWaste(query: Asked<'/api/v1/waste'>, { enabled = true, staleTime = 60_000 } = {}) {
  return useQuery({
    ...bodyQuery('/api/v1/waste', { query }),
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}
