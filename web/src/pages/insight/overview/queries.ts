import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCostChange, useCosts } from '../../../analysis/queries.ts';
import { changeQueryOf, initial, isOfJobs, queryOf, type Question } from '../../../analysis/question.ts';
import { addDays } from '../../../analysis/ranges.ts';
import type { Metric } from '../../../analysis/words.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { outlookKey } from '../../ledger/pricing/queries.ts';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

export type Forecast = Answer<'/api/v1/dashboard/projection'>['data'];
export type DataQuality = Answer<'/api/v1/dashboard/unknowns'>['data'];
export type EndedList = NonNullable<Answer<'/api/v1/dashboard/outlook'>['data']['ended_price_list']>;
export type Flag = keyof DataQuality['flagged_jobs'] | 'incomplete';
export type RecentRun = Answer<'/api/v1/dashboard/recent-runs'>['runs'][number];

/** The question of the panels, the search of links to other pages, and how to change the question. */
export type View = {
  question: Question;
  today: string;
  searchOf: (next: Question, others?: URLSearchParams) => string;
  onQuestion: (next: Question) => void;
};

/** Runs are polled every few seconds, sums more slowly: a token may be limited to 60 requests per minute. */
const ofRuns = { refetchInterval: 10_000, placeholderData: keepPreviousData };
const ofSums = { refetchInterval: 60_000, placeholderData: keepPreviousData };

export const qualityDays = 30;

export const measures: readonly Metric[] = ['cost', 'net_cost'];

/** The parts of an address's question that the overview supports. */
export function overviewOf({ range, compare, metric, filters }: Question): Question {
  return { ...initial, range, compare, metric: metric === 'net_cost' ? metric : 'cost', filters };
}

/** Counts runs, or jobs if a filter applies to single jobs of a run. */
export function useCounts(question: Question, today: string) {
  return useCosts(queryOf({ ...question, metric: isOfJobs(question) ? 'jobs' : 'runs', groupBy: [] }, today));
}

export function useMinutes(question: Question, today: string) {
  return useCosts(queryOf({ ...question, metric: 'minutes', groupBy: [] }, today));
}

export function useTopWorkflows(question: Question, today: string) {
  return useCosts(queryOf({ ...question, groupBy: ['workflow'] }, today, { limit: 8 }));
}

/** A day and its difference from the same weekday a week before. */
export function useDay({ question, today }: { question: Question; today: string }, day: string | null) {
  const of = day ?? today;
  const { compare: _, ...asked } = changeQueryOf(
    { ...question, range: { kind: 'dates', from: of, to: of } },
    today,
  );
  const weekBefore = addDays(of, -7);
  return useCostChange(
    { ...asked, compared_from: weekBefore, compared_to: weekBefore, limit: 100 },
    { enabled: day !== null },
  );
}

export function useForecast() {
  return useQuery({
    queryKey: ['/api/v1/dashboard/projection'],
    queryFn: async () => (await api.GET('/api/v1/dashboard/projection')).data!.data,
    ...ofSums,
  });
}

/** The price list that has ended; null while the chosen one is valid. */
export function useOutlook() {
  return useQuery({
    queryKey: outlookKey,
    queryFn: async () => (await api.GET('/api/v1/dashboard/outlook')).data!.data.ended_price_list,
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

export function useDataQuality(options: { enabled?: boolean } = {}) {
  const query = { days: qualityDays };
  return useQuery({
    queryKey: ['/api/v1/dashboard/unknowns', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/unknowns', { params: { query } })).data!.data,
    ...ofSums,
    ...options,
  });
}

/** Sums that change with a run. They reload at most this often, in addition to their own polling. */
export const runSums = ['/api/v1/costs', '/api/v1/costs/change', '/api/v1/dashboard/projection'];
export const minSecondsBetweenSums = 30;

export function useFlaggedRuns(flag: Flag, page: number) {
  const query = { flag, page, days: qualityDays, per_page: 20 };
  return useQuery({
    queryKey: ['/api/v1/runs', query],
    queryFn: async () => (await api.GET('/api/v1/runs', { params: { query } })).data!,
    placeholderData: keepPreviousData,
  });
}
