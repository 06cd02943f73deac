import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cell, ExplainedCell, Shift } from './cells.ts';
import { type Circumstances, explainDay } from './explainDay.ts';

const minute = 1_000_000_000n;
const dollar = 1_000_000_000n;

const usual: Circumstances = { isConnected: true, isWhole: true };

function explain(cells: readonly Cell[], shift?: Shift): ExplainedCell[] {
  const circumstances = shift ? { ...usual, shiftOf: () => shift } : usual;
  const explained = explainDay(new Map([['acme/api', cells]]), circumstances).get('acme/api')!;
  return cells.map(({ sku }) => explained.find((each) => each.sku === sku)!);
}

function explainAll(repositories: Record<string, Cell[]>, circumstances: Circumstances = usual) {
  const explained = explainDay(new Map(Object.entries(repositories)), circumstances);
  return Object.fromEntries(
    [...explained].map(([repository, cells]) => [repository, Object.assign({}, ...cells.map(partsOf))]),
  );
}

/** Whole minutes at prices in nano-dollars, by default without a discount. */
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
    ours: {
      minutesNanos: BigInt(ours[0]) * minute,
      freeMinutesNanos: 0n,
      costNanos: BigInt(ours[0] * ours[1]),
      netNanos: BigInt(ours[0] * ours[1]),
    },
    bill: {
      minutesNanos: BigInt(bill[0]) * minute,
      listNanos: grossNanos,
      grossNanos,
      discountNanos,
      netNanos: grossNanos - discountNanos,
    },
  };
}

function partsOf({ parts, unexplainedNanos }: ExplainedCell): Record<string, number> {
  const all = Object.entries({ ...parts, unexplained: unexplainedNanos });
  return Object.fromEntries(
    all.filter(([, nanos]) => nanos !== 0n).map(([name, nanos]) => [name, Number(nanos)]),
  );
}

test('equal minutes at equal prices have no difference', () => {
  const [explained] = explain([cell('linux', [10, 8_000_000], [10, 8_000_000])]);
  assert.equal(explained!.differenceNanos, 0n);
  assert.deepEqual(partsOf(explained!), {});
});

test("another unit price is the price list's part, for the minutes on both sides", () => {
  const [explained] = explain([cell('linux', [10, 8_000_000], [10, 6_000_000])]);
  assert.deepEqual(partsOf(explained!), { price_list: 20_000_000 });
});

test('discounts are included minutes in private and public_repository in public repositories, otherwise unknown', () => {
  const discounted = (sku: string, isPublic: boolean | null) =>
    partsOf(
      explain([cell(sku, [10, 8_000_000], [10, 8_000_000], { discountNanos: 30_000_000n, isPublic })])[0]!,
    );
  assert.deepEqual(discounted('linux', false), { included_minutes: 30_000_000 });
  assert.deepEqual(discounted('linux', true), { public_repository: 30_000_000 });
  assert.deepEqual(discounted('linux', null), { other_discount: 30_000_000 });
  assert.deepEqual(discounted('linux_4_core', true), { other_discount: 30_000_000 });
});

test('standard minutes of a public repository that the bill lacks are public_repository', () => {
  const missing = (sku: string) =>
    partsOf(explain([cell(sku, [10, 8_000_000], [0, 0], { isPublic: true })])[0]!);
  assert.deepEqual(missing('linux'), { public_repository: 80_000_000 });
  assert.deepEqual(missing('linux_4_core'), { unexplained: 80_000_000 });
});

test('billed minutes match unpriced minutes first, and the rest is missing deliveries', () => {
  const cells = [cell('linux_4_core', [0, 0], [100, 16_000_000]), cell('unpriced', [60, 0], [0, 0])];
  assert.deepEqual(partsOf(explain(cells)[0]!), {
    unpriced_label: -60 * 16_000_000,
    missing_deliveries: -40 * 16_000_000,
  });
});

