import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource, type TestSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubPullRequest, type Payload } from '../../../test/payloads/gitHub.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/pull-requests';
const day = (ago: number) => new Date(Date.parse('2026-03-18T10:00:00Z') - ago * 86_400_000).toISOString();

/** A run with a job of some minutes, at 0.008 USD each. */
const runOf = (pullRequest: number | undefined, minutes: number, fields: { ago?: number } & Payload = {}) => {
  const { ago = 0, ...others } = fields;
  const completed_at = new Date(Date.parse(day(ago)) + minutes * 60_000).toISOString();
  const times = { created_at: day(ago), started_at: day(ago) };
  const jobs = [newJob({ started_at: day(ago), completed_at })];
  return newRun({ provider: 'github', pull_request: pullRequest, ...times, jobs, ...others });
};

type Said = { state?: string; draft?: boolean; merged?: boolean; ago?: number; login?: string };

async function say(source: TestSource, number: number, said: Said): Promise<void> {
  const { state = 'open', draft = false, merged = false, ago = 0, login = 'mona' } = said;
  const ended = state === 'open' ? null : day(ago);
  const payload = gitHubPullRequest({
    number,
    state,
    draft,
    merged,
    merged_at: merged ? ended : null,
    closed_at: ended,
    created_at: day(ago + 3),
    updated_at: day(ago),
    title: `Change ${number}`,
    user: { login },
  });
  Object.assign(payload['repository'] as Payload, {
    full_name: 'acme/api',
    html_url: 'https://github.com/acme/api',
  });
  const answer = await source.deliver('pull_request', payload);
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(answer.body, { data: { status: 'recorded', event: 'pull_request' } });
}

