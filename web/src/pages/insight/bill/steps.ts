import type { Step } from '../../../analysis/changeSteps.ts';
import type { Measure } from './filter.ts';
import type { Reconciliation, Sums } from './queries.ts';

type BillStep = Step & { about: string };

/** By cause, as the API says them. */
export type CauseWords = ReadonlyMap<string, Reconciliation['causes'][number]>;

export function wordsIn({ causes }: Pick<Reconciliation, 'causes'>): CauseWords {
  return new Map(causes.map((words) => [words.cause, words]));
}

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

export function comparisonOf(sums: Sums, measure: Measure, words: CauseWords): Comparison {
  const isAgreed = (cause: string) => words.get(cause)!.is_agreed;
  const isNet = measure === 'net_cost';
  const parts: [cause: string, amount: number][] = [
    ...Object.entries(isNet ? sums.net_explained : sums.explained),
    ['unexplained', isNet ? sums.net_unexplained : sums.unexplained],
  ];
  const ours = isNet ? sums.our_net : sums.our_cost;
  const steps = parts
    .filter(([, amount]) => amount !== 0)
    .map(([key, amount]) => {
      const { title: label, about } = words.get(key)!;
      return { key, amount: towardBill(amount), label, about };
    })
    .toSorted(
      (a, b) => Number(isAgreed(b.key)) - Number(isAgreed(a.key)) || Math.abs(b.amount) - Math.abs(a.amount),
    );
  return {
    ours,
    billed: sums.bill_net,
    steps: steps.map((step) => ({ ...step, about: '' })),
    unmatched: steps.filter(({ key }) => !isAgreed(key)),
  };
}

/** The agreed deductions. If they are a single step of the waterfall, they have its name. */
export function agreedOf({ explained, our_cost: cost, our_net: net }: AgreedSums, words: CauseWords) {
  const amount = cost - net;
  const parts = Object.entries(explained).filter(
    ([cause, part]) => part !== 0 && words.get(cause)!.is_agreed,
  );
  const [only] = parts;
  const isStep = parts.length === 1 && Math.abs(only![1] - amount) < 1e-9;
  return { amount, name: isStep ? words.get(only![0])!.title : 'Agreed discounts' };
}

type AgreedSums = Pick<Sums, 'explained' | 'our_cost' | 'our_net'>;

const [largeShare, largeDollars] = [0.05, 1];

/** Net cost includes the agreed discounts, so any large difference needs an explanation. */
export function isLarge({
  net_difference: difference,
  bill_net: billed,
}: Pick<Sums, 'net_difference' | 'bill_net'>): boolean {
  const amount = Math.abs(difference);
  return amount > largeDollars && amount > largeShare * Math.abs(billed);
}