test('causes go first to runners that never had a price in the repository', () => {
  const cells = [
    cell('linux', [10, 8_000_000], [15, 8_000_000]),
    cell('linux_4_core', [0, 0], [60, 16_000_000]),
    cell('unpriced', [60, 0], [0, 0]),
  ];
  const hadPriced = (_: string, sku: string) => sku === 'linux';
  assert.deepEqual(explainAll({ 'acme/api': cells }, { ...usual, hadPriced })['acme/api'], {
    unpriced_label: -60 * 16_000_000,
    unexplained: -5 * 8_000_000,
  });
  const guessed = [
    cell('linux_16_core', [60, 64_000_000], [0, 0]),
    cell('linux', [0, 0], [5, 8_000_000]),
    cell('linux_4_core', [0, 0], [60, 16_000_000]),
  ];
  const explained = explainDay(new Map([['acme/api', guessed]]), { ...usual, hadPriced }).get('acme/api')!;
  assert.deepEqual(Object.fromEntries(explained.map((each) => [each.sku, partsOf(each)])), {
    linux: { missing_deliveries: -5 * 8_000_000 },
    linux_16_core: { other_runner: 60 * 64_000_000 },
    linux_4_core: { other_runner: -60 * 16_000_000 },
  });
});

test('minutes on different runners explain each other', () => {
  const cells = [cell('linux', [50, 8_000_000], [0, 0]), cell('linux_4_core', [0, 0], [50, 16_000_000])];
  const [ours, bill] = explain(cells);
  assert.deepEqual(partsOf(ours!), { other_runner: 50 * 8_000_000 });
  assert.deepEqual(partsOf(bill!), { other_runner: -50 * 16_000_000 });
});

test('extra billed minutes on a runner with jobs stay unexplained', () => {
  const [more] = explain([cell('linux', [10, 8_000_000], [15, 8_000_000])]);
  assert.deepEqual(partsOf(more!), { unexplained: -40_000_000 });
  const [less] = explain([cell('linux', [15, 8_000_000], [10, 8_000_000])]);
  assert.deepEqual(partsOf(less!), { unexplained: 40_000_000 });
});

test("runners that GitHub does not bill cost the organization's own rates", () => {
  const [explained] = explain([cell('custom:big-iron', [10, 4_000_000], [0, 0])]);
  assert.deepEqual(partsOf(explained!), { own_rate: 40_000_000 });
});

test('a shift over midnight explains at most the surplus of one side', () => {
  const late = cell('linux', [30, 8_000_000], [10, 8_000_000]);
  const [explained] = explain([late], { toDayBefore: 15n * minute, fromDayAfter: 99n * minute });
  assert.deepEqual(partsOf(explained!), { day_shift: 15 * 8_000_000, unexplained: 5 * 8_000_000 });
});

test("the report's rounding is the part rounding", () => {
  const rounded = cell('linux', [10, 8_000_000], [10, 8_000_000]);
  rounded.bill.grossNanos = rounded.bill.netNanos = 79_000_000n;
  assert.deepEqual(partsOf(explain([rounded])[0]!), { rounding: 1_000_000 });
});

test('a free amount is at most the cost: a credit above it is another discount', () => {
  const credited = (isPublic: boolean) =>
    partsOf(
      explain([
        cell('linux', [100, 8_000_000], [100, 8_000_000], { discountNanos: 50n * dollar, isPublic }),
      ])[0]!,
    );
  assert.deepEqual(credited(false), { included_minutes: 800_000_000, other_discount: 49_200_000_000 });
  assert.deepEqual(credited(true), { public_repository: 800_000_000, other_discount: 49_200_000_000 });
  const surcharge = cell('linux', [10, 8_000_000], [10, 8_000_000], { discountNanos: -dollar });
  assert.deepEqual(partsOf(explain([surcharge])[0]!), { other_discount: -Number(dollar) });
  const alone = cell('linux', [0, 0], [0, 0], { discountNanos: 50n * dollar });
  assert.deepEqual(partsOf(explain([alone])[0]!), { other_discount: 50 * Number(dollar) });
});

test('minutes on other operating systems or unknown kinds do not explain each other', () => {
  const ours = () => cell('linux', [100, 8_000_000], [0, 0]);
  const mac = explain([ours(), cell('macos', [0, 0], [100, 80_000_000])]);
  assert.deepEqual(mac.map(partsOf), [{ unexplained: 800_000_000 }, { unexplained: -8_000_000_000 }]);
  const unknown = explain([ours(), cell('linux_20_core_mem', [0, 0], [100, 80_000_000])]);
  assert.deepEqual(unknown.map(partsOf), [{ unexplained: 800_000_000 }, { unexplained: -8_000_000_000 }]);
  const custom = explain([
    cell('custom:x', [100, 8_000_000], [0, 0]),
    cell('macos', [0, 0], [100, 80_000_000]),
  ]);
  assert.deepEqual(custom.map(partsOf), [{ own_rate: 800_000_000 }, { unexplained: -8_000_000_000 }]);
});

