import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCosts } from '../../../analysis/queries.ts';
import { literal, queryOf, type Question } from '../../../analysis/question.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

const path = '/api/v1/costs/workflows';
const wastePath = `${path}?waste=true`;

type Route = paths[typeof path]['get'];
export type WorkflowsAsked = NonNullable<Route['parameters']['query']>;
export type WorkflowList = Exclude<Route['responses'][200]['content']['application/json'], string>;
export type ListedWorkflow = WorkflowList['data'][number];

async function read(query: WorkflowsAsked): Promise<WorkflowList> {
  return (await api.GET(path, { params: { query } })).data as WorkflowList;
}

export function useWorkflowCosts(asked: WorkflowsAsked, { enabled = true } = {}) {
  return useQuery({
    queryKey: [path, asked],
    queryFn: () => read(asked),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    enabled,
  });
}

/** The same with waste, for which the server reads every job. */
export function useWorkflowWaste(asked: WorkflowsAsked, { enabled = true } = {}) {
  return useQuery({
    queryKey: [wastePath, asked],
    queryFn: () => read({ ...asked, waste: true }),
    placeholderData: keepPreviousData,
    staleTime: 600_000,
    enabled,
  });
}

export async function readWorkflowsCsv(query: WorkflowsAsked): Promise<Blob> {
  const headers = { accept: 'text/csv' };
  const { data } = await api.GET(path, { params: { query }, headers, parseAs: 'blob' });
  return data as unknown as Blob;
}

export const runSums = [path];
export const minSecondsBetweenSums = 15;

export function useRepositories(days: number): string[] {
  const { data } = useCosts({ days, group_by: 'repository', limit: 100, sort: 'name' });
  return (data?.groups ?? []).map(({ by: [repository] }) => repository!.name);
}

/** The workflows with jobs that have no price, where the list has some that cost nothing; null until it is known. */
export function useUnpriced(question: Question, today: string, list: WorkflowList | undefined) {
  const asked: Question = { ...question, metric: 'jobs', groupBy: ['workflow'], compare: 'none' };
  const isFiltered = question.filters.some(({ dimension }) => dimension === 'runner');
  const isAsked = question.metric === 'cost' && !isFiltered && (list?.data.some(costsNothing) ?? false);
  const changes = { granularity: 'total' as const, limit: 1_000, runner: [literal(null)] };
  const { data } = useCosts(queryOf(asked, today, changes), { enabled: isAsked });
  if (!isAsked || !data) return null;
  return new Set(data.groups.map(({ by: [workflow] }) => workflow!.value));
}

export function costsNothing({
  cost,
  previous_cost: previous,
}: Pick<ListedWorkflow, 'cost' | 'previous_cost'>) {
  return cost === 0 && !previous;
}
