/** Compares the merging of short jobs with a model that goes through them one by one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const start = Date.parse('2026-03-17T10:00:00Z');
/** The price of `linux_2_core` per minute, in thousandths of a dollar. */
const price = 8;

type Job = { name: string; from: number; seconds: number; runner: string };

/** Seconds after the run's start. */
function jobOf(name: string, from: number, seconds: number, runner = 'linux_2_core'): Job {
  return { name, from, seconds, runner };
}

function runOf(jobs: readonly Job[], fields: object = {}) {
  const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
  return newRun({
    created_at: at(0),
    started_at: at(0),
    ...fields,
    jobs: jobs.map(({ name, from, seconds, runner }) =>
      newJob({ job_id: name, name, runner, started_at: at(from), completed_at: at(from + seconds) }),
    ),
  });
}

type Merging = { saving: number; text: string; jobs: string[] };

/** Rounding cost in thousandths of a dollar, and the suggestion to merge jobs. */
async function mergingOf(organization: TestOrganization): Promise<{ rounding: number; merging?: Merging }> {
  const { body } = await organization.get('/api/v1/waste');
  const rounding = body.data.categories[0].cost * 1_000;
  const suggestions: (Merging & { action: string })[] = body.data.workflows[0]?.suggestions ?? [];
  const found = suggestions.find(({ action }) => action === 'merge_short_jobs');
  return { rounding, ...(found && { merging: { ...found, saving: Math.round(found.saving * 1_000) } }) };
}

async function mergingAfter(...jobs: Job[]): Promise<Merging | undefined> {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf(jobs));
  return (await mergingOf(organization)).merging;
}

describe('short jobs of one attempt on one runner kind', () => {
  test('get the saving of merging them', async () => {
    const organization = await testApp.newOrganization();
    const jobs = [
      ...['lint', 'types', 'format'].map((name) => jobOf(name, 0, 70)),
      jobOf('unit', 0, 61, 'linux_2_core_advanced'),
      ...['e2e', 'smoke'].map((name) => jobOf(name, 0, 121)),
    ];
    await submit(organization, runOf(jobs), runOf([jobOf('lint', 0, 70)]));
    const { merging } = await mergingOf(organization);
    // 6 minutes were billed; 210 seconds are 4.
    assert.equal(merging?.saving, 2 * price);
    assert.deepEqual(merging?.jobs, ['lint', 'format', 'types']);
    assert.match(merging?.text ?? '', /up to 4 minutes in one job instead of in parallel/);
  });

  test('are merged into jobs of at most ten minutes', async () => {
    const shards = Array.from({ length: 100 }, (_, index) => jobOf(`shard ${index}`, 0, 61));
    const merging = await mergingAfter(...shards);
    // Twelve jobs of eight shards each: 488 seconds, or 9 minutes instead of 16; and one of the last four: 5 instead of
    // 8.
    assert.equal(merging?.saving, (12 * 7 + 3) * price);
    assert.match(merging?.text ?? '', /up to 9 minutes in one job instead of in parallel/);
  });

  test('are merged if they overlap or follow within five minutes', async () => {
    const build = jobOf('build', 0, 61);
    assert.equal((await mergingAfter(build, jobOf('deploy', 61 + 300, 61)))?.saving, price);
    assert.equal(await mergingAfter(build, jobOf('deploy', 61 + 301, 61)), undefined);
    assert.equal(await mergingAfter(build, jobOf('deploy', 3 * 3_600, 61)), undefined);
  });

  test('wait no longer if they ran in sequence', async () => {
    const merging = await mergingAfter(jobOf('build', 0, 61), jobOf('deploy', 70, 61));
    assert.match(merging?.text ?? '', /They ran one after the other anyway/);
    assert.doesNotMatch(merging?.text ?? '', /instead of in parallel/);
  });

  test('are not merged if they ran again: one job would have repeated all its steps', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runOf([jobOf('lint', 0, 61), jobOf('test', 0, 61)], { run_id: 'r' }));
    assert.equal((await mergingOf(organization)).merging?.saving, price);
    await submit(organization, runOf([jobOf('test', 600, 61)], { run_id: 'r', run_attempt: 2 }));
    assert.equal((await mergingOf(organization)).merging, undefined);
  });
});

const anyJob = fc.record({
  from: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 7_200 })),
  seconds: fc.oneof(fc.constantFrom(1, 59, 60, 61, 120, 121), fc.integer({ min: 1, max: 180 })),
  runner: fc.constantFrom('linux_2_core', 'linux_2_core', 'windows_2_core'),
});

/** Groups of nearby short jobs on one runner kind that take at most ten minutes together. */
function binsOf(jobs: readonly Job[]): Job[][] {
  const ordered = jobs.toSorted(
    (a, b) => a.from - b.from || a.from + a.seconds - b.from - b.seconds || Number(a.name > b.name) - 0.5,
  );
  const bins: Job[][] = [];
  let [chainSeconds, last] = [0, null as Job | null];
  for (const job of ordered) {
    const isApart = last !== null && job.from > last.from + last.seconds + 300;
    if (isApart) chainSeconds = 0;
    const isFull = Math.floor(chainSeconds / 480) > Math.floor((chainSeconds - (last?.seconds ?? 0)) / 480);
    if (last === null || isApart || isFull) bins.push([]);
    bins.at(-1)!.push(job);
    chainSeconds += job.seconds;
    last = job;
  }
  return bins;
}

const secondsOf = (jobs: readonly Job[]) => jobs.reduce((sum, { seconds }) => sum + seconds, 0);

test('random jobs merge like the model and never save more than rounding cost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyJob, { minLength: 1, maxLength: 40 }), async (drawn) => {
      const jobs = drawn.map((job, index) => ({ ...job, name: `job ${String(index).padStart(2, '0')}` }));
      const organization = await testApp.newOrganization();
      await submit(organization, runOf(jobs));
      const { rounding, merging } = await mergingOf(organization);
      let [saving, minutes] = [0, 0];
      for (const [runner, own] of Map.groupBy(jobs, (job) => job.runner)) {
        for (const bin of binsOf(own.filter(({ seconds }) => seconds <= 120))) {
          const seconds = secondsOf(bin);
          assert.ok(seconds <= 600);
          const billed = bin.reduce((sum, job) => sum + Math.ceil(job.seconds / 60), 0);
          const saved = billed - Math.ceil(seconds / 60);
          if (saved === 0) continue;
          saving += saved * (runner === 'linux_2_core' ? price : 2 * price);
          const span =
            Math.max(...bin.map((job) => job.from + job.seconds)) - Math.min(...bin.map(({ from }) => from));
          if (seconds > span) minutes = Math.max(minutes, Math.ceil(seconds / 60));
        }
      }
      if (saving * 100 < rounding) saving = 0;
      assert.equal(merging?.saving ?? 0, saving);
      assert.ok(saving <= rounding + 1e-6);
      const said = /up to (\d+) minutes in one job/.exec(merging?.text ?? '')?.[1];
      if (saving > 0) assert.equal(Number(said ?? 0), minutes);
    }),
    { numRuns: 40 },
  );
});
