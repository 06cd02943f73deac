import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';

const testApp = await startTestApp();
const { clock } = testApp;
const noon = '2026-03-18T12:00:00Z';

type Query = Record<string, string | number>;

async function get(organization: TestOrganization, part: string, query: Query = {}) {
  const answer = await organization.get(`/api/v1/dashboard/${part}`, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** A run at noon, `days` before the test's day, with one job of `minutes`. */
function runDaysAgo(days: number, minutes: number, fields: object = {}, job: object = {}) {
  const started_at = new Date(Date.parse('2026-03-18T11:00:00Z') - days * 86_400_000).toISOString();
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  return newRun({
    created_at: started_at,
    started_at,
    jobs:
      minutes === 0
        ? []
        : [
            newJob({
              started_at,
              completed_at,
              ...job,
            }),
          ],
    ...fields,
  });
}

describe('the projection', () => {
  test('of an organization without runs is zero, without a range', async () => {
    const { daily, ...projection } = await get(await testApp.newOrganization(), 'projection');
    assert.deepEqual(projection, {
      month: '2026-03',
      spent: 0,
      projected: 0,
      rounded: 0,
      usual_pace: 0,
      low: null,
      high: null,
      confidence: 'none',
      previous_month: 0,
      is_previous_month_whole: false,
      days_elapsed: 18,
      days_in_month: 31,
      left_out_days: [],
    });
    assert.equal(daily.length, 31);
    assert.deepEqual(daily[16], { date: '2026-03-17', cost: 0, projected: null, low: null, high: null });
    assert.deepEqual(daily[17], { date: '2026-03-18', cost: 0, projected: 0, low: null, high: null });
    assert.deepEqual(daily[18], { date: '2026-03-19', cost: null, projected: 0, low: null, high: null });
  });

  test('of steady costs continues them and agrees with the trend', async () => {
    const organization = await testApp.newOrganization({ plan: 'free' });
    await submit(
      organization,
      ...Array.from({ length: 100 }, (_, days) => runDaysAgo(days, days % 7 === 3 ? 20 : 10)),
    );
    const { daily, ...projection } = await get(organization, 'projection');
    // Today and the 17 days before it (2 Sundays), 13 more days (2 Sundays), and half of today.
    assert.deepEqual(projection, {
      month: '2026-03',
      spent: 1.68,
      projected: 2.92,
      rounded: 2.92,
      usual_pace: 2.92,
      low: 2.92,
      high: 2.92,
      confidence: 'good',
      previous_month: 2.56,
      is_previous_month_whole: true,
      days_elapsed: 18,
      days_in_month: 31,
      left_out_days: [],
    });
    assert.deepEqual(daily[28], { date: '2026-03-29', cost: null, projected: 0.16, low: 0.16, high: 0.16 });
    const trends = (await organization.get('/api/v1/dashboard/trends', { days: 18 })).body.data;
    assert.deepEqual(
      daily.slice(0, 18).map(({ date, cost }: { date: string; cost: number }) => [date, cost]),
      trends.map(({ date, cost }: { date: string; cost: number }) => [date, cost]),
    );
  });

  test('says that a month which was recorded in part is no comparison', async () => {
    const organization = await testApp.newOrganization();
    // The app's day is March 18.
    await submit(organization, ...Array.from({ length: 20 }, (_, days) => runDaysAgo(days, 10)));
    const { previous_month, is_previous_month_whole } = await get(organization, 'projection');
    assert.deepEqual([previous_month, is_previous_month_whole], [0.16, false]);
  });

  test('leaves out days marked unusual, which stay in what is spent', async () => {
    const organization = await testApp.newOrganization();
    const minutes = (days: number) => (days === 5 ? 300 : 60);
    await submit(organization, ...Array.from({ length: 60 }, (_, days) => runDaysAgo(days, minutes(days))));
    const projection = await get(organization, 'projection');
    assert.deepEqual(projection.left_out_days, ['2026-03-13']);
    // $0.48 a day: today and the 17 days before it, one of them at $2.40, half of today, and 13 more days.
    assert.deepEqual([projection.spent, projection.projected], [10.56, 17.04]);
  });

  test('of growing costs is the middle of its range, rounded to what the range supports', async () => {
    const organization = await testApp.newOrganization();
    // A hundred days that grow from 10 to 109 minutes, with alternating noise.
    const minutes = (days: number) => 110 - days + (days % 5) * 3;
    await submit(
      organization,
      ...Array.from({ length: 99 }, (_, days) => runDaysAgo(days + 1, minutes(days + 1))),
    );
    const { projected, rounded, usual_pace, low, high, spent, daily } = await get(organization, 'projection');
    const day = (nth: number) => daily[nth - 1].projected ?? daily[nth - 1].cost;
    assert.ok(
      usual_pace < low && low < projected && projected < high,
      `${usual_pace} ${low} ${projected} ${high}`,
    );
    assert.ok(projected > 27 && projected < 31, String(projected)); // 31 days of 113 minutes are 28.02
    assert.ok(Math.abs(rounded - projected) < (high - low) / 4);
    assert.match(String(rounded), /^\d\d(\.\d)?$/);
    const total = Array.from({ length: 31 }, (_, index) => Math.round(day(index + 1) * 1e9)).reduce(
      (a, b) => a + b,
    );
    assert.equal(total, Math.round(projected * 1e9));
    assert.ok(spent < projected);
  });

  test('of the last instant of a month is what was spent', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, ...Array.from({ length: 60 }, (_, days) => runDaysAgo(days, (days % 5) + 1)));
    try {
      clock.set('2026-03-31T23:59:59.999Z');
      const { spent, projected, days_elapsed } = await get(organization, 'projection');
      assert.equal(projected, spent);
      assert.equal(days_elapsed, 31);
      clock.set('2026-04-01T00:00:00Z');
      const next = await get(organization, 'projection');
      assert.equal(next.month, '2026-04');
      assert.equal(next.previous_month, spent);
      assert.equal(next.spent, 0);
    } finally {
      clock.set(noon);
    }
  });

  test("has only the organization's own costs", async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    await submit(organization, runDaysAgo(1, 10));
    assert.equal((await get(organization, 'projection')).spent, 0.08);
    assert.equal((await get(other, 'projection')).projected, 0);
  });
});

