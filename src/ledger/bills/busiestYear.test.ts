import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, windowBetween } from '../../platform/lib/days.ts';
import { busiestYear } from './storeLines.ts';

test("a mistyped year is not part of the report's year", () => {
  const june = [
    ['2026-06-01', 5],
    ['2026-06-30', 5],
  ] as const;
  const year = { start: '2026-06-01', end: '2026-06-30' };
  assert.deepEqual(busiestYear(new Map([['2016-06-12', 9], ...june])), year);
  assert.deepEqual(busiestYear(new Map([...june, ['2028-06-12', 9]])), year);
  assert.equal(busiestYear(new Map()), null);
});

test('a leap year is one year, and the latest of equal years counts', () => {
  const leap = new Map([
    ['2024-01-01', 1],
    ['2024-12-31', 1],
  ]);
  assert.deepEqual(busiestYear(leap), { start: '2024-01-01', end: '2024-12-31' });
  const longer = new Map([...leap, ['2025-01-01', 1]]);
  assert.deepEqual(busiestYear(longer), { start: '2024-12-31', end: '2025-01-01' });
});

test('no other year of that length has more lines', () => {
  const day = fc.integer({ min: 0, max: 1_500 }).map((days) => addDays('2020-01-01', days));
  const lines = fc.array(fc.tuple(day, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lines, (drawn) => {
      const counts = new Map(drawn);
      const linesOf = (start: string, end: string) =>
        [...counts].reduce((sum, [at, count]) => sum + (start <= at && at <= end ? count : 0), 0);
      const year = busiestYear(counts)!;
      assert.ok(windowBetween(year.start, year.end).days <= 366);
      const most = Math.max(...[...counts.keys()].map((start) => linesOf(start, addDays(start, 365))));
      assert.equal(linesOf(year.start, year.end), most);
    }),
  );
});
