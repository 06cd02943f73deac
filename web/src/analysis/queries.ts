import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { type Answer, dataQuery, everySeconds } from '../api/query.ts';
import {
  parametersOf,
  questionIn,
  type AnnotationsQuery,
  type ChangeQuery,
  type CostsQuery,
  type Question,
} from './question.ts';
import type { Dimension } from './words.ts';

export type Costs = Answer<'/api/v1/costs'>;
export type CostChange = Answer<'/api/v1/costs/change'>;
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
  return useQuery({ ...dataQuery('/api/v1/costs', { query }), ...everySeconds(60), enabled });
}

export function useCostChange(query: ChangeQuery, { enabled = true } = {}) {
  return useQuery({ ...dataQuery('/api/v1/costs/change', { query }), ...everySeconds(60), enabled });
}

export function useAnnotations(query: AnnotationsQuery) {
  return useQuery({
    ...dataQuery('/api/v1/annotations', { query }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
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
