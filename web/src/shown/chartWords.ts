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

export const chartTicks = { minTickGap: 24, interval: 'preserveStartEnd' } as const;
