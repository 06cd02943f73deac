import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { explainChange, type WorkflowUse } from './explain.ts';

const linux = 8n;

type Kinds = [kind: string, jobs: bigint, minutes: bigint, costNanos: bigint][];

function use(workflowId: string, ...kinds: Kinds): WorkflowUse {
  return {
    workflowId,
    workflow: `Workflow ${workflowId}`,
    repository: 'acme/shop',
    uses: kinds.map(([runner, jobs, minutes, costNanos]) => ({
      runner,
      nanosPerMinute: null,
      jobs,
      minutes,
      costNanos,
    })),
  };
}

function partsOf(observed: Kinds, baseline: Kinds, divisor = 1n) {
  const [part] = explainChange([use('a', ...observed)], [use('a', ...baseline)], divisor).workflows;
  const { changeNanos, volumeNanos, durationNanos, priceNanos, mixNanos } = part!;
  return [changeNanos, volumeNanos, durationNanos, priceNanos, mixNanos];
}

describe('a change of one workflow', () => {
  const before: Kinds = [['linux', 10n, 50n, 50n * linux]];
  //                                       change, volume, duration, price, mix
  const cases: [why: string, observed: Kinds, baseline: Kinds, expected: bigint[]][] = [
    ['nothing', before, before, [0n, 0n, 0n, 0n, 0n]],
    ['volume', [['linux', 20n, 100n, 100n * linux]], before, [400n, 400n, 0n, 0n, 0n]],
    ['duration', [['linux', 10n, 80n, 80n * linux]], before, [240n, 0n, 240n, 0n, 0n]],
    ['price', [['linux', 10n, 50n, 50n * 6n]], before, [-100n, 0n, 0n, -100n, 0n]],
    ['mix', [['macos', 10n, 50n, 50n * 80n]], before, [3_600n, 0n, 0n, 0n, 3_600n]],
    [
      'all four',
      [
        ['linux', 20n, 160n, 160n * 10n],
        ['macos', 5n, 40n, 40n * 80n],
      ],
      before,
      // 25 jobs of 5 minutes at 8; then 8 minutes each; then linux at 10; then 40 minutes at 80 instead of 8
      [4_400n, 600n, 600n, 320n, 2_880n],
    ],
    [
      'a move from a hosted runner to a free one',
      [['self_hosted', 10n, 50n, 0n]],
      before,
      [-400n, 0n, 0n, 0n, -400n],
    ],
    [
      'free jobs that now cost money',
      [['x', 10n, 50n, 400n]],
      [['x', 10n, 50n, 0n]],
      [400n, 0n, 0n, 400n, 0n],
    ],
    ['jobs without minutes before', [['x', 10n, 50n, 400n]], [['x', 10n, 0n, 0n]], [400n, 0n, 400n, 0n, 0n]],
    ['more free jobs', [['x', 99n, 999n, 0n]], [['x', 1n, 1n, 0n]], [0n, 0n, 0n, 0n, 0n]],
  ];
  for (const [why, observed, baseline, expected] of cases) {
    test(`is ${why}`, () => assert.deepEqual(partsOf(observed, baseline), expected));
  }

  test('is against the average of several windows', () => {
    assert.deepEqual(partsOf([['linux', 10n, 50n, 400n]], [['linux', 20n, 100n, 800n]], 2n), [
      0n,
      0n,
      0n,
      0n,
      0n,
    ]);
    assert.deepEqual(partsOf([['linux', 10n, 50n, 400n]], [['linux', 10n, 50n, 400n]], 4n), [
      300n,
      300n,
      0n,
      0n,
      0n,
    ]);
  });
});

test('puts all of a new or removed workflow into volume', () => {
  const observed = [use('new', ['macos', 1n, 2n, 160n])];
  const gone = [use('gone', ['linux', 3n, 9n, 72n])];
  const { workflows, others, ...total } = explainChange(observed, gone, 1n);
  assert.equal(others.workflows, 0);
  assert.deepEqual(total, { observedNanos: 160n, baselineNanos: 72n, changeNanos: 88n });
  const none = { durationNanos: 0n, priceNanos: 0n, mixNanos: 0n };
  const repository = 'acme/shop';
  assert.deepEqual(workflows, [
    {
      workflowId: 'new',
      workflow: 'Workflow new',
      repository,
      observedNanos: 160n,
      baselineNanos: 0n,
      changeNanos: 160n,
      volumeNanos: 160n,
      ...none,
    },
    {
      workflowId: 'gone',
      workflow: 'Workflow gone',
      repository,
      observedNanos: 0n,
      baselineNanos: 72n,
      changeNanos: -72n,
      volumeNanos: -72n,
      ...none,
    },
  ]);
});

