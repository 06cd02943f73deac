/** Two processes cache answers of one database. Neither may send a stale one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cachedAddress, cachedPaths } from './harness/cachedPaths.ts';
import { newStorage, ownerOf, serveHere, startServer } from './harness/program.ts';
import { newJob, newRun } from './harness/submission.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each change reads its own fields
type Answered = { status: number; text: string; body: any };

const settings = await newStorage();
const first = await serveHere(settings);
const addresses = [first.address, (await startServer(settings)).address] as const;
const { orgId, token } = ownerOf(first);

async function ask(address: string, path: string, options: RequestInit = {}, as = token): Promise<Answered> {
  const headers = {
    authorization: `Bearer ${as}`,
    ...(options.body && { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${address}${path}`, { ...options, headers });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

const askBoth = (path: string, as = token) =>
  Promise.all(addresses.map((address) => ask(address, path, {}, as)));

async function assertStatuses(path: string, as: string, status: number): Promise<void> {
  for (const answer of await askBoth(path, as)) assert.equal(answer.status, status, answer.text);
}

const summary = cachedAddress('dashboard/summary', orgId);
// One path of each kind; `src/insight/overview/cachedAnswers.test.ts` requests all of them.
const paths = cachedPaths.filter(
  (path) => !/trends|top-workflows|workflows\/summary|change|visibility/.test(path),
);
const asked = new Map<string, number>();

/** Requests a path that was not requested before, so that no cached answer exists. */
async function freshAnswer(address: string, path: string): Promise<string> {
  const times = (asked.get(path) ?? 0) + 1;
  asked.set(path, times);
  const { status, text } = await ask(address, cachedAddress(path, orgId) + '&'.repeat(times));
  assert.equal(status, 200, text);
  return text;
}

const maxTries = 50;

/** Fresh answers before and after are equal, unless background work has changed them in between. */
async function checkPath(path: string, after: string): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await freshAnswer(addresses[0], path);
    const kept = await askBoth(cachedAddress(path, orgId));
    if ((await freshAnswer(addresses[1], path)) !== before) continue;
    for (const [index, { text }] of kept.entries())
      assert.equal(text, before, `process ${index} after ${after}: ${path}`);
    return;
  }
  assert.fail(`${path} does not come to rest`);
}

const check = (after: string) => Promise.all(paths.map((path) => checkPath(path, after)));

/** Fills the caches of both processes while something changes. */
async function readUntil(done: Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  const noted = done.finally(() => (state.isDone = true));
  const reading = addresses.map(async (address) => {
    // One by one, because many at once only delay the change.
    for (let count = 0; !state.isDone; count++)
      await ask(address, cachedAddress(paths[count % paths.length]!, orgId));
  });
  await Promise.all([noted, ...reading]);
}

type Send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<Answered>;
type Change = (send: Send, draw: number) => Promise<unknown>;

const runs: Record<string, unknown>[] = [];
let ruleId = 'none';
let alertId = 'none';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const jobEnding = (minutes: number) =>
  newJob({ started_at: minutesAgo(minutes + 3), completed_at: minutesAgo(minutes) });

/** Once a run is acknowledged, both processes list it. */
async function submitRun(send: Send, run: Record<string, unknown>): Promise<void> {
  const { status, text } = await send('POST', '/api/v1/runs', { runs: [run] });
  assert.equal(status, 200, text);
  const id = `run_api_${run['run_id'] as string}`;
  for (const { body } of await askBoth(cachedAddress('dashboard/recent-runs?limit=100', orgId)))
    assert.ok(
      body.runs.some((each: { id: string }) => each.id === id),
      `${id} is missing`,
    );
}

function newRunNow(draw: number): Record<string, unknown> {
  const created_at = minutesAgo(0);
  return newRun({
    workflow_name: `Build ${draw % 3}`,
    created_at,
    started_at: created_at,
    jobs: [jobEnding(draw % 30)],
  });
}

