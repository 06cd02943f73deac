import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { defaultThresholdNanos } from '../../ledger/costs/anomaly.ts';
import { addDays, daysOf, startOfDay, windowEnding, type Day } from '../../platform/lib/days.ts';
import type { Rule } from './alertTypes.ts';
import { previewRule, type Preview } from './preview.ts';
import type { AnomalyRule } from './rules/anomaly.ts';
import type { BudgetRule } from './rules/budget.ts';
import type { DayCosts } from './rules/rule.ts';

/** At noon of this day. */
const preview = (rule: Rule, costs: DayCosts, day: Day, firstDay: Day | null, costsByNow?: DayCosts) =>
  previewRule(
    rule,
    { costs, firstDay, ...(costsByNow ? { costsByNow } : {}) },
    { now: noonOf(day), days: 90, unusualRule: { thresholdNanos: defaultThresholdNanos, today: day } },
  );

const noonOf = (day: Day) => new Date(`${day}T12:00:00Z`);

const dollar = 1_000_000_000n;
const percent = 1_000_000_000n;
const today = '2026-03-18'; // a Wednesday
const longAgo = '2025-01-01';
const budget: BudgetRule = {
  type: 'budget',
  scope: { type: 'organization' },
  measure: 'list_cost',
  thresholdNanos: 100n * dollar,
  period: 'month',
  frequency: 'daily',
  enabled: true,
};
const anomaly: AnomalyRule = { ...budget, type: 'anomaly', thresholdNanos: 50n * percent };

/** The same cost on each of the 240 days up to yesterday, except those given. */
function steady(cost: bigint, others: Record<string, bigint> = {}) {
  const days = daysOf(windowEnding(addDays(today, -1), 240));
  return new Map([...days.map((day) => [day, cost] as const), ...Object.entries(others)]);
}

describe('the checks of a preview', () => {
  test('are the ticks of the last 90 days, and now', () => {
    const ticks = (frequency: Rule['frequency']) => {
      const { series } = preview({ ...budget, frequency }, steady(dollar), today, longAgo);
      assert.deepEqual(series.at(-1)!.at, noonOf(today));
      assert.deepEqual(
        series.map(({ isSoFar }) => isSoFar),
        series.map((_check, index) => index === series.length - 1),
      );
      return series.slice(0, -1).map(({ at }) => at);
    };
    const daily = ticks('daily');
    assert.equal(daily.length, 90);
    assert.deepEqual([daily[0], daily.at(-1)], [startOfDay('2025-12-19'), startOfDay(today)]);
    const weekly = ticks('weekly');
    assert.equal(weekly.length, 13);
    assert.deepEqual([weekly[0], weekly.at(-1)], [startOfDay('2025-12-22'), startOfDay('2026-03-16')]);
    assert.deepEqual(ticks('monthly'), ['2026-01-01', '2026-02-01', '2026-03-01'].map(startOfDay));
  });

  test('see a budget as it was on each day', () => {
    const { series } = preview(budget, steady(dollar, { [today]: 5n * dollar }), today, longAgo);
    assert.deepEqual(
      series.slice(-4).map(({ observedNanos }) => observedNanos / dollar),
      [15n, 16n, 17n, 22n],
    );
    assert.deepEqual(series.at(-1)!.window, { start: '2026-03-01', end: '2026-03-31', days: 31 });
  });

  test('are insufficient until there is enough history', () => {
    const { series, firings, suggestion } = preview(anomaly, new Map(), today, null);
    assert.ok(series.every(({ isInsufficient, currentNanos }) => isInsufficient && currentNanos === 0n));
    assert.deepEqual([firings, suggestion], [[], null]);
  });
});

