import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { waterfallOf } from './waterfall.ts';

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9;

test('each step starts where the one before ended, and all stay inside', () => {
  const amount = fc.integer({ min: -1_000, max: 1_000 });
  const drawn = fc.tuple(
    fc.integer({ min: 0, max: 5_000 }),
    fc.array(amount, { minLength: 1, maxLength: 6 }),
  );
  fc.assert(
    fc.property(drawn, ([before, amounts]) => {
      const { bars, ends } = waterfallOf(
        before,
        amounts.map((each) => ({ amount: each })),
      );
      let reached = ends[0].to;
      amounts.forEach((each, index) => {
        const { from, to } = bars[index]!;
        assert.ok(from >= -1e-9 && to <= 1 + 1e-9 && from <= to);
        assert.ok(near(each >= 0 ? from : to, reached), `step ${index}`);
        reached = each >= 0 ? to : from;
      });
      assert.ok(near(reached, ends[1].to));
    }),
  );
});

test('the scale starts at zero unless the steps would be too small to see', () => {
  const whole = waterfallOf(100, [{ amount: 100 }]);
  assert.deepEqual([whole.isCut, whole.ends[0]], [false, { from: 0, to: 0.5 }]);
  const cut = waterfallOf(1_000, [{ amount: 10 }, { amount: -4 }]);
  assert.equal(cut.isCut, true);
  assert.deepEqual([cut.bars[0]!.from, cut.bars[0]!.to], [0.5, 1]);
});

test('a scale is cut only for steps too small to see, if these are parts of a whole', () => {
  const steps = [{ amount: -28 }];
  assert.equal(waterfallOf(100, steps).isCut, true);
  assert.equal(waterfallOf(100, steps, 0.1).isCut, false);
  assert.equal(waterfallOf(100, [{ amount: -5 }], 0.1).isCut, true);
});
