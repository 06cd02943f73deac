import type { Step } from '../charts/waterfall.ts';
import type { CostChange } from './queries.ts';

type Words = [up: string, down: string, about: string];

const wordsFor = (groups: string): Record<string, Words> => ({
  volume: ['More jobs', 'Fewer jobs', 'at the previous cost per job'],
  duration: ['Longer jobs', 'Shorter jobs', 'at the previous cost per minute'],
  price: ['Higher prices', 'Lower prices', 'of the same runners'],
  mix: ['More expensive runners', 'Cheaper runners', ''],
  new: [`New ${groups}`, `New ${groups}`, ''],
  vanished: [`Removed ${groups}`, `Removed ${groups}`, ''],
  deducted: ['Smaller deductions', 'Larger deductions', 'such as included minutes'],
});

type Parts = Partial<Pick<CostChange, 'new' | 'vanished'>> & {
  total: Pick<CostChange['total'], 'volume' | 'duration' | 'price' | 'mix'>;
};

/** Amounts below half a cent would show as nothing. */
const least = 0.005;

/** The parts of a change, the largest first. They add up to it, apart from parts below half a cent. */
export function changeSteps(
  { total, new: added, vanished }: Parts,
  by: 'workflow' | 'job' = 'workflow',
  /** How net cost changed beyond list cost. */
  deducted = 0,
): (Step & { about: string })[] {
  const { volume, duration, price, mix } = total;
  const [fromNew, fromVanished] = [added?.change ?? 0, vanished?.change ?? 0];
  // All of what is new or gone is volume too.
  const continued = volume - fromNew - fromVanished;
  const amounts = { volume: continued, duration, price, mix, new: fromNew, vanished: fromVanished, deducted };
  return Object.entries(amounts)
    .filter(([, amount]) => Math.abs(amount) >= least)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([key, amount]) => {
      const [up, down, about] = wordsFor(`${by}s`)[key]!;
      return { key, amount, about, label: amount > 0 ? up : down };
    });
}