describe('the triggers of a preview', () => {
  test('of a budget come once a period, and resolve in the next', () => {
    const { firings } = preview({ ...budget, thresholdNanos: 20n * dollar }, steady(dollar), today, longAgo);
    assert.deepEqual(
      firings.map(({ at, resolvedAt, observedNanos }) => [at, resolvedAt, observedNanos / dollar]),
      [
        // December was over by the 22nd: 21 dollars by the 21st.
        [startOfDay('2025-12-22'), startOfDay('2026-01-02'), 21n],
        [startOfDay('2026-01-22'), startOfDay('2026-02-02'), 21n],
        [startOfDay('2026-02-22'), startOfDay('2026-03-02'), 21n],
      ],
    );
    assert.ok(firings.every(({ thresholdNanos }) => thresholdNanos === 20n * dollar));
  });

  test('of an anomaly last until it is over', () => {
    const spike = { '2026-02-10': 30n * dollar, '2026-02-11': 30n * dollar };
    const { firings } = preview(anomaly, steady(10n * dollar, spike), today, longAgo);
    assert.equal(firings.length, 1);
    const [{ at, resolvedAt, currentNanos, baselineNanos, window }] = firings as [(typeof firings)[0]];
    assert.deepEqual([at, resolvedAt], [startOfDay('2026-02-11'), startOfDay('2026-02-13')]);
    assert.deepEqual([currentNanos, baselineNanos], [200n * percent, 10n * dollar]);
    assert.equal(window.start, '2026-02-10');
  });

  test('include today so far, once', () => {
    const costs = steady(dollar, { [today]: 90n * dollar });
    const { firings } = preview(budget, costs, today, longAgo);
    assert.deepEqual(
      firings.map(({ at, isSoFar, observedNanos }) => [at, isSoFar, observedNanos / dollar]),
      [[noonOf(today), true, 107n]],
    );
    const known = preview({ ...budget, thresholdNanos: 16n * dollar }, costs, today, longAgo).firings;
    assert.deepEqual(known.at(-1)!.at, startOfDay(today));
  });

  test('of an anomaly compare today so far with the same hours', () => {
    const costs = steady(10n * dollar, { [today]: 6n * dollar });
    const byNoon = (cost: bigint) => new Map([...costs.keys()].map((day) => [day, cost]));
    const firings = (cost: bigint) => preview(anomaly, costs, today, longAgo, byNoon(cost)).firings;
    assert.deepEqual(firings(6n * dollar), []);
    const [{ at, currentNanos, baselineNanos, isSoFar }] = firings(3n * dollar) as [Preview['firings'][0]];
    assert.deepEqual([at, isSoFar], [noonOf(today), true]);
    assert.deepEqual([currentNanos, baselineNanos], [100n * percent, 3n * dollar]);
  });

  test('that last until today are open', () => {
    const spike = { '2026-03-17': 30n * dollar };
    const { firings } = preview(anomaly, steady(10n * dollar, spike), today, longAgo);
    assert.deepEqual(
      firings.map(({ resolvedAt }) => resolvedAt),
      [null],
    );
  });
});

