/** Compares random histories with a model that judges job by job, and with the dashboard's sums. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const now = Date.parse('2026-03-18T12:00:00Z');
const prices: Record<string, bigint> = {
  linux_2_core: 8_000_000n,
  windows_2_core: 16_000_000n,
  macos_3_core: 80_000_000n,
};

const anyJob = fc.record({
  runner: fc.constantFrom(...Object.keys(prices)),
  delayMs: fc.integer({ min: 0, max: 400_000 }),
  ms: fc.oneof(
    fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 7_200_000),
    fc.integer({ min: 0, max: 900_000 }),
  ),
  conclusion: fc.constantFrom('success', 'success', 'failure', 'cancelled', 'timed_out', 'skipped'),
});
const anyAttempt = fc.record({ lint: fc.option(anyJob), test: fc.option(anyJob) });
const anyRun = fc.record({
  workflow: fc.constantFrom('CI', 'Deploy'),
  event: fc.constantFrom('push', 'pull_request', 'schedule'),
  branch: fc.constantFrom('main', 'feature'),
  conclusion: fc.constantFrom('success', 'failure', 'skipped'),
  // Close together, so that runs supersede each other. Some days are outside the window.
  day: fc.constantFrom(0, 1, 5, 29, 30),
  createdMs: fc.integer({ min: 0, max: 1_200_000 }),
  attempts: fc.array(anyAttempt, { minLength: 1, maxLength: 3 }),
  /** Providers report skipped jobs without times. */
  hasEndless: fc.boolean(),
});
type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

type Job = {
  attempt: number;
  name: string;
  start: number;
  end: number;
  conclusion: string;
  runner: string;
};
type Run = Omit<Drawn, 'attempts' | 'day' | 'createdMs'> & { id: string; created: number; jobs: Job[] };

function historyOf(drawn: Drawn[]): Run[] {
  return drawn.map(({ day, createdMs, attempts, ...run }, index) => {
    const created = now - 86_400_000 * day - 14_400_000 + createdMs;
    const jobs = attempts.flatMap((attempt, place) =>
      Object.entries(attempt).flatMap(([name, job]) => {
        if (!job) return [];
        const start = created + place * 10_000_000 + job.delayMs;
        const { conclusion, runner } = job;
        // Two jobs with the same name must not have the same times, or the later one would be carried over.
        return [
          { attempt: place + 1, name, start: start + place, end: start + place + job.ms, conclusion, runner },
        ];
      }),
    );
    return { ...run, id: `run-${index}`, created, jobs: jobs.filter(({ end }) => end < now) };
  });
}

async function report(organization: TestOrganization, runs: Run[]): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  for (const run of runs) {
    const attempts = [...new Set([1, ...run.jobs.map(({ attempt }) => attempt)])];
    for (const attempt of attempts) {
      await submit(organization, {
        run_id: run.id,
        run_attempt: attempt,
        workflow_name: run.workflow,
        repo_name: 'acme/api',
        status: 'completed',
        conclusion: run.conclusion,
        event: run.event,
        branch: run.branch,
        created_at: iso(run.created),
        jobs: run.jobs
          .filter((job) => job.attempt === attempt)
          .map(({ name, runner, conclusion, start, end }): object => ({
            job_id: `${name}-${attempt}`,
            name,
            runner,
            conclusion,
            started_at: iso(start),
            completed_at: iso(end),
          }))
          .concat(run.hasEndless ? endless : []),
      });
    }
  }
}

const endless = { job_id: 'deploy', name: 'deploy', status: 'completed', conclusion: 'skipped' };

type Sums = Record<string, { nanos: bigint; ms: bigint }>;

