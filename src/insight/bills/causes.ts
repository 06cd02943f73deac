/**
 * Why our costs and the bill differ. Each part is what a cause adds to `ours − bill`: above 0 where we count what
 * GitHub does not charge, below 0 where GitHub charges what we do not count.
 */
export const causes = [
  'public_repository',
  'included_minutes',
  'other_discount',
  'price_list',
  'unpriced_label',
  'other_runner',
  'own_rate',
  'day_shift',
  'unnamed_repository',
  'before_connected',
  'missing_deliveries',
  'rounding',
] as const;

export type Cause = (typeof causes)[number];
export type Parts = Record<Cause, bigint>;

export function noParts(): Parts {
  return Object.fromEntries(causes.map((cause) => [cause, 0n])) as Parts;
}
