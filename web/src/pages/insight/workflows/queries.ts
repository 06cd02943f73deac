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

/** With only `days`, the sums of all workflows. */
export function useWorkflowsSummary(asked: SumsAsked) {
  const query = { ...asked, org_id: useOrganizationId() };
  return useQuery({
    queryKey: ['/api/v1/dashboard/workflows/summary', query],
    queryFn: async () => (await api.GET('/api/v1/dashboard/workflows/summary', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

export const runSums = ['/api/v1/dashboard/workflows', '/api/v1/dashboard/workflows/summary'];
export const minSecondsBetweenSums = 15;

const hundred = { per_page: 100 };

/** With its repository, because many workflows share a name. */
export function useMostExpensive(days: number): string | null {
  const first = useWorkflows({ ...hundred, days }).data?.workflows[0];
  return first ? `${first.workflow_name} in ${first.repo_name}` : null;
}

export function useRepositories(days: number): string[] {
  const { data } = useWorkflows({ ...hundred, days });
  return [...new Set(data?.workflows.map(({ repo_name }) => repo_name))].toSorted();
}
