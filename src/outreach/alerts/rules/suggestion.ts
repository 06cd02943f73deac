import { larger, median } from '../../../platform/lib/compare.ts';
import { magnitude } from '../../../platform/lib/money.ts';
import type { Suggestion } from './rule.ts';

type Usual = Pick<Suggestion, 'usualNanos' | 'outliers'>;

/**
 * The highest value that is no outlier. An outlier lies above the median by more than three deviations, by the median
 * absolute deviation (MAD), and by `minDistance` at least: where most are alike, the MAD is next to nothing.
 */
export function usualOf(values: readonly bigint[], minDistance: (middle: bigint) => bigint): Usual {
  if (values.length === 0) return { usualNanos: 0n, outliers: 0 };
  const middle = median(values);
  const deviation = median(values.map((value) => magnitude(value - middle)));
  // 1.4826 × MAD is the standard deviation where values are spread normally.
  const limit = middle + larger((deviation * 3n * 14_826n) / 10_000n, minDistance(middle));
  const usual = values.filter((value) => value <= limit);
  return { usualNanos: usual.reduce(larger), outliers: values.length - usual.length };
}

/** 10 % more than the usual and than what is expected, rounded up to two significant digits; null where that is 0. */
export function suggestionOf(
  { usualNanos, outliers }: Usual,
  { least, expected, highest }: { least: bigint; expected: bigint; highest: bigint },
): Suggestion | null {
  const usual = larger(least, withHeadroom(usualNanos));
  const rounded = roundUpToTwoDigits(larger(usual, withHeadroom(expected)));
  if (rounded <= 0n) return null;
  const thresholdNanos = rounded > highest ? highest : rounded;
  return { thresholdNanos, usualNanos, outliers, isRaised: thresholdNanos > roundUpToTwoDigits(usual) };
}

function withHeadroom(value: bigint): bigint {
  return (value * 11n) / 10n;
}

function roundUpToTwoDigits(value: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - 2));
  return ((value + unit - 1n) / unit) * unit;
}
