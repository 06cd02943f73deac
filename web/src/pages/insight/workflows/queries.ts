import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCosts } from '../../../analysis/queries.ts';
import { queryOf, type Question } from '../../../analysis/question.ts';
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

/** The same list with waste, for which the server may have to read many jobs. */
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

/**
 * For each workflow with billed minutes, whether some of them have no price. Queried only if the list has workflows
 * that cost nothing. Null until it is known, or if there are too many groups.
 */
export function useUnpriced(question: Question, today: string, list: WorkflowList | undefined) {
  const asked: Question = {
    ...question,
    metric: 'minutes',
    groupBy: ['workflow', 'runner'],
    compare: 'none',
  };
  const isAsked = question.metric === 'cost' && (list?.data.some(costsNothing) ?? false);
  const changes = { granularity: 'total' as const, limit: 1_000 };
  const { data } = useCosts(queryOf(asked, today, changes), { enabled: isAsked });
  if (!isAsked || !data || data.other) return null;
  const unpriced = new Map<string | null, boolean>();
  for (const { by, value } of data.groups) {
    const [workflow, runner] = by;
    if (value > 0)
      unpriced.set(workflow!.value, runner!.value === null || unpriced.get(workflow!.value) === true);
  }
  return unpriced;
}

export function costsNothing({
  cost,
  previous_cost: previous,
}: Pick<ListedWorkflow, 'cost' | 'previous_cost'>) {
  return cost === 0 && !previous;
}
