/**
 * Reports random histories of CI runs like GitHub, shuffled and repeated, and compares every dashboard response with a
 * model that sums the plain history.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from './harness/app.ts';
import { newSource } from './harness/source.ts';
import { gitHubJob, gitHubRun, type Payload } from './payloads/gitHub.ts';

const now = new Date('2026-03-18T12:00:00Z');
const testApp = await startTestApp();
testApp.clock.set(now);

const workflows = [
  { repository: 'acme/api', name: 'CI', path: '.github/workflows/ci.yml' },
  { repository: 'acme/api', name: 'CI', path: '.github/workflows/ci-nightly.yml' },
  { repository: 'acme/web', name: 'Deploy', path: '.github/workflows/deploy.yml' },
  { repository: 'acme/Web_2', name: 'lint 100%', path: '.github/workflows/lint.yml' },
];
/** US dollars per minute in nano-dollars, by label. */
const prices: Record<string, bigint> = {
  'ubuntu-latest': 8_000_000n,
  'windows-latest': 16_000_000n,
  'macos-latest': 80_000_000n,
  'self-hosted': 0n,
  'mystery-runner': 0n,
};

type Job = {
  name: string;
  attempt: number;
  label: string;
  start: number;
  seconds: number;
  conclusion: string;
  isRepeated: boolean;
};
/** GitHub stops a job on its own runner after 6 hours, and bills at most 10 minutes more. */
function costOf({ label, seconds }: Job): bigint {
  return BigInt(Math.min(Math.ceil(seconds / 60), 370)) * prices[label]!;
}

type Attempt = { number: number; start: number; jobs: Job[]; conclusion: string };
type Run = { id: number; workflow: number; created: number; attempts: Attempt[] };

const anyJob = fc.record({
  label: fc.constantFrom(...Object.keys(prices)),
  delay: fc.integer({ min: 0, max: 200 }),
  seconds: fc.constantFrom(0, 1, 59, 60, 61, 119, 3_600, 86_399),
  conclusion: fc.constantFrom('success', 'success', 'failure', 'cancelled'),
});
const anyRun = fc.record({
  workflow: fc.nat({ max: workflows.length - 1 }),
  minutesAgo: fc.integer({ min: 3 * 1_440, max: 75 * 1_440 }),
  jobs: fc.array(anyJob, { minLength: 1, maxLength: 3 }),
  isRerun: fc.boolean(),
  rerunSeconds: fc.integer({ min: 0, max: 300 }),
});

type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

function historyOf(drawn: Drawn[]): Run[] {
  return drawn.map(({ workflow, minutesAgo, jobs, isRerun, rerunSeconds }, index) => {
    const created = Math.floor(now.getTime() / 1_000) - minutesAgo * 60 - index;
    const first = attemptOf(
      1,
      created,
      jobs.map((job, place) => ({ ...job, name: `job ${place}`, start: created + job.delay })),
    );
    const failed = first.jobs.filter((job) => job.conclusion !== 'success');
    if (!isRerun || failed.length === 0) return { id: 1_000 + index, workflow, created, attempts: [first] };
    // GitHub's "re-run failed jobs" reports the successful jobs again, with their old times.
    const start = Math.max(...first.jobs.map((job) => job.start + job.seconds)) + 60;
    const again = first.jobs.map((job) =>
      job.conclusion === 'success'
        ? { ...job, isRepeated: true }
        : { ...job, start, seconds: rerunSeconds, conclusion: 'success' },
    );
    return { id: 1_000 + index, workflow, created, attempts: [first, attemptOf(2, start, again)] };
  });
}

function attemptOf(
  number: number,
  start: number,
  jobs: (Omit<Job, 'attempt' | 'isRepeated'> & { isRepeated?: boolean })[],
): Attempt {
  const conclusion =
    ['failure', 'cancelled'].find((word) => jobs.some((job) => job.conclusion === word)) ?? 'success';
  return {
    number,
    start,
    conclusion,
    jobs: jobs.map((job) => ({ isRepeated: false, ...job, attempt: number })),
  };
}

type Delivery = { event: string; payload: Payload };

