/** Compares the saved sums of waste with the jobs themselves, after any history. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { keep, runAt, workerOf } from '../../../test/harness/retention.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { windowBetween } from '../../platform/lib/days.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { getWaste, wasteOfJobs, type WorkflowSplit } from './getWaste.ts';
import { findWorkflows } from './queries.ts';
import { findStale, makeUnits } from './rollups.ts';
import { sumsBeforeRemoval, wastePollers } from './sumWaste.ts';
import { verifyWaste } from './verifyWaste.ts';

const testApp = await startTestApp();
const hour = 3_600_000;
const start = Date.parse('2026-03-15T00:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

const anyJob = fc.record({
  name: fc.constantFrom('lint', 'test'),
  runner: fc.constantFrom('linux_2_core', 'linux_2_core', 'macos_3_core'),
  from: fc.constantFrom(0, 30_000, 240_000),
  ms: fc.constantFrom(0, 61_000, 119_000, 400_000, 26 * hour),
  conclusion: fc.constantFrom('success', 'success', 'failure', 'cancelled', 'skipped'),
  isEnded: fc.constantFrom(true, true, true, false),
});
const anyReport = fc.record({
  // Few runs, close to midnight and to each other, so that reports affect each other.
  run: fc.integer({ min: 0, max: 2 }),
  attempt: fc.constantFrom(1, 1, 2),
  provider: fc.constantFrom('api', 'api', 'gitlab'),
  branch: fc.constantFrom('main', 'main', 'feature'),
  conclusion: fc.constantFrom('success', 'failure', 'skipped'),
  isEnded: fc.constantFrom(true, true, false),
  jobs: fc.array(anyJob, { maxLength: 2 }),
});
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ report: anyReport }) },
  { weight: 4, arbitrary: fc.constant('ask' as const) },
  { weight: 1, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 2 }) }) },
);
type Report = typeof anyReport extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const idOf = ({ run, provider }: Pick<Report, 'run' | 'provider'>) => `${provider}-${run}`;

function bodyOf(report: Report): Record<string, unknown> {
  const { run, attempt, provider, branch, conclusion, isEnded, jobs } = report;
  const created = start + 24 * hour - 240_000 + run * 180_000;
  const attemptStart = created + (attempt - 1) * 3 * hour;
  return newRun({
    provider,
    run_id: idOf(report),
    run_attempt: attempt,
    event: 'push',
    branch,
    workflow_name: 'CI',
    ...(isEnded ? { conclusion } : { status: 'in_progress', conclusion: undefined }),
    created_at: iso(created),
    started_at: iso(attemptStart),
    jobs: jobs.map(({ name, runner, from, ms, conclusion: ended, isEnded: hasEnded }, index) =>
      newJob({
        job_id: `${attempt}-${index}`,
        name,
        runner,
        started_at: iso(attemptStart + from),
        ...(hasEnded
          ? { conclusion: ended, completed_at: iso(attemptStart + from + ms + 1) }
          : { status: 'in_progress', conclusion: undefined, completed_at: undefined }),
      }),
    ),
  });
}

function contextOf({ orgId }: TestOrganization) {
  return { ...testApp.app, actor: cliActor(orgId), plan: 'team' as const };
}

const windows = [windowBetween('2026-02-01', '2026-03-18'), windowBetween('2026-03-16', '2026-03-16')];

async function assertSame(organization: TestOrganization): Promise<void> {
  const ctx = contextOf(organization);
  for (const window of windows) {
    const filter = { workflowId: undefined, repo: undefined };
    const asked = { days: 1, from: window.start, to: window.end, ...filter };
    const names = await findWorkflows(testApp.app.db, organization.orgId, filter);
    const ends = names.slice(0, 1).map(({ id }) => [id, [window.start, window.end, '2026-03-16']] as const);
    for (const unusual of [new Map(), new Map(ends)])
      assert.deepEqual(
        await getWaste(ctx, { ...asked, unusual }),
        await wasteOfJobs(ctx, { window, filter, names, unusual }),
      );
    const read = await wasteOfJobs(ctx, { window, filter, names });
    // Checks the sums of jobs and those of workflows.
    for (const show of [undefined, (workflows: WorkflowSplit[]) => workflows])
      assert.deepEqual(await getWaste(ctx, asked, show), read);
  }
  const { orgId } = organization;
  const { app } = testApp;
  const { outdated, differences } = await app.db
    .transaction()
    .execute((tx) => verifyWaste(tx, { orgId, providers: app.providers }));
  assert.deepEqual([outdated, differences], [0, []]);
}

const anyReportOf = (fields: Partial<Report>): { report: Report } => ({
  report: {
    run: 0,
    attempt: 1,
    provider: 'api',
    branch: 'main',
    conclusion: 'success',
    isEnded: true,
    jobs: [],
    ...fields,
  },
});
const aJob: Report['jobs'][number] = {
  name: 'lint',
  runner: 'linux_2_core',
  from: 240_000,
  ms: 400_000,
  conclusion: 'success',
  isEnded: true,
};
const supersededAfterMidnight: Step[] = [
  anyReportOf({ jobs: [aJob] }),
  'ask',
  anyReportOf({ run: 2, branch: 'main' }),
];
const repeatedByJobThatWaits: Step[] = [
  anyReportOf({ jobs: [aJob] }),
  anyReportOf({ attempt: 2, isEnded: false }),
  'ask',
  anyReportOf({ attempt: 2, isEnded: false, jobs: [{ ...aJob, isEnded: false }] }),
];

/** Sums of all days but the latest two are looked at only after a change. */
const laterRuns = ['2026-03-17', '2026-03-18'].map((day) => {
  const times = { started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` };
  return newRun({ created_at: `${day}T10:00:00Z`, ...times, jobs: [newJob(times)] });
});

test('sums are those of the jobs, whatever was reported, repeated, asked or deleted between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 4, maxLength: 16 }),
      fc.boolean(),
      async (steps, isPast) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        if (isPast) await submit(organization, ...laterRuns);
        for (const step of steps) {
          if (step === 'ask') await organization.get('/api/v1/waste', { days: 90 });
          else if ('report' in step)
            await organization.send('POST', '/api/v1/runs', { runs: [bodyOf(step.report)] });
          else await organization.send('DELETE', `/api/v1/runs/run_api_api-${step.remove}`);
        }
        await assertSame(organization);
      },
    ),
    {
      numRuns: 14,
      examples: [
        [supersededAfterMidnight, false],
        [supersededAfterMidnight, true],
        [repeatedByJobThatWaits, false],
      ],
    },
  );
});

test('a reprice changes the sums', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(organization, newRun());
  const costOf = async () => (await organization.get('/api/v1/waste')).body.data.total_cost;
  assert.equal(await costOf(), 0.04);
  await organization.send('POST', '/api/v1/pricing/rules', {
    match: 'label',
    pattern: 'linux_2_core',
    name: 'Own',
    usd_per_minute: 1,
  });
  await organization.send('POST', '/api/v1/reprices', { from: '2026-03-18', to: '2026-03-18' });
  await testApp.worker.processAll();
  assert.equal(await costOf(), 5);
  await assertSame(organization);
});

test('the background work sums up the days that are over, goes on after a failure, and leaves them alone then', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const { orgId } = organization;
  const { app } = testApp;
  const days = Array.from({ length: 6 }, (_, index) => `2026-03-1${index + 1}`);
  const times = (day: string) => ({ started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` });
  await submit(
    organization,
    ...[...days, '2026-03-18'].map((day) =>
      newRun({ created_at: `${day}T10:00:00Z`, ...times(day), jobs: [newJob(times(day))] }),
    ),
  );
  const summed = async () =>
    (
      await sql<{
        day: string;
      }>`select day::text from waste_days where org_id = ${orgId} order by day`.execute(app.db)
    ).rows.map(({ day }) => day);
  const pollers = wastePollers(app, 2);
  await pollers[0]!.run(AbortSignal.abort());
  assert.equal((await app.db.selectFrom('tasks').where('orgId', '=', orgId).selectAll().execute()).length, 0);
  const signal = new AbortController().signal;
  await pollers[0]!.run(signal);
  await pollers[1]!.run(signal);
  assert.deepEqual(await summed(), days.slice(0, 2));
  const [task] = await app.db.selectFrom('tasks').selectAll().where('orgId', '=', orgId).execute();
  assert.deepEqual([task!.status, Number(task!.done), Number(task!.total)], ['running', 2, 6]);
  await createWorker(wastePollers(app, 2), app).processAll();
  assert.deepEqual(await summed(), days);
  const before = (await sql`select xmin::text from waste_units where org_id = ${orgId}`.execute(app.db)).rows;
  await createWorker(wastePollers(app, 2), app).processAll();
  const after = (await sql`select xmin::text from waste_units where org_id = ${orgId}`.execute(app.db)).rows;
  assert.deepEqual(after, before);
  await assertSame(organization);
});

test('a removal has its days summed up in pieces, and nobody sums them up again from what is left', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const { orgId } = organization;
  const { app } = testApp;
  await submit(organization, runAt('2025-11-01T10:00:00Z'), runAt('2025-11-02T10:00:00Z'));
  await keep(organization, 90);
  const ctx = contextOf(organization);
  const stale = await findStale(app.db, ctx);
  const days = { from: null, until: '2025-12-01' };
  const { sumBefore } = sumsBeforeRemoval(app, 1);
  assert.deepEqual([await sumBefore(orgId, days), (await findStale(app.db, ctx)).length], [false, 1]);
  assert.equal(await sumBefore(orgId, days), true);
  await workerOf(testApp, 1, sumsBeforeRemoval(app, 1)).processAll();
  await makeUnits(ctx, stale);
  const { body } = await organization.get('/api/v1/waste', { from: '2025-10-15', to: '2025-12-15' });
  assert.equal(body.data.total_cost, 0.08);
});
