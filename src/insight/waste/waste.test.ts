import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newGitLabSource, newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { gitLabBuild, gitLabPipeline } from '../../../test/payloads/gitLab.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/waste';

/** Seconds after 2026-03-17 10:00; the tests run the next day. */
const at = (seconds: number) => new Date(Date.parse('2026-03-17T10:00:00Z') + seconds * 1_000).toISOString();

type Took = { from?: number; seconds: number };

/** A job on a runner at 0.008 per minute. */
function jobOf(name: string, { from = 0, seconds }: Took, fields: object = {}) {
  return newJob({ name, started_at: at(from), completed_at: at(from + seconds), ...fields });
}

function runOf(fields: object) {
  return newRun({ created_at: at(0), started_at: at(0), ...fields });
}

type Share = { category: string; cost: number; minutes: number; jobs: number; waited_minutes: number };

async function wasteOf(organization: TestOrganization, query: Record<string, string | number> = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** Cost and minutes of each category that has any, and of the useful part. */
async function partsOf(organization: TestOrganization): Promise<Record<string, [number, number]>> {
  const data = await wasteOf(organization);
  const categories: Share[] = data.categories;
  return Object.fromEntries([
    ...categories
      .filter(({ cost, minutes }) => cost !== 0 || minutes !== 0)
      .map(({ category, cost, minutes }) => [category, [cost, minutes]]),
    ['useful', [data.useful_cost, data.useful_minutes]],
  ]);
}

const failed = { conclusion: 'failure' };

describe('each minute is counted once', () => {
  test('rounding up is rounding, and the time is useful', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runOf({ jobs: [jobOf('test', { seconds: 90 })] }));
    assert.deepEqual(await partsOf(organization), { rounding: [0.004, 0.5], useful: [0.012, 1.5] });
  });

  test('unbilled jobs have no rounding: their minutes equal those of other pages', async () => {
    const organization = await testApp.newOrganization();
    const own = { labels: ['self-hosted'] };
    await submit(
      organization,
      runOf({
        jobs: [jobOf('a', { seconds: 90 }, own), jobOf('b', { seconds: 30 }, { ...own, ...failed })],
      }),
    );
    assert.deepEqual(await partsOf(organization), { failed: [0, 1], useful: [0, 2] });
  });

  test('jobs priced by the second have no rounding', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runOf({ jobs: [jobOf('test', { seconds: 90 })] }));
    const { orgId } = organization;
    const { db } = testApp.app;
    await db.updateTable('jobs').set({ costNanos: 12_000_000n }).where('orgId', '=', orgId).execute();
    await db.updateTable('jobFacts').set({ rounding: 'second' }).where('orgId', '=', orgId).execute();
    assert.deepEqual(await partsOf(organization), { useful: [0.012, 2] });
  });

  test('time of unsuccessful jobs is failed, unlike that of others in their run', async () => {
    const organization = await testApp.newOrganization();
    const jobs = [
      jobOf('build', { seconds: 60 }),
      jobOf('test', { seconds: 120 }, failed),
      jobOf('e2e', { seconds: 180 }, { conclusion: 'timed_out' }),
      jobOf('docs', { seconds: 240 }, { conclusion: 'cancelled' }),
    ];
    await submit(organization, runOf({ ...failed, jobs }));
    assert.deepEqual(await partsOf(organization), { failed: [0.072, 9], useful: [0.008, 1] });
  });

  test('the last result of a repeated job counts, the earlier ones are re-runs', async () => {
    const organization = await testApp.newOrganization();
    const run = { run_id: 'flaky', ...failed };
    const first = [jobOf('build', { seconds: 60 }), jobOf('test', { seconds: 120 }, failed)];
    await submit(organization, runOf({ ...run, jobs: first }));
    const again = [jobOf('test', { from: 600, seconds: 180 })];
    await submit(organization, runOf({ ...run, conclusion: 'success', run_attempt: 2, jobs: again }));
    assert.deepEqual(await partsOf(organization), { rerun: [0.016, 2], useful: [0.032, 4] });
  });

  test('a cancelled re-run leaves the previous result valid', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runOf({ run_id: 'r', jobs: [jobOf('test', { seconds: 60 })] }));
    const again = jobOf('test', { from: 600, seconds: 120 }, { conclusion: 'cancelled' });
    await submit(
      organization,
      runOf({ run_id: 'r', run_attempt: 2, conclusion: 'cancelled', jobs: [again] }),
    );
    assert.deepEqual(await partsOf(organization), { failed: [0.016, 2], useful: [0.008, 1] });
  });

  test('of several jobs with one name, as many are re-runs as ran again, failed ones first', async () => {
    const organization = await testApp.newOrganization();
    const first = [
      jobOf('test', { seconds: 60 }),
      jobOf('test', { seconds: 120 }, failed),
      jobOf('test', { seconds: 240 }),
    ];
    await submit(organization, runOf({ run_id: 'm', ...failed, jobs: first }));
    await submit(
      organization,
      runOf({ run_id: 'm', run_attempt: 2, jobs: [jobOf('test', { from: 600, seconds: 120 })] }),
    );
    assert.deepEqual(await partsOf(organization), { rerun: [0.016, 2], useful: [0.056, 7] });
  });

  test('a retried GitLab job is a re-run', async () => {
    const organization = await testApp.newOrganization();
    const [gitlab, own] = [{ provider: 'gitlab', run_id: '77' }, { runner: 'windows_2_core' }];
    const jobs = [
      jobOf('test', { seconds: 60 }, { ...own, ...failed, job_id: '9' }),
      jobOf('build', { seconds: 60 }, own),
      jobOf('test', { from: 100, seconds: 180 }, { ...own, job_id: '10' }),
    ];
    await submit(organization, runOf({ ...gitlab, jobs }));
    assert.deepEqual(await partsOf(organization), { rerun: [0.016, 1], useful: [0.064, 4] });
    const again = [
      jobOf('test', { from: 300, seconds: 60 }, { ...own, ...failed, job_id: '11' }),
      jobOf('test', { from: 400, seconds: 60 }, { ...own, job_id: '12' }),
      jobOf('test', { from: 500, seconds: 60 }, { ...own, conclusion: 'cancelled', job_id: '13' }),
    ];
    await submit(organization, runOf({ ...gitlab, jobs: again }));
    // A canceled job repeats nothing.
    const expected = { rerun: [0.08, 5], useful: [0.032, 2], failed: [0.016, 1] };
    assert.deepEqual(await partsOf(organization), expected);
  });

  test('an attempt outside the window still shows that a job ran again', async () => {
    const organization = await testApp.newOrganization();
    const early = { from: -86_400 * 20, seconds: 60 };
    const run = { run_id: 'late', created_at: at(early.from), started_at: at(early.from) };
    await submit(organization, runOf({ ...run, ...failed, jobs: [jobOf('test', early, failed)] }));
    await submit(organization, runOf({ ...run, run_attempt: 2, jobs: [jobOf('test', { seconds: 120 })] }));
    assert.deepEqual(await partsOf(organization), { rerun: [0.008, 1], useful: [0.016, 2] });
    assert.equal((await wasteOf(organization, { days: 5 })).total_cost, 0.016);
  });
});

