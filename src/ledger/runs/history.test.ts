import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { defaultPriceList } from '../../../test/harness/priceLists.ts';
import { rollupChanges } from './contributions.ts';
import { findHistories, findReported } from './history.queries.ts';
import type { RunHistory } from './history.ts';
import { mergeReports } from './merge.ts';
import type { JobReport, RunReport } from './report.ts';

const testApp = await sharedTestApp();
const { db, recorder } = testApp.app;
const at = (minute: number) => new Date(Date.UTC(2026, 2, 18, 10, minute));

function reportWith(changes: Partial<RunReport>): RunReport {
  return {
    provider: 'github',
    runId: '1',
    attempt: 1,
    repository: 'acme/app',
    isPrivate: true,
    workflowName: 'Build',
    workflowPath: null,
    event: null,
    branch: null,
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: null,
    observedAt: at(0),
    state: null,
    jobs: [],
    ...changes,
  };
}

function jobWith(changes: Partial<JobReport>): JobReport {
  return {
    jobId: '1',
    attempt: 1,
    name: 'test',
    labels: ['ubuntu-latest'],
    runnerName: null,
    runnerGroup: null,
    status: 'completed',
    rawConclusion: 'success',
    createdAt: at(0),
    startedAt: at(1),
    completedAt: at(5),
    ran: null,
    observedAt: at(5),
    ...changes,
  };
}

/** Few distinct values, so that jobs of several attempts are often the same execution, and sometimes stop being so. */
const jobs = fc.record({
  jobId: fc.constantFrom('1', '2', '3', '4'),
  attempt: fc.constantFrom(1, 1, 2, 3),
  name: fc.constantFrom('lint', 'lint', null),
  status: fc.constantFrom(
    'queued' as const,
    'in_progress' as const,
    'completed' as const,
    'completed' as const,
  ),
  rawConclusion: fc.constantFrom('success', 'failure', 'skipped'),
  createdAt: fc.constantFrom(at(0), at(1), null),
  startedAt: fc.constantFrom(at(2), at(2), at(3), null),
  completedAt: fc.constantFrom(at(4), at(4), at(90)),
  observedAt: fc.constantFrom(at(4), at(5), at(6)),
});
const states = fc.record({
  status: fc.constantFrom('in_progress' as const, 'completed' as const),
  rawConclusion: fc.constantFrom('success', 'stale', null),
  createdAt: fc.constant(at(0)),
  startedAt: fc.constantFrom(at(1), null),
  completedAt: fc.constantFrom(at(9), null),
});
const reports = fc.oneof(
  { weight: 5, arbitrary: jobs.map((job) => reportWith({ attempt: job.attempt, jobs: [jobWith(job)] })) },
  fc
    .record({
      attempt: fc.constantFrom(1, 2, 3),
      state: states,
      workflowPath: fc.constantFrom('a.yml', 'b.yml'),
      pullRequest: fc.constantFrom(1, 2_147_483_647, null),
      runNumber: fc.constantFrom(1, 2_147_483_647, null),
      commit: fc.constantFrom('8f3b2c1', null),
      observedAt: fc.constantFrom(at(3), at(8)),
    })
    .map(reportWith),
);

const inOrder = ({ run, jobs: all }: RunHistory) => ({
  run,
  jobs: all.toSorted((a, b) => a.attempt - b.attempt || Number(a.jobId) - Number(b.jobId)),
});

test('reports one by one give the same run, jobs and sums as with all jobs in memory', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reports, { minLength: 8, maxLength: 18 }), async (reported) => {
      const { orgId } = await testApp.newOrganization();
      let expected: RunHistory | null = null;
      for (const report of reported) {
        await recorder.record(orgId, [report]);
        expected = mergeReports(expected, [report], defaultPriceList);
      }
      const stored = (await findHistories(db, orgId, ['run_github_1'])).get('run_github_1')!;
      assert.deepEqual(inOrder(stored), inOrder(expected!));
      const days = await db.selectFrom('workflowDays').selectAll().where('orgId', '=', orgId).execute();
      const sums = rollupChanges([{ before: null, after: expected! }], testApp.app.providers).workflowDays;
      const shown = (rows: { workflowId: string; costNanos: bigint; jobs: bigint | number }[]) =>
        rows.map((row) => `${row.workflowId} ${row.costNanos} ${row.jobs}`).toSorted();
      assert.deepEqual(shown(days.filter(({ jobs: count, runs }) => count > 0n || runs > 0n)), shown(sums));
    }),
    { numRuns: 15 },
  );
});

test('unreported jobs of a run with many jobs are not read', async () => {
  const { orgId } = await testApp.newOrganization();
  const many = Array.from({ length: 40 }, (_, index) =>
    jobWith({ jobId: String(index + 1), name: `test ${index}` }),
  );
  await recorder.record(orgId, [reportWith({ jobs: many })]);
  const read = async (job: JobReport) => {
    const known = await db
      .transaction()
      .execute((tx) => findReported(tx, orgId, [reportWith({ jobs: [job] })]));
    const { jobs: found, otherJobs } = known.get('run_github_1')!;
    return [found.map(({ attempt, jobId, name }) => `${attempt}/${jobId} ${name}`), otherJobs.length];
  };
  assert.deepEqual(await read(jobWith({ jobId: '7' })), [['1/7 test 6'], 1]);
  assert.deepEqual(await read(jobWith({ jobId: '41' })), [[], 1]);
  await recorder.record(orgId, [
    reportWith({
      attempt: 2,
      jobs: [jobWith({ attempt: 2, jobId: '50', startedAt: at(20), completedAt: at(25) })],
    }),
  ]);
  const again = jobWith({ attempt: 2, jobId: '51', startedAt: at(20), completedAt: at(25) });
  assert.deepEqual(await read(again), [['2/50 test'], 1]);
});

test('a run known only by its jobs has the times, conclusion and costs of all, in any order of reports', async () => {
  const { orgId } = await testApp.newOrganization();
  const reported = [
    jobWith({ jobId: '1', name: 'a', createdAt: at(3), startedAt: at(4), completedAt: at(50) }),
    jobWith({
      jobId: '2',
      name: 'b',
      createdAt: null,
      observedAt: at(2),
      startedAt: at(20),
      completedAt: at(25),
    }),
    jobWith({
      jobId: '3',
      name: 'c',
      createdAt: at(9),
      startedAt: at(20),
      completedAt: at(21),
      rawConclusion: 'failure',
    }),
    jobWith({ jobId: '4', name: 'd', createdAt: at(9), startedAt: at(10), completedAt: at(11) }),
  ];
  await recorder.record(orgId, [reportWith({ jobs: reported.slice(0, 3) })]);
  await recorder.record(orgId, [reportWith({ jobs: reported.slice(3) })]);
  const { run } = (await findHistories(db, orgId, ['run_github_1'])).get('run_github_1')!;
  assert.deepEqual([run.createdAt, run.startedAt, run.completedAt], [at(2), at(4), at(50)]);
  assert.deepEqual([run.status, run.conclusion], ['completed', 'failure']);
  assert.equal(run.costNanos, (46n + 5n + 1n + 1n) * 8_000_000n);
});
