/** Whatever jobs ran, and however they are grouped: they and idle time add up to what the pool cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnOf } from './columns/dayColumns.ts';
import { createGroupIndex, createSums, passingRows, type DayRows } from './columns/sumRows.ts';
import type { Dimension } from './costQuestion.ts';
import { fullCosts, isIdle, type SpreadPool } from './fullCost.ts';

const day = '2026-03-01';
const window = { start: day, end: day, days: 1 };
const hour = 3_600_000;

const anyJob = fc.record({
  repository: fc.constantFrom('acme/api', 'acme/web', null),
  label: fc.constantFrom('mac', 'gpu, linux', 'ubuntu-latest', null),
  runnerGroup: fc.constantFrom('Lab', 'default', null),
  conclusion: fc.constantFrom('success', 'failure'),
  costNanos: fc.constantFrom('0', '6000000', '123456789012'),
  durationMilliseconds: fc.oneof(
    fc.constantFrom(null, '0', '-5000', '60000'),
    fc.integer({ min: 1, max: 30 * hour }).map(String),
  ),
});
type Job = typeof anyJob extends fc.Arbitrary<infer T> ? T : never;

const has = (label: string) => (runner: { labels: string[] }) => runner.labels.includes(label);
const inGroup = (name: string) => (runner: { runnerGroup: string | null }) => runner.runnerGroup === name;
const names = ['mac', 'gpu', 'lab'];
const matching = [has('mac'), has('gpu'), inGroup('Lab')];

const anyPools = fc.tuple(
  ...names.map((name, place) =>
    fc.record({
      name: fc.constant(name),
      matches: fc.constant(matching[place]!),
      costNanos: fc.oneof(fc.constantFrom(0n, 1n, 7n), fc.bigInt({ min: 0n, max: 10n ** 15n })),
      machines: fc.constantFrom(null, 1, 3),
    }),
  ),
);

function dayOf(jobs: readonly Job[]): DayRows {
  const column = (name: string) => columnOf(jobs.map((job) => job[name as keyof Job]));
  return { day, rows: jobs.length, count: null, isRemoved: null, column };
}

type Full = Awaited<ReturnType<typeof fullCosts>>;

function sumsBy(dimension: Dimension, rows: DayRows, { amounts, idle }: Full): Map<string | null, bigint> {
  const index = createGroupIndex([dimension]);
  const sums = createSums();
  for (const each of [rows, ...idle]) {
    const { values, codes } = each.column('costNanos');
    const own = amounts.get(each) ?? {
      codes,
      billions: Float64Array.from(values, (value) => Math.floor(Number(BigInt(value!) / 1_000_000_000n))),
      rests: Float64Array.from(values, (value) => Number(BigInt(value!) % 1_000_000_000n)),
    };
    sums.add(index.groupsOf(each, passingRows(each, [])), own);
  }
  return new Map(sums.values().map((sum, group) => [index.valuesOf(group)[0]!, sum]));
}

const total = (values: Iterable<bigint>): bigint => [...values].reduce((sum, value) => sum + value, 0n);

test('jobs and idle time add up to list cost and pools, by any dimension', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyJob, { maxLength: 30 }), anyPools, async (jobs, pools) => {
      const rows = dayOf(jobs);
      const full = await fullCosts(jobs.length === 0 ? [] : [rows], window, () => pools);
      const paid =
        total(jobs.map(({ costNanos }) => BigInt(costNanos))) + total(pools.map((pool) => pool.costNanos));
      for (const dimension of ['repository', 'label', 'conclusion', 'day'] as const)
        assert.equal(total(sumsBy(dimension, rows, full).values()), paid);
      const idle = [...sumsBy('repository', rows, full)].filter(([name]) => isIdle(name));
      assert.equal(total(idle.map(([, value]) => value)), idleBy(jobs, pools));
    }),
  );
});

/** The parts of each pool that no job used, computed from the definition. */
function idleBy(jobs: readonly Job[], pools: readonly SpreadPool[]): bigint {
  const poolOf = ({ label, runnerGroup }: Job) =>
    pools.find(({ matches }) => matches({ labels: label?.split(', ') ?? [], runnerGroup }));
  return total(
    pools.map((pool) => {
      const used = total(
        jobs
          .filter((job) => poolOf(job) === pool)
          .map(({ durationMilliseconds: time }) => BigInt(Math.max(0, Number(time ?? 0)))),
      );
      if (used === 0n) return pool.costNanos;
      const capacity = BigInt((pool.machines ?? 0) * 24 * hour);
      return used >= capacity ? 0n : pool.costNanos - (pool.costNanos * used) / capacity;
    }),
  );
}

test('equal jobs differ by at most a nano-dollar, and jobs of no pool keep their list cost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyJob, { minLength: 1, maxLength: 30 }), anyPools, async (jobs, pools) => {
      const { amounts } = await fullCosts([dayOf(jobs)], window, () => pools);
      const costs = [...amounts.values()][0]!;
      const costOf = (row: number) =>
        BigInt(costs.billions[costs.codes[row]!]!) * 1_000_000_000n + BigInt(costs.rests[costs.codes[row]!]!);
      const seen = new Map<string, bigint>();
      for (const [row, { repository: _, conclusion: __, ...job }] of jobs.entries()) {
        const isOfPool = matching.some((matches) =>
          matches({ labels: job.label?.split(', ') ?? [], runnerGroup: job.runnerGroup }),
        );
        if (!isOfPool) assert.equal(costOf(row), BigInt(job.costNanos));
        const key = JSON.stringify(job);
        const difference = costOf(row) - (seen.get(key) ?? costOf(row));
        assert.ok(difference >= -1n && difference <= 1n);
        seen.set(key, costOf(row));
      }
    }),
  );
});