describe('a run with a newer run of its branch', () => {
  const onBranch = { event: 'pull_request', branch: 'feature' };
  const newer = (fields: object = {}) =>
    runOf({
      ...onBranch,
      created_at: at(120),
      started_at: at(120),
      jobs: [jobOf('test', { from: 120, seconds: 60 })],
      ...fields,
    });
  const older = (fields: object = {}, job: object = {}) =>
    runOf({ ...onBranch, jobs: [jobOf('test', { seconds: 300 }, job)], ...fields });

  async function partsAfter(...runs: Record<string, unknown>[]) {
    const organization = await testApp.newOrganization();
    await submit(organization, ...runs);
    return partsOf(organization);
  }

  test('is superseded from then on, and useful before', async () => {
    assert.deepEqual(await partsAfter(older(), newer()), { superseded: [0.024, 3], useful: [0.024, 3] });
  });

  test('is superseded from then on, and failed before if it failed', async () => {
    assert.deepEqual(await partsAfter(older({}, failed), newer()), {
      failed: [0.016, 2],
      superseded: [0.024, 3],
      useful: [0.008, 1],
    });
  });

  test('is superseded as a whole if it was cancelled', async () => {
    assert.deepEqual(await partsAfter(older({}, { conclusion: 'cancelled' }), newer()), {
      superseded: [0.04, 5],
      useful: [0.008, 1],
    });
  });

  test('is useful if its jobs had ended before', async () => {
    const short = older({ jobs: [jobOf('test', { seconds: 120 })] });
    assert.deepEqual(await partsAfter(short, newer()), { useful: [0.024, 3] });
  });

  test('has jobs that ended before, cancelled or not, and jobs that continued', async () => {
    const organization = await testApp.newOrganization();
    const jobs = [
      jobOf('short', { seconds: 60 }),
      jobOf('stopped', { seconds: 60 }, { conclusion: 'cancelled' }),
      jobOf('long', { seconds: 300 }),
    ];
    await submit(organization, older({ jobs }), newer());
    assert.deepEqual(await partsOf(organization), {
      failed: [0.008, 1],
      superseded: [0.024, 3],
      useful: [0.032, 4],
    });
    const superseded = (await wasteOf(organization)).categories[2];
    assert.deepEqual([superseded.category, superseded.jobs], ['superseded', 1]);
  });

  test('is not superseded in a re-run', async () => {
    const cancelled = { conclusion: 'cancelled' };
    const again = jobOf('test', { from: 600, seconds: 60 }, cancelled);
    const rerun = older({ run_id: 'y', run_attempt: 2, ...cancelled, jobs: [again] });
    assert.deepEqual(await partsAfter(older({ run_id: 'y' }), newer(), rerun), {
      failed: [0.008, 1],
      superseded: [0.024, 3],
      useful: [0.024, 3],
    });
  });

  for (const [what, fields] of Object.entries({
    'another branch': { branch: 'other' },
    'another event': { event: 'push' },
    'another workflow': { workflow_name: 'Docs' },
    'a newer run that was skipped': { conclusion: 'skipped', jobs: [] },
  })) {
    test(`is not superseded by ${what}`, async () => {
      assert.equal((await partsAfter(older(), newer(fields)))['superseded'], undefined);
    });
  }

  test('is not superseded if each run stands for itself, or the branch is unknown', async () => {
    for (const each of [{ event: 'schedule' }, { event: 'workflow_dispatch' }, { event: undefined }]) {
      assert.equal((await partsAfter(older(each), newer(each)))['superseded'], undefined);
    }
  });

  test('is a re-run where it ran again', async () => {
    const again = older({ run_id: 'x', run_attempt: 2, jobs: [jobOf('test', { from: 600, seconds: 60 })] });
    assert.deepEqual(await partsAfter(older({ run_id: 'x' }, failed), newer(), again), {
      rerun: [0.04, 5],
      useful: [0.016, 2],
    });
  });
});

