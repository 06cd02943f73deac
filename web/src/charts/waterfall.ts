import type { Step } from '../analysis/changeSteps.ts';

type Place = { from: number; to: number };

export type Places = {
  /** Whether the scale starts above zero, because the steps would be too small to see. */
  isCut: boolean;
  ends: [before: Place, now: Place];
  bars: Place[];
};

/** Rounds the steps to cents, so that they add up from `before` to `now`. Steps of zero cents are left out. */
export function stepsInCents<Of extends Pick<Step, 'amount'>>(
  before: number,
  steps: readonly Of[],
  now: number,
): Of[] {
  let [reached, shown] = [before, centsOf(before)];
  return steps
    .map((step, index) => {
      reached += step.amount;
      const next = centsOf(index === steps.length - 1 ? now : reached);
      const amount = (next - shown) / 100;
      shown = next;
      return { ...step, amount };
    })
    .filter(({ amount }) => amount !== 0);
}

/**
 * Rounds half away from zero, as displayed amounts do. Rounds to billionths first, because the float nearest to 1.005
 * is below it.
 */
function centsOf(amount: number): number {
  return Math.sign(amount) * Math.round(Math.round(Math.abs(amount) * 1e9) / 1e7);
}

/** On a cut scale, the steps take this part of the width. */
const minPart = 0.5;

/** The scale is cut only if the steps would take less than `cutsBelow` of the width. */
export function waterfallOf(
  before: number,
  steps: readonly Pick<Step, 'amount'>[],
  cutsBelow: number = minPart,
): Places {
  const reached = [before];
  for (const { amount } of steps) reached.push(reached.at(-1)! + amount);
  const [lowest, highest] = [Math.min(...reached), Math.max(...reached)];
  const spread = highest - lowest;
  const isCut = spread > 0 && spread < cutsBelow * highest && lowest > 0;
  const start = isCut ? highest - spread / minPart : Math.min(0, lowest);
  const place = (amount: number) => (highest > start ? (amount - start) / (highest - start) : 0);
  const base = isCut ? 0 : place(0);
  const end = (amount: number): Place => ({ from: base, to: place(amount) });
  return {
    isCut,
    ends: [end(before), end(reached.at(-1)!)],
    bars: steps.map((_, index) => {
      const [a, b] = [place(reached[index]!), place(reached[index + 1]!)];
      return { from: Math.min(a, b), to: Math.max(a, b) };
    }),
  };
}
