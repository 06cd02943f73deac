import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newTokenHolder } from '../../../test/harness/sessions.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays } from '../../platform/lib/days.ts';

const testApp = await startTestApp();
const path = '/api/v1/waste/fixes';
beforeEach(() => testApp.clock.set('2026-03-18T12:00:00Z'));

/** A run with two jobs of `minutes`, at 0.008 a minute. */
function runOn(day: string, minutes: number, conclusion = 'failure', fields: object = {}) {
  const started_at = `${day}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  const jobs = ['unit', 'e2e'].map((name) => newJob({ name, conclusion, started_at, completed_at }));
  return newRun({ created_at: started_at, started_at, conclusion, jobs, ...fields });
}

async function fixesOf(organization: TestOrganization, query: Record<string, string | number> = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const ids = (fixes: { id: string }[]) => fixes.map(({ id }) => id);

/** The failures of CI cost more than those of Docs. */
async function newCompany() {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    runOn('2026-03-16', 50, 'failure', { workflow_name: 'CI' }),
    runOn('2026-03-17', 25, 'failure', { workflow_name: 'CI', run_number: 7, branch: 'main' }),
    runOn('2026-03-16', 5, 'failure', { workflow_name: 'Docs', repo_name: 'acme/docs' }),
    runOn('2026-03-17', 5, 'failure', { workflow_name: 'Docs', repo_name: 'acme/docs' }),
  );
  const { fixes } = (await fixesOf(organization)).data;
  const [ci, docs] = ids(fixes) as [string, string];
  const decide = (id: string, body: object, token?: string) =>
    organization.send('PUT', `${path}/${id}/decision`, body, token);
  return { organization, ci, docs, decide };
}

describe('fixes', () => {
  test('are ranked across workflows by what they save a month, and add up', async () => {
    const { organization, ci, docs } = await newCompany();
    const { data, pagination } = await fixesOf(organization, { days: 15 });
    const [first] = data.fixes;
    assert.deepEqual(ids(data.fixes), [ci, docs]);
    assert.equal(pagination.total, 2);
    assert.deepEqual(
      [first.workflow, first.repository, first.category, first.status, first.cost, first.saving],
      ['CI', 'acme/api', 'failed', 'open', 1.2, 1.2],
    );
    // Two periods of 15 days are a month.
    assert.deepEqual([first.saving_per_month, data.saving_per_month], [2.4, 2.72]);
    assert.match(first.suggestions[0].text, /^Failing most: e2e \(2 of 2/);
    assert.deepEqual([data.total_cost, data.waste_cost, data.useful_cost], [1.36, 1.36, 0]);
    assert.deepEqual(ids((await fixesOf(organization, { repo: 'docs' })).data.fixes), [docs]);
    assert.deepEqual((await fixesOf(organization, { category: 'rerun' })).data.fixes, []);
    const twoDays = await fixesOf(organization, { from: '2026-03-16', to: '2026-03-17' });
    assert.deepEqual([twoDays.data.period.days, twoDays.data.saving_per_month], [2, 20.4]);
    const paged = await fixesOf(organization, { per_page: 1, page: 2 });
    assert.deepEqual(ids(paged.data.fixes), [docs]);
    assert.deepEqual((await fixesOf(await testApp.newOrganization())).data.fixes, []);
  });

  test('save a month what they saved on usual days, and say which days they leave out', async () => {
    const organization = await testApp.newOrganization();
    const before = Array.from({ length: 60 }, (_, days) => addDays('2026-03-18', -days));
    await submit(
      organization,
      // Half of each day's cost is waste: $0.80 of $1.60.
      ...before.flatMap((day) => [
        runOn(day, 50, 'failure', { workflow_name: 'CI' }),
        runOn(day, 50, 'success', { workflow_name: 'CI', created_at: `${day}T09:00:00Z` }),
      ]),
      runOn('2026-03-10', 300, 'failure', { workflow_name: 'CI', created_at: '2026-03-10T10:00:00Z' }),
      // Once only.
      ...before.slice(1).map((day) => runOn(day, 50, 'success', { workflow_name: 'Deploy' })),
      ...[1, 2].map((hour) =>
        runOn('2026-03-12', 300, 'failure', {
          workflow_name: 'Deploy',
          created_at: `2026-03-12T0${hour}:00:00Z`,
        }),
      ),
    );
    const { data } = await fixesOf(organization, { days: 30, category: 'failed' });
    const [ci, deploy] = data.fixes;
    assert.deepEqual([ci.left_out_days, deploy.left_out_days], [['2026-03-10'], ['2026-03-12']]);
    assert.deepEqual([ci.workflow, ci.saving, ci.saving_per_month], ['CI', 28.8, 24]);
    assert.deepEqual([deploy.saving, deploy.saving_per_month], [9.6, 0]);
    assert.deepEqual([data.saving_per_month, data.left_out_days], [24, ['2026-03-10', '2026-03-12']]);
    // The days stay in every total.
    assert.equal(data.waste_cost, 38.4);
  });

  test('that are done or dismissed leave the sum, and come back when the decision is taken back', async () => {
    const { organization, ci, docs, decide } = await newCompany();
    const mona = await newTokenHolder(organization, 'Mona');
    const done = await decide(ci, { status: 'done' }, mona.token);
    assert.deepEqual(done.body, {
      data: { status: 'done', reason: null, author: 'Mona', decided_at: '2026-03-18T12:00:00.000Z' },
    });
    await decide(docs, { status: 'dismissed', reason: 'Known' });
    const { data } = await fixesOf(organization);
    assert.deepEqual([data.saving_per_month, data.counts], [0, { open: 0, done: 1, dismissed: 1 }]);
    testApp.clock.forward(60);
    const reworded = await decide(docs, { status: 'dismissed', reason: 'Known, and cheap' });
    assert.equal(reworded.body.data.decided_at, '2026-03-18T12:00:00.000Z');
    const listed = await fixesOf(organization, { status: 'dismissed' });
    assert.deepEqual(ids(listed.data.fixes), [docs]);
    assert.equal(listed.data.fixes[0].decision.reason, 'Known, and cheap');
    const reopened = await organization.send('DELETE', `${path}/${docs}/decision`);
    assert.deepEqual(reopened.body, { data: { id: docs, deleted: true } });
    assert.deepEqual((await fixesOf(organization)).data.counts, { open: 1, done: 1, dismissed: 0 });
    const { data: audit } = (await organization.get('/api/v1/audit-log')).body;
    assert.deepEqual(
      audit
        .filter(({ action }: { action: string }) => action.startsWith('waste_fix.'))
        .map(({ action, target, details }: Record<string, unknown>) => [action, target, details]),
      [
        ['waste_fix.reopen', docs, { status: 'dismissed', reason: 'Known, and cheap' }],
        ['waste_fix.decide', docs, { reason: 'Known, and cheap', before: { reason: 'Known' } }],
        ['waste_fix.decide', docs, { status: 'dismissed', reason: 'Known' }],
        ['waste_fix.decide', ci, { status: 'done', reason: null }],
      ],
    );
  });

  test('name what is wrong with a decision', async () => {
    const { organization, ci, decide } = await newCompany();
    const workflowId = ci.split('.')[0]!;
    assertProblem(await decide(ci, { status: 'dismissed' }), 400, 'invalid_request', ['body.reason']);
    assertProblem(await decide(ci, { status: 'open' }), 400, 'invalid_request', ['body.status']);
    for (const [id, pattern] of [
      ['wf_none.failed', /There is no workflow wf_none/],
      [
        `${workflowId}.wasted`,
        /a category \(rounding, failed, superseded, rerun, skipped_after_queueing, idle_schedule, /,
      ],
      [workflowId, /such as wf_….superseded/],
    ] as const) {
      const refused = await decide(id, { status: 'done' });
      assertProblem(refused, 404, 'fix_not_found');
      assert.match(refused.body.detail, pattern);
    }
    const open = await organization.send('DELETE', `${path}/${ci}/decision`);
    assertProblem(open, 404, 'fix_not_found');
    assert.match(open.body.detail, /There is no decision about the fix wf_/);
  });

  test('are decided with the scope waste:write, by members, for their organization', async () => {
    const { organization, ci, decide } = await newCompany();
    const stranger = await testApp.newOrganization();
    const done = { status: 'done' };
    assert.equal((await decide(ci, done, await organization.newToken('viewer'))).status, 403);
    assert.equal((await decide(ci, done, await organization.newToken('owner', ['costs:read']))).status, 403);
    assertProblem(await stranger.send('PUT', `${path}/${ci}/decision`, done), 404, 'fix_not_found');
    assert.equal(
      (await decide(ci, done, await organization.newToken('member', ['waste:write']))).status,
      200,
    );
    const foreign = await stranger.send('DELETE', `${path}/${ci}/decision`);
    assertProblem(foreign, 404, 'fix_not_found');
    const runs = { workflow_id: ci.split('.')[0]!, category: 'failed' };
    assert.deepEqual((await stranger.get('/api/v1/waste/runs', runs)).body.data.runs, []);
    const trend = (await stranger.get('/api/v1/waste/trend')).body.data;
    assert.ok(trend.weeks.every(({ cost }: { cost: number }) => cost === 0));
  });

  test('of all pages are a CSV file', async () => {
    const { organization, ci, docs, decide } = await newCompany();
    await decide(docs, { status: 'dismissed', reason: '=1+1' });
    const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
    const csv = await request(testApp.server, { method: 'GET', url: `${path}?per_page=1`, headers });
    const [heading, first, second] = csv.text.split('\r\n');
    assert.match(heading!, /^fix,status,repository,workflow,category,saving_per_month_usd,/);
    assert.match(first!, new RegExp(`^${ci},open,acme/api,CI,failed,1.2,1.2,1.2,`));
    assert.match(second!, new RegExp(`^${docs},dismissed,.*,'=1\\+1,token tok_`));
    assert.match(String(csv.headers['content-disposition']), /runcost-waste-2026-02-17-to-2026-03-18\.csv/);
  });
});

