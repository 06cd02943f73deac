import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCosts } from '../../analysis/queries.ts';
import { queryOf, type Question } from '../../analysis/question.ts';
import { bodyQuery, everySeconds, type Asked, type Body } from '../../api/query.ts';

export const workflowsPath = '/api/v1/costs/workflows';

export type WorkflowsAsked = Asked<typeof workflowsPath>;
export type WorkflowList = Body<typeof workflowsPath>;
export type ListedWorkflow = WorkflowList['data'][number];

export function useWorkflowCosts(asked: WorkflowsAsked, { enabled = true } = {}) {
  return useQuery({ ...bodyQuery(workflowsPath, { query: asked }), ...everySeconds(60), enabled });
}

/** The same list with waste, for which the server may have to read many jobs. */
export function useWorkflowWaste(asked: WorkflowsAsked, { enabled = true } = {}) {
  const query = { ...asked, waste: true };
  return useQuery({
    ...bodyQuery(workflowsPath, { query }),
    queryKey: [`${workflowsPath}?waste=true`, asked],
    placeholderData: keepPreviousData,
    staleTime: 600_000,
    enabled,
  });
}

export const runSums = [workflowsPath];
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
