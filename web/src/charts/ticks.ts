const roundSteps = [1, 2, 2.5, 5, 10, 20];
const maxSteps = 4;

/** Up to five evenly spaced round amounts that cover the range. `isWhole` allows integers only. */
export function evenTicks(lowest: number, highest: number, isWhole = false): number[] {
  if (highest <= lowest) return evenTicks(lowest, lowest + 1, isWhole);
  const minStep = (highest - lowest) / maxSteps;
  const power = 10 ** Math.floor(Math.log10(isWhole ? Math.max(minStep, 1) : minStep));
  const ticks = roundSteps
    .filter((step) => !isWhole || Number.isInteger(step * power))
    .map((step) => multiples(step * power, lowest, highest));
  return ticks.find(({ length }) => length <= maxSteps + 1) ?? ticks.at(-1)!;
}

const maxPeaks = 4;

/** Ticks for values and for lines near them. A line far above would flatten the columns. */
export function ticksWithLines(values: readonly number[], lines: readonly number[]): number[] {
  const peak = Math.max(0, ...values);
  const near = lines.filter((line) => peak === 0 || line <= maxPeaks * peak);
  return evenTicks(Math.min(0, ...values), Math.max(peak, ...near) * 1.02);
}

/** Ticks of a logarithmic axis, counted in `unit`: `0, 1, 10, 100, 500`. Below one unit, the axis is linear. */
export function logTicks(highest: number, isWhole = false): { unit: number; ticks: number[] } {
  const power = 10 ** Math.floor(Math.log10(highest));
  // The axis covers three decades, or more for large amounts.
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

type Bounds = { start: number; end: number };

/**
 * Moves ascending positions as little as possible, so that neighbors are `gap` apart: close ones spread around their
 * middle. If they fit, none is beyond the bounds.
 */
export function apart(places: readonly number[], gap: number, { start, end }: Bounds): number[] {
  const groups: { sum: number; count: number }[] = [];
  for (const [index, place] of places.entries()) {
    let group = { sum: place - index * gap, count: 1 };
    let before = groups.at(-1);
    while (before && before.sum / before.count > group.sum / group.count) {
      group = { sum: before.sum + group.sum, count: before.count + group.count };
      groups.pop();
      before = groups.at(-1);
    }
    groups.push(group);
  }
  const firsts = groups.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  return firsts.map((first, index) => {
    const moved = Math.max(first, start) + index * gap;
    return Math.min(moved, end - (places.length - 1 - index) * gap);
  });
}