test('has no explanation without costs', () => {
  const { workflows, others, ...total } = explainChange([], [], 1n);
  assert.deepEqual(workflows, []);
  assert.deepEqual(total, { observedNanos: 0n, baselineNanos: 0n, changeNanos: 0n });
  assert.deepEqual([others.workflows, others.changeNanos, others.mixNanos], [0, 0n, 0n]);
});

const kindUse = fc
  .tuple(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: 99n }), fc.bigInt({ min: 0n, max: 997n }))
  .map(([jobs, minutes, cost]) => [jobs, minutes, cost] as const);
const uses = fc
  .dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    fc.dictionary(fc.constantFrom('linux', 'macos', 'windows'), kindUse),
  )
  .map((byWorkflow) =>
    Object.entries(byWorkflow).map(([id, kinds]) =>
      use(id, ...Object.entries(kinds).map(([kind, numbers]) => [kind, ...numbers] as Kinds[number])),
    ),
  );

test('adds up exactly, by workflow and in total', () => {
  fc.assert(
    fc.property(uses, uses, fc.bigInt({ min: 1n, max: 4n }), (observed, baseline, divisor) => {
      const { workflows, others: _, ...total } = explainChange(observed, baseline, divisor);
      const costOf = (list: WorkflowUse[]) =>
        list.flatMap((each) => each.uses).reduce((sum, { costNanos }) => sum + costNanos, 0n);
      assert.equal(total.observedNanos, costOf(observed));
      assert.equal(total.baselineNanos, costOf(baseline) / divisor);
      assert.equal(total.changeNanos, total.observedNanos - total.baselineNanos);
      const sum = { observedNanos: 0n, baselineNanos: 0n, changeNanos: 0n };
      let previous: bigint | null = null;
      for (const part of workflows) {
        const parts = part.volumeNanos + part.durationNanos + part.priceNanos + part.mixNanos;
        assert.equal(parts, part.changeNanos);
        assert.equal(part.observedNanos - part.baselineNanos, part.changeNanos);
        assert.ok(previous === null || previous >= part.changeNanos, 'sorted by change');
        previous = part.changeNanos;
        sum.observedNanos += part.observedNanos;
        sum.baselineNanos += part.baselineNanos;
        sum.changeNanos += part.changeNanos;
        const before = baseline.filter(({ workflowId }) => workflowId === part.workflowId);
        const difference = part.baselineNanos * divisor - costOf(before);
        assert.ok(-divisor < difference && difference < divisor, 'less than a nano-dollar off');
      }
      assert.deepEqual(sum, total);
    }),
  );
});

test('lists the 50 workflows that changed most, and adds up the others', () => {
  const observed = Array.from({ length: 60 }, (_, index) =>
    use(`w${index}`, ['linux', 1n, 1n, index % 2 === 0 ? 1_000n + BigInt(index) : 0n]),
  );
  const baseline = Array.from({ length: 60 }, (_, index) =>
    use(`w${index}`, ['linux', 1n, 1n, index % 2 === 0 ? 0n : 1_000n + BigInt(index)]),
  );
  const { workflows, others, ...total } = explainChange(observed, baseline, 1n);
  assert.equal(workflows.length, 50);
  assert.equal(others.workflows, 10);
  assert.deepEqual(
    [
      workflows[0]!.workflowId,
      workflows.at(-1)!.workflowId,
      workflows.some((part) => part.workflowId === 'w9'),
    ],
    ['w58', 'w59', false],
  );
  for (const key of ['observedNanos', 'baselineNanos', 'changeNanos'] as const) {
    assert.equal(
      workflows.reduce((sum, part) => sum + part[key], others[key]),
      total[key],
    );
  }
  assert.equal(
    others.volumeNanos + others.durationNanos + others.priceNanos + others.mixNanos,
    others.changeNanos,
  );
});
