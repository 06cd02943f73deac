import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays, dayOf, daysOf, startOfDay, windowEnding, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { measure } from './alertTypes.ts';
import { decideSignals } from './decide.ts';
import { measuredDays } from './readCosts.ts';
import { anomaly as anomalyType, type AnomalyRule } from './rules/anomaly.ts';
import { budget as budgetType, type BudgetRule } from './rules/budget.ts';
import type { DayCosts } from './rules/rule.ts';

const dollar = 1_000_000_000n;
const frequencies = ['daily', 'weekly', 'monthly'] as const;
const budget: BudgetRule = {
  type: 'budget',
  scope: { type: 'organization' },
  measure: 'list_cost',
  thresholdNanos: 100n * dollar,
  period: 'month',
  frequency: 'daily',
  enabled: true,
};
const anomaly: AnomalyRule = { ...budget, type: 'anomaly', thresholdNanos: 50n * dollar };

/** Costs of consecutive days up to the day before `end`. */
function daysBefore(end: Day, costs: readonly Nanos[]): DayCosts {
  return new Map(costs.map((cost, index) => [addDays(end, index - costs.length), cost]));
}

describe('a budget', () => {
  const everyDay = new Map(daysOf(windowEnding('2028-12-31', 1_000)).map((day) => [day, 1n]));
  const days = (period: BudgetRule['period'], at: string, how: 'scheduled' | 'on_demand') =>
    measure({ ...budget, period }, { costs: everyDay, firstDay: '2026-04-06' }, new Date(at), how);

  test('judges the whole month that ended, on the 1st', () => {
    const { observedNanos, window } = days('month', '2028-03-01T00:00:00Z', 'scheduled');
    assert.deepEqual(window, { start: '2028-02-01', end: '2028-02-29', days: 29 });
    assert.equal(observedNanos, 29n);
  });

  test('judges the month that began, on demand', () => {
    const { observedNanos, window } = days('month', '2028-03-01T00:00:00Z', 'on_demand');
    assert.deepEqual(window, { start: '2028-03-01', end: '2028-03-31', days: 31 });
    assert.equal(observedNanos, 1n);
  });

  test('judges the week that ended, on a Monday, also across the year', () => {
    const { observedNanos, window } = days('week', '2027-01-04T00:00:00Z', 'scheduled');
    assert.deepEqual(window, { start: '2026-12-28', end: '2027-01-03', days: 7 });
    assert.equal(observedNanos, 7n);
  });

  test('ignores costs after its tick', () => {
    const measured = days('month', '2028-03-15T00:00:00Z', 'scheduled');
    assert.equal(measured.observedNanos, 14n);
    assert.deepEqual(measured.countedWindow, { start: '2028-03-01', end: '2028-03-14', days: 14 });
    assert.equal(measured.window.end, '2028-03-31');
  });

  test('has no baseline', () => {
    const { baselineNanos, baselineWindows } = days('day', '2028-03-15T12:00:00Z', 'on_demand');
    assert.equal(baselineNanos, null);
    assert.deepEqual(baselineWindows, []);
  });
});

