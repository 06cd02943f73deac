import { addDays, type Day } from '../../platform/lib/days.ts';
import { fraction, type Fraction } from '../../platform/lib/fractions.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import { countsSeconds, coveredClasses, includedMinutesOf } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { termsAt, type BillingTerms } from '../pricing/terms.ts';
import { amountsOf, createSums, type DayRows } from './columns/sumRows.ts';
import { chargeColumnsOf, isOfClasses } from './netAmounts.ts';
import { timeColumns, timeOf } from './timeUsed.ts';

export function includedColumnsOf(rows: { isSummed: boolean }) {
  return ['minutes', ...(rows.isSummed ? [] : timeColumns), ...chargeColumnsOf(rows)] as const;
}

/** Exact sums of rows by cell. */
export type CellSums = { add: (day: DayRows, cells: Int32Array) => void; values: () => bigint[] };

type Facts = { provider: string; terms: readonly BillingTerms[]; providers: Providers };

/** Fine enough that thirds of minutes, rounded, still add up to a whole share. */
const partsPerMinute = 10n ** 18n;
const wholePercent = 100_000_000_000n;

/** The included minutes that rows drew, in tiny parts, whether or not there were any left. */
export function createIncludedSums(facts: Facts): CellSums {
  const totals: bigint[] = [];
  return {
    add: (day, cells) => {
      for (const [cell, drawn] of drawnBy(day, cells, facts)) totals[cell] = (totals[cell] ?? 0n) + drawn;
    },
    values: () => Array.from(totals, (total) => total ?? 0n),
  };
}

function* drawnBy(
  day: DayRows,
  cells: Int32Array,
  { provider, terms, providers }: Facts,
): Generator<[number, bigint]> {
  const included = termsAt(terms, provider, day.day, providers)?.included ?? null;
  if (countsSeconds(provider, providers)) {
    for (const { cell, ...time } of timeOf(day, providers, (row) => cells[row]!)) {
      if (time.provider !== provider) continue;
      yield [cell, partsOf(includedMinutesOf(time, providers, included?.draw))];
    }
    return;
  }
  const { values: kinds, codes } = day.column('runner');
  const draws = isOfClasses(day, provider, coveredClasses(included), providers);
  const sums = createSums();
  sums.add(
    cells.map((cell, row) => (cell < 0 || !draws(row) ? -1 : cell * kinds.length + codes[row]!)),
    amountsOf(day, 'minutes'),
  );
  for (const [place, minutes] of sums.values().entries()) {
    if (minutes === 0n) continue;
    const runnerKind = kinds[place % kinds.length]!;
    const drawn = includedMinutesOf({ day: day.day, runnerKind, minutes }, providers, included?.draw);
    yield [Math.floor(place / kinds.length), partsOf(drawn)];
  }
}

function partsOf({ part, whole }: Fraction): bigint {
  return (part * partsPerMinute) / whole;
}

/** What is included in a month, in minutes, by the terms at its end or on the last day that is known. */
export function allowanceIn(month: string, { provider, terms, providers }: Facts, lastDay: Day): Fraction {
  const end = addDays(`${addDays(`${month}-01`, 31).slice(0, 7)}-01`, -1);
  const held = termsAt(terms, provider, end < lastDay ? end : lastDay, providers);
  return held?.included?.allowance ?? fraction(0n);
}

/** The share that each day has of what its month includes. */
export function sharesByMonth(
  sums: ReadonlyMap<Day, bigint>,
  allowanceOf: (month: string) => Fraction,
  partsPerUnit = partsPerMinute,
): ReadonlyMap<Day, bigint> {
  const months = Map.groupBy([...sums.keys()].toSorted(), (day) => day.slice(0, 7));
  return new Map(
    [...months].flatMap(([month, days]) => {
      const drawn = days.map((day) => sums.get(day)!);
      const shares = sharesOf(drawn, allowanceOf(month), partsPerUnit);
      return days.map((day, place) => [day, shares[place]!] as const);
    }),
  );
}

/** Billionths of a percent, rounded so that they add up to the share of their sum. */
export function sharesOf(
  drawn: readonly bigint[],
  { part, whole }: Fraction,
  partsPerUnit = partsPerMinute,
): bigint[] {
  if (part === 0n) return drawn.map(() => 0n);
  let [sum, before] = [0n, 0n];
  return drawn.map((each) => {
    sum += each;
    const share = divideHalfEven(sum * wholePercent * whole, part * partsPerUnit) - before;
    before += share;
    return share;
  });
}
