import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useOrganizationId } from '../../../api/session.ts';

type WorkflowsQuery = paths['/api/v1/dashboard/workflows']['get']['parameters']['query'];
export type WorkflowsAsked = Omit<WorkflowsQuery, 'org_id'>;
export type SumsAsked = Pick<WorkflowsAsked, 'days' | 'repo' | 'search' | 'status'>;
export type ListedWorkflow =
  paths['/api/v1/dashboard/workflows']['get']['responses'][200]['content']['application/json']['workflows'][number];

export function useWorkflows(asked: WorkflowsAsked) {
  const query = { ...asked, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/workflows', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/workflows', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Sums over the workflows that match; of all of them where only `days` is asked for. */
export function useWorkflowsSummary(asked: SumsAsked) {
  const query = { ...asked, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/workflows/summary', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/workflows/summary', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Sums that a new run, or the end of one, changes; beside the newest runs they are asked for at most so often. */
export const runSums = ['/api/v1/dashboard/workflows', '/api/v1/dashboard/workflows/summary'];
export const leastSecondsBetweenSums = 15;

const dearest = { per_page: 100 };

/** The workflow that cost most, with its repository: many workflows have one name. */
export function useDearest(days: number): string | null {
  const first = useWorkflows({ ...dearest, days }).data?.workflows[0];
  return first ? `${first.workflow_name} in ${first.repo_name}` : null;
}

/** Repositories to choose from: those of the hundred dearest workflows. */
export function useRepositories(days: number): string[] {
  const { data } = useWorkflows({ ...dearest, days });
  return [...new Set(data?.workflows.map(({ repo_name }) => repo_name))].toSorted();
}
