import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crossThresholds } from './crossThresholds.ts';
import { organizationScope } from './scope.ts';
import type { Announced } from './tables.ts';

const march = '2026-03-01';
const monthly = { period: 'month', scope: organizationScope, measure: 'list_cost' } as const;
const budgetOf = (thresholdNanos: bigint) => ({ ...monthly, thresholdNanos });
const announced = (budgetNanos: bigint, percentages: number[], periodStart = march): Announced => ({
  periodStart,
  budgetNanos,
  percentages,
  before: [],
  ...monthly,
});

const crossing = { periodStart: march, isNew: false };
const cases: [
  what: string,
  budget: bigint,
  spend: bigint,
  previous: Announced[],
  crossed: number[],
  sent: number[],
][] = [
  ['none below half', 1_000n, 499n, [], [], []],
  ['a percentage that is exactly reached', 1_000n, 500n, [], [50], [50]],
  ['several at once, ascending', 1_000n, 950n, [], [50, 75, 90], [50, 75, 90]],
  ['all above the budget', 1_000n, 5_000n, [], [50, 75, 90, 100], [50, 75, 90, 100]],
  ['half of an odd amount', 3n, 2n, [], [50], [50]],
  ['only new percentages', 1_000n, 900n, [announced(1_000n, [50])], [75, 90], [50, 75, 90]],
  ['nothing twice', 1_000n, 900n, [announced(1_000n, [50, 75, 90])], [], [50, 75, 90]],
  ['nothing when the spend falls', 1_000n, 10n, [announced(1_000n, [50, 75])], [], [50, 75]],
  ['nothing again when the spend rises again', 1_000n, 800n, [announced(1_000n, [50, 75])], [], [50, 75]],
  [
    'a new period from its start',
    1_000n,
    800n,
    [announced(1_000n, [50, 75, 90], '2026-02-01')],
    [50, 75],
    [50, 75],
  ],
  ['percentages of each amount separately', 1_200n, 700n, [announced(1_000n, [50, 75])], [50], [50]],
  [
    'nothing again when a raise is undone',
    1_000n,
    1_000n,
    [announced(1_000n, [50, 75, 90, 100]), announced(2_000n, [50])],
    [],
    [50, 75, 90, 100],
  ],
];
for (const [what, budget, spend, previous, crossed, sent] of cases) {
  test(`announces ${what}`, () => {
    const { crossed: now, next } = crossThresholds(budgetOf(budget), spend, previous, crossing);
    assert.deepEqual(now, crossed);
    assert.deepEqual(next.at(-1), announced(budget, sent));
  });
}

const changes: [what: string, budget: bigint, previous: Announced[], crossed: number[], before: number[]][] =
  [
    ['what is already reached', 1_000n, [], [50, 75], [50, 75]],
    ['none of a raised amount again', 1_600n, [announced(1_000n, [50, 75])], [], [50]],
    ['the others of a lowered amount', 800n, [announced(1_000n, [50, 75])], [90, 100], [50, 75, 90, 100]],
    ['nothing again of an amount that returns', 1_000n, [announced(1_000n, [50, 75])], [], []],
    ['what another scope has announced', 1_000n, [ofWeb(announced(1_000n, [50]))], [50, 75], [50, 75]],
  ];
function ofWeb(entry: Announced): Announced {
  return { ...entry, scope: { type: 'repository', value: 'acme/web' } };
}
for (const [what, budget, previous, crossed, before] of changes) {
  test(`of a new rule, announces ${what}`, () => {
    const asked = { periodStart: march, isNew: true };
    const { crossed: now, next } = crossThresholds(budgetOf(budget), 800n, previous, asked);
    assert.deepEqual([now, next.at(-1)!.before], [crossed, before]);
  });
}

test('announces each percentage once, however the spend of a budget changes', () => {
  const amounts = fc.bigInt({ min: 0n, max: 300n });
  fc.assert(
    fc.property(fc.array(amounts), fc.bigInt({ min: 1n, max: 200n }), (spends, budget) => {
      let previous: Announced[] = [];
      const all: number[] = [];
      for (const spend of spends) {
        const { crossed, next } = crossThresholds(budgetOf(budget), spend, previous, crossing);
        assert.deepEqual(
          crossed,
          crossed.toSorted((a, b) => a - b),
        );
        all.push(...crossed);
        previous = next;
      }
      const highest = spends.reduce((most, spend) => (spend > most ? spend : most), 0n);
      const reached = [50, 75, 90, 100].filter((part) => highest * 100n >= BigInt(part) * budget);
      assert.deepEqual(
        all.toSorted((a, b) => a - b),
        reached,
      );
    }),
  );
});