async function list(organization: TestOrganization, query: Payload = {}) {
  const answer = await organization.get(path, query as Record<string, string>);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function newRecorded() {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const source = await newSource(testApp, organization);
  await submit(
    organization,
    runOf(1, 10, { ago: 40, commit: 'a'.repeat(40) }),
    runOf(1, 20, { ago: 1, commit: 'b'.repeat(40) }),
    runOf(2, 5, { ago: 2 }),
    runOf(3, 7),
    runOf(4, 1, { repo_name: 'acme/web' }),
    runOf(undefined, 100),
  );
  return { organization, source };
}

test('lists the most expensive, what a merge cost in the whole, and what ended without one', async () => {
  const { organization, source } = await newRecorded();
  await say(source, 1, { state: 'closed', merged: true, ago: 1 });
  await say(source, 2, { state: 'closed', ago: 2, login: 'Copilot' });
  await say(source, 3, {});
  // Events of another organization say nothing here.
  await say(await newSource(testApp, await testApp.newOrganization()), 4, { state: 'closed' });
  const { data, pagination } = await list(organization, { days: 30 });
  const { pull_requests: listed, states, merged, closed, cost, counted_from: from } = data;
  assert.deepEqual(
    listed.map((each: Payload) => [each['number'], each['state'], each['cost'], each['total_cost']]),
    [
      [1, 'merged', 0.16, 0.24],
      [3, 'open', 0.056, 0.056],
      [2, 'closed', 0.04, 0.04],
      [4, 'unknown', 0.008, 0.008],
    ],
  );
  assert.deepEqual(pagination, { total: 4, page: 1, per_page: 50 });
  assert.deepEqual(listed[0], {
    provider: 'github',
    repository: 'acme/api',
    number: 1,
    title: 'Change 1',
    author: 'mona',
    state: 'merged',
    created_at: day(4),
    ended_at: day(1),
    cost: 0.16,
    actor_kinds: [{ kind: null, cost: 0.16 }],
    total_cost: 0.24,
    runs: 2,
    pushes: 2,
    reruns: 0,
    url: 'https://github.com/acme/api/pull/1',
  });
  const { title, author, created_at, ended_at } = listed[3];
  assert.deepEqual([title, author, created_at, ended_at], [null, null, null, null]);
  assert.equal(cost, 0.264);
  assert.deepEqual(states, [
    { state: 'merged', pull_requests: 1, cost: 0.16 },
    { state: 'closed', pull_requests: 1, cost: 0.04 },
    { state: 'open', pull_requests: 1, cost: 0.056 },
    { state: 'draft', pull_requests: 0, cost: 0 },
    { state: 'unknown', pull_requests: 1, cost: 0.008 },
  ]);
  assert.deepEqual(merged, { pull_requests: 1, cost: 0.24, median_cost: 0.24 });
  assert.deepEqual(closed, { pull_requests: 1, cost: 0.04, median_cost: 0.04 });
  assert.equal(from, '2025-11-19');
});

test('agrees with the cost query, whose days before change with a state', async () => {
  const { organization, source } = await newRecorded();
  const byState = async () => {
    const { body } = await organization.get('/api/v1/costs', { group_by: 'pull_request_state' });
    return Object.fromEntries(
      body.data.groups.map(({ by: [{ name }], value }: { by: [{ name: string }]; value: number }) => [
        name,
        value,
      ]),
    );
  };
  assert.deepEqual(await byState(), { none: 0.8, unknown: 0.264 });
  await say(source, 1, { ago: 2 });
  assert.deepEqual(await byState(), { none: 0.8, unknown: 0.104, open: 0.16 });
  await say(source, 1, { state: 'closed', merged: true, ago: 1 });
  assert.deepEqual(await byState(), { none: 0.8, unknown: 0.104, merged: 0.16 });
  const { states, cost } = (await list(organization)).data;
  assert.equal(cost, 0.264);
  assert.equal(states[0].cost, 0.16);
  const runs = await organization.get('/api/v1/costs/runs', { pull_request_state: 'merged', days: 90 });
  assert.equal(runs.body.data.length, 2);
  const byAuthor = { group_by: 'pull_request_author', pull_request_author: 'mona' };
  assert.equal((await organization.get('/api/v1/costs', byAuthor)).body.data.total.value, 0.16);
});

test('says what agents, bots and people cost, and who caused each push', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const ofAgent = { run_id: 'agent', actor: 'Copilot', commit: 'a'.repeat(40), ago: 2 };
  const again = newJob({ job_id: 'again', started_at: day(1), completed_at: day(1 - 3 / 1_440) });
  await submit(
    organization,
    runOf(1, 10, ofAgent),
    runOf(1, 0, { ...ofAgent, actor: 'mona', run_attempt: 2, jobs: [again] }),
    runOf(1, 2, { actor: 'mona', commit: 'b'.repeat(40) }),
    runOf(2, 5, { actor: 'dependabot[bot]' }),
    runOf(3, 1),
    runOf(undefined, 100, { actor: 'Copilot' }),
  );
  const { data } = await list(organization);
  assert.deepEqual(data.actor_kinds, [
    { kind: 'agent', cost: 0.08 },
    { kind: 'bot', cost: 0.04 },
    { kind: 'person', cost: 0.04 },
    { kind: null, cost: 0.008 },
  ]);
  assert.deepEqual(
    data.pull_requests.map(({ number, actor_kinds: kinds }: Payload) => [number, kinds]),
    [
      [
        1,
        [
          { kind: 'agent', cost: 0.08 },
          { kind: 'person', cost: 0.04 },
        ],
      ],
      [2, [{ kind: 'bot', cost: 0.04 }]],
      [3, [{ kind: null, cost: 0.008 }]],
    ],
  );
  const asked = { repository: 'acme/api', pull_request: 1 };
  const { body } = await organization.send('POST', '/api/v1/pull-request-reports', asked);
  assert.deepEqual(
    body.data.rounds.map((round: Payload) => [round['started_by'], round['actor_kind'], round['cost']]),
    [
      ['Copilot', 'agent', 0.104],
      ['mona', 'person', 0.016],
    ],
  );
});

