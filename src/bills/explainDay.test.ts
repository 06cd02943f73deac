import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { explainDay, type Cell, type ExplainedCell } from './explainDay.ts';

const minute = 1_000_000_000n;
const dollar = 1_000_000_000n;

/** A cell of whole minutes at prices in nano-dollars; without a discount unless one is given. */
function cell(
  sku: string,
  ours: [minutes: number, nanosPerMinute: number],
  bill: [minutes: number, nanosPerMinute: number],
  { discountNanos = 0n, isPublic = false }: { discountNanos?: bigint; isPublic?: boolean | null } = {},
): Cell {
  const grossNanos = BigInt(bill[0] * bill[1]);
  return {
    sku,
    isPublic,
    ours: { minutesNanos: BigInt(ours[0]) * minute, costNanos: BigInt(ours[0] * ours[1]) },
    bill: {
      minutesNanos: BigInt(bill[0]) * minute,
      listNanos: grossNanos,
      ...{ grossNanos, discountNanos, netNanos: grossNanos - discountNanos },
    },
  };
}

/** The parts that are not 0. */
function partsOf({ parts, unexplainedNanos }: ExplainedCell): Record<string, number> {
  const all = Object.entries({ ...parts, unexplained: unexplainedNanos });
  return Object.fromEntries(
    all.filter(([, nanos]) => nanos !== 0n).map(([name, nanos]) => [name, Number(nanos)]),
  );
}

test('equal minutes at equal prices have no difference', () => {
  const [explained] = explainDay([cell('linux', [10, 8_000_000], [10, 8_000_000])]);
  assert.equal(explained!.differenceNanos, 0n);
  assert.deepEqual(partsOf(explained!), {});
});

test('another unit price is the price list, for the minutes that both have', () => {
  const [explained] = explainDay([cell('linux', [10, 8_000_000], [10, 6_000_000])]);
  assert.deepEqual(partsOf(explained!), { price_list: 20_000_000 });
});

test('discounts are included minutes of private repositories, freebies of public ones, and else nobody knows', () => {
  const discounted = (sku: string, isPublic: boolean | null) =>
    partsOf(
      explainDay([cell(sku, [10, 8_000_000], [10, 8_000_000], { discountNanos: 30_000_000n, isPublic })])[0]!,
    );
  assert.deepEqual(discounted('linux', false), { included_minutes: 30_000_000 });
  assert.deepEqual(discounted('linux', true), { public_repository: 30_000_000 });
  assert.deepEqual(discounted('linux', null), { other_discount: 30_000_000 });
  assert.deepEqual(discounted('linux_4_core', true), { other_discount: 30_000_000 });
});

test('minutes of a public repository that the bill does not have are the public repository, on standard runners', () => {
  const missing = (sku: string) =>
    partsOf(explainDay([cell(sku, [10, 8_000_000], [0, 0], { isPublic: true })])[0]!);
  assert.deepEqual(missing('linux'), { public_repository: 80_000_000 });
  assert.deepEqual(missing('linux_4_core'), { unexplained: 80_000_000 });
});

test('billed minutes are those of runners without a price, as many as there are, and the rest was not delivered', () => {
  const cells = [cell('linux_4_core', [0, 0], [100, 16_000_000]), cell('unpriced', [60, 0], [0, 0])];
  assert.deepEqual(partsOf(explainDay(cells)[0]!), {
    unpriced_label: -60 * 16_000_000,
    missing_deliveries: -40 * 16_000_000,
  });
});

test('minutes that we have on another runner than the bill explain each other', () => {
  const cells = [cell('linux', [50, 8_000_000], [0, 0]), cell('linux_4_core', [0, 0], [50, 16_000_000])];
  const [ours, bill] = explainDay(cells);
  assert.deepEqual(partsOf(ours!), { other_runner: 50 * 8_000_000 });
  assert.deepEqual(partsOf(bill!), { other_runner: -50 * 16_000_000 });
});

