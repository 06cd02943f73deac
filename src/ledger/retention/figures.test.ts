import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { figuresOf, keep, retentionOf, workerOf } from '../../../test/harness/retention.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import type { RunReport } from '../runs/report.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const now = clock.now().getTime();
const hour = 3_600_000;

const anyRun = fc.record({
  number: fc.nat({ max: 11 }),
  workflow: fc.constantFrom('CI', 'Deploy'),
  repository: fc.constantFrom('acme/api', 'acme/web'),
  branch: fc.constantFrom('main', 'dev', undefined),
  actor: fc.constantFrom('mona', 'Copilot', undefined),
  startedBy: fc.constantFrom('Copilot', undefined),
  // Around the first day to keep, which some jobs cross.
  hoursAgo: fc.constantFrom(
    3,
    80 * 24,
    ...[89, 90, 91, 92].flatMap((days) => [days * 24 + 12, days * 24 + 13]),
    5_000,
  ),
  attempt: fc.integer({ min: 1, max: 2 }),
  jobs: fc.array(
    fc.record({
      runner: fc.constantFrom('linux_2_core', 'linux_8_core', 'self_hosted'),
      minutes: fc.nat({ max: 200 }),
    }),
    { maxLength: 3 },
  ),
  isJobsOnly: fc.boolean(),
});
type DrawnRun = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

/** The run's number decides when it was created, so that all reports of it agree. */
function submissionOf(run: DrawnRun, hoursOf: readonly number[]) {
  const created = now - hoursOf[run.number]! * hour;
  return newRun({
    provider: 'github',
    run_id: String(run.number),
    run_attempt: run.attempt,
    workflow_name: run.workflow,
    repo_name: run.repository,
    ...(run.branch && { branch: run.branch }),
    ...(run.actor && { actor: run.actor }),
    ...(run.startedBy && { started_by: run.startedBy }),
    created_at: new Date(created),
    started_at: new Date(created),
    jobs: run.jobs.map(({ runner, minutes }, place) => ({
      job_id: `${run.attempt}${place}`,
      name: `job ${place}`,
      runner,
      conclusion: 'success',
      started_at: new Date(created + place * hour),
      completed_at: new Date(created + place * hour + minutes * 60_000),
    })),
  });
}

/** As providers report jobs, without the creation time of the run. */
function jobsOnlyOf(run: DrawnRun, hoursOf: readonly number[]): RunReport {
  const submission = submissionOf(run, hoursOf) as { jobs: Record<string, string>[] };
  const at = (time: unknown) => new Date(time as string);
  return {
    provider: 'github',
    runId: String(run.number),
    attempt: run.attempt,
    repository: run.repository,
    isPrivate: null,
    workflowName: run.workflow,
    workflowPath: null,
    event: null,
    branch: run.branch ?? null,
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: null,
    observedAt: clock.now(),
    state: null,
    jobs: submission.jobs.map((job) => ({
      jobId: job['job_id']!,
      attempt: run.attempt,
      name: job['name']!,
      labels: [job['runner']!],
      runnerName: null,
      runnerGroup: null,
      status: 'completed',
      rawConclusion: 'success',
      ran: true,
      createdAt: at(job['started_at']),
      startedAt: at(job['started_at']),
      completedAt: at(job['completed_at']),
      observedAt: clock.now(),
    })),
  };
}

const sum = (answer: Answer) => answer.body.data?.accepted ?? 0;

/** Sends a report to both organizations, unless the first one refuses it. */
async function report(
  [organization, other]: readonly [TestOrganization, TestOrganization],
  run: DrawnRun,
  hoursOf: readonly number[],
): Promise<void> {
  if (run.isJobsOnly) {
    const given = jobsOnlyOf(run, hoursOf);
    const refused = await app.recorder.record(organization.orgId, [given], clock.now());
    if (!refused) await app.recorder.record(other.orgId, [given], clock.now());
    return;
  }
  const submission = submissionOf(run, hoursOf);
  const answer = await organization.send('POST', '/api/v1/runs', { runs: [submission] });
  assert.equal(answer.status, sum(answer) === 1 ? 200 : 400, answer.text);
  if (sum(answer) === 1) await submit(other, submission);
}

const old: DrawnRun = {
  number: 0,
  workflow: 'CI',
  repository: 'acme/api',
  branch: 'main',
  actor: 'mona',
  startedBy: undefined,
  hoursAgo: 5_000,
  attempt: 1,
  jobs: [{ runner: 'linux_2_core', minutes: 30 }],
  isJobsOnly: false,
};
/** Its jobs become known after the run, and are older than the days that are kept. */
const late: DrawnRun = { ...old, number: 6, hoursAgo: 2_196, isJobsOnly: true };

test('removed runs leave every figure as it was, to the last digit, whatever is reported again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 14 }),
      fc.array(anyRun, { maxLength: 8 }),
      fc.array(
        anyRun.map(({ hoursAgo }) => hoursAgo),
        { minLength: 12, maxLength: 12 },
      ),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (first, later, hoursOf, limit, hasAsked) => {
        const both = [
          await testApp.newOrganization({ plan: 'team' }),
          await testApp.newOrganization({ plan: 'team' }),
        ] as const;
        const terms = [{ included_minutes: { minutes: 70 }, discount_percent: 12.5 }];
        for (const each of both) await each.send('PUT', '/api/v1/pricing/terms', { terms });
        for (const run of first) await report(both, run, hoursOf);
        const [organization, other] = both;
        if (hasAsked) await figuresOf(testApp, organization);
        await keep(organization, 90);
        await workerOf(testApp, limit).processAll();
        const { runs_to_remove: left, removal } = await retentionOf(organization);
        assert.deepEqual([left, removal?.status ?? 'done'], [0, 'done']);
        assert.deepEqual(await figuresOf(testApp, organization), await figuresOf(testApp, other));
        for (const run of [...later, ...first]) await report(both, run, hoursOf);
        assert.deepEqual(await figuresOf(testApp, organization), await figuresOf(testApp, other));
      },
    ),
    {
      numRuns: 4,
      examples: [[[old], [{ ...late, jobs: [] }, late], [5_000, ...Array(11).fill(2_196)], 1, false]],
    },
  );
});
