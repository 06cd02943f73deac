const axis = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
  minimumFractionDigits: 0,
});

/** US dollars as an axis has room for them: `$1.2K`. */
export function axisDollars(amount: number): string {
  return axis.format(amount);
}

export const chartTicks = { minTickGap: 24, interval: 'preserveStartEnd' } as const;