test('jobs that waited for a runner and never ran cost nothing, with their wait', async () => {
  const organization = await testApp.newOrganization();
  const source = await newSource(testApp, organization);
  const created_at = '2026-03-17T10:00:00Z';
  await source.deliver('workflow_run', gitHubRun({ id: 5, created_at }));
  const report = (id: number, completed_at: string, fields: object) =>
    source.deliver(
      'workflow_job',
      gitHubJob({ id, run_id: 5, name: `job ${id}`, created_at, completed_at, ...fields }),
    );
  const never = { runner_name: null, runner_group_name: null, conclusion: 'cancelled', started_at: null };
  await report(1, '2026-03-17T12:30:00Z', never);
  await report(2, '2026-03-17T10:00:30Z', never);
  await report(3, '2026-03-17T10:10:00Z', { ...never, conclusion: 'skipped' });
  await report(4, '2026-03-17T10:02:00Z', { started_at: '2026-03-17T10:01:00Z' });
  const data = await wasteOf(organization);
  assert.deepEqual(data.categories.at(-1), {
    category: 'skipped_after_queueing',
    cost: 0,
    minutes: 0,
    jobs: 2,
    share_percent: 0,
    waited_minutes: 160,
  });
  assert.deepEqual([data.total_minutes, data.useful_minutes, data.waste_cost], [1, 1, 0]);
  assert.match(data.workflows[0].suggestions[0].text, /2 jobs waited 160 minutes/);
});

test('GitLab creates jobs with their pipeline, so their wait is unknown', async () => {
  const organization = await testApp.newOrganization();
  const source = await newGitLabSource(testApp, organization);
  const created_at = '2026-03-16T10:00:00.417Z';
  const never = { created_at, started_at: null, duration: null, runner: null };
  const ran = { started_at: '2026-03-16T10:00:30.219Z', finished_at: '2026-03-16T10:02:00.219Z' };
  const builds = [
    gitLabBuild({ created_at, ...ran }),
    gitLabBuild({
      id: 2,
      name: 'deploy',
      status: 'skipped',
      ...never,
      finished_at: '2026-03-17T11:00:00.417Z',
    }),
    gitLabBuild({
      id: 3,
      name: 'docs',
      status: 'canceled',
      ...never,
      finished_at: '2026-03-17T11:00:00.417Z',
    }),
  ];
  const times = { created_at: '2026-03-16 10:00:00 UTC', finished_at: '2026-03-17 11:00:00 UTC' };
  await source.deliver('Pipeline Hook', gitLabPipeline(times, { builds }));
  const data = await wasteOf(organization);
  assert.equal(data.total_minutes, 2);
  const { jobs, waited_minutes } = data.categories.at(-1);
  assert.deepEqual([jobs, waited_minutes], [0, 0]);
  assert.deepEqual(data.workflows[0].suggestions, []);
});

