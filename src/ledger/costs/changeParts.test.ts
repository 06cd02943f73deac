import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sumOf } from '../../platform/lib/lists.ts';
import { splitChange, type Use } from './changeParts.ts';

/** Jobs of these durations. If they are billed by the minute, started minutes count. */
function use(
  runner: string | null,
  price: bigint,
  seconds: readonly number[],
  rounding: 'minute' | 'second' = 'minute',
): Use {
  const minutes = seconds.map((each) => BigInt(Math.ceil(each / 60)));
  const costs = seconds.map((each, job) =>
    rounding === 'minute' ? minutes[job]! * price : (BigInt(each) * price + 30n) / 60n,
  );
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return {
    runner,
    nanosPerMinute: price,
    jobs: BigInt(seconds.length),
    minutes: sum(minutes),
    costNanos: sum(costs),
  };
}

const linux = 8_000_000n;
const macos = 80_000_000n;

describe('a change', () => {
  const before = [use('linux', linux, [300, 300])];
  const cases: [why: string, now: Use[], before: Use[], ...parts: bigint[]][] = [
    ['is nothing', before, before, 0n, 0n, 0n, 0n],
    ['is volume', [use('linux', linux, [300, 300, 300])], before, 5n * linux, 0n, 0n, 0n],
    ['is duration', [use('linux', linux, [600, 300])], before, 0n, 5n * linux, 0n, 0n],
    ['is price', [use('linux', linux / 2n, [300, 300])], before, 0n, 0n, -5n * linux, 0n],
    ['is mix', [use('macos', macos, [300, 300])], before, 0n, 0n, 0n, 10n * (macos - linux)],
    [
      'is price in the days after a change of price',
      [use('linux', linux, [300]), use('linux', 2n * linux, [300])],
      before,
      0n,
      0n,
      5n * linux,
      0n,
    ],
    [
      'is duration, not price, where jobs are billed by the second',
      [use('linux', linux, [119, 119], 'second')],
      [use('linux', linux, [61, 61], 'second')],
      0n,
      2n * ((119n * linux + 30n) / 60n - (61n * linux + 30n) / 60n),
      0n,
      0n,
    ],
    ['is mix from unpriced to priced', before, [use(null, 0n, [300, 300])], 0n, 0n, 0n, 10n * linux],
    ['is price from free to priced', before, [use('linux', 0n, [300, 300])], 0n, 0n, 10n * linux, 0n],
    ['is duration where jobs had no time', before, [use('linux', linux, [0, 0])], 0n, 10n * linux, 0n, 0n],
    ['is duration where jobs have no time', [use('linux', linux, [0, 0])], before, 0n, -10n * linux, 0n, 0n],
    ['is all volume where nothing ran before', before, [], 10n * linux, 0n, 0n, 0n],
    ['is all volume where nothing runs now', [], before, -10n * linux, 0n, 0n, 0n],
    ['of nothing is nothing', [], [], 0n, 0n, 0n, 0n],
  ];
  for (const [why, now, former, ...expected] of cases) {
    test(why, () => {
      const { volumeNanos, durationNanos, priceNanos, mixNanos } = splitChange(now, former);
      assert.deepEqual([volumeNanos, durationNanos, priceNanos, mixNanos], expected);
    });
  }
});

const seconds = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 4 });
const rounding = fc.constantFrom('minute' as const, 'second' as const);
const anyUses = (prices: fc.Arbitrary<bigint>) =>
  fc.array(
    fc
      .tuple(fc.constantFrom('linux', 'macos', null), prices, seconds, rounding)
      .map(([runner, price, times, unit]) => use(runner, price, times, unit)),
    { maxLength: 5 },
  );

test('adds up exactly, whatever the prices, times and rounding', () => {
  const uses = anyUses(fc.bigInt({ min: 0n, max: 100_000_000_000n }));
  fc.assert(
    fc.property(uses, uses, (now, before) => {
      const parts = Object.values(splitChange(now, before));
      const change = sumOf(now, 'costNanos') - sumOf(before, 'costNanos');
      assert.equal(
        parts.reduce((total, part) => total + part, 0n),
        change,
      );
    }),
  );
});

test('has neither price nor mix while there is one runner at one price', () => {
  const price = fc.bigInt({ min: 0n, max: 100_000_000_000n });
  fc.assert(
    fc.property(price, seconds, seconds, rounding, (rate, now, before, unit) => {
      const parts = splitChange([use('linux', rate, now, unit)], [use('linux', rate, before, unit)]);
      assert.deepEqual([parts.priceNanos, parts.mixNanos], [0n, 0n]);
    }),
  );
});

test('has no price while no price changes, except for rounding below a nano-dollar', () => {
  const prices: Record<string, bigint> = { linux, macos };
  const uses = fc.array(
    fc
      .tuple(fc.constantFrom('linux', 'macos'), seconds, rounding)
      .map(([runner, times, unit]) => use(runner, prices[runner]!, times, unit)),
    { maxLength: 5 },
  );
  fc.assert(fc.property(uses, uses, (now, before) => assert.equal(splitChange(now, before).priceNanos, 0n)));
});
