export type Step = { key: string; label: string; amount: number };

type Place = { from: number; to: number };

/** Where each bar is, as parts of the width. */
export type Places = {
  /** Whether the scale starts above zero, because the steps would be too small to see. */
  isCut: boolean;
  ends: [before: Place, now: Place];
  bars: Place[];
};

/** The steps take at least this part of the width. */
const minPart = 0.5;

/** `cutsBelow`: the scale is cut only if the steps would take less than this part of the width. */
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
