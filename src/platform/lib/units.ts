/** How thresholds and values are written. A new unit needs only a line here. */
export const units = {
  usd: { title: 'US dollars', prefix: '$', suffix: '' },
  percent: { title: 'percent', prefix: '', suffix: '%' },
} as const;

export type UnitName = keyof typeof units;
