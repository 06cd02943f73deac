import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { daysOf, monthAround } from '../../platform/lib/days.ts';
import { costOn, type Period } from './poolCost.ts';

const period: Period = {
  firstDay: '2026-01-01',
  lastDay: null,
  machines: null,
  monthlyNanos: null,
  hourlyNanos: null,
};

test('the days of a month add up to its amount', () => {
  const months = fc.constantFrom('2026-01-01', '2026-02-01', '2028-02-01', '2026-04-01');
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), months, (monthlyNanos, month) => {
      const pool = { periods: [{ ...period, monthlyNanos }], imported: new Map() };
      const days = daysOf(monthAround(month)).map((day) => costOn(pool, day).costNanos);
      assert.equal(
        days.reduce((sum, each) => sum + each, 0n),
        monthlyNanos,
      );
      const [least, most] = [days, days].map((all, place) =>
        all.reduce((best, each) => ((place === 0 ? each < best : each > best) ? each : best)),
      );
      assert.ok(most! - least! <= 1n);
    }),
  );
});

test('an hourly price is of each machine, for 24 hours of each day of the period', () => {
  const hourly = { ...period, lastDay: '2026-03-31', machines: 4, hourlyNanos: 120_000_000n };
  const later = { ...period, firstDay: '2026-04-01', machines: 1, hourlyNanos: 1n };
  const pool = { periods: [hourly, later], imported: new Map() };
  assert.deepEqual(
    ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01'].map((day) => costOn(pool, day)),
    [
      { costNanos: 0n, machines: null },
      { costNanos: 11_520_000_000n, machines: 4 },
      { costNanos: 11_520_000_000n, machines: 4 },
      { costNanos: 24n, machines: 1 },
    ],
  );
});

test('an imported amount holds on its day, and keeps the machines of the period', () => {
  const periods = [{ ...period, machines: 2, monthlyNanos: 31n }];
  const imported = new Map([['2026-01-10', 100n]]);
  assert.deepEqual(
    ['2026-01-09', '2026-01-10', '2026-01-11'].map((day) => costOn({ periods, imported }, day)),
    [1n, 100n, 1n].map((costNanos) => ({ costNanos, machines: 2 })),
  );
});
