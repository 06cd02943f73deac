import { demoHistory } from '../src/demo/history.ts';
import { providers as knownProviders } from '../src/intake/providers/providers.ts';
import { defaultThresholdNanos } from '../src/ledger/costs/anomaly.ts';
import { projectMonth } from '../src/ledger/costs/projection.ts';
import { createPriceList } from '../src/ledger/pricing/priceList.ts';
import { createProviders } from '../src/ledger/pricing/provider.ts';
import { mergeReports } from '../src/ledger/runs/merge.ts';
import { addDays, startOfDay, type Day } from '../src/platform/lib/days.ts';
import { magnitude, type Nanos } from '../src/platform/lib/money.ts';
import { syntheticCosts, syntheticLevels, type KnownCosts } from './forecastHistories.ts';
import { isQuick } from './quick.ts';
import { logProgress, type Report, rounded } from './report.ts';
import { median, percentile } from './statistics.ts';

const providers = createProviders(knownProviders);
const prices = createPriceList(providers.books[0]!, [], providers);
/** A Saturday. The runaway days, two weeks earlier, are in the last complete month. */
const loadedAt = new Date('2026-11-14T23:59:59Z');
const seeds = isQuick ? [1] : [1, 2, 3];
const oneYear = { days: 365, runs: isQuick ? 12_000 : 81_000 };
/** Fewer days of history than the year: the demo's default, and half of that. */
const fewDays = [90, 45];
/** Forecasts begin once this number of months is known. */
const minMonths = 3;
const halfDay = 12 * 3_600_000;
const weeks = [
  [1, 7, '1 to 7'],
  [8, 14, '8 to 14'],
  [15, 21, '15 to 21'],
  [22, 31, '22 to the end'],
] as const;

/**
 * What anyone would do without a program: continue the month's pace, expect the last month again, or scale it by what
 * the same days of it had cost.
 */
export const naiveRules = ['pace', 'last month', 'same days'] as const;
type NaiveRule = (typeof naiveRules)[number];

/** A forecast made at noon on a day of the month, compared with the outcome. Errors are shares of the actual cost. */
export type Forecast = {
  dayOfMonth: number;
  error: number;
  usualPaceError: number;
  naiveErrors: Record<NaiveRule, number>;
  /** Whether the month ended in the likely range. Null if there was no range. */
  isWithin: boolean | null;
};

/** Back-tests the forecast on each day of each complete month of the demo and of histories of other kinds. */
export function benchForecast(): Report {
  logProgress(`Generating a year of ${seeds.length} demo companies …`);
  const companies = seeds.map((seed) => demoCosts({ ...oneYear, seed }));
  const worse: string[] = [];
  const rowsOf = (name: string, histories: readonly KnownCosts[], known: number | null = null) => {
    logProgress(`Forecasting: ${name} …`);
    const forecasts = histories.flatMap((costs) => backTest(costs, known));
    if (!isNearBest(forecasts)) worse.push(name);
    return [
      ...weeks.map(([first, last, title]) => {
        const ofWeek = forecasts.filter(({ dayOfMonth }) => dayOfMonth >= first && dayOfMonth <= last);
        return rowOf([name, title], ofWeek);
      }),
      rowOf([name, 'all'], forecasts),
    ];
  };
  const rows = [
    ...rowsOf('demo', companies),
    ...fewDays.flatMap((known) => rowsOf(`demo, ${known} days known`, companies, known)),
    ...Object.entries(syntheticLevels).flatMap(([name, level]) =>
      rowsOf(
        name,
        seeds.map((seed) => syntheticCosts(level, seed)),
      ),
    ),
  ];
  return {
    headings: [
      'HISTORY',
      'DAYS OF THE MONTH',
      'FORECASTS',
      'MEDIAN ERROR',
      '9 OF 10 WITHIN',
      'BIAS',
      'IN RANGE',
      ...naiveRules.map((rule) => rule.toUpperCase()),
      'OF THE BEST',
    ],
    rows,
    notes: [
      `Histories with seeds ${seeds.join(', ')}; the demo as of ${loadedAt.toISOString().slice(0, 10)}: a forecast at noon UTC ` +
        `on each day of each complete month with ${minMonths} months before, compared with the actual cost of the month.`,
      'Bias: the median of forecast minus actual. In range: months that ended in the likely range, of those with one.',
      "Then the median errors of three rules without a program: the month's pace continued, the last month again, and the last " +
        'month scaled by its same days. Of the best: our median error as a share of the smallest of these.',
      worse.length === 0
        ? 'In each history, the forecast is the best or within a tenth of the best.'
        : `More than a tenth worse than the best: ${worse.join(', ')}.`,
    ],
  };
}

