import { initial, literal, parametersOf, type Filter } from '../../../analysis/question.ts';
import type { Dates } from '../../../analysis/ranges.ts';
import type { Dimension } from '../../../analysis/words.ts';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { isOfDaySoFar } from '../../../parts/alerts/triggerWords.ts';
import type { ExplainedTrigger, Explanation } from '../../../parts/alerts/types.ts';

export const parts = ['volume', 'duration', 'price', 'mix'] as const;
export type Part = (typeof parts)[number];

export const partNames: Record<Part, string> = {
  volume: 'Jobs',
  duration: 'Duration',
  price: 'Prices',
  mix: 'Runners',
};
/** US dollars. `change` is `observed` minus `baseline`, and the sum of the four parts. */
export type Change = Record<Part | 'observed' | 'baseline' | 'change', number>;
type WorkflowChange = Explanation['workflows'][number];
export type Shown = { workflows: WorkflowChange[]; others: Change & { workflows: number }; all: Change };

const amounts = [...parts, 'observed', 'baseline', 'change'] as const;

/** The first `count` workflows. All others are one sum, including those that the server has summed up. */
export function shownOf({ workflows, others }: Explanation, count: number): Shown {
  const shown = workflows.slice(0, count);
  const rest = workflows.slice(count);
  return {
    workflows: shown,
    others: { ...sumOf([...rest, others]), workflows: others.workflows + rest.length },
    all: sumOf([...workflows, others]),
  };
}

export function longestOf({ workflows, others }: Shown): number {
  return Math.max(
    0,
    ...[...workflows, others].flatMap((row) =>
      [...parts, 'change' as const].map((part) => Math.abs(row[part])),
    ),
  );
}

const nanosPerDollar = 1_000_000_000;

function sumOf(changes: Change[]): Change {
  const sum = (of: keyof Change) => {
    const nanos = changes.reduce(
      (total, change) => total + BigInt(Math.round(change[of] * nanosPerDollar)),
      0n,
    );
    return Number(nanos) / nanosPerDollar;
  };
  return Object.fromEntries(amounts.map((amount) => [amount, sum(amount)])) as Change;
}

type Days = Pick<ExplainedTrigger, 'period' | 'counted_until' | 'triggered_at'>;

/** The days that the trigger counts. Triggers without `counted_until` count at most until they triggered. */
export function countedDays({ period, counted_until: until, triggered_at: at }: Days): Dates {
  const last = until ?? (at.slice(0, 10) < period.end ? at.slice(0, 10) : period.end);
  return { from: period.start, to: last };
}

/** The same costs in Explore, by workflow. */
export function exploreAddress(trigger: Days & Pick<ExplainedTrigger, 'scope'>): string {
  const params = parametersOf({
    ...initial,
    range: { kind: 'dates', ...countedDays(trigger) },
    groupBy: ['workflow'],
    sort: '-change',
    filters: filtersOf(trigger.scope),
  });
  return `/explore?${params.toString()}`;
}

/** Repositories and branches can be patterns. */
function filtersOf({ type, value = '', repository }: ExplainedTrigger['scope']): Filter[] {
  const filter = (dimension: Dimension, of: string) => ({ dimension, isNot: false, values: [of] });
  if (type === 'organization') return [];
  if (type === 'workflow' || type === 'team' || type === 'cost_center' || type === 'actor_kind')
    return [filter(type, literal(value))];
  return [filter(type, value), ...(repository === undefined ? [] : [filter('repository', repository)])];
}

export function comparedWithInWords(trigger: ExplainedTrigger): string {
  const hours = isOfDaySoFar(trigger) ? ', each up to the same time of day' : '';
  return `Compared with ${alertType(trigger).baseline_days}${hours}, as of the trigger.`;
}
