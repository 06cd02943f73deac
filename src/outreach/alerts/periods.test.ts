import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays, dayOf, startOfDay } from '../../platform/lib/days.ts';
import { budgetPeriod, nextTick, previousTick, spreadMilliseconds } from './periods.ts';

const instants = fc.date({
  min: new Date('2019-12-01T00:00:00Z'),
  max: new Date('2033-01-31T00:00:00Z'),
  noInvalidDate: true,
});
const periods = ['day', 'week', 'month'] as const;
const frequencies = ['daily', 'weekly', 'monthly'] as const;

describe('the period of a budget', () => {
  const cases: [why: string, at: string, period: 'day' | 'week' | 'month', start: string, end: string][] = [
    ['a day to its last millisecond', '2026-03-31T23:59:59.999Z', 'day', '2026-03-31', '2026-03-31'],
    ['a month of 31 days', '2026-03-31T23:59:59.999Z', 'month', '2026-03-01', '2026-03-31'],
    ['a month of 30 days', '2026-04-01T00:00:00Z', 'month', '2026-04-01', '2026-04-30'],
    ['February', '2026-02-28T12:00:00Z', 'month', '2026-02-01', '2026-02-28'],
    ['February with its leap day', '2028-02-29T23:59:59Z', 'month', '2028-02-01', '2028-02-29'],
    ['no leap day in 2100', '2100-02-28T12:00:00Z', 'month', '2100-02-01', '2100-02-28'],
    ['December', '2026-12-31T23:59:59Z', 'month', '2026-12-01', '2026-12-31'],
    ['a week from its Monday', '2026-03-16T00:00:00Z', 'week', '2026-03-16', '2026-03-22'],
    ['a week to its Sunday', '2026-03-22T23:59:59.999Z', 'week', '2026-03-16', '2026-03-22'],
    ['week 53 of 2026, in December', '2026-12-31T12:00:00Z', 'week', '2026-12-28', '2027-01-03'],
    ['week 53 of 2026, in January', '2027-01-03T12:00:00Z', 'week', '2026-12-28', '2027-01-03'],
    ['week 1 of 2027', '2027-01-04T00:00:00Z', 'week', '2027-01-04', '2027-01-10'],
    ['week 1 of 2025, in December', '2024-12-30T00:00:00Z', 'week', '2024-12-30', '2025-01-05'],
    ['a week with the leap day', '2028-02-29T12:00:00Z', 'week', '2028-02-28', '2028-03-05'],
  ];
  for (const [why, at, period, start, end] of cases) {
    test(`is ${why}`, () => {
      const window = budgetPeriod(new Date(at), period);
      assert.deepEqual([window.start, window.end], [start, end]);
    });
  }

  test('contains the instant, and the next one starts the day after', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...periods), (instant, period) => {
        const window = budgetPeriod(instant, period);
        assert.ok(window.start <= dayOf(instant) && dayOf(instant) <= window.end);
        assert.equal(window.end, addDays(window.start, window.days - 1));
        const nextStart = addDays(window.end, 1);
        assert.equal(budgetPeriod(startOfDay(nextStart), period).start, nextStart);
      }),
    );
  });
});

describe('ticks', () => {
  const isBoundary = {
    daily: () => true,
    weekly: (midnight: Date) => midnight.getUTCDay() === 1,
    monthly: (midnight: Date) => midnight.getUTCDate() === 1,
  };

  test('of a year come once each, from any start', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...frequencies), (from, frequency) => {
        const ticks: Date[] = [];
        const until = from.getTime() + 366 * 86_400_000;
        for (let at = nextTick(from, frequency); at.getTime() <= until; at = nextTick(at, frequency))
          ticks.push(at);
        const midnights = Array.from({ length: 367 }, (_, days) => startOfDay(addDays(dayOf(from), days)));
        const expected = midnights.filter(
          (midnight) => midnight > from && midnight.getTime() <= until && isBoundary[frequency](midnight),
        );
        assert.deepEqual(ticks, expected);
      }),
      { numRuns: 50 },
    );
  });

  test('are found again from any instant until the next', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...frequencies), (now, frequency) => {
        const previous = previousTick(now, frequency);
        const next = nextTick(now, frequency);
        assert.ok(previous <= now && now < next);
        assert.deepEqual(nextTick(previous, frequency), next);
        assert.deepEqual(previousTick(new Date(next.getTime() - 1), frequency), previous);
        assert.deepEqual(previousTick(next, frequency), next);
      }),
    );
  });
});

test('spreads the checks of many alerts over five minutes, each at a fixed delay', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const spread = spreadMilliseconds(id);
      assert.ok(Number.isInteger(spread) && spread >= 0 && spread < 300_000);
      assert.equal(spreadMilliseconds(id), spread);
    }),
  );
  const minutes = new Set(
    Array.from({ length: 200 }, (_, id) => Math.floor(spreadMilliseconds(`alert ${id}`) / 60_000)),
  );
  assert.equal(minutes.size, 5);
});
