import type { Explanation } from './types.ts';

export const parts = ['volume', 'duration', 'price', 'mix'] as const;
export type Part = (typeof parts)[number];

export const partNames: Record<Part, string> = {
  volume: 'Volume',
  duration: 'Duration',
  price: 'Price',
  mix: 'Mix',
};
export const partMeanings: Record<Part, string> = {
  volume: 'more or fewer jobs',
  duration: 'longer or shorter jobs',
  price: 'different rates for the same runners',
  mix: 'different runners',
};

/** In US dollars. `change` is `observed` minus `baseline`, and the sum of the four parts. */
export type Change = Record<Part | 'observed' | 'baseline' | 'change', number>;
type WorkflowChange = Explanation['workflows'][number];
export type Shown = { workflows: WorkflowChange[]; others: Change & { workflows: number }; all: Change };

const amounts = [...parts, 'observed', 'baseline', 'change'] as const;

/** The first `count` workflows. All others are summed, together with those that the server has summed. */
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
