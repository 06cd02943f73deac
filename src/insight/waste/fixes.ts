import type { Day, Window } from '../../platform/lib/days.ts';
import { compare, smaller, sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { DecisionRow } from './decisions.queries.ts';
import type { Evidence, Unneeded } from './findUnneeded.ts';
import type { Waste, WorkflowWaste } from './getWaste.ts';
import { categories, sumOf as sumOfSplit, type Category } from './jobGroups.ts';
import type { WorkflowName } from './queries.ts';
import { fixKinds, isCategory, type FixKind, type Suggestion } from './suggest.ts';

/** A decision is `done` or `dismissed`. Without a decision, a fix is `open`. */
export const statuses = ['open', 'done', 'dismissed'] as const;
export type Status = (typeof statuses)[number];

/** The suggested changes against one workflow's waste in one category, or against runs of it that nobody needs. */
export type Fix = {
  id: string;
  workflow: WorkflowName;
  category: FixKind;
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
  /** Null for the categories of waste, whose runs are read when somebody asks. */
  evidence: Evidence | null;
  decision: DecisionRow | null;
};

const monthDays = 30n;

/** Rounded down, so that fixes never add up to more than the waste. */
function perMonth(nanos: Nanos, days: number): Nanos {
  return days === 0 ? 0n : (nanos * monthDays) / BigInt(days);
}

export function fixId(workflowId: string, category: FixKind): string {
  return `${workflowId}.${category}`;
}

type Found = Pick<
  Fix,
  'costNanos' | 'savingNanos' | 'usualNanos' | 'monthlyNanos' | 'leftOutDays' | 'suggestions' | 'evidence'
>;

/** Open fixes first, by saving per month; then the others, latest decision first. */
export function fixesOf(
  {
    waste: { period, shown },
    unneeded,
  }: { waste: Pick<Waste, 'period' | 'shown'>; unneeded: readonly Unneeded[] },
  decisions: readonly DecisionRow[],
  names: readonly WorkflowName[],
): Fix[] {
  const decided = new Map(decisions.map((each) => [fixId(each.workflowId, each.category as FixKind), each]));
  const wasteful = new Map(shown.map((each) => [each.id, each]));
  const needless = new Map(unneeded.map((each) => [fixId(each.workflowId, each.kind), each]));
  const fixes = names.flatMap((workflow) =>
    fixKinds.flatMap((category): Fix[] => {
      const id = fixId(workflow.id, category);
      const decision = decided.get(id) ?? null;
      const waste = wasteful.get(workflow.id);
      const runs = needless.get(id);
      const found = isCategory(category)
        ? ofWaste(category, waste, period)
        : runs
          ? ofUnneeded(runs, waste)
          : nothing;
      if (found.suggestions.length === 0 && !decision) return [];
      return [{ id, workflow, category, status: decision?.status ?? 'open', ...found, decision }];
    }),
  );
  return fixes.toSorted(inOrder);
}

const nothing: Found = {
  costNanos: 0n,
  savingNanos: 0n,
  usualNanos: 0n,
  monthlyNanos: 0n,
  leftOutDays: [],
  suggestions: [],
  evidence: null,
};

function ofWaste(category: Category, waste: WorkflowWaste | undefined, period: Window): Found {
  if (!waste) return nothing;
  const ofCategory = (all: readonly Suggestion[]) => all.filter((each) => each.category === category);
  const suggestions = ofCategory(waste.suggestions);
  const savingNanos = sumOf(suggestions, 'savingNanos');
  const usualNanos = smaller(sumOf(ofCategory(waste.usual.suggestions), 'savingNanos'), savingNanos);
  const leftOutDays = waste.usual.leftOutDays.filter((day) => day >= period.start);
  return {
    costNanos: waste.split[category].costNanos,
    savingNanos,
    usualNanos,
    monthlyNanos: perMonth(usualNanos, period.days - leftOutDays.length),
    leftOutDays,
    suggestions,
    evidence: null,
  };
}

/** Without what the workflow's other fixes may save of the same runs. */
function ofUnneeded(
  { window, avoidable, usual, suggestion, evidence, costNanos }: Unneeded,
  waste: WorkflowWaste | undefined,
): Found {
  const savedOtherwise = (category: Category): Nanos => {
    const suggestions = (waste?.suggestions ?? []).filter((each) => each.category === category);
    return smaller(sumOf(suggestions, 'savingNanos'), avoidable[category].costNanos);
  };
  const savingNanos = categories.reduce(
    (left, category) => left - savedOtherwise(category),
    sumOfSplit(avoidable, 'all').costNanos,
  );
  const usualNanos = usual.ofNanos === 0n ? 0n : (savingNanos * usual.costNanos) / usual.ofNanos;
  const leftOutDays = (waste?.usual.leftOutDays ?? []).filter((day) => day >= window.start);
  return {
    costNanos,
    savingNanos,
    usualNanos,
    monthlyNanos: perMonth(usualNanos, window.days - leftOutDays.length),
    leftOutDays,
    suggestions: [{ ...suggestion, savingNanos }],
    evidence,
  };
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