function deliveriesOf(run: Run): Delivery[] {
  const { repository, name, path } = workflows[run.workflow]!;
  return run.attempts.flatMap((attempt) => [
    ...['queued', 'in_progress', 'completed'].map((status) => ({
      event: 'workflow_run',
      payload: gitHubRun({
        id: run.id,
        run_attempt: attempt.number,
        name,
        path,
        repository,
        status,
        conclusion: status === 'completed' ? attempt.conclusion : null,
        created_at: iso(run.created),
        run_started_at: iso(attempt.start),
        updated_at: iso(attempt.start + ['queued', 'in_progress', 'completed'].indexOf(status)),
      }),
    })),
    ...attempt.jobs.flatMap((job, place) =>
      (job.isRepeated ? ['completed'] : ['queued', 'in_progress', 'completed']).map((status) => ({
        event: 'workflow_job',
        payload: gitHubJob({
          id: run.id * 100 + attempt.number * 10 + place,
          run_id: run.id,
          run_attempt: attempt.number,
          name: job.name,
          workflow_name: name,
          repository,
          status,
          conclusion: status === 'completed' ? job.conclusion : null,
          created_at: iso(run.created),
          started_at: iso(status === 'queued' ? run.created : job.start),
          completed_at: status === 'completed' ? iso(job.start + job.seconds) : null,
          labels: [job.label],
          ...(job.label === 'mystery-runner' || job.label === 'self-hosted'
            ? { runner_name: 'box-7', runner_group_name: 'Special' }
            : {}),
        }),
      })),
    ),
  ]);
}