describe('the suggested threshold', () => {
  const suggestion = (rule: Rule, costs: DayCosts, firstDay: Day | null = longAgo) =>
    preview(rule, costs, today, firstDay).suggestion;
  const suggested = (rule: Rule, costs: DayCosts, firstDay: Day | null = longAgo) =>
    suggestion(rule, costs, firstDay)?.thresholdNanos ?? null;
  const daily: BudgetRule = { ...budget, period: 'day' };

  test('of a monthly budget is 10% above the most expensive complete month, rounded up to two digits', () => {
    assert.deepEqual(suggestion(budget, steady(4n * dollar)), {
      thresholdNanos: 140n * dollar, // 31 × 4 = 124
      usualNanos: 124n * dollar,
      outliers: 0,
      isRaised: false,
      leftOutDays: [],
      isExceeded: false,
    });
  });

  test('leaves out days marked unusual, also with only two complete months', () => {
    const costs = steady(4n * dollar, { '2026-02-03': 400n * dollar, '2026-02-04': 60n * dollar });
    for (const firstDay of [longAgo, '2026-01-01']) {
      const { thresholdNanos, usualNanos, outliers, leftOutDays } = suggestion(budget, costs, firstDay)!;
      assert.deepEqual([thresholdNanos, usualNanos, outliers], [140n * dollar, 124n * dollar, 0]);
      assert.deepEqual(leftOutDays, ['2026-02-03', '2026-02-04']);
    }
    const weekly: AnomalyRule = { ...anomaly, frequency: 'weekly' };
    assert.equal(suggested(weekly, costs), 10n * percent);
    assert.deepEqual(suggestion(weekly, costs)!.leftOutDays, ['2026-02-03', '2026-02-04']);
  });

  test('leaves out a month that costs much more without an unusual day', () => {
    const costs = steady(dollar);
    for (const day of costs.keys()) if (day.startsWith('2025-12')) costs.set(day, 1_900_000_000n);
    const { usualNanos, outliers, leftOutDays } = suggestion(budget, costs)!;
    assert.deepEqual([usualNanos, outliers, leftOutDays], [31n * dollar, 1, []]);
  });

  test('leaves out any number of outliers, and days without cost', () => {
    const runaway = ['02-10', '02-11', '02-12', '03-03'].map(
      (day) => [`2026-${day}`, 900n * dollar] as const,
    );
    const costs = steady(4n * dollar, { ...Object.fromEntries(runaway), '2026-02-13': 5n * dollar });
    for (const day of costs.keys()) if (startOfDay(day).getUTCDay() % 6 === 0) costs.set(day, 0n);
    assert.equal(suggested(daily, costs), 5_500_000_000n);
    const { outliers, leftOutDays } = suggestion(daily, costs)!;
    assert.deepEqual([outliers, leftOutDays], [0, runaway.map(([day]) => day)]);
  });

  test('of a budget ignores the unfinished period', () => {
    const halfWeek = steady(4n * dollar);
    for (const day of ['2026-03-16', '2026-03-17', '2026-03-18']) halfWeek.set(day, 0n);
    assert.deepEqual(suggested({ ...budget, period: 'week' }, halfWeek), 31n * dollar); // 28 and 10%
  });

  test('of a budget is raised if the forecast of the current period is higher, so that growth does not trigger it', () => {
    const costs = steady(4n * dollar);
    for (const day of costs.keys()) if (day >= '2026-03-01') costs.set(day, 6n * dollar);
    const found = suggestion(budget, costs)!;
    // 17 × 6 are spent, and 13 × 4 are expected: 154 and 10%.
    assert.deepEqual(
      [found.thresholdNanos, found.usualNanos, found.isRaised, found.isExceeded],
      [170n * dollar, 124n * dollar, true, false],
    );
  });

  test('of a budget is not raised by unusual days of the current period, but says that they exceed it', () => {
    const costs = steady(4n * dollar, { '2026-03-02': 300n * dollar, [today]: 60n * dollar });
    const found = suggestion(budget, costs)!;
    assert.deepEqual(
      [found.thresholdNanos, found.isRaised, found.isExceeded, found.leftOutDays],
      [140n * dollar, false, true, ['2026-03-02', today]],
    );
  });

  test('of an anomaly is 10% above the highest usual rise, and at least 10%', () => {
    assert.equal(suggested(anomaly, steady(10n * dollar)), 10n * percent);
    const spikes = { '2026-02-10': 90n * dollar, '2026-02-12': 70n * dollar, '2026-02-18': 13_333_333_333n };
    const found = suggestion(anomaly, steady(10n * dollar, spikes))!;
    assert.deepEqual(
      [found.thresholdNanos, found.usualNanos, found.outliers],
      [37n * percent, (3_333n * percent) / 100n, 2],
    );
  });

  test('of an anomaly holds for itself, whatever the alert has now: fewer rises come back above it', () => {
    // On the 10th of each month, which 37% for the 18th would no longer forgive.
    const tenths = { '2025-11-10': 13n, '2025-12-10': 13n, '2026-01-10': 13n, '2026-02-10': 14n };
    const others = Object.entries(tenths).map(([day, cost]) => [day, cost * dollar] as const);
    const costs = steady(10n * dollar, { ...Object.fromEntries(others), '2026-02-18': 13_333_333_333n });
    for (const thresholdNanos of [1n, 10n, 37n, 50n, 300n].map((each) => each * percent)) {
      const found = suggestion({ ...anomaly, thresholdNanos }, costs)!;
      assert.deepEqual([found.thresholdNanos, found.usualNanos], [44n * percent, 40n * percent]);
    }
    assert.deepEqual(
      preview({ ...anomaly, thresholdNanos: 44n * percent }, costs, today, longAgo).firings,
      [],
    );
  });

  test('of an anomaly ignores today so far', () => {
    const costs = steady(10n * dollar, { [today]: 14n * dollar });
    const byNow = new Map([...costs.keys()].map((day) => [day, 10n * dollar]));
    const { thresholdNanos } = preview(anomaly, costs, today, longAgo, byNow).suggestion!;
    assert.equal(thresholdNanos, 10n * percent);
  });

  test('needs enough history', () => {
    assert.equal(suggested(budget, steady(dollar), '2026-01-02'), null); // one complete month
    assert.notEqual(suggested(budget, steady(dollar), '2026-01-01'), null);
    assert.equal(suggested({ ...budget, period: 'week' }, steady(dollar), '2026-02-17'), null);
    assert.notEqual(suggested({ ...budget, period: 'week' }, steady(dollar), '2026-02-16'), null);
    assert.equal(suggested(daily, steady(dollar), '2026-03-12'), null);
    assert.notEqual(suggested(daily, steady(dollar), '2026-03-11'), null);
    assert.equal(suggested(budget, steady(0n)), null);
    assert.equal(suggested(budget, new Map(), null), null);
  });

  const rules = fc.record({
    type: fc.constantFrom('budget' as const, 'anomaly' as const),
    period: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    frequency: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const),
  });
  const minute = 8_000_000n; // no smaller costs, so that no rise exceeds the highest threshold
  const dayCost = fc.bigInt({ min: 0n, max: 5_000n }).map((minutes) => minutes * minute);
  const lists = fc.array(dayCost, { minLength: 241, maxLength: 241 });

  test('would have triggered for outliers and unusual days only, for any costs', () => {
    fc.assert(
      fc.property(lists, rules, (list, settings) => {
        const rule: Rule = { ...budget, ...settings, thresholdNanos: dollar };
        const costs = new Map(list.map((cost, index) => [addDays(today, index - 240), cost]));
        const found = suggestion(rule, costs);
        if (found === null) return;
        const { thresholdNanos, outliers, leftOutDays, isExceeded } = found;
        assert.ok(thresholdNanos.toString().replace(/0+$/, '').length <= 2);
        const { firings } = preview({ ...rule, thresholdNanos }, costs, today, longAgo);
        // The first period can have begun before the 90 days, so only its end counts.
        const complete = firings.filter(({ isSoFar }) => !isSoFar);
        const isExplained = ({ window: { start, end } }: Preview['firings'][number]) =>
          leftOutDays.some((day) => rule.type === 'anomaly' || (start <= day && day <= end));
        const unexplained = complete.filter((firing) => !isExplained(firing));
        assert.ok(unexplained.length <= outliers, `${unexplained.length} firings at ${thresholdNanos}`);
        const current = firings.filter(({ window }) => window.end >= today);
        if (rule.type === 'budget') assert.deepEqual(current.length > 0, isExceeded);
        if (isExceeded) assert.ok(current.every(isExplained));
      }),
    );
  });
});

describe('the forecast of a preview', () => {
  const forecastOf = (thresholdNanos: bigint, period: BudgetRule['period'] = 'month') =>
    preview({ ...budget, period, thresholdNanos }, steady(dollar, { [today]: dollar / 2n }), today, longAgo)
      .forecast!;

  test('of a budget says where its period ends, and on which day it is over', () => {
    const month = forecastOf(20n * dollar);
    assert.deepEqual(month.window, { start: '2026-03-01', end: '2026-03-31', days: 31 });
    assert.equal(month.spentNanos, 17n * dollar + dollar / 2n);
    assert.equal(month.projectedNanos, 31n * dollar);
    assert.equal(month.overOn, '2026-03-21');
    assert.equal(forecastOf(17n * dollar).overOn, today);
    assert.equal(forecastOf(5n * dollar).overOn, '2026-03-06');
    assert.equal(forecastOf(31n * dollar).overOn, null);
    const week = forecastOf(3n * dollar, 'week');
    assert.deepEqual([week.window.start, week.overOn], ['2026-03-16', '2026-03-19']);
  });

  test('is for budgets only', () => {
    assert.equal(preview(anomaly, steady(dollar), today, longAgo).forecast, null);
  });
});