test('filters and pages', async () => {
  const { organization, source } = await newRecorded();
  await say(source, 3, { login: 'Copilot' });
  const numbers = async (query: Payload) =>
    (await list(organization, query)).data.pull_requests.map((each: Payload) => each['number']);
  assert.deepEqual(await numbers({ pull_request_state: 'open' }), [3]);
  await say(source, 2, { draft: true });
  assert.deepEqual(await numbers({ pull_request_state: 'draft' }), [2]);
  assert.deepEqual(await numbers({ pull_request_author: 'Copilot' }), [3]);
  assert.deepEqual(await numbers({ repository: 'ACME/web' }), [4]);
  assert.deepEqual(await numbers({ per_page: 2, page: 2 }), [2, 4]);
  assert.deepEqual(await numbers({ from: '2026-02-01', to: '2026-02-10' }), [1]);
  assertProblem(await organization.get(path, { pull_request_state: 'mergd' }), 400, 'invalid_request', [
    'query.pull_request_state',
  ]);
  assertProblem(await organization.get(path, { state: 'open' }), 400, 'invalid_request', ['query.state']);
  assert.deepEqual((await list(await testApp.newOrganization())).data.merged, {
    pull_requests: 0,
    cost: 0,
    median_cost: null,
  });
});

test('a repository in two cases is one, as workflows spell it', async () => {
  const organization = await testApp.newOrganization();
  const source = await newSource(testApp, organization);
  await submit(
    organization,
    runOf(1, 10, { repo_name: 'Acme/API', commit: 'a'.repeat(40) }),
    runOf(1, 5, { ago: 1, commit: 'b'.repeat(40) }),
    runOf(2, 1),
  );
  await say(source, 1, { state: 'closed', merged: true });
  const { pull_requests: listed, states, merged } = (await list(organization)).data;
  assert.deepEqual(
    listed.map((each: Payload) => [each['repository'], each['number'], each['state'], each['cost']]),
    [
      ['Acme/API', 1, 'merged', 0.12],
      ['Acme/API', 2, 'unknown', 0.008],
    ],
  );
  assert.deepEqual([listed[0].runs, listed[0].pushes, listed[0].title], [2, 2, 'Change 1']);
  assert.deepEqual(states[0], { state: 'merged', pull_requests: 1, cost: 0.12 });
  assert.deepEqual(merged, { pull_requests: 1, cost: 0.12, median_cost: 0.12 });
});

test('repositories that the database spells in small letters in another way are listed', async () => {
  const organization = await testApp.newOrganization();
  const names = ['acme/ΑΣ', 'acme/ας', 'acme/ασ', 'acme/İ'];
  await submit(organization, ...names.map((repo_name) => runOf(1, 1, { repo_name })));
  const { pull_requests: listed, cost } = (await list(organization)).data;
  const sum = listed.reduce((all: number, each: { cost: number }) => all + each.cost, 0);
  assert.deepEqual([sum, cost], [0.032, 0.032]);
});

test('the report says what each push and its re-runs cost', async () => {
  const { organization } = await newRecorded();
  const again = { run_id: 'again', commit: 'c'.repeat(40) };
  await submit(organization, runOf(1, 2, again));
  const second = newJob({ job_id: 'second', started_at: day(-0.1), completed_at: day(-0.1 - 3 / 1_440) });
  await submit(organization, runOf(1, 0, { ...again, run_attempt: 2, jobs: [second] }));
  const asked = { repository: 'acme/api', pull_request: 1 };
  const { body } = await organization.send('POST', '/api/v1/pull-request-reports', asked);
  const { rounds, cost } = body.data;
  assert.deepEqual(
    rounds.map((round: Payload) => [round['cost'], round['rerun_cost'], round['runs'], round['reruns']]),
    [
      [0.08, 0, 1, 0],
      [0.16, 0, 1, 0],
      [0.04, 0.024, 1, 1],
    ],
  );
  assert.equal(cost, 0.28);
});
