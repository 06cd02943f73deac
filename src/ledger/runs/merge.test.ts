import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { defaultBook, defaultPriceList, providers } from '../../../test/harness/priceLists.ts';
import { gitHubExamples, gitHubJob, gitHubRun, type Payload } from '../../../test/payloads/gitHub.ts';
import { readGitHubEvent } from '../../intake/providers/github/readEvent.ts';
import { createPriceList, type PriceList } from '../pricing/priceList.ts';
import { rollupChanges } from './contributions.ts';
import type { RunHistory, StoredJob } from './history.ts';
import { mergeReports } from './merge.ts';
import type { RunReport } from './report.ts';

const receivedAt = new Date('2026-11-21T12:00:00Z');

function reportOf(event: string, payload: Payload): RunReport {
  const read = readGitHubEvent(event, payload, receivedAt);
  assert.ok(read.kind === 'report');
  return read.report;
}

const run = (overrides: Parameters<typeof gitHubRun>[0]) => reportOf('workflow_run', gitHubRun(overrides));
const job = (overrides: Parameters<typeof gitHubJob>[0]) => reportOf('workflow_job', gitHubJob(overrides));

function historyAfter(reports: readonly RunReport[]): RunHistory {
  return inOrder(afterEach(null, reports)!);
}

function afterEach(before: RunHistory | null, reports: readonly RunReport[], prices = defaultPriceList) {
  return reports.reduce((history, report) => mergeReports(history, [report], prices), before);
}

function inOrder(history: RunHistory): RunHistory {
  const key = ({ attempt, jobId }: StoredJob) => `${attempt}/${jobId}`;
  return { ...history, jobs: history.jobs.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

const pull = (number: number) => ({ number, head: { ref: 'main' } });

/** One run with two attempts; the second one copies the successful job, and its pull request is merged before it. */
const life: RunReport[] = [
  run({ status: 'queued', updated_at: '2026-11-20T10:00:00Z' }),
  run({ status: 'in_progress', updated_at: '2026-11-20T10:00:05Z', pull_requests: [pull(7)] }),
  run({
    status: 'completed',
    conclusion: 'failure',
    updated_at: '2026-11-20T10:03:00Z',
    pull_requests: [pull(8)],
  }),
  ...(['queued', 'in_progress', 'completed'] as const).map((status) =>
    job({
      id: 1,
      name: 'lint',
      status,
      ...(status === 'completed' ? { completed_at: '2026-11-20T10:01:01Z' } : {}),
    }),
  ),
  ...(['queued', 'in_progress', 'completed'] as const).map((status) =>
    job({
      id: 2,
      name: 'test',
      status,
      ...(status === 'completed' ? { conclusion: 'failure', completed_at: '2026-11-20T10:02:10Z' } : {}),
    }),
  ),
  run({ run_attempt: 2, status: 'in_progress', run_started_at: '2026-11-20T11:00:00Z' }),
  run({ run_attempt: 2, status: 'completed', run_started_at: '2026-11-20T11:00:00Z' }),
  job({ id: 3, run_attempt: 2, name: 'lint', completed_at: '2026-11-20T10:01:01Z' }),
  job({
    id: 4,
    run_attempt: 2,
    name: 'test',
    started_at: '2026-11-20T11:00:10Z',
    completed_at: '2026-11-20T11:05:00Z',
  }),
].map(withOtherCreation);

/** Each report gives another time of creation, or none: providers round and omit. */
function withOtherCreation(report: RunReport, index: number): RunReport {
  const second = [3, null, 7, 5, 1][index % 5]!;
  const createdAt = second === null ? null : new Date(Date.UTC(2026, 10, 20, 9, 59, second));
  return { ...report, jobs: report.jobs.map((each) => ({ ...each, createdAt })) };
}

test('a run ends the same in any order and repetition of its events', () => {
  const expected = historyAfter(life);
  // lint 61 s minus 5 s of waiting: 56 s → 1 minute; test 2:05 → 3 minutes; its re-run 4:50 → 5 minutes.
  assert.deepEqual(
    expected.jobs.map((each) => [each.jobId, each.billedMinutes, each.isCarriedOver]),
    [
      ['1', 1, false],
      ['2', 3, false],
      ['3', 0, true],
      ['4', 5, false],
    ],
  );
  assert.equal(
    expected.jobs[0]!.createdAt!.toISOString(),
    '2026-11-20T09:59:01.000Z',
    'the earliest reported',
  );
  assert.equal(expected.run.costNanos, 9n * 8_000_000n);
  assert.equal(expected.run.conclusion, 'success');
  assert.equal(expected.run.attempt, 2);
  assert.equal(expected.run.durationSeconds, 300);
  assert.equal(expected.run.pullRequest, 8, 'of the last report that has one');
  const indexes = life.map((_, index) => index);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(indexes, { minLength: indexes.length }),
      fc.array(fc.nat({ max: life.length - 1 }), { maxLength: 20 }),
      (order, repeated) => {
        assert.deepEqual(historyAfter([...order, ...repeated].map((index) => life[index]!)), expected);
      },
    ),
    { numRuns: 300 },
  );
});

