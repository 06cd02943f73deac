import { withMinus } from '../ui/figures.ts';

const currency = { style: 'currency', currency: 'USD' } as const;
const thousands = new Intl.NumberFormat('en-US', {
  ...currency,
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 2,
});
/** More than two decimals, because ticks below a cent would look alike. */
const exact = new Intl.NumberFormat('en-US', {
  ...currency,
  maximumFractionDigits: 9,
  trailingZeroDisplay: 'stripIfInteger',
});
/** US dollars for an axis: `$1.2K`, `$0.0035`. */
export function axisDollars(amount: number): string {
  return withMinus((Math.abs(amount) < 1_000 ? exact : thousands).format(amount));
}

const roundSteps = [1, 2, 2.5, 5, 10, 20];
const maxSteps = 4;

/**
 * Up to five round, evenly spaced amounts from `lowest` or below to `highest` or above; `isWhole`: integers.
 */
export function evenTicks(lowest: number, highest: number, isWhole = false): number[] {
  if (highest <= lowest) return evenTicks(lowest, lowest + 1, isWhole);
  const minStep = (highest - lowest) / maxSteps;
  const power = 10 ** Math.floor(Math.log10(isWhole ? Math.max(minStep, 1) : minStep));
  const ticks = roundSteps
    .filter((step) => !isWhole || Number.isInteger(step * power))
    .map((step) => multiples(step * power, lowest, highest));
  return ticks.find(({ length }) => length <= maxSteps + 1) ?? ticks.at(-1)!;
}

/** Of a logarithmic axis, counted in `unit`: `0, 1, 10, 100, 500`. Below one unit, the axis is linear. */
export function logTicks(highest: number, isWhole = false): { unit: number; ticks: number[] } {
  const power = 10 ** Math.floor(Math.log10(highest));
  // Three decades, and more of large amounts.
  const unit = highest > 0 ? Math.min(1, isWhole ? 1 : power / 100) : 1;
  const top = [1, 2, 5, 10].find((step) => step * power >= highest)! * power || 1;
  const last = Number((top / unit).toPrecision(12));
  const powers = Array.from({ length: 15 }, (_, index) => 10 ** index).filter((each) => each < last);
  return { unit, ticks: [0, ...powers, last] };
}

function multiples(step: number, lowest: number, highest: number): number[] {
  const first = Math.floor(lowest / step);
  const last = Math.ceil(highest / step);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** Ascending places moved as little as needed for `gap` between neighbors, and none beyond `end` if they fit. */
export function apart(places: readonly number[], gap: number, end: number): number[] {
  const moved: number[] = [];
  for (const place of places) moved.push(Math.max(place, (moved.at(-1) ?? -Infinity) + gap));
  return moved.map((place, index) => Math.min(place, end - (moved.length - 1 - index) * gap));
}
