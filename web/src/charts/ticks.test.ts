import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apart, evenTicks, logTicks, ticksWithLines } from './ticks.ts';

test('ticks are few, round, evenly spaced and cover all amounts', () => {
  assert.deepEqual(evenTicks(0, 4_600), [0, 2_000, 4_000, 6_000]);
  assert.deepEqual(evenTicks(0, 260), [0, 100, 200, 300]);
  assert.deepEqual(evenTicks(0, 1), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(evenTicks(0, 0.3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(evenTicks(-30, 100), [-50, 0, 50, 100]);
  assert.deepEqual(evenTicks(0, 0, true), [0, 1]);
  const amounts = fc.integer({ min: 0, max: 1_000_000_000 }).map((nanos) => nanos / 1_000);
  fc.assert(
    fc.property(amounts, amounts, fc.boolean(), (below, above, isWhole) => {
      const ticks = evenTicks(-below, above, isWhole);
      assert.ok(ticks[0]! <= -below && ticks.at(-1)! >= above);
      assert.ok(ticks.length >= 2 && ticks.length <= 5, String(ticks));
      const step = ticks[1]! - ticks[0]!;
      ticks.slice(1).forEach((tick, index) => assert.ok(Math.abs(tick - ticks[index]! - step) < step / 1e6));
      if (isWhole) assert.ok(ticks.every(Number.isInteger));
    }),
  );
});

test('marks of one day and of its neighbors do not cover each other, nor leave the chart', () => {
  const bounds = { start: 0, end: 100 };
  assert.deepEqual(apart([10, 10, 40], 17, bounds), [1.5, 18.5, 40]);
  assert.deepEqual(apart([40, 50, 60], 17, bounds), [33, 50, 67]);
  assert.deepEqual(apart([3, 3], 17, bounds), [0, 17]);
  assert.deepEqual(apart([10, 95, 95], 17, bounds), [10, 83, 100]);
  assert.deepEqual(apart([], 17, bounds), []);
  const ascending = fc
    .array(fc.nat(700), { maxLength: 30 })
    .map((places) => places.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(ascending, (places) => {
      const moved = apart(places, 17, { start: 0, end: 700 });
      assert.equal(moved.length, places.length);
      assert.ok(moved.every((place, index) => index === 0 || place - moved[index - 1]! > 17 - 1e-9));
      assert.ok(moved.every((place) => place >= 0 && place <= 700));
      if (places.every((place, index) => index === 0 || place - places[index - 1]! >= 17))
        assert.deepEqual(moved, places);
    }),
  );
});

test('a logarithmic axis has powers of ten, of small amounts in smaller units', () => {
  assert.deepEqual(logTicks(140), { unit: 1, ticks: [0, 1, 10, 100, 200] });
  assert.deepEqual(logTicks(4.2), { unit: 0.01, ticks: [0, 1, 10, 100, 500] });
  assert.deepEqual(logTicks(10_000), { unit: 1, ticks: [0, 1, 10, 100, 1_000, 10_000] });
  assert.deepEqual(logTicks(7, true), { unit: 1, ticks: [0, 1, 10] });
  assert.deepEqual(logTicks(0), { unit: 1, ticks: [0, 1] });
});

test('an axis reaches the highest line that is near, and leaves out one far above', () => {
  assert.equal(ticksWithLines([100], [100_000, 300]).at(-1), 400);
  assert.equal(ticksWithLines([100], [100_000]).at(-1), 150);
  assert.equal(ticksWithLines([], [50]).at(-1), 60);
  assert.equal(ticksWithLines([-10, 100], [])[0], -50);
});