test("billed minutes without a repository match minutes that the bill lacks in the owner's repositories", () => {
  const unnamed = (minutes: number, price = 8_000_000) => [
    cell('linux', [0, 0], [minutes, price], { isPublic: null }),
  ];
  const ours = (minutes: number) => [cell('linux', [minutes, 8_000_000], [0, 0])];
  assert.deepEqual(explainAll({ 'acme/': unnamed(15), 'acme/api': ours(10), 'acme/web': ours(7) }), {
    'acme/': { unnamed_repository: -15 * 8_000_000 },
    'acme/api': { unnamed_repository: 10 * 8_000_000 },
    'acme/web': { unnamed_repository: 5 * 8_000_000, unexplained: 2 * 8_000_000 },
  });
  assert.deepEqual(explainAll({ 'acme/': unnamed(10, 6_000_000), 'acme/api': ours(10) }), {
    'acme/': { unnamed_repository: -80_000_000, price_list: 20_000_000 },
    'acme/api': { unnamed_repository: 80_000_000 },
  });
  assert.deepEqual(
    explainAll({ 'acme/': unnamed(10), 'acme/api': [cell('windows', [10, 16_000_000], [0, 0])] }),
    {
      'acme/': { unexplained: -80_000_000 },
      'acme/api': { unexplained: 160_000_000 },
    },
  );
  assert.deepEqual(explainAll({ '': unnamed(10) }), { '': { unexplained: -80_000_000 } });
});

test('minutes in different repositories may belong to a renamed one', () => {
  const billed = [cell('linux', [0, 0], [100, 8_000_000], { isPublic: null })];
  const ours = [cell('linux', [60, 8_000_000], [0, 0])];
  assert.deepEqual(explainAll({ 'acme/new': billed, 'acme/old': ours }), {
    'acme/new': { missing_deliveries: -40 * 8_000_000, unexplained: -60 * 8_000_000 },
    'acme/old': { unexplained: 60 * 8_000_000 },
  });
});

test('equal minutes on the same runner under another name of the owner are a renamed repository', () => {
  const billed = (minutes = 100) => [cell('linux', [0, 0], [minutes, 6_000_000], { isPublic: null })];
  const ours = (minutes = 100, sku = 'linux') => [cell(sku, [minutes, 8_000_000], [0, 0])];
  const both = [cell('linux', [100, 8_000_000], [100, 8_000_000])];
  const renamed = {
    'acme/new': { renamed_repository: -800_000_000, price_list: 200_000_000 },
    'acme/old': { renamed_repository: 800_000_000 },
  };
  assert.deepEqual(explainAll({ 'acme/new': billed(), 'acme/old': ours() }), renamed);
  assert.deepEqual(explainAll({ 'acme/new': billed(), 'acme/old': ours(), 'acme/api': both }), {
    ...renamed,
    'acme/api': {},
  });
  const isNamed = (repositories: Record<string, Cell[]>, circumstances = usual) =>
    Object.values(explainAll(repositories, circumstances)).some((parts) => 'renamed_repository' in parts);
  assert.ok(!isNamed({ 'acme/new': billed(), 'acme/old': ours(99) }), 'other minutes');
  assert.ok(!isNamed({ 'acme/new': billed(), 'beta/old': ours() }), 'another owner');
  assert.ok(!isNamed({ 'acme/new': billed(), 'acme/old': ours(100, 'windows') }), 'another runner');
  assert.ok(!isNamed({ 'acme/': billed(), 'acme/old': ours() }), 'no name');
  assert.ok(!isNamed({ 'acme/new': billed(), 'acme/a': ours(), 'acme/b': ours() }), 'two candidates');
  assert.ok(!isNamed({ 'acme/new': billed(), 'acme/old': ours() }, { ...usual, isWhole: false }));
});