describe('data quality', () => {
  test('of an organization without runs is empty', async () => {
    assert.deepEqual(await get(await testApp.newOrganization(), 'unknowns'), {
      unpriced: { jobs: 0, minutes: 0, runners: [] },
      incomplete_runs: 0,
      flagged_jobs: { guessed_runner: 0, missing_labels: 0, negative_duration: 0, over_time_limit: 0 },
      runs_examined: 0,
      quiet_days: [],
      last_event_at: null,
      period: { start: '2026-02-17', end: '2026-03-18', days: 30 },
    });
  });

  test('counts all unpriced jobs and names the ten runners with the most minutes', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      ...Array.from({ length: 12 }, (_, index) =>
        runDaysAgo(index, index + 1, {}, { labels: ['Lab', `box-${index}`], runner_group: 'Ours' }),
      ),
      runDaysAgo(0, 2, {}, { labels: ['lab', 'box-11'], runner_group: 'Ours' }),
      runDaysAgo(30, 100, {}, { labels: ['too-old'] }),
      runDaysAgo(0, 50),
    );
    const { unpriced } = await get(organization, 'unknowns');
    assert.deepEqual([unpriced.jobs, unpriced.minutes, unpriced.runners.length], [13, 80, 10]);
    assert.deepEqual(unpriced.runners[0], {
      labels: ['box-11', 'lab'],
      runner_group: 'Ours',
      has_new_label: false,
      jobs: 2,
      minutes: 14,
      last_seen: '2026-03-18',
    });
    const listed = (await organization.get('/api/v1/pricing/unpriced')).body;
    assert.equal(listed.pagination.total, 12);
    const explained = { runner_kind: null, explanation: null, estimated_cost: null };
    assert.deepEqual(
      unpriced.runners.map((runner: object) => ({ ...runner, ...explained })),
      listed.data.slice(0, 10),
    );
    const today = (await get(organization, 'unknowns', { days: 1 })).unpriced;
    assert.deepEqual([today.jobs, today.minutes], [2, 3]);
  });

  test('counts runs created before yesterday that have not ended', async () => {
    const organization = await testApp.newOrganization();
    const waiting = { status: 'queued', conclusion: undefined, started_at: undefined };
    const running = { status: 'in_progress', conclusion: undefined };
    await submit(
      organization,
      ...[0, 1, 2, 5, 29, 30].map((days) => runDaysAgo(days, 0, waiting)),
      runDaysAgo(4, 0, running),
      runDaysAgo(3, 5),
    );
    for (const [days, incomplete] of [
      [30, 4],
      [3, 1],
      [31, 5],
    ] as const) {
      assert.equal((await get(organization, 'unknowns', { days })).incomplete_runs, incomplete);
      const { body } = await organization.get('/api/v1/runs', { flag: 'incomplete', days });
      assert.deepEqual([body.pagination.total, body.data.length], [incomplete, incomplete]);
      assert.ok(body.data.every(({ status }: { status: string }) => status !== 'completed'));
    }
  });

  test('counts no run that waits for an approval, but one that never ended afterwards', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    const job = { id: 1, run_id: 7, created_at: '2026-03-10T10:00:00Z' };
    const incomplete = async () => {
      const { body } = await organization.get('/api/v1/runs', { flag: 'incomplete' });
      const { incomplete_runs } = await get(organization, 'unknowns');
      assert.equal(body.pagination.total, incomplete_runs);
      return incomplete_runs;
    };
    await source.deliver('workflow_job', gitHubJob({ ...job, status: 'waiting' }));
    await submit(organization, runDaysAgo(4, 0, { status: 'in_progress', conclusion: undefined }));
    assert.equal(await incomplete(), 1);
    await source.deliver('workflow_job', gitHubJob({ ...job, status: 'in_progress' }));
    assert.equal(await incomplete(), 2);
  });

  test('counts jobs with a doubtful cost by the day on which they completed', async () => {
    const organization = await testApp.newOrganization();
    await submit(
      organization,
      runDaysAgo(1, 1, {}, { labels: ['team-linux-16-cores'] }),
      runDaysAgo(2, 361),
      runDaysAgo(2, 361, {}, { labels: ['other-linux-16-cores'] }),
      runDaysAgo(30, 361),
    );
    const flagged = async () => {
      const { flagged_jobs, runs_examined } = await get(organization, 'unknowns');
      return { ...flagged_jobs, runs_examined };
    };
    const few = { guessed_runner: 2, missing_labels: 0, negative_duration: 0, over_time_limit: 2 };
    assert.deepEqual(await flagged(), { ...few, runs_examined: 3 });
    // A month ago it started, and only yesterday it was canceled.
    const completed_at = '2026-03-17T12:00:00Z';
    await submit(
      organization,
      runDaysAgo(34, 1, { run_id: 'stuck' }, { completed_at, conclusion: 'cancelled' }),
    );
    assert.deepEqual(await flagged(), { ...few, over_time_limit: 3, runs_examined: 4 });
    const listed = (await organization.get('/api/v1/runs', { flag: 'over_time_limit' })).body;
    const ids = listed.data.map(({ id }: { id: string }) => id);
    assert.deepEqual([ids.length, ids.at(-1)], [3, 'run_api_stuck']);
    const { body } = await organization.get('/api/v1/runs', { flag: 'over_time_limit', days: 1 });
    assert.deepEqual([body.data, body.period.days], [[], 1]);
  });

  test('counts flags among the last 5,000 jobs, but all jobs over a time limit', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, runDaysAgo(2, 361, {}, { labels: ['other-linux-16-cores'] }));
    const newRuns = Array.from({ length: 5 }, () =>
      newRun({ jobs: Array.from({ length: 1_000 }, () => newJob()) }),
    );
    await submit(organization, ...newRuns);
    const { flagged_jobs, runs_examined } = await get(organization, 'unknowns');
    assert.deepEqual([flagged_jobs.guessed_runner, flagged_jobs.over_time_limit, runs_examined], [0, 1, 5]);
  });

  test('names the days without reports that usually have some', async () => {
    const organization = await testApp.newOrganization();
    // Tuesdays to Saturdays of ten weeks, except the 10th (a Tuesday), the 14th (a Saturday) and today.
    const busy = Array.from({ length: 70 }, (_, days) => days).filter(
      (days) => ![3, 2].includes(days % 7) && ![0, 8, 4].includes(days),
    );
    await submit(organization, ...busy.map((days) => runDaysAgo(days, 1)));
    assert.deepEqual((await get(organization, 'unknowns')).quiet_days, ['2026-03-10', '2026-03-14']);
    assert.deepEqual((await get(organization, 'unknowns', { days: 5 })).quiet_days, ['2026-03-14']);
  });

  test('says when the last event came, from the API or a source', async () => {
    const organization = await testApp.newOrganization();
    try {
      await submit(organization, runDaysAgo(3, 1));
      assert.equal((await get(organization, 'unknowns')).last_event_at, '2026-03-18T12:00:00.000Z');
      clock.set('2026-03-18T15:30:00Z');
      const source = await newSource(testApp, organization);
      const created_at = '2026-03-10T10:00:00Z';
      await source.deliver('workflow_run', gitHubRun({ created_at }));
      await source.deliver('workflow_job', gitHubJob({ created_at }));
      assert.equal((await get(organization, 'unknowns')).last_event_at, '2026-03-18T15:30:00.000Z');
    } finally {
      clock.set(noon);
    }
  });

  test("covers only the caller's organization, cut to the plan's history", async () => {
    const organization = await testApp.newOrganization({ plan: 'free' });
    const other = await testApp.newOrganization();
    await submit(
      organization,
      runDaysAgo(5, 1, { status: 'queued', conclusion: undefined, started_at: undefined, jobs: [] }),
      runDaysAgo(29, 3, {}, { labels: ['lab'] }),
      runDaysAgo(30, 3, {}, { labels: ['lab'] }),
    );
    const { unpriced, incomplete_runs, period } = await get(organization, 'unknowns', { days: 999 });
    assert.deepEqual([unpriced.minutes, incomplete_runs, period.days], [3, 1, 30]);
    const theirs = await get(other, 'unknowns', { days: 999 });
    assert.deepEqual(
      [theirs.unpriced.minutes, theirs.incomplete_runs, theirs.runs_examined, theirs.last_event_at],
      [0, 0, 0, null],
    );
  });

  test('refuses days that are not a whole number from 1', async () => {
    const organization = await testApp.newOrganization();
    for (const days of [0, -1, 1.5, 'week', '']) {
      const answer = await organization.get('/api/v1/dashboard/unknowns', { days });
      assertProblem(answer, 400, 'invalid_request', ['query.days']);
    }
  });
});
