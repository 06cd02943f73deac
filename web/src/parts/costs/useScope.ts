import { useSearchParams } from 'wouter';
import { useCosts } from '../../analysis/queries.ts';
import { parametersOf, queryOf, questionIn, type Question } from '../../analysis/question.ts';
import type { Dimension } from '../../analysis/words.ts';
import { overviewOf, type View } from './costView.ts';
import { parametersWithin, searchBeside, withinScope, type Scope } from './scope.ts';

export function useScope(scope: Scope, groupBy: Dimension) {
  const [params, setParams] = useSearchParams();
  const today = new Date().toISOString().slice(0, 10);
  const question = withinScope(overviewOf(questionIn(params)), scope, [groupBy]);
  const view: View = {
    question,
    today,
    searchOf: (next: Question) => `?${parametersOf(next).toString()}`,
    onQuestion: (next: Question) => setParams(parametersWithin(next, scope, params)),
  };
  const costs = useCosts(queryOf(question, today));
  // The search of links to pages beside this one.
  return { view, costs, search: searchBeside(question) };
}
