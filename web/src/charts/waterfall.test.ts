import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dollars, signed } from '../ui/figures.ts';
import { stepsInCents, waterfallOf } from './waterfall.ts';

/** The sum that a reader computes from displayed amounts; below a cent, amounts display as zero. */
const centsShown = (text: string) =>
  /[<>]/.test(text) ? 0 : Math.round(100 * Number(text.replace('−', '-').replaceAll(/[$,+]/g, '')));

/** Amounts in billionths of a dollar, including half cents. */
const anyNanos = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -1e14, max: 1e14 }),
  fc.integer({ min: -1_000, max: 1_000 }).map((halves) => halves * 5_000_000),
);

test('the steps shown add up from the amount shown before to the one shown after', () => {
  fc.assert(
    fc.property(anyNanos, fc.array(anyNanos, { maxLength: 6 }), (start, nanos) => {
      const now = nanos.reduce((sum, each) => sum + each, start) / 1e9;
      const before = start / 1e9;
      const steps = stepsInCents(
        before,
        nanos.map((each) => ({ amount: each / 1e9 })),
        now,
      );
      const reached = steps.reduce(
        (sum, { amount }) => sum + centsShown(signed(amount)),
        centsShown(dollars(before)),
      );
      assert.equal(reached, centsShown(dollars(now)));
      assert.ok(steps.every(({ amount }) => Math.abs(amount) > 0.009));
    }),
  );
});

test('halves of a cent round away from zero, also below it', () => {
  const shown = (before: number, now: number) =>
    stepsInCents(before, [{ amount: now - before }], now).map(({ amount }) => signed(amount));
  assert.deepEqual(
    [shown(0, 1.005), shown(0, -1.005), shown(-1.005, -1), shown(-0.005, 0), shown(0, -0.004)],
    [['+$1.01'], ['−$1.01'], ['+$0.01'], ['+$0.01'], []],
  );
});

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
