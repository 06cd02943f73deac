import type { Day } from '../../platform/lib/days.ts';
import { compare, smaller, sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { DecisionRow } from './decisions.queries.ts';
import type { Waste } from './getWaste.ts';
import { categories, type Category } from './jobGroups.ts';
import type { WorkflowName } from './queries.ts';
import type { Suggestion } from './suggest.ts';

/** A decision is `done` or `dismissed`. Without a decision, a fix is `open`. */
export const statuses = ['open', 'done', 'dismissed'] as const;
export type Status = (typeof statuses)[number];

/** The suggested changes against one workflow's waste in one category. */
export type Fix = {
  id: string;
  workflow: WorkflowName;
  category: Category;
  status: Status;
  /** The cost of the category in the period, which can exceed the possible saving. */
  costNanos: Nanos;
  savingNanos: Nanos;
  /** Of the days that are not marked unusual. */
  usualNanos: Nanos;
  monthlyNanos: Nanos;
  leftOutDays: readonly Day[];
  /** Empty if there is nothing left to change. */
  suggestions: Suggestion[];
  decision: DecisionRow | null;
};

const monthDays = 30n;

/** Rounded down, so that fixes never add up to more than the waste. */
function perMonth(nanos: Nanos, days: number): Nanos {
  return days === 0 ? 0n : (nanos * monthDays) / BigInt(days);
}

export function fixId(workflowId: string, category: Category): string {
  return `${workflowId}.${category}`;
}

/** Open fixes first, by saving per month; then the others, latest decision first. */
export function fixesOf(
  { period, shown }: Pick<Waste, 'period' | 'shown'>,
  decisions: readonly DecisionRow[],
  names: readonly WorkflowName[],
): Fix[] {
  const decided = new Map(decisions.map((each) => [fixId(each.workflowId, each.category as Category), each]));
  const wasteful = new Map(shown.map((each) => [each.id, each]));
  const fixes = names.flatMap(({ id: workflowId, name, repository }) =>
    categories.flatMap((category): Fix[] => {
      const id = fixId(workflowId, category);
      const decision = decided.get(id) ?? null;
      const waste = wasteful.get(workflowId);
      const ofCategory = (all: readonly Suggestion[] = []) =>
        all.filter((each) => each.category === category);
      const suggestions = ofCategory(waste?.suggestions);
      if (suggestions.length === 0 && !decision) return [];
      const savingNanos = sumOf(suggestions, 'savingNanos');
      const usualNanos = smaller(sumOf(ofCategory(waste?.usual.suggestions), 'savingNanos'), savingNanos);
      const leftOutDays = (waste?.usual.leftOutDays ?? []).filter((day) => day >= period.start);
      return [
        {
          id,
          workflow: { id: workflowId, name, repository },
          category,
          status: decision?.status ?? 'open',
          costNanos: waste?.split[category].costNanos ?? 0n,
          savingNanos,
          usualNanos,
          monthlyNanos: perMonth(usualNanos, period.days - leftOutDays.length),
          leftOutDays,
          suggestions,
          decision,
        },
      ];
    }),
  );
  return fixes.toSorted(inOrder);
}

function inOrder(a: Fix, b: Fix): number {
  return (
    statuses.indexOf(a.status) - statuses.indexOf(b.status) ||
    compare(timeOf(b), timeOf(a)) ||
    compare(b.monthlyNanos, a.monthlyNanos) ||
    compare(b.savingNanos, a.savingNanos) ||
    compare(b.costNanos, a.costNanos) ||
    compare(a.workflow.repository, b.workflow.repository) ||
    compare(a.workflow.name, b.workflow.name) ||
    compare(a.id, b.id)
  );
}

function timeOf({ decision }: Fix): bigint {
  return BigInt(decision?.decidedAt.getTime() ?? 0);
}

/** The most that the open fixes can save per month. No dollar counts in two of them. */
export function monthlySaving(fixes: readonly Fix[]): Nanos {
  return sumOf(
    fixes.filter(({ status }) => status === 'open'),
    'monthlyNanos',
  );
}
