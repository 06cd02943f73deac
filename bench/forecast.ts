import { demoHistory } from '../src/cli/demoHistory.ts';
import { providers as knownProviders } from '../src/intake/providers/providers.ts';
import { projectMonth } from '../src/ledger/costs/projection.ts';
import { createPriceList } from '../src/ledger/pricing/priceList.ts';
import { createProviders } from '../src/ledger/pricing/provider.ts';
import { mergeReports } from '../src/ledger/runs/merge.ts';
import { addDays, startOfDay, type Day } from '../src/platform/lib/days.ts';
import { magnitude, type Nanos } from '../src/platform/lib/money.ts';
import { isQuick } from './quick.ts';
import { logProgress, type Report, rounded } from './report.ts';
import { median, percentile } from './statistics.ts';

const providers = createProviders(knownProviders);
const prices = createPriceList(providers.books[0]!, [], providers);
/** A Saturday. The runaway days, two weeks earlier, are in the last complete month. */
const loadedAt = new Date('2026-11-14T23:59:59Z');
const seeds = isQuick ? [1] : [1, 2, 3];
const oneYear = { days: 365, runs: 81_000 };
/** Days of history that a forecast sees: the whole year before, the demo's default, or half of that. */
const knownDays = [null, 90, 45];
const halfDay = 12 * 3_600_000;
const weeks = [
  [1, 7, '1 to 7'],
  [8, 14, '8 to 14'],
  [15, 21, '15 to 21'],
  [22, 31, '22 to the end'],
] as const;

/** A forecast made at noon on a day of the month, compared with the outcome. Errors are shares of the actual cost. */
export type Forecast = {
  dayOfMonth: number;
  error: number;
  usualPaceError: number;
  /** Whether the month ended in the likely range. Null if there was no range. */
  isWithin: boolean | null;
};

/** Back-tests the forecast on each day of each complete month of the demo. */
export function benchForecast(): Report {
  logProgress(`Generating a year of ${seeds.length} demo companies …`);
  const companies = seeds.map((seed) => demoCosts({ ...oneYear, seed }));
  const rows = knownDays.flatMap((known) => {
    const title = known === null ? 'all before' : String(known);
    logProgress(`Forecasting with days of history: ${title} …`);
    const forecasts = companies.flatMap((costs) => backTest(costs, known));
    return [
      ...weeks.map(([first, last, name]) => {
        const ofWeek = forecasts.filter(({ dayOfMonth }) => dayOfMonth >= first && dayOfMonth <= last);
        return rowOf([title, name], ofWeek);
      }),
      rowOf([title, 'all'], forecasts),
    ];
  });
  return {
    headings: [
      'DAYS OF HISTORY',
      'DAYS OF THE MONTH',
      'FORECASTS',
      'MEDIAN ERROR',
      '9 OF 10 WITHIN',
      'BIAS',
      'IN RANGE',
      'MEDIAN ERROR OF WEEKDAY MEDIANS',
    ],
    rows,
    notes: [
      `A year of the demo as of ${loadedAt.toISOString().slice(0, 10)}, with seeds ${seeds.join(', ')}: a forecast at noon UTC ` +
        'on each day of each complete month, from the costs before it, compared with the actual cost of the month.',
      'Bias: the median of forecast minus actual. In range: months that ended in the likely range, of those with one.',
    ],
  };
}

function rowOf(titles: string[], forecasts: Forecast[]): string[] {
  const errors = forecasts.map(({ error }) => Math.abs(error));
  const judged = forecasts.filter(({ isWithin }) => isWithin !== null);
  const within = judged.filter(({ isWithin }) => isWithin).length / judged.length;
  return [
    ...titles,
    rounded(forecasts.length),
    percent(median(errors)),
    percent(percentile(errors, 90)),
    percent(median(forecasts.map(({ error }) => error))),
    judged.length === 0 ? '–' : `${Math.round(within * 100)}%`,
    percent(median(forecasts.map(({ usualPaceError }) => Math.abs(usualPaceError)))),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).replace('-', '−')}%`;
}

export type KnownCosts = { whole: Map<Day, Nanos>; byNoon: Map<Day, Nanos> };

/** The cost of each day of a demo company, until noon and in total. */
export function demoCosts(size: { days: number; runs: number; seed: number }): KnownCosts {
  const costs: KnownCosts = { whole: new Map(), byNoon: new Map() };
  for (const report of demoHistory({ ...size, now: loadedAt })) {
    for (const { completedAt, costNanos, isCarriedOver } of mergeReports(null, [report], prices).jobs) {
      if (!completedAt || isCarriedOver) continue;
      const day = completedAt.toISOString().slice(0, 10);
      add(costs.whole, day, costNanos);
      const isMorning = completedAt.getTime() < startOfDay(day).getTime() + halfDay;
      add(costs.byNoon, day, isMorning ? costNanos : 0n);
    }
  }
  return costs;
}

/** Forecasts each complete month at noon on each day, from the `daysKnown` days before it. Null means all days. */
export function backTest({ whole, byNoon }: KnownCosts, daysKnown: number | null): Forecast[] {
  const days = [...whole.keys()].toSorted();
  const ended = days.slice(
    days.findIndex((day) => day.endsWith('-01')),
    days.findLastIndex((day) => day.endsWith('-01')),
  );
  const months = Map.groupBy(ended, (day) => day.slice(0, 7));
  return [...months.values()].flatMap((month) => {
    const actual = month.reduce((sum, day) => sum + whole.get(day)!, 0n);
    const judged = month.filter((today) => daysKnown === null || addDays(today, -daysKnown) >= days[0]!);
    return judged.map((today): Forecast => {
      const firstDay = daysKnown === null ? days[0]! : addDays(today, -daysKnown);
      const costs = new Map([...whole].filter(([day]) => day >= firstDay && day < today));
      costs.set(today, byNoon.get(today)!);
      const noon = new Date(startOfDay(today).getTime() + halfDay);
      const { projectedNanos, usualPaceNanos, band } = projectMonth(noon, { costs, firstDay });
      return {
        dayOfMonth: Number(today.slice(8)),
        error: shareOf(projectedNanos - actual, actual),
        usualPaceError: shareOf(usualPaceNanos - actual, actual),
        isWithin: band && band.lowNanos <= actual && actual <= band.highNanos,
      };
    });
  });
}

function add(costs: Map<Day, Nanos>, day: Day, nanos: Nanos): void {
  costs.set(day, (costs.get(day) ?? 0n) + nanos);
}

function shareOf(part: Nanos, whole: Nanos): number {
  const millionths = Number((magnitude(part) * 1_000_000n) / whole) / 1_000_000;
  return part < 0n ? -millionths : millionths;
}