function iso(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** The sums of a history, without attempts, order or rollups. */
function modelOf(runs: Run[]) {
  const jobs = runs.flatMap((run) =>
    run.attempts.flatMap((attempt) =>
      attempt.jobs
        .filter((job) => !job.isRepeated)
        .map((job) => ({
          workflow: run.workflow,
          day: iso(job.start + job.seconds).slice(0, 10),
          nanos: costOf(job),
        })),
    ),
  );
  const ran = runs.map((run) => {
    const latest = run.attempts.at(-1)!;
    const end = Math.max(
      ...latest.jobs.filter((job) => !job.isRepeated).map((job) => job.start + job.seconds),
    );
    return {
      workflow: run.workflow,
      day: iso(run.created).slice(0, 10),
      created: run.created,
      seconds: end - latest.start,
      isSuccess: latest.conclusion === 'success',
      nanos: run.attempts
        .flatMap((attempt) => attempt.jobs)
        .filter((job) => !job.isRepeated)
        .reduce((sum, job) => sum + costOf(job), 0n),
    };
  });
  return { jobs, ran };
}

const dollars = (nanos: bigint) => Number(nanos) / 1e9;
const dayBefore = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

async function compareWithModel(organization: TestOrganization, runs: Run[]): Promise<void> {
  const model = modelOf(runs);
  for (const days of [30, 365]) {
    const start = dayBefore(days - 1);
    const jobs = model.jobs.filter((job) => job.day >= start);
    const ran = model.ran.filter((run) => run.day >= start);
    const total = jobs.reduce((sum, job) => sum + job.nanos, 0n);

    const trends = (await organization.get('/api/v1/dashboard/trends', { days })).body;
    assert.equal(trends.data.length, days);
    for (const { date, cost, runs: count } of trends.data) {
      const ofDay = jobs.filter((job) => job.day === date).reduce((sum, job) => sum + job.nanos, 0n);
      assert.equal(cost, dollars(ofDay), date);
      assert.equal(count, ran.filter((run) => run.day === date).length, date);
    }

    const listed = (await organization.get('/api/v1/dashboard/workflows', { days, per_page: 100 })).body;
    const expected = workflows
      .map((workflow, index) => {
        const own = ran.filter((run) => run.workflow === index);
        const ownJobs = jobs.filter((job) => job.workflow === index);
        return {
          seen: own.length + ownJobs.length > 0,
          workflow_name: workflow.name,
          repo_name: workflow.repository,
          total_cost: dollars(ownJobs.reduce((sum, job) => sum + job.nanos, 0n)),
          // Without billing terms, nothing is deducted in private repositories.
          net_total_cost: dollars(ownJobs.reduce((sum, job) => sum + job.nanos, 0n)),
          total_runs: own.length,
          success_rate: own.length === 0 ? 0 : own.filter((run) => run.isSuccess).length / own.length,
          avg_duration_seconds:
            own.length === 0
              ? 0
              : Math.floor(
                  (2 * own.reduce((sum, run) => sum + run.seconds, 0) + own.length) / (2 * own.length),
                ),
          last_run_at:
            own.length === 0
              ? null
              : new Date(Math.max(...own.map((run) => run.created)) * 1_000).toISOString(),
        };
      })
      .filter(({ seen }) => seen)
      .map(({ seen: _, ...workflow }) => workflow);
    const byContent = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const named = listed.workflows.map(
      ({ workflow_id: _, ...workflow }: { workflow_id: string }) => workflow,
    );
    assert.deepEqual(named.toSorted(byContent), expected.toSorted(byContent));
    assert.equal(listed.pagination.total, expected.length);

    const overview = (await organization.get('/api/v1/dashboard/workflows/summary', { days })).body;
    assert.equal(overview.total_cost, dollars(total));
    assert.equal(overview.total_runs, ran.length);
    assert.equal(overview.total_workflows, expected.length);

    const top = (await organization.get('/api/v1/dashboard/top-workflows', { days, limit: 100 })).body;
    assert.deepEqual(
      top.workflows.map((workflow: { total_cost: number }) => workflow.total_cost),
      expected.map((workflow) => workflow.total_cost).toSorted((a, b) => b - a),
    );
    if (days !== 30) continue;
    const summary = (await organization.get('/api/v1/dashboard/summary')).body;
    assert.equal(summary.total_cost, dollars(total));
    assert.equal(summary.total_runs, ran.length);
  }
  const recent = (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body;
  assert.deepEqual(
    recent.runs.map((run: { cost: number; duration_seconds: number }) => [run.cost, run.duration_seconds]),
    model.ran.toSorted((a, b) => b.created - a.created).map((run) => [dollars(run.nanos), run.seconds]),
  );
}

/** Jobs, minutes and costs by day and workflow, as in the dashboard and in explanations of alerts. */
async function compareRollups({ orgId }: TestOrganization): Promise<void> {
  const { rows: byWorkflow } = await sql`
    select day, workflow_id, jobs, billed_minutes as minutes, cost_nanos from workflow_days
    where org_id = ${orgId} and jobs > 0 order by 1, 2
  `.execute(testApp.app.db);
  const { rows: byRunner } = await sql`
    select day, workflow_id, sum(jobs)::bigint as jobs, sum(minutes)::bigint as minutes,
      sum(cost_nanos)::bigint as cost_nanos
    from runner_days where org_id = ${orgId} and jobs > 0 group by 1, 2 order by 1, 2
  `.execute(testApp.app.db);
  assert.deepEqual(byRunner, byWorkflow);
  const chargesOf = (table: string) =>
    sql`
      select day, provider, runner_kind, is_free, sum(jobs)::bigint as jobs, sum(minutes)::bigint as minutes,
        sum(cost_nanos)::bigint as cost_nanos
      from ${sql.table(table)} where org_id = ${orgId} and jobs > 0 group by 1, 2, 3, 4 order by 1, 2, 3, 4
    `.execute(testApp.app.db);
  assert.deepEqual((await chargesOf('runner_days')).rows, (await chargesOf('charge_days')).rows);
}

test('every dashboard answer agrees with a plain computation, in any order and repetition of events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (drawn, order) => {
        const runs = historyOf(drawn);
        const deliveries = runs.flatMap(deliveriesOf);
        const repeated = [...deliveries, ...deliveries.filter((_, index) => index % 3 === 0)];
        const shuffled = repeated
          .map((delivery) => ({ delivery, place: order.next().value as number }))
          .toSorted((a, b) => a.place - b.place);
        const organization = await testApp.newOrganization();
        const source = await newSource(testApp, organization);
        // Several batches, because only a later batch changes stored rows.
        const third = Math.ceil(shuffled.length / 3);
        for (const start of [0, third, 2 * third]) {
          const part = shuffled.slice(start, start + third);
          const answers = await Promise.all(
            part.map(({ delivery }) => source.deliver(delivery.event, delivery.payload)),
          );
          for (const answer of answers) assert.equal(answer.status, 202, answer.text);
        }
        await compareWithModel(organization, runs);
        await compareRollups(organization);
      },
    ),
    { numRuns: 8 },
  );
});