function modelOf(runs: Run[], since: number): Sums {
  const sums: Sums = {};
  const add = (part: string, nanos: bigint, ms: number): void => {
    const sum = (sums[part] ??= { nanos: 0n, ms: 0n });
    sum.nanos += nanos;
    sum.ms += BigInt(ms);
  };
  for (const run of runs) {
    for (const job of run.jobs) {
      const ms = job.conclusion === 'skipped' ? 0 : job.end - job.start;
      if (job.end < since || ms === 0) continue;
      const price = prices[job.runner]!;
      const minutes = Math.ceil(ms / 60_000);
      const costOf = (time: number) => (price * BigInt(time)) / 60_000n;
      add('rounding', price * BigInt(minutes) - costOf(ms), minutes * 60_000 - ms);
      const end = job.conclusion === 'success' ? 'useful' : 'failed';
      const overtakenAt = job.attempt === 1 ? overtaking(run, runs) : Infinity;
      if (isRepeated(job, run)) add('rerun', costOf(ms), ms);
      else if (overtakenAt >= job.end) add(end, costOf(ms), ms);
      else if (job.conclusion === 'cancelled') add('superseded', costOf(ms), ms);
      else {
        const late = job.end - Math.max(job.start, overtakenAt);
        add('superseded', costOf(late), late);
        add(end, costOf(ms) - costOf(late), ms - late);
      }
    }
  }
  return sums;
}

function isRepeated(job: Job, run: Run): boolean {
  const counts = ({ conclusion }: Job) => conclusion !== 'cancelled' && conclusion !== 'skipped';
  return run.jobs.some((other) => other.name === job.name && other.attempt > job.attempt && counts(other));
}

function overtaking(run: Run, runs: Run[]): number {
  if (run.event === 'schedule') return Infinity;
  const newer = runs.filter(
    (other) =>
      other.workflow === run.workflow &&
      other.event === run.event &&
      other.branch === run.branch &&
      other.conclusion !== 'skipped' &&
      other.created > run.created &&
      other.created < run.created + 86_400_000,
  );
  return Math.min(...newer.map(({ created }) => created));
}

const categories = ['rounding', 'failed', 'superseded', 'rerun', 'skipped_after_queueing'];

test('waste agrees with the plain model and adds up to the dashboard, to the last nano-dollar', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 8 }), async (drawn) => {
      const organization = await testApp.newOrganization();
      const runs = historyOf(drawn);
      await report(organization, runs);
      const { data } = (await organization.get('/api/v1/waste', { per_page: 100 })).body;
      for (const path of ['waste/fixes', 'waste/trend', 'costs/workflows?waste=true']) {
        const answer = await organization.get(`/api/v1/${path}`);
        assert.equal(answer.status, 200, answer.text);
      }
      const model = modelOf(runs, Date.parse('2026-02-17T00:00:00Z'));

      const nanosOf = (dollars: number) => BigInt(Math.round(dollars * 1e9));
      const shown = (name: string, share: { cost: number; minutes: number }) => [
        name,
        nanosOf(share.cost),
        Math.round(share.minutes * 60_000),
      ];
      assert.deepEqual(
        [
          ...data.categories.map((share: { category: string; cost: number; minutes: number }) =>
            shown(share.category, share),
          ),
          shown('useful', { cost: data.useful_cost, minutes: data.useful_minutes }),
        ],
        [...categories, 'useful'].map((name) => [
          name,
          model[name]?.nanos ?? 0n,
          Number(model[name]?.ms ?? 0n),
        ]),
      );

      const summary = (await organization.get('/api/v1/dashboard/summary')).body;
      assert.equal(data.total_cost, summary.total_cost);
      const listed = (await organization.get('/api/v1/dashboard/workflows', { per_page: 100 })).body;
      for (const { workflow_id, cost, waste_cost, categories: own } of data.workflows) {
        const workflow = listed.workflows.find(
          (each: { workflow_id: string }) => each.workflow_id === workflow_id,
        );
        assert.equal(cost, workflow.total_cost);
        const sum = own.reduce((total: bigint, share: { cost: number }) => total + nanosOf(share.cost), 0n);
        assert.equal(sum, nanosOf(waste_cost));
      }
      for (const field of ['cost', 'waste_cost'] as const) {
        const sum = data.workflows.reduce(
          (total: bigint, workflow: Record<typeof field, number>) => total + nanosOf(workflow[field]),
          0n,
        );
        assert.equal(sum, nanosOf(field === 'cost' ? data.total_cost : data.waste_cost));
      }
      assert.equal(nanosOf(data.useful_cost) + nanosOf(data.waste_cost), nanosOf(data.total_cost));
    }),
    { numRuns: 8 },
  );
});
