import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { usageRow, type UsageCells } from '../../../../test/harness/circleCiApi.ts';
import { defaultPriceList } from '../../../../test/harness/priceLists.ts';
import { priceJob } from '../../../ledger/pricing/cost.ts';
import { readUsageRow } from './readUsage.ts';

const receivedAt = new Date('2026-03-18T12:00:00Z');

const read = (cells: UsageCells) => {
  const row = usageRow(cells);
  return readUsageRow((column) => String(row[column] ?? ''), receivedAt);
};

const costOf = (usage: NonNullable<ReturnType<typeof read>>) =>
  priceJob({ provider: 'circleci', ...usage.report.jobs[0] }, defaultPriceList);

const creditNanos = 600_000n;

const classes: [name: string, perMinute: number][] = [
  ['medium', 10],
  ['medium+', 15],
  ['large', 20],
  ['2xlarge.gen2', 96],
  ['arm.medium', 13],
];

test("a job costs CircleCI's credits: seconds up, then credits up, for each of its parallel runners", () => {
  const start = Date.UTC(2026, 2, 1, 9, 30);
  fc.assert(
    fc.property(
      fc.constantFrom(...classes),
      fc.integer({ min: 1, max: 5 * 3_600_000 }),
      fc.integer({ min: 1, max: 64 }),
      fc.boolean(),
      ([name, perMinute], milliseconds, parallelism, hasMilliseconds) => {
        const seconds = Math.ceil(milliseconds / 1_000);
        const timeOf = (time: number) => {
          const text = new Date(time).toISOString().replace('T', ' ').replace('Z', '');
          return hasMilliseconds ? text : text.slice(0, 19);
        };
        const usage = read({
          RESOURCE_CLASS: name,
          PARALLELISM: parallelism,
          JOB_RUN_STARTED_AT: timeOf(start),
          JOB_RUN_STOPPED_AT: timeOf(start + milliseconds),
          JOB_RUN_SECONDS: seconds,
        })!;
        // Whole numbers, so that nothing is rounded on the way.
        const credits = parallelism * Number((BigInt(seconds) * BigInt(perMinute) + 59n) / 60n);
        const { costNanos, isUnpriced } = costOf(usage);
        assert.deepEqual([usage.seconds, usage.listed], [seconds, credits]);
        assert.deepEqual([costNanos, isUnpriced], [BigInt(credits) * creditNanos, false]);
      },
    ),
  );
});

test('ten seconds of the class medium are two credits, as CircleCI documents', () => {
  const times = { JOB_RUN_STARTED_AT: '2026-03-01 10:00:00', JOB_RUN_STOPPED_AT: '2026-03-01 10:00:10' };
  const usage = read({ ...times, RESOURCE_CLASS: 'medium', JOB_RUN_SECONDS: 10, COMPUTE_CREDITS: 2 })!;
  assert.deepEqual([usage.listed, usage.credits, costOf(usage).costNanos], [2, 2, 2n * creditNanos]);
});

const runners: [cells: UsageCells, kind: string | null, credits: number | null][] = [
  [{ EXECUTOR: 'docker', RESOURCE_CLASS: 'large' }, 'circleci_docker_large', 2],
  [{ EXECUTOR: 'macos', RESOURCE_CLASS: 'm4pro.medium' }, 'circleci_macos_m4pro_medium', 20],
  // A Linux VM: we know no price.
  [{ EXECUTOR: 'machine', RESOURCE_CLASS: 'large' }, null, null],
  [{ EXECUTOR: 'docker', RESOURCE_CLASS: 'm4pro.medium' }, null, null],
  [{ EXECUTOR: 'machine', RESOURCE_CLASS: 'acme/mac-mini' }, 'self_hosted', 0],
  // Without an executor, the class is inferred as before.
  [{ EXECUTOR: '\\N', RESOURCE_CLASS: 'large' }, 'circleci_docker_large', 2],
];
for (const [cells, kind, credits] of runners) {
  test(`${cells['EXECUTOR']} ${cells['RESOURCE_CLASS']} is ${kind}`, () => {
    const usage = read(cells)!;
    assert.deepEqual([costOf(usage).kind, usage.listed], [kind, credits]);
  });
}

test('reads no job from a row that says too little', () => {
  for (const column of ['WORKFLOW_ID', 'JOB_ID', 'JOB_NAME', 'RESOURCE_CLASS', 'JOB_RUN_STOPPED_AT'])
    for (const value of ['\\N', '', ' ']) assert.equal(read({ [column]: value }), null, column);
  assert.equal(read({ JOB_ID: 'a/b' }), null);
  assert.equal(read({ JOB_RUN_STARTED_AT: 'soon' }), null);
  assert.equal(read({ VCS_URL: '\\N', PROJECT_NAME: '\\N' }), null);
  assert.equal(read({ VCS_URL: '\\N' })!.report.repository, 'circleci/webhook-service');
});

test('no row makes it throw', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('\\N', '', '1e999', '-1', '2026-03-01 10:00:00', 'a/b'));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(usageRow({}))), cell), (cells) => {
      const usage = read(cells);
      if (usage) assert.ok(costOf(usage).costNanos >= 0n);
    }),
  );
});