describe('an anomaly', () => {
  const tick = startOfDay('2026-03-18');
  const measureDaily = (costs: DayCosts) =>
    measure(anomaly, { costs, firstDay: '2025-01-01' }, tick, 'scheduled');

  test('compares a day with the median of the same weekday of the 4 weeks before', () => {
    const costs = new Map([
      ['2026-03-17', 9n],
      ['2026-03-10', 4n],
      ['2026-03-03', 7n],
      ['2026-02-24', 1n],
      ['2026-02-17', 1_000n],
      ['2026-03-16', 500n], // another weekday
    ]);
    const measured = measureDaily(costs);
    assert.deepEqual(measured.window, { start: '2026-03-17', end: '2026-03-17', days: 1 });
    assert.equal(measured.observedNanos, 9n);
    assert.equal(measured.baselineNanos, 5n); // (4 + 7) / 2, rounded down
    assert.deepEqual(
      measured.baselineWindows.map(({ start }) => start),
      ['2026-03-10', '2026-03-03'],
    );
  });

  test('compares a day with the 7 days before if nothing cost in the first of the 4 weeks', () => {
    const costs = daysBefore('2026-03-18', [3n, 1n, 7n, 2n, 6n, 5n, 4n, 90n]);
    assert.equal(measureDaily(costs).baselineNanos, 4n);
    const withDay = (day: string) => measureDaily(new Map([...costs, [day, 1n]])).baselineNanos;
    assert.equal(withDay('2026-02-18'), 4n);
    // The same weekdays: all empty except one.
    assert.deepEqual(['2026-02-17', '2026-02-11'].map(withDay), [null, null]);
    assert.equal(withDay('2026-02-10'), 4n);
  });

  test('compares a week with the 4 weeks before, and 30 days with the 3 times 30 days before', () => {
    const costs = daysBefore(
      '2026-03-16',
      Array.from({ length: 120 }, (_, index) => BigInt(index)),
    );
    const weekly = measure(
      { ...anomaly, frequency: 'weekly' },
      { costs, firstDay: '2025-01-01' },
      startOfDay('2026-03-16'),
      'scheduled',
    );
    assert.deepEqual(weekly.window, { start: '2026-03-09', end: '2026-03-15', days: 7 });
    assert.equal(weekly.observedNanos, 7n * 116n);
    assert.equal(weekly.baselineNanos, (7n * 102n + 7n * 95n) / 2n);
    const monthly = measure(
      { ...anomaly, frequency: 'monthly' },
      { costs, firstDay: '2025-01-01' },
      startOfDay('2026-03-16'),
      'scheduled',
    );
    assert.deepEqual(monthly.window, { start: '2026-02-14', end: '2026-03-15', days: 30 });
    assert.equal(monthly.baselineNanos, (30n * (30n + 59n)) / 2n);
  });

  test('on demand includes today so far, and the same hours of earlier days', () => {
    const costs = daysBefore('2026-03-19', [9n, 9n, 9n, 9n, 9n, 9n, 9n, 5n]);
    const asked = new Date('2026-03-18T12:00:00Z');
    const history = { costs, firstDay: '2026-03-11' };
    const compared = anomalyType.baselineDaysByNow(anomaly, asked, history);
    assert.deepEqual(compared, daysOf(windowEnding('2026-03-17', 7)).toReversed());
    const costsByNow = new Map(compared.map((day, index) => [day, BigInt(index + 1)]));
    const measured = measure(anomaly, { ...history, costsByNow }, asked, 'on_demand');
    assert.deepEqual(measured.window, { start: '2026-03-18', end: '2026-03-18', days: 1 });
    assert.deepEqual([measured.observedNanos, measured.baselineNanos], [5n, 4n]);
    assert.deepEqual(measured.baselineUntil, asked);
  });

  test('on demand cuts the last day of each week short', () => {
    const costs = daysBefore('2026-03-19', Array<Nanos>(35).fill(10n));
    const rule = { ...anomaly, frequency: 'weekly' } as const;
    const asked = new Date('2026-03-18T12:00:00Z');
    const whole = { costs, firstDay: '2025-01-01' };
    const compared = anomalyType.baselineDaysByNow(rule, asked, whole);
    assert.deepEqual(compared, ['2026-03-11', '2026-03-04', '2026-02-25', '2026-02-18']);
    const costsByNow = new Map(compared.map((day) => [day, 4n]));
    const history = { ...whole, costsByNow };
    assert.equal(measure(rule, history, asked, 'on_demand').baselineNanos, 64n);
    assert.equal(measure(rule, history, startOfDay('2026-03-19'), 'scheduled').baselineNanos, 70n);
  });

  test('needs no hours if nothing is compared', () => {
    const asked = new Date('2026-03-18T12:00:00Z');
    const daily = daysBefore('2026-03-18', Array<Nanos>(6).fill(1n));
    const history = { costs: daily, firstDay: '2026-03-12' };
    const nothing = { costs: new Map(), firstDay: null };
    assert.deepEqual(budgetType.baselineDaysByNow(budget, asked, history), []);
    assert.deepEqual(anomalyType.baselineDaysByNow(anomaly, asked, history), []);
    assert.deepEqual(anomalyType.baselineDaysByNow(anomaly, asked, nothing), []);
    assert.deepEqual(anomalyType.baselineDaysByNow({ ...anomaly, frequency: 'weekly' }, asked, nothing), []);
  });

  const insufficient: [why: string, costs: readonly Nanos[]][] = [
    ['without any history', []],
    ['with a first day', [5n]],
    ['with six days before it', [1n, 1n, 1n, 1n, 1n, 1n, 5n]],
    ['with two days of cost before it', [1n, 0n, 0n, 0n, 0n, 0n, 1n, 5n]],
    ['with a median of 0', [1n, 0n, 1n, 0n, 1n, 0n, 0n, 5n]],
  ];
  for (const [why, costs] of insufficient) {
    test(`has no baseline ${why}`, () => {
      const measured = measureDaily(daysBefore('2026-03-18', costs));
      assert.equal(measured.baselineNanos, null);
      assert.deepEqual(measured.baselineWindows, []);
    });
  }

  test('does not count a week before the first cost as a cheap one', () => {
    const costs = daysBefore('2026-03-16', Array<Nanos>(28).fill(10n));
    const rule = { ...anomaly, frequency: 'weekly' } as const;
    const measured = measure(rule, { costs, firstDay: '2026-02-16' }, startOfDay('2026-03-16'), 'scheduled');
    assert.equal(measured.baselineNanos, 70n);
    const shorter = daysBefore('2026-03-16', Array<Nanos>(24).fill(10n));
    assert.equal(
      measure(rule, { costs: shorter, firstDay: '2026-02-20' }, startOfDay('2026-03-16'), 'scheduled')
        .baselineNanos,
      70n,
    );
  });

  test('compares windows of equal length that never overlap', () => {
    const anyCosts = fc.array(fc.bigInt({ min: 0n, max: 9n }), { minLength: 130, maxLength: 130 });
    const hows = fc.constantFrom('scheduled' as const, 'on_demand' as const);
    fc.assert(
      fc.property(
        anyCosts,
        fc.constantFrom(...frequencies),
        hows,
        fc.nat(130),
        (list, frequency, how, age) => {
          const costs = daysBefore('2026-03-19', list);
          const costsByNow = new Map([...costs].map(([day, cost]) => [day, cost / 2n]));
          const history = { costs, firstDay: addDays('2026-03-18', -age), costsByNow };
          const measured = measure({ ...anomaly, frequency }, history, tick, how);
          const windows = [measured.window, ...measured.baselineWindows];
          const days = windows.flatMap(daysOf);
          assert.equal(new Set(days).size, days.length);
          assert.ok(windows.every((window) => window.days === measured.window.days));
          assert.ok(days.every((day) => day >= addDays(dayOf(tick), 30 - measuredDays)));
          const [observed, ...compared] = windows.map((window) =>
            daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n),
          );
          assert.equal(measured.observedNanos, observed);
          const ends = how === 'scheduled' ? [] : measured.baselineWindows.map(({ end }) => end);
          const later = ends.reduce(
            (sum, day) => sum + (costs.get(day) ?? 0n) - (costsByNow.get(day) ?? 0n),
            0n,
          );
          const total = compared.reduce((sum, cost) => sum + cost, -later);
          if (measured.baselineNanos === null) assert.deepEqual(compared, []);
          else assert.equal(measured.baselineNanos, total / BigInt(compared.length));
        },
      ),
    );
  });

  test('tolerates a weekend rhythm from the first day on', () => {
    const weekday = fc.bigInt({ min: 90n, max: 110n });
    const weekend = fc.bigInt({ min: 0n, max: 10n });
    const weeks = fc.array(
      fc.tuple(
        fc.array(weekday, { minLength: 5, maxLength: 5 }),
        fc.array(weekend, { minLength: 2, maxLength: 2 }),
      ),
      { minLength: 8, maxLength: 8 },
    );
    fc.assert(
      fc.property(weeks, fc.nat(6), fc.constantFrom('daily', 'weekly'), (rhythm, skipped, frequency) => {
        const monday = '2026-01-05';
        const list = rhythm.flat(2).map((cents) => (cents * dollar) / 10n);
        const costs: DayCosts = new Map(
          list.map((cost, index) => [addDays(monday, index), cost] as const).slice(skipped),
        );
        const firstDay = [...costs].find(([, cost]) => cost > 0n)![0];
        for (const day of [...costs.keys()].filter(
          (_, index) => frequency === 'daily' || (index + skipped) % 7 === 0,
        )) {
          const measured = measure(
            { ...anomaly, frequency },
            { costs, firstDay },
            startOfDay(day),
            'scheduled',
          );
          const { conditionMet } = decideSignals(anomaly, measured, { open: null, announcedNanos: null });
          assert.equal(conditionMet, false, day);
        }
      }),
    );
  });
});
