import type { Day } from '../../platform/lib/days.ts';
import { parseUsd, type Nanos } from '../../platform/lib/money.ts';
import { isGitLabKind, runnerKinds, type RunnerKind } from './runnerKind.ts';

/** Prices per minute, in nano-dollars, each with the day from which it holds. */
export type PriceBook = {
  /** Stored with each job that is priced with the book. */
  id: string;
  /** As receipts show it. */
  name: string;
  /** Oldest price first. */
  prices: Record<RunnerKind, readonly DatedPrice[]>;
  /** The last day of a published list that has been replaced, and the shipped book to use since. */
  end?: { lastDay: Day; nextBookId: string };
};

export type DatedPrice = { effectiveFrom: Day; nanosPerMinute: Nanos };

/** The price of a kind of runner on a day; null for days before the book's first price of it. */
export function priceAt(book: PriceBook, kind: RunnerKind, day: Day): DatedPrice | null {
  return book.prices[kind].findLast(({ effectiveFrom }) => effectiveFrom <= day) ?? null;
}

/** US dollars a minute that no price exceeds: sums of what is dearer could become too large to be kept. */
export const highestRate = 100;

/** Early enough for every job there is: the book is meant for all of history. */
export const beginning: Day = '1970-01-01';

/** A price that holds for all of history, from dollars per minute. */
function always(dollars: string): readonly DatedPrice[] {
  return [{ effectiveFrom: beginning, nanosPerMinute: parseUsd(dollars) }];
}

/** GitLab's list price of 10 USD per 1,000 compute minutes, times the cost factor of the runner. */
const gitLabPrices = {
  gitlab_linux_small: always('0.010'),
  gitlab_linux_medium: always('0.020'),
  gitlab_linux_large: always('0.030'),
  gitlab_linux_xlarge: always('0.060'),
  gitlab_linux_2xlarge: always('0.120'),
  gitlab_linux_medium_gpu: always('0.070'),
  gitlab_linux_small_arm: always('0.010'),
  gitlab_linux_medium_arm: always('0.020'),
  gitlab_linux_large_arm: always('0.030'),
  gitlab_macos_medium_m1: always('0.060'),
  gitlab_macos_large_m2_pro: always('0.120'),
  gitlab_windows_medium: always('0.010'),
};

/** Runners that no list has a price for. */
const unlistedPrices = { self_hosted: always('0'), third_party: always('0') };

const byDateId = 'github_by_date';

/** GitHub's published list up to 2025-12-31. The prices follow no formula: do not derive any. */
export const defaultBook: PriceBook = {
  id: 'github_2025',
  name: "GitHub's price list until 2025-12-31",
  end: { lastDay: '2025-12-31', nextBookId: byDateId },
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
    ...gitLabPrices,
    ...unlistedPrices,
  },
};

/** GitHub's published list from 2026-01-01; applied to all of history where an organization chooses it. */
const book2026: PriceBook = {
  id: 'github_2026',
  name: "GitHub's price list from 2026-01-01",
  prices: {
    linux_slim: always('0.002'),
    linux_2_core: always('0.006'),
    linux_2_core_advanced: always('0.006'),
    linux_4_core: always('0.012'),
    linux_8_core: always('0.022'),
    linux_16_core: always('0.042'),
    linux_32_core: always('0.082'),
    linux_64_core: always('0.162'),
    linux_96_core: always('0.252'),
    linux_2_core_arm: always('0.005'),
    linux_2_core_arm_advanced: always('0.005'),
    linux_4_core_arm: always('0.008'),
    linux_8_core_arm: always('0.014'),
    linux_16_core_arm: always('0.026'),
    linux_32_core_arm: always('0.050'),
    linux_64_core_arm: always('0.098'),
    linux_4_core_gpu: always('0.052'),
    windows_2_core: always('0.010'),
    windows_4_core: always('0.022'),
    windows_8_core: always('0.042'),
    windows_16_core: always('0.082'),
    windows_32_core: always('0.162'),
    windows_64_core: always('0.322'),
    windows_96_core: always('0.552'),
    windows_2_core_arm: always('0.010'),
    windows_2_core_arm_advanced: always('0.008'),
    windows_4_core_arm: always('0.014'),
    windows_8_core_arm: always('0.026'),
    windows_16_core_arm: always('0.050'),
    windows_32_core_arm: always('0.098'),
    windows_64_core_arm: always('0.194'),
    windows_4_core_gpu: always('0.102'),
    macos_3_core: always('0.062'),
    macos_12_core: always('0.077'),
    macos_5_core_arm: always('0.102'),
    ...gitLabPrices,
    ...unlistedPrices,
  },
};

/** GitHub's published lists, each on the days on which it held. */
export const byDateBook: PriceBook = {
  id: byDateId,
  name: 'GitHub, by the date of each job',
  prices: Object.fromEntries(
    runnerKinds.map((kind) => [
      kind,
      followed(defaultBook.prices[kind], book2026.prices[kind], '2026-01-01'),
    ]),
  ) as PriceBook['prices'],
};

/** The earlier prices, replaced from a day on by those of the later list that differ. */
function followed(
  earlier: readonly DatedPrice[],
  later: readonly DatedPrice[],
  from: Day,
): readonly DatedPrice[] {
  const next = later.at(-1)!;
  const isSame = next.nanosPerMinute === earlier.at(-1)!.nanosPerMinute;
  return isSame ? earlier : [...earlier, { ...next, effectiveFrom: from }];
}

/** The books that come with the program. */
export const shippedBooks: readonly PriceBook[] = [defaultBook, book2026, byDateBook];

/** The book that has replaced a published list by this day; null while the list holds. */
export function successorOf({ end }: PriceBook, day: Day): PriceBook | null {
  if (!end || day <= end.lastDay) return null;
  return shippedBooks.find(({ id }) => id === end.nextBookId)!;
}

/** As receipts name the list of a price: GitLab's prices stand in GitHub's books, but come from GitLab. */
export function listNameOf(book: Pick<PriceBook, 'id' | 'name'>, kind: string): string {
  const isShipped = shippedBooks.some(({ id }) => id === book.id);
  return isShipped && isGitLabKind(kind) ? "GitLab's price list" : book.name;
}
