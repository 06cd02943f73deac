import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useChange } from '../../../ui/useChange.ts';

type Path = `/api/v1/waste${'' | '/fixes' | '/runs' | '/trend'}`;
type Query<P extends Path> = NonNullable<paths[P]['get']['parameters']['query']>;

export type FixesQuery = Query<'/api/v1/waste/fixes'>;
export type FixList = { data: Fixes; pagination: { total: number; page: number; per_page: number } };
type Csv = paths['/api/v1/waste/fixes']['get']['responses'][200]['content'];
export type Fixes = Csv['application/json']['data'];
export type Fix = Fixes['fixes'][number];
export type Status = Fix['status'];
export type Category = Fixes['categories'][number];
export type CategoryName = Category['category'];
export type WastefulWorkflow = Answer<'/api/v1/waste'>['workflows'][number];
export type Trend = Answer<'/api/v1/waste/trend'>;

const fixesPath = '/api/v1/waste/fixes';

/** Waste is not polled, because it reads every job of the period and changes slowly. */
export function useFixes(query: FixesQuery, { enabled = true, staleTime = 60_000 } = {}) {
  return useQuery({
    queryKey: [fixesPath, query],
    // The path can also answer with CSV, which is text.
    queryFn: async () => (await api.GET(fixesPath, { params: { query } })).data as FixList,
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}

export async function readFixesCsv(query: FixesQuery): Promise<Blob> {
  const headers = { accept: 'text/csv' };
  const { data } = await api.GET(fixesPath, { params: { query }, headers, parseAs: 'blob' });
  return data as Blob;
}

export function useTrend(query: Query<'/api/v1/waste/trend'>, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['/api/v1/waste/trend', query],
    queryFn: async () => (await api.GET('/api/v1/waste/trend', { params: { query } })).data!.data,
    placeholderData: keepPreviousData,
    staleTime: 600_000,
    enabled,
  });
}

export function useWaste(query: Query<'/api/v1/waste'>, { enabled = true, staleTime = 60_000 } = {}) {
  return useQuery({
    queryKey: ['/api/v1/waste', query],
    queryFn: async () => (await api.GET('/api/v1/waste', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}

export function useWastefulRuns(query: Query<'/api/v1/waste/runs'>) {
  return useQuery({
    queryKey: ['/api/v1/waste/runs', query],
    queryFn: async () => (await api.GET('/api/v1/waste/runs', { params: { query } })).data!.data.runs,
    staleTime: 60_000,
  });
}

type Decision = { status: 'done' | 'dismissed'; reason?: string };

/** Null withdraws the decision. */
export function useDecision({ id }: Pick<Fix, 'id'>, { isErrorShown = false } = {}) {
  const path = { id };
  return useChange({
    act: async (decision: Decision | null) => {
      if (decision) await api.PUT(`${fixesPath}/{id}/decision`, { params: { path }, body: decision });
      else await api.DELETE(`${fixesPath}/{id}/decision`, { params: { path } });
      return decision?.status ?? 'open';
    },
    done: (status) => words[status],
    refresh: [[fixesPath]],
    isErrorShown,
  });
}

const words: Record<Status, string> = {
  open: 'Reopened.',
  done: 'Marked as done. Check back in eight days to see what it saved.',
  dismissed: 'Dismissed.',
};