describe('a fix that is done', () => {
  test('says whether it saved, once a week of whole days is over', async () => {
    const organization = await testApp.newOrganization();
    const report = async (day: string, minutes: number) => {
      await submit(organization, runOn(day, minutes));
    };
    testApp.clock.set('2026-03-01T12:00:00Z');
    // 1,000 minutes a week before, on the day itself, and 250 a week after.
    for (const day of ['2026-02-10', '2026-02-17', '2026-02-24'])
      for (let run = 0; run < 2; run++) await report(day, 250);
    await report('2026-02-28', 300);
    const [id] = ids((await fixesOf(organization)).data.fixes) as [string];
    testApp.clock.set('2026-02-28T12:00:00Z');
    await organization.send('PUT', `${path}/${id}/decision`, { status: 'done' });
    const outcome = async () => (await fixesOf(organization)).data.fixes[0].outcome;
    testApp.clock.set('2026-03-07T23:59:59Z');
    await report('2026-03-05', 125);
    const { sentence, ...early } = await outcome();
    assert.equal(sentence, 'Too early to say until Mar 8, 2026. Promised $28.80 a month.');
    assert.deepEqual([early.state, early.known_on, early.before], ['too_early', '2026-03-08', null]);
    testApp.clock.set('2026-03-08T00:00:00Z');
    assert.equal(
      (await outcome()).sentence,
      '$8.00 a week before, $2.00 since: saved $6.00 a week. Promised $28.80 a month, saved $25.72.',
    );
    testApp.clock.set('2026-03-15T00:00:00Z');
    assert.deepEqual(await outcome(), {
      state: 'compared',
      sentence:
        '$8.00 a week before, $1.00 since: saved $7.00 a week. Promised $28.80 a month, saved $30.00.',
      promised_per_month: 28.8,
      known_on: null,
      weeks: 2,
      before: { start: '2026-02-14', end: '2026-02-27', cost: 16, workflow_cost: 16 },
      since: { start: '2026-03-01', end: '2026-03-14', cost: 2, workflow_cost: 2 },
      saved_per_week: 7,
      saved_per_month: 30,
    });
    // It stays in the list in a period in which there is nothing to change.
    const later = (await fixesOf(organization, { from: '2026-03-09', to: '2026-03-12' })).data.fixes;
    assert.deepEqual([later.length, later[0].suggestions, later[0].cost], [1, [], 0]);
  });

  test('has nothing to compare with if no week was recorded before', async () => {
    const { organization, ci, decide } = await newCompany();
    await decide(ci, { status: 'done' });
    testApp.clock.set('2026-03-30T12:00:00Z');
    const { fixes } = (await fixesOf(organization, { status: 'done' })).data;
    assert.equal(fixes[0].outcome.state, 'no_history');
  });
});