const changes: Record<string, Change> = {
  run: async (send, draw) => {
    const run = newRunNow(draw);
    await submitRun(send, run);
    runs.push(run);
  },
  lateJob: (send, draw) =>
    submitRun(send, { ...(runs.at(-1) ?? newRunNow(draw)), jobs: [jobEnding(draw % 9)] }),
  rerun: (send, draw) =>
    submitRun(send, {
      ...(runs.at(-1) ?? newRunNow(draw)),
      run_attempt: 2 + (draw % 5),
      jobs: [jobEnding(draw % 7)],
    }),
  rename: (send, draw) =>
    submitRun(send, {
      ...(runs.at(-1) ?? newRunNow(draw)),
      run_attempt: 9,
      workflow_name: `Named ${draw}`,
    }),
  deletion: (send) => send('DELETE', `/api/v1/runs/run_api_${runs.shift()?.['run_id'] as string}`),
  terms: (send, draw) => send('PUT', '/api/v1/pricing/terms', { terms: [{ discount_percent: draw % 50 }] }),
  included: (send, draw) => send('PUT', '/api/v1/pricing', { included_minutes: { minutes: 1 + (draw % 9) } }),
  priceRule: (send, draw) =>
    send('POST', '/api/v1/pricing/rules', {
      match: 'label',
      pattern: `l${draw}`,
      runner_kind: 'linux_4_core',
    }),
  runnerPool: (send, draw) =>
    send('POST', '/api/v1/runner-pools', {
      name: `Pool ${draw}`,
      match: 'regex',
      pattern: '.',
      periods: [{ first_day: '2020-01-01', monthly_usd: 1 + draw }],
    }),
  plan: (send, draw) =>
    send('PUT', '/api/v1/organization', { plan: (['free', 'pro', 'team'] as const)[draw % 3] }),
  names: (send, draw) =>
    send('PUT', '/api/v1/organization', {
      name: `Acme ${draw}`,
      time_zone: ['UTC', 'Asia/Tokyo'][draw % 2],
      fiscal_year_start_month: 1 + (draw % 12),
      week_start: ['monday', 'sunday'][draw % 2],
    }),
  owners: async (send, draw) => {
    const rule = { kind: 'team', owner: `Team ${draw}`, repository: 'acme/api' };
    const { status, body } = await send('POST', '/api/v1/ownership/rules', rule);
    if (status === 201) ruleId = body.data.id;
    else await send('PUT', `/api/v1/ownership/rules/${ruleId}`, { owner: `Group ${draw}` });
  },
  noOwners: (send) => send('DELETE', `/api/v1/ownership/rules/${ruleId}`),
  actors: (send, draw) =>
    send('POST', '/api/v1/actors/patterns', { pattern: `actor-${draw}`, kind: 'agent' }),
  threshold: async (send, draw) => {
    const { status, body } = await send('POST', `/api/v1/alerts?org_id=${orgId}`, {
      name: `Sudden ${draw}`,
      alert_type: 'anomaly',
      threshold_amount: 1 + (draw % 50),
      check_frequency: 'daily',
      notify_email: false,
    });
    if (status === 201) alertId = (body.data ?? body).id;
  },
  noThreshold: (send) => send('DELETE', `/api/v1/alerts/${alertId}?org_id=${orgId}`),
  revocation: async (send) => {
    const viewer = { name: 'short', role: 'viewer', scopes: ['costs:read'] };
    const { id, token: text } = (await send('POST', '/api/v1/tokens', viewer)).body.data;
    await assertStatuses(summary, text, 200);
    assert.equal((await send('DELETE', `/api/v1/tokens/${id}`)).status, 200);
    await assertStatuses(summary, text, 401);
  },
  role: async (send) => {
    const person = { email: `${crypto.randomUUID()}@acme.test`, role: 'admin' };
    const { id: member_id } = (await send('POST', '/api/v1/members', person)).body.data;
    const created = await send('POST', '/api/v1/tokens', { name: 'own', role: 'admin', member_id });
    const { token: text } = created.body.data;
    const ofAdmins = `/api/v1/tokens?org_id=${orgId}`;
    await assertStatuses(ofAdmins, text, 200);
    assert.equal((await send('PUT', `/api/v1/members/${member_id}`, { role: 'viewer' })).status, 200);
    await assertStatuses(ofAdmins, text, 403);
    await assertStatuses(summary, text, 200);
    assert.equal((await send('DELETE', `/api/v1/members/${member_id}`)).status, 200);
    await assertStatuses(summary, text, 401);
  },
};

async function makeChange({ name, draw }: { name: string; draw: number }): Promise<void> {
  const address = addresses[draw % 2]!;
  await changes[name]!(async (method, path, body) => {
    const answer = await ask(address, path, { method, ...(body && { body: JSON.stringify(body) }) });
    // A change may have no effect, such as the second deletion of a run.
    assert.ok(answer.status < 300 || answer.status === 404 || answer.status === 409, answer.text);
    return answer;
  }, draw);
}

async function step(drawn: readonly { name: string; draw: number }[]): Promise<void> {
  await readUntil(Promise.all(drawn.map(makeChange)));
  await check(drawn.map(({ name }) => name).join(', '));
}

test('two processes never send an older answer, whatever changes through either of them', async () => {
  await step([{ name: 'run', draw: 5 }]);
  for (const [index, name] of Object.keys(changes).entries()) await step([{ name, draw: 10 + index }]);
});

test('a reprice in the background is in every answer that follows it', async () => {
  const send = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const answer = await ask(addresses[0], path, { method, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body.data;
  };
  await send('PUT', '/api/v1/pricing', { book_id: 'github_2026' });
  await step([{ name: 'run', draw: 6 }]);
  await send('PUT', '/api/v1/pricing', { book_id: 'github_2025' });
  const days = { from: minutesAgo(24 * 60).slice(0, 10), to: minutesAgo(0).slice(0, 10) };
  const before = await freshAnswer(addresses[0], 'dashboard/summary');
  const { id } = await send('POST', '/api/v1/reprices', days);
  for (let status = 'queued'; status !== 'done';) {
    ({ status } = (await ask(addresses[1], `/api/v1/reprices/${id}`)).body.data);
    assert.ok(['queued', 'running', 'done'].includes(status), status);
    await check(`a reprice that is ${status}`);
  }
  assert.notEqual((await ask(addresses[0], summary)).text, before);
});

test('two processes never send an older answer, whatever changes at once', async () => {
  const change = fc.record({ name: fc.constantFrom(...Object.keys(changes)), draw: fc.nat(1_000) });
  const steps = fc.array(fc.array(change, { minLength: 2, maxLength: 3 }), { minLength: 4, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      for (const each of drawn) await step(each);
    }),
    // A failure depends on the history before it, so fewer steps might not reproduce it.
    { numRuns: 1, endOnFailure: true },
  );
});
