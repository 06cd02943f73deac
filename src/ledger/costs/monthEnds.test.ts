/** The forecast with months that end differently, and with days marked unusual. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays, startOfDay, type Day } from '../../platform/lib/days.ts';
import { magnitude } from '../../platform/lib/money.ts';
import { projectMonth, type Projection } from './projection.ts';

const dollar = 1_000_000_000n;

function costsOf(first: Day, last: Day, costOf: (day: Day, index: number) => bigint): Map<Day, bigint> {
  const costs = new Map<Day, bigint>();
  for (let day = first, index = 0; day <= last; day = addDays(day, 1), index++) {
    costs.set(day, costOf(day, index));
  }
  return costs;
}

function project(now: string, costs: Map<Day, bigint>): Projection {
  const days = [...costs.keys()].toSorted();
  return projectMonth(new Date(now), { costs, firstDay: days[0] ?? null });
}

/** Steady costs with the last three days of each month at 2.5 times, until the day before `today`. */
function withMonthEnds(first: Day, today: Day): Map<Day, bigint> {
  return costsOf(first, addDays(today, -1), (day, index) => {
    const isEnd = addDays(day, 3).slice(0, 7) !== day.slice(0, 7);
    return (100n + BigInt((index * 7_919) % 11)) * (isEnd ? 25n : 10n) * (dollar / 10n);
  });
}

describe('month ends that cost more', () => {
  const unusualRule = { thresholdNanos: 50n * dollar, today: '' };
  const usualDay = 105n * dollar;

  test('are expected as soon as three months are known, also where their days are marked unusual', () => {
    for (const today of ['2026-03-22', '2026-03-26', '2026-03-30', '2026-03-31']) {
      const firstDay = '2025-12-01';
      const costs = withMonthEnds(firstDay, today);
      const actual = [...withMonthEnds(firstDay, '2026-04-01')]
        .filter(([day]) => day.startsWith('2026-03'))
        .reduce((total, [, cost]) => total + cost, 0n);
      for (const rule of [{}, { unusualRule: { ...unusualRule, today } }]) {
        const { projectedNanos, band } = projectMonth(startOfDay(today), { costs, firstDay, ...rule });
        const missed = magnitude(projectedNanos - actual);
        // On the last days, the forecast stays below one and a half times the pace.
        assert.ok(missed * 20n < actual, `${today}: ${projectedNanos} for ${actual}`);
        assert.ok(band!.lowNanos <= actual && actual <= band!.highNanos, today);
      }
    }
  });

  test('widen the range where they differ, and one of them does neither', () => {
    const projected = (end: (month: string) => bigint) => {
      const costs = costsOf('2025-09-01', '2026-03-21', (day, index) => {
        const noise = BigInt((index * 7_919) % 11) * dollar;
        return noise + (addDays(day, 1).endsWith('-01') ? end(day.slice(5, 7)) : 100n * dollar);
      });
      const { projectedNanos, band } = project('2026-03-22T00:00:00Z', costs);
      return [projectedNanos, band!.highNanos - band!.lowNanos] as const;
    };
    const [steady, narrow] = projected(() => 100n * dollar);
    const [, wide] = projected((month) => (month === '01' ? 500n : month === '02' ? 10n : 400n) * dollar);
    assert.ok(wide > 3n * narrow, `${wide} and ${narrow}`);
    const [once, width] = projected((month) => (month === '02' ? 2_000n : 100n) * dollar);
    assert.ok(magnitude(once - steady) < usualDay / 2n, `${once} and ${steady}`);
    assert.ok(width < 2n * narrow, `${width} and ${narrow}`);
  });
});

test('days marked unusual cost what they cost, and are left out of the pace', () => {
  const today = '2026-03-18';
  const unusualRule = { thresholdNanos: 50n * dollar, today };
  for (const firstDay of ['2025-09-01', '2026-01-20']) {
    const usual = costsOf(firstDay, '2026-03-17', (_day, index) => (100n + BigInt(index % 7)) * dollar);
    const incident = ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-10', '2026-03-12'];
    const costs = new Map([...usual, ...incident.map((day) => [day, 900n * dollar] as const)]);
    const cost = incident.reduce((total, day) => total + 900n * dollar - usual.get(day)!, 0n);
    const at = (days: Map<Day, bigint>) =>
      projectMonth(new Date(`${today}T12:00:00Z`), { costs: days, firstDay, unusualRule });
    const [expected, found] = [at(usual), at(costs)];
    assert.deepEqual(expected.leftOutDays, []);
    assert.deepEqual(found.leftOutDays, incident);
    assert.equal(found.spentNanos, expected.spentNanos + cost);
    assert.equal(found.usualPaceNanos, expected.usualPaceNanos + cost);
    assert.ok(magnitude(found.projectedNanos - expected.projectedNanos - cost) < 10n * dollar);
  }
});

test('more than a week of days marked unusual is a new level, which the pace takes up', () => {
  const today = '2026-03-18';
  const costs = costsOf('2025-09-01', '2026-03-17', (day) => (day < '2026-03-10' ? 100n : 200n) * dollar);
  const { leftOutDays } = projectMonth(startOfDay(today), {
    costs,
    firstDay: '2025-09-01',
    unusualRule: { thresholdNanos: 50n * dollar, today },
  });
  assert.deepEqual(leftOutDays, []);
});
