const dollars = {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 0,
} as const;
const axis = new Intl.NumberFormat('en-US', { ...dollars, maximumFractionDigits: 2 });
/** Less than a dollar has no room for cents alone: ticks would be told alike. */
const smallAxis = new Intl.NumberFormat('en-US', { ...dollars, maximumSignificantDigits: 3 });

/** US dollars as an axis has room for them: `$1.2K`, `$0.0035`. */
export function axisDollars(amount: number): string {
  return (Math.abs(amount) < 1 ? smallAxis : axis).format(amount);
}

/** An axis of days names every so many of them, and as many days lie between each and the next. */
export const dayTicks = { minTickGap: 16, interval: 'equidistantPreserveStart' } as const;

const roundSteps = [1, 2, 2.5, 5, 10, 20];
const maxSteps = 4;

/** Round amounts, as far from each other, from `lowest` or below it to `highest` or above it; `isWhole`: integers. */
export function evenTicks(lowest: number, highest: number, isWhole = false): number[] {
  if (highest <= lowest) return evenTicks(lowest, lowest + 1, isWhole);
  const least = (highest - lowest) / maxSteps;
  const power = 10 ** Math.floor(Math.log10(isWhole ? Math.max(least, 1) : least));
  const ticks = roundSteps
    .filter((step) => !isWhole || Number.isInteger(step * power))
    .map((step) => multiples(step * power, lowest, highest));
  return ticks.find(({ length }) => length <= maxSteps + 1) ?? ticks.at(-1)!;
}

function multiples(step: number, lowest: number, highest: number): number[] {
  const first = Math.floor(lowest / step);
  const last = Math.ceil(highest / step);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** The axis that has these ticks. Left to itself, the chart moves the highest label down from its line. */
export function axisOf(ticks: number[]) {
  return { ticks, domain: [ticks[0]!, ticks.at(-1)!] as [number, number], interval: 0 } as const;
}
