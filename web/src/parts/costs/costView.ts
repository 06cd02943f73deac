import { useCostChange, useCosts } from '../../analysis/queries.ts';
import {
  aboutJobs,
  changeQueryOf,
  initial,
  isOfJobs,
  isOnlyToday,
  queryOf,
  type Question,
} from '../../analysis/question.ts';
import type { Metric } from '../../analysis/words.ts';

/** The question of the panels, the search of links to other pages, and how to change the question. */
export type View = {
  question: Question;
  today: string;
  searchOf: (next: Question, others?: URLSearchParams) => string;
  onQuestion: (next: Question) => void;
};

export const measures: readonly Metric[] = ['cost', 'net_cost'];

/** The parts of an address's question that the overview supports. */
export function overviewOf(question: Question): Question {
  const { range, compare, metric, filters } = aboutJobs(question);
  return { ...initial, range, compare, metric: metric === 'net_cost' ? metric : 'cost', filters };
}

/** Counts runs, or jobs if a filter applies to single jobs of a run. */
export function useCounts(question: Question, today: string) {
  return useCosts(queryOf({ ...question, metric: isOfJobs(question) ? 'jobs' : 'runs', groupBy: [] }, today));
}

export function useMinutes(question: Question, today: string) {
  return useCosts(queryOf({ ...question, metric: 'minutes', groupBy: [] }, today));
}

/** The page of a workflow has more panels beside this one, so it lists fewer groups. */
const groupsShown = { workflow: 3, job: 5 };

/** The change and the groups that changed most. Today cannot be compared before it is over. */
export function useGroupChange({ question, today }: View, by: keyof typeof groupsShown) {
  const asked = { ...changeQueryOf(question, today), group_by: by, limit: groupsShown[by] };
  return useCostChange(asked, { enabled: !isOnlyToday(question, today) });
}