test('the trend has a sum for each week, which add up to the waste of the same days', async () => {
  const { organization } = await newCompany();
  await submit(organization, runOn('2026-03-09', 10), runOn('2026-03-15', 10));
  const { weeks, period } = (await organization.get('/api/v1/waste/trend', { weeks: 2 })).body.data;
  assert.deepEqual(period, { start: '2026-03-09', end: '2026-03-18', days: 10 });
  assert.deepEqual(
    weeks.map(({ start, end, waste_cost }: Record<string, unknown>) => [start, end, waste_cost]),
    [
      ['2026-03-09', '2026-03-15', 0.32],
      ['2026-03-16', '2026-03-18', 1.36],
    ],
  );
  const fromSunday = await organization.get('/api/v1/waste/trend', { weeks: 2, week_start: 'sunday' });
  assert.deepEqual(
    fromSunday.body.data.weeks.map(({ start, end, waste_cost }: Record<string, unknown>) => [
      start,
      end,
      waste_cost,
    ]),
    [
      ['2026-03-08', '2026-03-14', 0.16],
      ['2026-03-15', '2026-03-18', 1.52],
    ],
  );
  const { data } = (await organization.get('/api/v1/waste', { days: 10 })).body;
  assert.equal(data.waste_cost, 1.68);
  assert.equal(weeks[0].previous_waste_cost, null);
  const free = await testApp.newOrganization({ plan: 'free' });
  const shown = (await free.get('/api/v1/waste/trend')).body.data;
  assert.deepEqual([shown.period.days, shown.weeks.length], [30, 5]);
});