describe('the answer', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const repositories = ['acme/api', 'acme/web', 'acme/Docs'];
  const runs = repositories.flatMap((repo_name, index) => [
    runOf({ repo_name, workflow_name: 'CI', jobs: [jobOf('test', { seconds: 60 * (index + 1) }, failed)] }),
    runOf({ repo_name, workflow_name: 'Clean', jobs: [jobOf('test', { seconds: 60 })] }),
  ]);
  await submit(organization, ...runs);
  const names = async (query: Record<string, string | number>) =>
    (await wasteOf(organization, query)).workflows.map(
      (workflow: { repository: string; name: string }) => `${workflow.repository} ${workflow.name}`,
    );

  test('lists the most wasteful workflows first, with the sums of all on each page', async () => {
    const all = await wasteOf(organization);
    assert.deepEqual(await names({}), [
      'acme/Docs CI',
      'acme/web CI',
      'acme/api CI',
      'acme/api Clean',
      'acme/Docs Clean',
      'acme/web Clean',
    ]);
    const second = await organization.get(path, { page: 2, per_page: 4 });
    assert.deepEqual(second.body.pagination, { total: 6, page: 2, per_page: 4 });
    assert.deepEqual(await names({ page: 2, per_page: 4 }), ['acme/Docs Clean', 'acme/web Clean']);
    assert.equal(second.body.data.waste_cost, all.waste_cost);
    const { workflows, period, ...sums } = all;
    assert.equal(workflows.length, 6);
    assert.deepEqual(period, { start: '2026-02-17', end: '2026-03-18', days: 30 });
    assert.deepEqual([sums.total_cost, sums.waste_cost, sums.useful_cost], [0.072, 0.048, 0.024]);
    assert.equal(sums.categories[1].share_percent, 66.7);
  });

  test('filters by repository (whole or bare name) and by workflow', async () => {
    assert.deepEqual(await names({ repo: 'docs' }), ['acme/Docs CI', 'acme/Docs Clean']);
    assert.deepEqual(await names({ repo: 'ACME/web' }), ['acme/web CI', 'acme/web Clean']);
    const all = await wasteOf(organization);
    const one = await wasteOf(organization, { workflow_id: all.workflows[0].workflow_id });
    assert.deepEqual(one.workflows, [all.workflows[0]]);
    assert.equal(one.total_cost, 0.024);
    assert.deepEqual(await names({ repo: 'web', workflow_id: all.workflows[0].workflow_id }), []);
    assert.deepEqual(await names({ repo: '', workflow_id: '' }), await names({}));
  });

  test("reaches back at most 90 days, within the plan's history", async () => {
    assert.equal((await wasteOf(organization, { days: 365 })).period.days, 90);
    const free = await testApp.newOrganization({ plan: 'free' });
    assert.equal((await wasteOf(free, { days: 90 })).period.days, 30);
  });

  test('is zero without jobs', async () => {
    const data = await wasteOf(await testApp.newOrganization());
    assert.deepEqual([data.total_cost, data.waste_cost, data.total_minutes, data.workflows], [0, 0, 0, []]);
    assert.ok(data.categories.every(({ share_percent }: { share_percent: number }) => share_percent === 0));
  });

  test('names what is wrong with a query', async () => {
    assertProblem(await organization.get(path, { days: 0 }), 400, 'invalid_request', ['query.days']);
    assertProblem(await organization.get(path, { page: 'x' }), 400, 'invalid_request', ['query.page']);
  });

  test('needs the right to read costs, and has nothing of another organization', async () => {
    const ask = (headers: Record<string, string>) =>
      request(testApp.server, { method: 'GET', url: path, headers });
    assert.equal((await ask({})).status, 401);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const viewer = await organization.newToken('viewer', ['costs:read']);
    assert.equal((await ask(bearer(viewer))).status, 200);
    const other = await organization.newToken('owner', ['alerts:read']);
    assert.equal((await ask(bearer(other))).status, 403);
    const stranger = await testApp.newOrganization({ plan: 'team' });
    const answers = await Promise.all([
      organization.get(path),
      organization.get(path, { page: 2 }),
      stranger.get(path),
    ]);
    assert.deepEqual(
      answers.map(({ body }) => body.pagination.total),
      [6, 6, 0],
    );
    const workflowId = (await wasteOf(organization)).workflows[0].workflow_id;
    assert.deepEqual((await wasteOf(stranger, { workflow_id: workflowId })).workflows, []);
  });
});
