import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Answer } from '../api/answer.ts';
import { api } from '../api/client.ts';
import {
  parametersOf,
  questionIn,
  type AnnotationsQuery,
  type ChangeQuery,
  type CostsQuery,
  type Question,
} from './question.ts';
import type { Dimension } from './words.ts';

const costsPath = '/api/v1/costs';

const changePath = '/api/v1/costs/change';

export type Costs = Answer<typeof costsPath>;
export type CostChange = Answer<typeof changePath>;
export type Annotation = Answer<'/api/v1/annotations'>[number];

/** The question in the address. Each change adds a step to the browser's history. */
export function useQuestion() {
  const [params, setParams] = useSearchParams();
  return {
    question: questionIn(params),
    params,
    change: (next: Question, others = params) => setParams(parametersOf(next, others)),
    searchOf: (next: Question, others = params) => `?${parametersOf(next, others).toString()}`,
  };
}

export function useCosts(query: CostsQuery, { enabled = true } = {}) {
  return useQuery({
    queryKey: [costsPath, query],
    // The path can also answer with CSV, which is text.
    queryFn: async () => ((await api.GET(costsPath, { params: { query } })).data as { data: Costs }).data,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
    enabled,
  });
}

export function useCostChange(query: ChangeQuery, { enabled = true } = {}) {
  return useQuery({
    queryKey: [changePath, query],
    queryFn: async () =>
      ((await api.GET(changePath, { params: { query } })).data as { data: CostChange }).data,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
    enabled,
  });
}

export function useAnnotations(query: AnnotationsQuery) {
  return useQuery({
    queryKey: ['/api/v1/annotations', query],
    queryFn: async () => (await api.GET('/api/v1/annotations', { params: { query } })).data!.data,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

export async function readCsv(query: CostsQuery): Promise<Blob> {
  const headers = { accept: 'text/csv' };
  const { data } = await api.GET(costsPath, { params: { query }, headers, parseAs: 'blob' });
  return data as Blob;
}

export function useValueNames({ filters }: Question): ReadonlyMap<string, string> {
  const valuesOf = (name: Dimension) =>
    filters.filter(({ dimension }) => dimension === name).flatMap(({ values }) => values);
  const workflow = valuesOf('workflow').filter((value) => value.startsWith('wf_'));
  const runner = valuesOf('runner').filter((value) => value !== '');
  const asked = { days: 365, limit: 100, granularity: 'total' } as const;
  const known = [
    useCosts({ ...asked, group_by: 'workflow', workflow }, { enabled: workflow.length > 0 }),
    useCosts({ ...asked, group_by: 'runner', runner }, { enabled: runner.length > 0 }),
  ];
  const groups = known.flatMap(({ data }) => data?.groups ?? []);
  return new Map(groups.map(({ by: [each] }) => [each!.value ?? '', each!.name]));
}