test('a job of a later attempt is carried over only with the name, start and end of an earlier one', () => {
  const first = { id: 1, name: 'lint', completed_at: '2026-11-20T10:01:01Z' };
  const again = { ...first, id: 2, run_attempt: 2 };
  for (const [isCarriedOver, second] of [
    [true, again],
    [false, { ...again, name: 'test' }],
    [false, { ...again, started_at: '2026-11-20T10:00:06Z' }],
    [false, { ...again, completed_at: '2026-11-20T10:01:02Z' }],
  ] as const) {
    const { jobs } = historyAfter([job(first), job(second)]);
    assert.deepEqual(
      jobs.map((each) => [each.jobId, each.isCarriedOver, each.billedMinutes]),
      [
        ['1', false, 1],
        ['2', isCarriedOver, isCarriedOver ? 0 : 1],
      ],
      JSON.stringify(second),
    );
  }
});

function pricesOf(nanosPerMinute: bigint): PriceList {
  const match = { id: `at-${nanosPerMinute}`, match: 'label', pattern: 'ubuntu-latest' } as const;
  const rate = { runnerKind: null, name: 'Linux', nanosPerMinute, laterRates: [], rounding: null };
  return createPriceList(defaultBook, [{ ...match, ...rate }], providers);
}

test('a known job is priced again only when facts change that its cost depends on', () => {
  const before = afterEach(null, [job({ name: 'lint' })], pricesOf(1_000_000n))!;
  const changes: [Parameters<typeof gitHubJob>[0], bigint][] = [
    [{ name: 'test' }, 1_000_000n],
    [{ name: 'test', labels: ['ubuntu-latest', 'large'] }, 2_000_000n],
  ];
  for (const [fields, rate] of changes) {
    const report = job(fields);
    const later = { ...report, jobs: report.jobs.map((each) => ({ ...each, observedAt: receivedAt })) };
    const [after] = mergeReports(before, [later], pricesOf(2_000_000n)).jobs;
    assert.deepEqual([after!.name, after!.nanosPerMinute, after!.priceRuleId], ['test', rate, `at-${rate}`]);
  }
});

test('a job that proves to be no copy is priced when it does', () => {
  const [first, copy] = [job({ name: 'lint' }), job({ name: 'lint', id: 2, run_attempt: 2 })];
  const before = afterEach(null, [first, copy], pricesOf(1_000_000n))!;
  const longer = job({ name: 'lint', completed_at: '2026-11-20T10:03:00Z' });
  const after = inOrder(mergeReports(before, [longer], pricesOf(2_000_000n)));
  assert.equal(inOrder(before).jobs[1]!.isCarriedOver, true);
  assert.deepEqual([after.jobs[1]!.isCarriedOver, after.jobs[1]!.costNanos], [false, 2_000_000n]);
});

describe('many reports together', () => {
  test('give the same history as one by one, with any earlier reports', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...life), { maxLength: 20 }),
        fc.array(fc.constantFrom(...life), { minLength: 1, maxLength: 40 }),
        (earlier, reports) => {
          const before = afterEach(null, earlier, pricesOf(1_000_000n));
          assert.deepEqual(
            inOrder(mergeReports(before, reports, pricesOf(2_000_000n))),
            inOrder(afterEach(before, reports, pricesOf(2_000_000n))!),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('price each changed job once, and no other', () => {
    let priced = 0;
    const { rules, ...list } = pricesOf(1_000_000n);
    const counting: PriceList = {
      ...list,
      rules: rules.map((rule) => ({ ...rule, matches: () => !!++priced })),
    };
    const all = mergeReports(null, [...life, ...life], counting);
    assert.equal(priced, 4, 'each of four jobs');
    mergeReports(all, life, counting);
    mergeReports(historyAfter(life.slice(0, 6)), life.slice(6, 9), counting);
    assert.equal(priced, 5, 'and the second alone');
  });
});

test('the differences of all steps add up to what the last history contributes', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: life.length - 1 }), { minLength: 1, maxLength: 40 }), (order) => {
      let history: RunHistory | null = null;
      let cost = 0n;
      let runs = 0;
      for (const index of order) {
        const after = mergeReports(history, [life[index]!], defaultPriceList);
        for (const day of rollupChanges([{ before: history, after }], providers).organizationDays) {
          cost += day.costNanos;
          runs += day.runs;
        }
        history = after;
      }
      assert.equal(cost, history!.run.costNanos);
      assert.equal(runs, 1);
    }),
  );
});