test('before the first recorded day nothing is missing, nor if only a part was read', () => {
  const billed = { 'acme/api': [cell('linux', [0, 0], [10, 8_000_000])] };
  assert.deepEqual(explainAll(billed, { isConnected: false, isWhole: true })['acme/api'], {
    before_connected: -80_000_000,
  });
  assert.deepEqual(explainAll(billed)['acme/api'], { missing_deliveries: -80_000_000 });
  assert.deepEqual(explainAll(billed, { isConnected: true, isWhole: false })['acme/api'], {
    unexplained: -80_000_000,
  });
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
  ours: fc.record({
    minutesNanos: whole,
    freeMinutesNanos: whole,
    costNanos: fc.bigInt({ min: 0n, max: 5_000n * dollar }),
    netNanos: fc.bigInt({ min: 0n, max: 5_000n * dollar }),
  }),
  bill: fc.record({
    minutesNanos: minutes,
    listNanos: amount,
    grossNanos: amount,
    discountNanos: amount,
    netNanos: amount,
  }),
});
const anyShift = fc.record({ toDayBefore: whole, fromDayAfter: whole });

test('the parts and the rest add up to the difference, to the last nano-dollar', () => {
  const cells = fc.uniqueArray(anyCell, { selector: (each) => each.sku, maxLength: 7 });
  fc.assert(
    fc.property(cells, anyShift, (list, shift) => {
      const explained = explain(list, shift);
      assert.equal(explained.length, list.length);
      for (const [index, each] of explained.entries()) {
        const { costNanos } = list[index]!.ours;
        assert.equal(each.differenceNanos, costNanos - list[index]!.bill.netNanos);
        const sum = Object.values(each.parts).reduce((total, nanos) => total + nanos, each.unexplainedNanos);
        assert.equal(sum, each.differenceNanos);
        const net = Object.values(each.net.parts).reduce((total, nanos) => total + nanos, 0n);
        const { ours, bill } = list[index]!;
        assert.equal(net + each.net.unexplainedNanos, ours.netNanos - bill.netNanos);
      }
    }),
  );
});

test('other runners and shifts take equal minutes from both sides', () => {
  const cells = fc.uniqueArray(anyCell, { selector: (each) => each.sku, maxLength: 7 });
  fc.assert(
    fc.property(cells, (list) => {
      const even = list.map((each) => ({
        ...each,
        ours: { ...each.ours, costNanos: each.ours.minutesNanos / 100n },
        bill: {
          ...each.bill,
          listNanos: each.bill.minutesNanos / 100n,
          grossNanos: each.bill.minutesNanos / 100n,
          netNanos: each.bill.minutesNanos / 100n,
        },
      }));
      // At equal prices, moving minutes between runners cancels out, except for rounding.
      const moved = explain(even).reduce((sum, { parts }) => sum + parts.other_runner, 0n);
      assert.ok(moved >= -50n && moved <= 50n, `${moved}`);
    }),
  );
});

test('the parts add up across repositories, and the order of reading does not matter', () => {
  const cells = fc.uniqueArray(anyCell, { selector: (each) => each.sku, maxLength: 4 });
  const name = fc.constantFrom('', 'acme/', 'acme/api', 'acme/web', 'acme/old');
  const hadPriced = (repository: string, each: string) => (repository + each).length % 2 === 0;
  const days = fc.uniqueArray(fc.tuple(name, cells), { selector: ([repository]) => repository });
  fc.assert(
    fc.property(days, fc.boolean(), fc.boolean(), (list, isConnected, isWhole) => {
      const explained = explainDay(new Map(list), { isConnected, isWhole, hadPriced });
      for (const { parts, unexplainedNanos, differenceNanos } of [...explained.values()].flat()) {
        const sum = Object.values(parts).reduce((total, nanos) => total + nanos, unexplainedNanos);
        assert.equal(sum, differenceNanos);
      }
      for (const cause of ['unnamed_repository', 'renamed_repository'] as const) {
        const all = [...explained.values()].flat().reduce((sum, { parts }) => sum + parts[cause], 0n);
        assert.equal(all, 0n, 'what one side has in a repository the other has elsewhere');
      }
      const turned = list.map(([repository, each]) => [repository, each.toReversed()] as const).toReversed();
      const again = explainDay(new Map(turned), { isConnected, isWhole, hadPriced });
      for (const [repository, each] of explained) assert.deepEqual(again.get(repository), each);
    }),
  );
});
