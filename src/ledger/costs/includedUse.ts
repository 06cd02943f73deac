import { addDays, type Day } from '../../platform/lib/days.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import { includedMinutesOf } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { termsAt, type BillingTerms } from '../pricing/terms.ts';
import { amountsOf, createSums, type DayRows } from './columns/sumRows.ts';
import { chargeColumnsOf, isIncluded } from './netAmounts.ts';

export function includedColumnsOf(rows: { isSummed: boolean }) {
  return ['minutes', ...chargeColumnsOf(rows)] as const;
}

/** Exact sums of rows by cell. */
export type CellSums = { add: (day: DayRows, cells: Int32Array) => void; values: () => bigint[] };

/** Only its terms can have included minutes. */
const provider = 'github';
/** Fine enough that thirds of minutes, rounded, still add up to a whole share. */
const partsPerMinute = 10n ** 18n;
const wholePercent = 100_000_000_000n;

/** The included minutes that rows drew, in tiny parts, whether or not there were any left. */
export function createIncludedSums(providers: Providers): CellSums {
  const totals: bigint[] = [];
  return {
    add: (day, cells) => {
      for (const [cell, drawn] of drawnBy(day, cells, providers)) totals[cell] = (totals[cell] ?? 0n) + drawn;
    },
    values: () => Array.from(totals, (total) => total ?? 0n),
  };
}

function* drawnBy(day: DayRows, cells: Int32Array, providers: Providers): Generator<[number, bigint]> {
  const { values: kinds, codes } = day.column('runner');
  const draws = isIncluded(day, provider, providers);
  const sums = createSums();
  sums.add(
    cells.map((cell, row) => (cell < 0 || !draws(row) ? -1 : cell * kinds.length + codes[row]!)),
    amountsOf(day, 'minutes'),
  );
  for (const [place, minutes] of sums.values().entries()) {
    if (minutes === 0n) continue;
    const runnerKind = kinds[place % kinds.length]!;
    const { part, whole } = includedMinutesOf({ day: day.day, runnerKind, minutes }, providers);
    yield [Math.floor(place / kinds.length), (part * partsPerMinute) / whole];
  }
}

/** The included minutes of a month, by the terms at its end or on the last day that is known. */
export function allowanceIn(month: string, terms: readonly BillingTerms[], lastDay: Day): bigint {
  const end = addDays(`${addDays(`${month}-01`, 31).slice(0, 7)}-01`, -1);
  const held = termsAt(terms, provider, end < lastDay ? end : lastDay);
  return BigInt(held?.included?.minutes ?? 0);
}

/** Billionths of a percent, rounded so that they add up to the share of their sum. */
export function sharesOf(drawn: readonly bigint[], minutes: bigint): bigint[] {
  if (minutes === 0n) return drawn.map(() => 0n);
  let [sum, before] = [0n, 0n];
  return drawn.map((each) => {
    sum += each;
    const share = divideHalfEven(sum * wholePercent, minutes * partsPerMinute) - before;
    before += share;
    return share;
  });
}