test('real payloads from GitHub merge into the same history in any order', () => {
  const reports = gitHubExamples()
    .filter(({ name }) => name === 'workflow_job' || name === 'workflow_run')
    .flatMap(({ name, examples }) => examples.map((example) => reportOf(name, example)))
    // One run, as if all reports were about it.
    .map((report, index) => ({
      ...report,
      runId: '1',
      observedAt: new Date(report.observedAt.getTime() + index * 1_000),
    }));
  assert.ok(reports.length > 20);
  const expected = historyAfter(reports);
  fc.assert(
    fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (shuffled) => {
      const { run: merged, jobs } = historyAfter(shuffled);
      assert.deepEqual(jobs, expected.jobs);
      assert.equal(merged.costNanos, expected.run.costNanos);
      assert.equal(merged.status, expected.run.status);
      assert.equal(merged.workflowId, expected.run.workflowId);
      assert.equal(merged.pullRequest, expected.run.pullRequest);
    }),
    { numRuns: 50 },
  );
});

describe('a run known only by its jobs', () => {
  test('takes its state from them', () => {
    const cases: [Parameters<typeof gitHubJob>[0][], string, string | null][] = [
      [[{ status: 'queued' }, { status: 'queued' }], 'queued', null],
      [[{ status: 'completed' }, { status: 'queued' }], 'in_progress', null],
      [[{ status: 'completed' }, { status: 'completed' }], 'completed', 'success'],
      [[{ status: 'completed', conclusion: 'cancelled' }, { status: 'completed' }], 'completed', 'cancelled'],
      [
        [
          { status: 'completed', conclusion: 'cancelled' },
          { status: 'completed', conclusion: 'timed_out' },
        ],
        'completed',
        'failure',
      ],
      [
        [
          { status: 'completed', conclusion: 'skipped' },
          { status: 'completed', conclusion: 'skipped' },
        ],
        'completed',
        'skipped',
      ],
      [[{ status: 'completed', conclusion: 'skipped' }, { status: 'completed' }], 'completed', 'success'],
    ];
    for (const [jobs, status, conclusion] of cases) {
      const history = historyAfter(
        jobs.map((each, index) => job({ id: index + 1, name: `job ${index}`, ...each })),
      );
      assert.deepEqual([history.run.status, history.run.conclusion], [status, conclusion]);
    }
  });

  test('takes the names from its own report once it comes', () => {
    const before = historyAfter([job({ workflow_name: 'Old name', created_at: '2026-11-20T10:00:09Z' })]);
    const after = mergeReports(
      before,
      [run({ name: 'Build', created_at: '2026-11-20T10:00:00Z' })],
      defaultPriceList,
    );
    assert.equal(after.run.workflowName, 'Build');
    assert.equal(after.run.createdAt.toISOString(), '2026-11-20T10:00:00.000Z');
    assert.notEqual(after.run.workflowId, before.run.workflowId);
    assert.equal(
      mergeReports(after, [job({ workflow_name: 'Old name' })], defaultPriceList).run.workflowName,
      'Build',
    );
  });
});

test('late events never move a run backwards, but a higher attempt does', () => {
  const done = historyAfter([run({ status: 'completed' })]);
  assert.equal(
    mergeReports(done, [run({ status: 'in_progress' })], defaultPriceList).run.status,
    'completed',
  );
  const again = mergeReports(done, [run({ run_attempt: 2, status: 'queued' })], defaultPriceList);
  assert.deepEqual([again.run.status, again.run.conclusion, again.run.attempt], ['queued', null, 2]);
  assert.equal(mergeReports(again, [run({ status: 'completed' })], defaultPriceList).run.status, 'queued');
});

test('runs that were given up count as skipped if nothing ran, else as cancelled', () => {
  for (const conclusion of ['action_required', 'stale']) {
    const alone = historyAfter([run({ conclusion })]);
    assert.deepEqual([alone.run.conclusion, alone.run.rawConclusion], ['skipped', conclusion]);
    assert.equal(historyAfter([run({ conclusion }), job({})]).run.conclusion, 'cancelled');
  }
  for (const [word, conclusion] of [
    ['timed_out', 'failure'],
    ['startup_failure', 'failure'],
    ['neutral', 'success'],
    ['novel', null],
  ] as const) {
    assert.equal(historyAfter([run({ conclusion: word })]).run.conclusion, conclusion);
  }
});

test('a job that waited and never ran is not billed for waiting', () => {
  const history = historyAfter([
    job({ status: 'queued', started_at: '2026-11-20T10:00:00Z' }),
    job({
      status: 'completed',
      conclusion: 'cancelled',
      started_at: null,
      completed_at: '2026-11-20T10:30:00Z',
      runner_name: null,
    }),
  ]);
  assert.equal(history.run.costNanos, 0n);
});

test('merging does not change the given history', () => {
  const before = historyAfter(life.slice(0, 6));
  const copy = structuredClone(before);
  for (const report of life) mergeReports(before, [report], defaultPriceList);
  mergeReports(before, life, defaultPriceList);
  assert.deepEqual(before, copy);
});