test('the weeks are compared with as many days of the weeks before, or of a year before', async () => {
  const { organization } = await newCompany();
  await submit(
    organization,
    ...['2026-03-09', '2026-03-11', '2026-03-12', '2025-03-18', '2025-03-19'].map((day) => runOn(day, 10)),
  );
  const compared = async (query: object) =>
    (await organization.get('/api/v1/waste/trend', { weeks: 1, ...query })).body.data.weeks.map(
      ({ start, previous_waste_cost: previous }: Record<string, unknown>) => [start, previous],
    );
  // The week ends on Wednesday, so Thursday of last week does not count.
  assert.deepEqual(await compared({ compare: 'previous_period' }), [['2026-03-16', 0.32]]);
  assert.deepEqual(await compared({ compare: 'previous_year' }), [['2026-03-16', 0.32]]);
  assert.deepEqual(await compared({ compare: 'previous_period', repo: 'docs' }), [['2026-03-16', null]]);
  // This plan shows five weeks.
  const free = await testApp.newOrganization({ plan: 'free' });
  await submit(free, runOn('2026-02-10', 10));
  const { data } = (await free.get('/api/v1/waste/trend', { compare: 'previous_period' })).body;
  assert.equal(data.weeks.at(-1).start, '2026-03-16');
  assert.equal(data.weeks.at(-1).previous_waste_cost, 0.16);
});

test('the waste is compared with the days before, also beyond the plan, or with a year before', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  await submit(
    organization,
    runOn('2026-03-17', 50),
    runOn('2026-02-10', 25),
    runOn('2026-02-10', 5, 'failure', { repo_name: 'acme/docs' }),
    runOn('2025-03-17', 10),
  );
  const previousOf = async (query: Record<string, string>) =>
    (await fixesOf(organization, { days: 30, ...query })).data.previous;
  const before = await previousOf({ compare: 'previous_period' });
  assert.deepEqual(before.period, { start: '2026-01-18', end: '2026-02-16', days: 30 });
  assert.deepEqual([before.total_cost, before.waste_cost], [0.48, 0.48]);
  assert.deepEqual(before.categories[1], { category: 'failed', cost: 0.48 });
  assert.equal((await previousOf({ compare: 'previous_period', repo: 'docs' })).waste_cost, 0.08);
  assert.equal((await previousOf({ compare: 'previous_year' })).waste_cost, 0.16);
  assert.equal(await previousOf({}), null);
});

test('the runs with the most waste of a category are listed as evidence', async () => {
  const { organization, ci } = await newCompany();
  const query = { workflow_id: ci.split('.')[0]!, category: 'failed' };
  const { runs } = (await organization.get('/api/v1/waste/runs', query)).body.data;
  assert.deepEqual(
    runs.map(({ cost, minutes, jobs }: Record<string, unknown>) => [cost, minutes, jobs]),
    [
      [0.8, 100, 2],
      [0.4, 50, 2],
    ],
  );
  assert.deepEqual([runs[1].branch, runs[1].conclusion], ['main', 'failure']);
  const one = await organization.get('/api/v1/waste/runs', { ...query, limit: 1 });
  assert.deepEqual(one.body.data.runs, [runs[0]]);
  const none = await organization.get('/api/v1/waste/runs', { ...query, workflow_id: 'wf_none' });
  assert.deepEqual(none.body.data.runs, []);
});

test('days that the plan does not show are refused by field', async () => {
  const { organization } = await newCompany();
  for (const [query, field] of [
    [{ from: '2026-03-02' }, 'query.to'],
    [{ to: '2026-03-02' }, 'query.from'],
    [{ from: '2026-03-03', to: '2026-03-02' }, 'query.from'],
    [{ from: '2024-03-03', to: '2024-03-04' }, 'query.to'],
    [{ from: '2026-03-19', to: '2026-03-20' }, 'query.to'],
  ] as [Record<string, string>, string][])
    assertProblem(await organization.get(path, query), 400, 'invalid_request', [field]);
  const { period } = (await fixesOf(organization, { from: '2025-11-01', to: '2026-04-01' })).data;
  assert.deepEqual(period, { start: '2025-12-19', end: '2026-03-18', days: 90 });
});
