import type { Step } from '../../../analysis/changeSteps.ts';
import type { Measure } from './filter.ts';
import type { Cause, Sums } from './queries.ts';
import { causeWords } from './words.ts';

type BillStep = Step & { about: string };

/** Agreed deductions of the provider. All other causes are errors on one side. */
const expected = [
  'included_minutes',
  'public_repository',
  'free_use',
  'other_discount',
] as const satisfies Cause[];

const isExpected = (cause: string): boolean => (expected as readonly string[]).includes(cause);

type Comparison = {
  ours: number;
  billed: number;
  /** Steps from our amount to the billed amount: `ours` plus all steps is `billed`. */
  steps: BillStep[];
  /** Causes other than agreed discounts, the largest first. */
  unmatched: { key: string; label: string; about: string; amount: number }[];
};

/** The API explains `ours − billed`, but the page goes from ours to the bill. `-amount` would turn 0 into −$0.00. */
export function towardBill(amount: number): number {
  return 0 - amount;
}

export function comparisonOf(sums: Sums, measure: Measure): Comparison {
  const isNet = measure === 'net_cost';
  const parts: [cause: string, amount: number][] = [
    ...Object.entries(isNet ? sums.net_explained : sums.explained),
    ['unexplained', isNet ? sums.net_unexplained : sums.unexplained],
  ];
  const ours = isNet ? sums.our_net : sums.our_cost;
  const steps = parts
    .filter(([, amount]) => amount !== 0)
    .map(([key, amount]) => ({ key, amount: towardBill(amount), ...wordsOf(key) }))
    .toSorted(
      (a, b) =>
        Number(isExpected(b.key)) - Number(isExpected(a.key)) || Math.abs(b.amount) - Math.abs(a.amount),
    );
  return {
    ours,
    billed: sums.bill_net,
    steps: steps.map((step) => ({ ...step, about: '' })),
    unmatched: steps.filter(({ key }) => !isExpected(key)),
  };
}

/** The agreed deductions. If they are a single step of the waterfall, they have its name. */
export function agreedOf({ explained, our_cost: cost, our_net: net }: AgreedSums) {
  const amount = cost - net;
  const parts = expected.filter((cause) => (explained[cause] ?? 0) !== 0);
  const [only] = parts;
  const isStep = parts.length === 1 && Math.abs(explained[only!] - amount) < 1e-9;
  return { amount, name: isStep ? causeWords[only!].label : 'Agreed discounts' };
}

type AgreedSums = Pick<Sums, 'explained' | 'our_cost' | 'our_net'>;

function wordsOf(key: string): { label: string; about: string } {
  if (key === 'unexplained') return { label: 'Unexplained', about: 'We could not explain this part.' };
  return causeWords[key as Cause];
}

const [largeShare, largeDollars] = [0.05, 1];

/** Net cost includes the agreed discounts, so any large difference needs an explanation. */
export function isLarge({
  net_difference: difference,
  bill_net: billed,
}: Pick<Sums, 'net_difference' | 'bill_net'>): boolean {
  const amount = Math.abs(difference);
  return amount > largeDollars && amount > largeShare * Math.abs(billed);
}
