import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { outlookKey } from '../../ledger/pricing/queries.ts';
import { overviewDays } from './days.ts';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

export type Trends = Answer<'/api/v1/dashboard/trends'>;
export type Forecast = Answer<'/api/v1/dashboard/projection'>['data'];
export type DataQuality = Answer<'/api/v1/dashboard/unknowns'>['data'];
export type EndedList = NonNullable<Answer<'/api/v1/dashboard/outlook'>['data']['ended_price_list']>;
export type Flag = keyof DataQuality['flagged_jobs'] | 'incomplete';
export type RecentRun = Answer<'/api/v1/dashboard/recent-runs'>['runs'][number];

/** Runs are polled every few seconds, sums more slowly: a token may send as few as 60 requests per minute. */
const ofRuns = { refetchInterval: 10_000, placeholderData: keepPreviousData };
const ofSums = { refetchInterval: 60_000, placeholderData: keepPreviousData };

export function useSummary() {
  const query = { org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/summary', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/summary', { params: { query } })).data!,
    ...ofSums,
  });
}

export function useTrends() {
  const query = { days: 2 * overviewDays, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/trends', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/trends', { params: { query } })).data!,
    ...ofSums,
  });
}

export function useForecast() {
  return useQuery({
    queryKey: ['/api/v1/dashboard/projection'],
    queryFn: async () => (await api.GET('/api/v1/dashboard/projection')).data!.data,
    ...ofSums,
  });
}

/** The price list that has ended; null while the one in use is valid. */
export function useOutlook() {
  return useQuery({
    queryKey: outlookKey,
    queryFn: async () => (await api.GET('/api/v1/dashboard/outlook')).data!.data.ended_price_list,
    ...ofSums,
  });
}

export function useTopWorkflows() {
  const query = { days: overviewDays, limit: 8, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/top-workflows', query],
    queryFn: async () =>
      (await api.GET('/api/v1/dashboard/top-workflows', { params: { query } })).data!.workflows,
    ...ofSums,
  });
}

export function useRecentRuns() {
  const query = { limit: 10, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/recent-runs', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/recent-runs', { params: { query } })).data!.runs,
    ...ofRuns,
  });
}

export function useDataQuality() {
  const query = { days: overviewDays };
  return useQuery({
    queryKey: ['/api/v1/dashboard/unknowns', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/unknowns', { params: { query } })).data!.data,
    ...ofSums,
  });
}

/** Sums that a run changes. They reload at most this often, in addition to their own polling. */
export const runSums = [
  '/api/v1/dashboard/summary',
  '/api/v1/dashboard/trends',
  '/api/v1/dashboard/top-workflows',
  '/api/v1/dashboard/projection',
];
export const minSecondsBetweenSums = 30;

export function useDay(day: string | null) {
  return useQuery({
    queryKey: ['/api/v1/dashboard/days/{day}', day],
    queryFn: async () =>
      (await api.GET('/api/v1/dashboard/days/{day}', { params: { path: { day: day! } } })).data!.data,
    enabled: day !== null,
  });
}

export function useFlaggedRuns(flag: Flag, page: number) {
  const query = { flag, page, days: overviewDays, per_page: 20 };
  return useQuery({
    queryKey: ['/api/v1/runs', query],
    queryFn: async () => (await api.GET('/api/v1/runs', { params: { query } })).data!,
    placeholderData: keepPreviousData,
  });
}
