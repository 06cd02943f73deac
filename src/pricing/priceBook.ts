import type { Day } from '../lib/days.ts';
import { parseUsd, type Nanos } from '../lib/money.ts';
import type { RunnerKind } from './runnerKind.ts';

/** Prices per minute, in nano-dollars, each with the day from which it holds. */
export type PriceBook = {
  /** As receipts show it. */
  name: string;
  /** Oldest price first. */
  prices: Record<RunnerKind, readonly DatedPrice[]>;
};

type DatedPrice = { effectiveFrom: Day; nanosPerMinute: Nanos };

/** The price of a kind of runner on a day; null for days before the book's first price of it. */
export function priceAt(book: PriceBook, kind: RunnerKind, day: Day): DatedPrice | null {
  return book.prices[kind].findLast(({ effectiveFrom }) => effectiveFrom <= day) ?? null;
}

/** Early enough for every job there is: the book is meant for all of history. */
const beginning: Day = '1970-01-01';

/** A price that holds for all of history, from dollars per minute. */
function always(dollars: string): readonly DatedPrice[] {
  return [{ effectiveFrom: beginning, nanosPerMinute: parseUsd(dollars) }];
}

/** GitHub's published list up to 2025-12-31. The prices follow no formula: do not derive any. */
export const defaultBook: PriceBook = {
  name: "GitHub's price list until 2025-12-31",
  prices: {
    linux_slim: always('0.002'),
    linux_2_core: always('0.008'),
    linux_2_core_advanced: always('0.008'),
    linux_4_core: always('0.016'),
    linux_8_core: always('0.032'),
    linux_16_core: always('0.064'),
    linux_32_core: always('0.128'),
    linux_64_core: always('0.256'),
    linux_96_core: always('0.384'),
    linux_2_core_arm: always('0.005'),
    linux_2_core_arm_advanced: always('0.005'),
    linux_4_core_arm: always('0.010'),
    linux_8_core_arm: always('0.020'),
    linux_16_core_arm: always('0.040'),
    linux_32_core_arm: always('0.080'),
    linux_64_core_arm: always('0.160'),
    linux_4_core_gpu: always('0.070'),
    windows_2_core: always('0.016'),
    windows_4_core: always('0.032'),
    windows_8_core: always('0.064'),
    windows_16_core: always('0.128'),
    windows_32_core: always('0.256'),
    windows_64_core: always('0.512'),
    windows_96_core: always('0.768'),
    windows_2_core_arm: always('0.010'),
    windows_2_core_arm_advanced: always('0.010'),
    windows_4_core_arm: always('0.020'),
    windows_8_core_arm: always('0.040'),
    windows_16_core_arm: always('0.080'),
    windows_32_core_arm: always('0.160'),
    windows_64_core_arm: always('0.320'),
    windows_4_core_gpu: always('0.140'),
    macos_3_core: always('0.080'),
    macos_12_core: always('0.120'),
    macos_5_core_arm: always('0.160'),
    self_hosted: always('0'),
    third_party: always('0'),
  },
};
