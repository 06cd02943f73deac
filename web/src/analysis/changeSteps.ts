import type { CostChange } from './queries.ts';

export type Step = { key: string; label: string; amount: number };

type Words = [up: string, down: string, about: string];

const words: Record<string, Words> = {
  volume: ['More jobs', 'Fewer jobs', 'at the previous cost per job'],
  duration: ['Longer jobs', 'Shorter jobs', 'at the previous cost per minute'],
  price: ['Higher prices', 'Lower prices', 'of the same runners'],
  mix: ['More expensive runners', 'Cheaper runners', ''],
  new: ['New workflows', 'New workflows', ''],
  vanished: ['Removed workflows', 'Removed workflows', ''],
  deducted: ['Smaller deductions', 'Larger deductions', 'such as included minutes'],
};

type Parts = Partial<Pick<CostChange, 'new' | 'vanished'>> & {
  total: Pick<CostChange['total'], 'volume' | 'duration' | 'price' | 'mix'>;
};

/** Smaller amounts, in dollars, would show as $0.00. */
const least = 0.005;

/** The parts of a change, the largest first. They add up to it, apart from parts below half a cent. */
export function changeSteps(
  { total, new: added, vanished }: Parts,
  /** The part of the net cost's change that list cost does not explain. */
  deducted = 0,
): (Step & { about: string })[] {
  const { volume, duration, price, mix } = total;
  const [fromNew, fromVanished] = [added?.change ?? 0, vanished?.change ?? 0];
  // The volume includes all new and vanished groups.
  const continued = volume - fromNew - fromVanished;
  const amounts = { volume: continued, duration, price, mix, new: fromNew, vanished: fromVanished, deducted };
  return Object.entries(amounts)
    .filter(([, amount]) => Math.abs(amount) >= least)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([key, amount]) => {
      const [up, down, about] = words[key]!;
      return { key, amount, about, label: amount > 0 ? up : down };
    });
}