test('minutes that the bill has beyond ours on a runner from which jobs came stay unexplained', () => {
  const [more] = explainDay([cell('linux', [10, 8_000_000], [15, 8_000_000])]);
  assert.deepEqual(partsOf(more!), { unexplained: -40_000_000 });
  const [less] = explainDay([cell('linux', [15, 8_000_000], [10, 8_000_000])]);
  assert.deepEqual(partsOf(less!), { unexplained: 40_000_000 });
});

test("runners that GitHub does not bill cost by the organization's own rates", () => {
  const [explained] = explainDay([cell('custom:big-iron', [10, 4_000_000], [0, 0])]);
  assert.deepEqual(partsOf(explained!), { own_rate: 40_000_000 });
});

test('a shift over midnight explains no more than what one side has too many', () => {
  const late = cell('linux', [30, 8_000_000], [10, 8_000_000]);
  const [explained] = explainDay([late], () => ({ toDayBefore: 15n * minute, fromDayAfter: 99n * minute }));
  assert.deepEqual(partsOf(explained!), { day_shift: 15 * 8_000_000, unexplained: 5 * 8_000_000 });
});

test('what the report rounded is its rounding', () => {
  const rounded = cell('linux', [10, 8_000_000], [10, 8_000_000]);
  rounded.bill.grossNanos = rounded.bill.netNanos = 79_000_000n;
  assert.deepEqual(partsOf(explainDay([rounded])[0]!), { rounding: 1_000_000 });
});

const amount = fc.bigInt({ min: -5n * dollar, max: 5_000n * dollar });
const minutes = fc.bigInt({ min: -3n * minute, max: 10_000n * minute });
const whole = fc.bigInt({ min: 0n, max: 10_000n }).map((count) => count * minute);
const sku = fc.constantFrom(
  'linux',
  'linux_4_core',
  'windows',
  'unpriced',
  'self_hosted',
  'custom:x',
  'what_ever',
);
const anyCell: fc.Arbitrary<Cell> = fc.record({
  sku,
  isPublic: fc.constantFrom(true, false, null),
  ours: fc.record({ minutesNanos: whole, costNanos: fc.bigInt({ min: 0n, max: 5_000n * dollar }) }),
  bill: fc.record({
    ...{
      minutesNanos: minutes,
      listNanos: amount,
      grossNanos: amount,
      discountNanos: amount,
      netNanos: amount,
    },
  }),
});
const anyShift = fc.record({ toDayBefore: whole, fromDayAfter: whole });

test('whatever both sides say, the parts and what is unexplained add up to the difference, to the last nano-dollar', () => {
  const cells = fc.uniqueArray(anyCell, { selector: (each) => each.sku, maxLength: 7 });
  fc.assert(
    fc.property(cells, anyShift, (list, shift) => {
      const explained = explainDay(list, () => shift);
      assert.equal(explained.length, list.length);
      for (const [index, each] of explained.entries()) {
        const { costNanos } = list[index]!.ours;
        assert.equal(each.differenceNanos, costNanos - list[index]!.bill.netNanos);
        const sum = Object.values(each.parts).reduce((total, nanos) => total + nanos, each.unexplainedNanos);
        assert.equal(sum, each.differenceNanos);
      }
    }),
  );
});

test('other runners, like shifts, take as many minutes from one side as from the other', () => {
  const cells = fc.uniqueArray(anyCell, { selector: (each) => each.sku, maxLength: 7 });
  fc.assert(
    fc.property(cells, (list) => {
      const even = list.map((each) => ({
        ...each,
        ours: { ...each.ours, costNanos: each.ours.minutesNanos / 100n },
        bill: {
          ...each.bill,
          listNanos: each.bill.minutesNanos / 100n,
          ...{ grossNanos: each.bill.minutesNanos / 100n, netNanos: each.bill.minutesNanos / 100n },
        },
      }));
      // At one price everywhere, what is moved between runners cancels out but for rounding.
      const moved = explainDay(even).reduce((sum, { parts }) => sum + parts.other_runner, 0n);
      assert.ok(moved >= -50n && moved <= 50n, `${moved}`);
    }),
  );
});
