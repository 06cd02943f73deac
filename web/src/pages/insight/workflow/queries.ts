import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { selectionOf, type Question } from '../../../analysis/question.ts';
import { api } from '../../../api/client.ts';
import { type Answer, type Asked, dataQuery, everySeconds } from '../../../api/query.ts';
import type { RunFilter } from './runFilter.ts';

export type Durations = Answer<'/api/v1/durations'>;

/** Loads the workflow for its names. Its figures come from the question. */
export function useWorkflow(id: string) {
  return useQuery({
    ...dataQuery('/api/v1/workflows/{id}', { path: { id }, query: { days: 365 } }),
    refetchInterval: 60_000,
  });
}

export function useDurations(
  question: Question,
  today: string,
  changes: Pick<Asked<'/api/v1/durations'>, 'of' | 'group_by'>,
) {
  const query = { ...selectionOf(question, today), ...changes, limit: 1_000 };
  return useQuery({ ...dataQuery('/api/v1/durations', { query }), ...everySeconds(60) });
}

type NewRun = Answer<'/api/v1/costs/runs'>[number];
export type ListedRun = Pick<NewRun, Extract<keyof NewRun, keyof Answer<'/api/v1/runs'>[number]>>;
type RunList = { runs: ListedRun[]; hasMore: boolean };

/** The runs that match the question, or the runs with a job that completed on a day. */
export function useRuns(id: string, question: Question, { today, filter, limit }: RunsAsked) {
  const { onDay, state, order } = filter;
  const completedOn = onDay?.kind === 'completed_on' ? onDay.day : null;
  const range = onDay ? { kind: 'dates' as const, from: onDay.day, to: onDay.day } : question.range;
  const query = {
    ...selectionOf({ ...question, range }, today),
    limit,
    sort: `${order.isDescending ? '-' : ''}${order.column}` as const,
    ...(state === null ? {} : { conclusion: [state === 'unfinished' ? '' : state] }),
  };
  return useQuery({
    queryKey: completedOn ? ['/api/v1/runs', id, completedOn, state, limit] : ['/api/v1/costs/runs', query],
    queryFn: async (): Promise<RunList> => {
      if (completedOn !== null) return runsWithJobsOn(id, completedOn, { state, limit });
      const { data, pagination } = (await api.GET('/api/v1/costs/runs', { params: { query } })).data!;
      return { runs: data, hasMore: pagination.next_cursor !== null };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

type RunsAsked = { today: string; filter: RunFilter; limit: number };

async function runsWithJobsOn(
  id: string,
  day: string,
  { state, limit }: Pick<RunFilter, 'state'> & { limit: number },
): Promise<RunList> {
  const conclusion = state === null || state === 'unfinished' ? {} : { conclusion: state };
  const query = { workflow_id: id, completed_on: day, per_page: Math.min(limit, 100), ...conclusion };
  const { data, pagination } = (await api.GET('/api/v1/runs', { params: { query } })).data!;
  return { runs: data, hasMore: pagination.total > data.length && limit < 100 };
}

export const runSums = [
  '/api/v1/costs',
  '/api/v1/costs/change',
  '/api/v1/durations',
  '/api/v1/workflows/{id}',
];