function rowOf(titles: string[], forecasts: Forecast[]): string[] {
  const errors = forecasts.map(({ error }) => Math.abs(error));
  const judged = forecasts.filter(({ isWithin }) => isWithin !== null);
  const within = judged.filter(({ isWithin }) => isWithin).length / judged.length;
  const naive = naiveErrorsOf(forecasts);
  return [
    ...titles,
    rounded(forecasts.length),
    percent(median(errors)),
    percent(percentile(errors, 90)),
    percent(median(forecasts.map(({ error }) => error))),
    judged.length === 0 ? '–' : `${Math.round(within * 100)}%`,
    ...naive.map(percent),
    `${Math.round((median(errors) / Math.min(...naive)) * 100)}%`,
  ];
}

/** The median error of each naive rule. */
function naiveErrorsOf(forecasts: readonly Forecast[]): number[] {
  return naiveRules.map((rule) => median(forecasts.map(({ naiveErrors }) => Math.abs(naiveErrors[rule]))));
}

export function isNearBest(forecasts: readonly Forecast[]): boolean {
  return median(forecasts.map(({ error }) => Math.abs(error))) <= 1.1 * Math.min(...naiveErrorsOf(forecasts));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).replace('-', '−')}%`;
}

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

/**
 * Forecasts each complete month at noon on each day, from the `daysKnown` days before it. Null means all days, and begins
 * with the fourth month.
 */
export function backTest({ whole, byNoon }: KnownCosts, daysKnown: number | null, everyDays = 1): Forecast[] {
  const days = [...whole.keys()].toSorted();
  const ended = days.slice(
    days.findIndex((day) => day.endsWith('-01')),
    days.findLastIndex((day) => day.endsWith('-01')),
  );
  const months = [...Map.groupBy(ended, (day) => day.slice(0, 7)).values()];
  return months.slice(daysKnown === null ? minMonths : 1).flatMap((month, index) => {
    const last = months[index + (daysKnown === null ? minMonths : 1) - 1]!;
    const totalOf = (part: readonly Day[]) => part.reduce((sum, day) => sum + whole.get(day)!, 0n);
    const actual = totalOf(month);
    const judged = month.filter(
      (today, place) =>
        place % everyDays === 0 && (daysKnown === null || addDays(today, -daysKnown) >= days[0]!),
    );
    return judged.map((today): Forecast => {
      const firstDay = daysKnown === null ? days[0]! : addDays(today, -daysKnown);
      const costs = new Map([...whole].filter(([day]) => day >= firstDay && day < today));
      costs.set(today, byNoon.get(today)!);
      const noon = new Date(startOfDay(today).getTime() + halfDay);
      const unusualRule = { thresholdNanos: defaultThresholdNanos, today };
      const { spentNanos, projectedNanos, usualPaceNanos, band } = projectMonth(noon, {
        costs,
        firstDay,
        unusualRule,
      });
      const dayOfMonth = Number(today.slice(8));
      const sameDays =
        totalOf(last.slice(0, dayOfMonth - 1)) + (byNoon.get(last[dayOfMonth - 1] ?? '') ?? 0n);
      const errorOf = (nanos: Nanos) => fractionOf(nanos - actual, actual);
      return {
        dayOfMonth,
        error: errorOf(projectedNanos),
        usualPaceError: errorOf(usualPaceNanos),
        naiveErrors: {
          pace: errorOf((spentNanos * BigInt(2 * month.length)) / BigInt(2 * dayOfMonth - 1)),
          'last month': errorOf(totalOf(last)),
          'same days': errorOf((spentNanos * totalOf(last)) / sameDays),
        },
        isWithin: band && band.lowNanos <= actual && actual <= band.highNanos,
      };
    });
  });
}

function add(costs: Map<Day, Nanos>, day: Day, nanos: Nanos): void {
  costs.set(day, (costs.get(day) ?? 0n) + nanos);
}

function fractionOf(part: Nanos, whole: Nanos): number {
  const millionths = Number((magnitude(part) * 1_000_000n) / whole) / 1_000_000;
  return part < 0n ? -millionths : millionths;
}
