import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysOf, startOfDay, windowEnding, type Day } from '../lib/days.ts';
import type { DayCosts } from './measure.ts';
import { previewRule } from './preview.ts';
import type { Rule } from './rule.ts';

const preview = (rule: Rule, costs: DayCosts, today: Day, firstDay: Day | null) =>
  previewRule(rule, costs, { today, days: 90, firstDay });

const dollar = 1_000_000_000n;
const percent = 1_000_000_000n;
const today = '2026-03-18'; // a Wednesday
const longAgo = '2025-01-01';
const budget: Rule = {
  type: 'budget',
  thresholdNanos: 100n * dollar,
  period: 'month',
  frequency: 'daily',
  enabled: true,
};
const anomaly: Rule = { ...budget, type: 'anomaly', thresholdNanos: 50n * percent };

/** The same cost on each of the 240 days up to yesterday, but for those given. */
function steady(cost: bigint, others: Record<string, bigint> = {}) {
  const days = daysOf(windowEnding(addDays(today, -1), 240));
  return new Map([...days.map((day) => [day, cost] as const), ...Object.entries(others)]);
}

describe('the checks of a preview', () => {
  test('are the ticks of the last 90 days', () => {
    const ticks = (frequency: Rule['frequency']) =>
      preview({ ...budget, frequency }, steady(dollar), today, longAgo).series.map(({ at }) => at);
    const daily = ticks('daily');
    assert.equal(daily.length, 90);
    assert.deepEqual([daily[0], daily.at(-1)], [startOfDay('2025-12-19'), startOfDay(today)]);
    const weekly = ticks('weekly');
    assert.equal(weekly.length, 13);
    assert.deepEqual([weekly[0], weekly.at(-1)], [startOfDay('2025-12-22'), startOfDay('2026-03-16')]);
    assert.deepEqual(ticks('monthly'), ['2026-01-01', '2026-02-01', '2026-03-01'].map(startOfDay));
  });

  test('see a budget as it was on each day, not as it ended', () => {
    const { series } = preview(budget, steady(dollar), today, longAgo);
    assert.deepEqual(
      series.slice(-4).map(({ observedNanos }) => observedNanos / dollar),
      [14n, 15n, 16n, 17n],
    );
    assert.deepEqual(series.at(-1)!.window, { start: '2026-03-01', end: '2026-03-31', days: 31 });
  });

  test('are insufficient as long as there is no history', () => {
    const { series, firings, suggestedThresholdNanos } = preview(anomaly, new Map(), today, null);
    assert.ok(series.every(({ isInsufficient, currentNanos }) => isInsufficient && currentNanos === 0n));
    assert.deepEqual([firings, suggestedThresholdNanos], [[], null]);
  });
});

describe('the firings of a preview', () => {
  test('of a budget come once a period, and resolve in the next', () => {
    const { firings } = preview({ ...budget, thresholdNanos: 20n * dollar }, steady(dollar), today, longAgo);
    assert.deepEqual(
      firings.map(({ at, resolvedAt, observedNanos }) => [at, resolvedAt, observedNanos / dollar]),
      [
        // December was over on the 22nd already: 21 dollars on the 21st.
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
  const suggested = (rule: Rule, costs: ReadonlyMap<string, bigint>, firstDay: string | null = longAgo) =>
    preview(rule, costs, today, firstDay).suggestedThresholdNanos;

  test('of a monthly budget is the most expensive month, rounded up to two digits', () => {
    assert.equal(suggested(budget, steady(4n * dollar)), 130n * dollar); // 31 × 4 = 124
    assert.equal(suggested(budget, steady(4n * dollar, { '2026-02-01': 100n * dollar })), 210n * dollar);
  });

  test('of a daily budget leaves one outlier out', () => {
    const costs = steady(4n * dollar, { '2026-02-10': 900n * dollar, '2026-02-11': 5n * dollar });
    assert.equal(suggested({ ...budget, period: 'day' }, costs), 5n * dollar);
  });

  test('of an anomaly is the second highest rise, and at least 10 %', () => {
    assert.equal(suggested(anomaly, steady(10n * dollar)), 10n * percent);
    const spikes = { '2026-02-10': 90n * dollar, '2026-02-18': 13_333_333_333n };
    assert.equal(suggested(anomaly, steady(10n * dollar, spikes)), 34n * percent);
  });

  test('is not made up from too little', () => {
    assert.equal(suggested(budget, steady(dollar), '2026-01-02'), null); // one whole month
    assert.notEqual(suggested(budget, steady(dollar), '2026-01-01'), null);
    assert.equal(suggested({ ...budget, period: 'week' }, steady(dollar), '2026-02-17'), null);
    assert.notEqual(suggested({ ...budget, period: 'week' }, steady(dollar), '2026-02-16'), null);
    assert.equal(suggested({ ...budget, period: 'day' }, steady(dollar), '2026-03-12'), null);
    assert.notEqual(suggested({ ...budget, period: 'day' }, steady(dollar), '2026-03-11'), null);
    assert.equal(suggested(budget, steady(0n)), null);
    assert.equal(suggested(budget, new Map(), null), null);
  });

  test('would have fired once at most, whatever was spent', () => {
    const minute = 8_000_000n; // no cost is smaller, so that no rise is above the highest threshold
    const dayCost = fc.bigInt({ min: 0n, max: 5_000n }).map((minutes) => minutes * minute);
    const lists = fc.array(dayCost, { minLength: 240, maxLength: 240 });
    const rules = fc.record({
      type: fc.constantFrom('budget' as const, 'anomaly' as const),
      period: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
      frequency: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const),
    });
    fc.assert(
      fc.property(lists, rules, (list, settings) => {
        const rule: Rule = { ...settings, thresholdNanos: dollar, enabled: true };
        const costs = new Map(list.map((cost, index) => [addDays(today, index - 240), cost]));
        const threshold = suggested(rule, costs);
        if (threshold === null) return;
        assert.ok(threshold.toString().replace(/0+$/, '').length <= 2);
        const { firings } = preview({ ...rule, thresholdNanos: threshold }, costs, today, longAgo);
        assert.ok(firings.length <= 1, `${firings.length} firings at ${threshold}`);
      }),
    );
  });
});
