import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource } from '../../../test/harness/backfills.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { cachedAddress, cachedPaths } from '../../../test/harness/cachedPaths.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { buildServer } from '../../server.ts';

const gitHub = await startFakeGitHub();
gitHub.files.set('acme/web/CODEOWNERS', '* @acme/web\n');
const testApp = await startTestApp({ GITHUB_API_URL: gitHub.url });
const { app, clock, server, worker } = testApp;

async function newServer(): Promise<FastifyInstance> {
  const built = await buildServer(app);
  await built.ready();
  return built;
}

/** Has its own cache, like a second process. */
const second = await newServer();
after(() => second.close());

async function answersOf(
  from: FastifyInstance,
  { orgId, token }: TestOrganization,
  separator = '',
): Promise<string[]> {
  const answers: string[] = [];
  for (const path of cachedPaths) {
    const url = cachedAddress(path, orgId).replace('?', `?${separator}`);
    const answer = await request(from, { url, headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200, answer.text);
    answers.push(answer.text);
  }
  return answers;
}

type Company = Awaited<ReturnType<typeof newBilledCompany>> & {
  /** Created by one writer and changed by another. */
  runs: Record<string, unknown>[];
  ids: Record<'rule' | 'alert' | 'reprice', string>;
};

type Change = (company: Company, draw: number) => Promise<unknown>;

async function submitRun({ organization, runs }: Company, run: Record<string, unknown>): Promise<void> {
  await submit(organization, run);
  runs.push(run);
}

function lastRun({ runs }: Company): Record<string, unknown> {
  return runs.at(-1) ?? newRun();
}

/** The id of what was created, or the previous id if the request was refused. */
function idIn({ status, body }: Answer, before: string): string {
  return status < 300 ? (body.data ?? body).id : before;
}

/**
 * Whoever changes what an answer depends on, by a route that does it. In this order, each changes an answer: without
 * raising the version of the costs, the answers before it would be sent again. `before` needs no answer of its own.
 */
const writers: Record<string, Change | { before: Change; write: Change }> = {
  event: ({ work }, draw) => work({ day: '2026-03-18', minutes: 10 + (draw % 50) }),
  run: (company, draw) => submitRun(company, newRun({ workflow_name: `Build ${draw % 3}` })),
  'late job': (company, draw) =>
    submit(company.organization, {
      ...lastRun(company),
      jobs: [newJob({ completed_at: `2026-03-18T11:${10 + (draw % 50)}:00Z` })],
    }),
  rerun: (company) =>
    submit(company.organization, {
      ...lastRun(company),
      run_attempt: 2,
      jobs: [newJob({ started_at: '2026-03-18T11:30:00Z', completed_at: '2026-03-18T11:33:00Z' })],
    }),
  rename: (company, draw) =>
    submit(company.organization, { ...lastRun(company), run_attempt: 3, workflow_name: `Named ${draw}` }),
  // Too many rows to share a transaction with other organizations.
  'large run': (company) => submitRun(company, newRun({ jobs: Array.from({ length: 101 }, () => newJob()) })),
  terms: ({ organization }, draw) =>
    organization.send('PUT', '/api/v1/pricing/terms', { terms: [{ discount_percent: 1 + (draw % 50) }] }),
  'included minutes': ({ organization }, draw) =>
    organization.send('PUT', '/api/v1/pricing', { included_minutes: { minutes: 1 + (draw % 9) } }),
  deletion: ({ organization, runs }) =>
    organization.send('DELETE', `/api/v1/runs/run_api_${runs.pop()?.['run_id'] as string}`),
  deletions: ({ organization, runs }) =>
    organization.send('POST', '/api/v1/runs/delete', {
      ids: [`run_api_${runs.pop()?.['run_id'] as string}`],
    }),
  reprice: {
    before: async ({ organization, ids }, draw) => {
      const book_id = draw % 2 === 0 ? 'github_2025' : 'github_2026';
      await organization.send('PUT', '/api/v1/pricing', { book_id });
      const days = { from: '2026-03-01', to: '2026-03-31' };
      ids.reprice = idIn(await organization.send('POST', '/api/v1/reprices', days), ids.reprice);
    },
    write: () => worker.processAll(),
  },
  'undone reprice': {
    before: ({ organization, ids }) => organization.send('POST', `/api/v1/reprices/${ids.reprice}/revert`),
    write: () => worker.processAll(),
  },
  owners: async ({ organization, ids }, draw) => {
    const rule = { kind: 'team', owner: `Team ${draw}`, repository: 'acme/api' };
    ids.rule = idIn(await organization.send('POST', '/api/v1/ownership/rules', rule), ids.rule);
  },
  'other owners': ({ organization, ids }, draw) =>
    organization.send('PUT', `/api/v1/ownership/rules/${ids.rule}`, { owner: `Group ${draw}` }),
  'no owners': ({ organization, ids }) => organization.send('DELETE', `/api/v1/ownership/rules/${ids.rule}`),
  'file of owners': ({ organization }, draw) =>
    request(server, {
      method: 'PUT',
      url: '/api/v1/ownership/csv',
      headers: { authorization: `Bearer ${organization.token}`, 'content-type': 'text/csv' },
      payload: `kind,owner,repository\nteam,Crew ${draw},acme/api\n`,
    }),
  'imported owners': {
    before: async (company) => {
      await company.work({ repository: 'acme/web', day: '2026-03-18' });
      await company.organization.send('POST', '/api/v1/ownership/imports', { from: 'codeowners' });
    },
    write: () => worker.processAll(),
  },
  threshold: async ({ organization, ids }, draw) => {
    const alert = await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, {
      name: `Sudden ${draw}`,
      alert_type: 'anomaly',
      threshold_amount: 1 + (draw % 50),
      check_frequency: 'daily',
    });
    ids.alert = idIn(alert, ids.alert);
  },
  'other threshold': ({ organization, ids }, draw) =>
    organization.send('PUT', `/api/v1/alerts/${ids.alert}?org_id=${organization.orgId}`, {
      threshold_amount: 100 + (draw % 50),
    }),
  'no threshold': ({ organization, ids }) =>
    organization.send('DELETE', `/api/v1/alerts/${ids.alert}?org_id=${organization.orgId}`),
  removal: {
    before: ({ organization }) =>
      organization.send('PUT', '/api/v1/organization', { run_retention_days: 90 }),
    write: () => worker.processAll(),
  },
  // The key of a cached answer includes these two.
  plan: ({ organization }, draw) =>
    organization.send('PUT', '/api/v1/organization', {
      plan: (['free', 'pro', 'team'] as const)[draw % 3],
    }),
  day: async (_company, draw) => clock.forward(3_600 * (draw % 30)),
};

async function newCompany(): Promise<Company> {
  clock.set('2026-03-18T12:00:00Z');
  const ids = { rule: 'none', alert: 'none', reprice: 'none' };
  const company = { ...(await newBilledCompany(testApp)), runs: [], ids };
  await newReadingSource(testApp, company.organization, gitHub);
  await company.work({ day: '2025-11-18' });
  await company.work({ day: '2026-03-18' });
  return company;
}

/** Extra separators make a new address with the same meaning. */
let newAddresses = 0;

/**
 * Compares what two processes keep with uncached answers, requested at new addresses, and returns them. The second is not
 * notified of what the first has changed.
 */
async function checkedAnswers({ organization }: Company, change: string): Promise<string> {
  const expected = await answersOf(server, organization, '&'.repeat(++newAddresses));
  for (const each of [server, second])
    assert.deepEqual(await answersOf(each, organization), expected, change);
  return expected.join();
}

const company = await newCompany();
let cached = await checkedAnswers(company, 'nothing');

for (const [name, writer] of Object.entries(writers)) {
  test(`answers that were cached end with: ${name}`, async () => {
    const { before, write } = typeof writer === 'function' ? { before: null, write: writer } : writer;
    if (before) {
      await before(company, 27);
      cached = await checkedAnswers(company, `before ${name}`);
    }
    await write(company, 27);
    const changed = await checkedAnswers(company, name);
    assert.notEqual(changed, cached, `${name} changed nothing`);
    cached = changed;
  });
}

test('in any order of changes, a cached answer is the one of a new address', async () => {
  const anyChange = fc.record({ name: fc.constantFrom(...Object.keys(writers)), draw: fc.nat(1_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 8, maxLength: 8 }), async (drawn) => {
      const other = await newCompany();
      await checkedAnswers(other, 'nothing');
      for (const { name, draw } of drawn) {
        const writer = writers[name]!;
        for (const change of typeof writer === 'function' ? [writer] : [writer.before, writer.write]) {
          await change(other, draw);
          await checkedAnswers(other, name);
        }
      }
    }),
    { numRuns: 1 },
  );
});

test('at whichever step a day begins, its answers are not those of the day before', async () => {
  const { organization } = await newCompany();
  const [evening, midnight] = [new Date('2026-03-18T23:59:59.999Z'), new Date('2026-03-19T00:00:00Z')];
  let left = Infinity;
  const turning = await buildServer({
    ...app,
    clock: { ...clock, now: () => (left-- > 0 ? evening : midnight) },
  });
  for (let steps = 0; steps < 4; steps++) {
    for (const path of cachedPaths) {
      const url = cachedAddress(path, organization.orgId).replace('?', `?${'&'.repeat(2 * steps)}`);
      const ask = () => request(turning, { url, headers: { authorization: `Bearer ${organization.token}` } });
      left = steps;
      await ask();
      left = 0;
      const next = (await ask()).text;
      // This answer is cached for this address only.
      const fresh = await request(turning, {
        url: url.replace('?', '?&'),
        headers: { authorization: `Bearer ${organization.token}` },
      });
      assert.equal(next, fresh.text, `${path} after ${steps} steps`);
    }
  }
  await turning.close();
});

test('a cached answer is sent without asking for its data again', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const fresh = await newServer();
  const first = await answersOf(fresh, organization);
  const asked: string[] = [];
  const { db } = app;
  const counting = await buildServer({
    ...app,
    db: db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => (asked.push('result'), result),
    }),
  });
  const counts: number[] = [];
  for (let round = 0; round < 2; round++) {
    asked.length = 0;
    assert.deepEqual(await answersOf(counting, organization), first);
    counts.push(asked.length);
  }
  // The token is still looked up.
  assert.ok(counts[0]! > cachedPaths.length, String(counts));
  assert.equal(counts[1], cachedPaths.length);
  await fresh.close();
  await counting.close();
});

const without = (from: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

test('a cached answer has the headers, the log line and the metrics of the first', async () => {
  const [origin, metricsToken] = ['https://pages.example', 'a-token-of-prometheus'];
  const other = await startTestApp({
    RATE_LIMIT: '100',
    CORS_ORIGINS: origin,
    METRICS_TOKEN: metricsToken,
  });
  const organization = await other.newOrganization();
  for (let index = 0; index < 20; index++)
    await submit(organization, newRun({ workflow_name: `W ${index}` }));
  const authorization = `Bearer ${organization.token}`;
  const path = '/api/v1/dashboard/workflows';
  const variants = [
    { expected: 200 },
    { expected: 200, headers: { 'accept-encoding': 'gzip, br' } },
    { expected: 200, headers: { 'accept-encoding': 'gzip;q=0' } },
    { expected: 200, headers: { 'if-none-match': '"another"' } },
    { expected: 304, headers: { 'if-none-match': '*', 'accept-encoding': 'gzip' } },
    { expected: 200, headers: { origin } },
    { expected: 200, headers: { origin, 'accept-encoding': 'gzip' } },
    { expected: 200, method: 'HEAD' as const },
    { expected: 200, isDraining: true },
    { expected: 304, headers: { 'if-none-match': '*' } },
  ];
  /** The number of answers in the metrics. */
  const counted = async (method: string, status: number) => {
    const { payload } = await other.server.inject({
      url: '/metrics',
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    const labels = `method="${method}",route="${path}",status="${status}"`;
    const count = payload.split(`runcost_http_request_duration_seconds_count{${labels}} `)[1];
    return Number.parseInt(count ?? '0', 10);
  };
  for (const [index, { expected, headers: sent, method = 'GET', isDraining }] of variants.entries()) {
    if (isDraining) other.app.health.drain();
    const url = `${path}?org_id=${organization.orgId}&days=${index + 1}`;
    const answers = [];
    const before = await counted(method, expected);
    for (let round = 0; round < 3; round++) {
      const { statusCode, headers, rawPayload } = await other.server.inject({
        method,
        url,
        headers: { ...sent, authorization },
      });
      const stable = without(headers, ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
      assert.equal(Number(headers['x-ratelimit-remaining']), 100 - 3 * index - round - 1);
      assert.ok(Number(headers['x-ratelimit-reset']) > 0);
      const logged = JSON.parse(other.logged().trim().split('\n').at(-1)!);
      assert.deepEqual([logged.reqId, typeof logged.ms], [headers['x-request-id'], 'number']);
      const line = without(logged, ['reqId', 'time', 'ms']);
      answers.push({ statusCode, stable, rawPayload, line });
      assert.equal(await counted(method, expected), before + round + 1);
    }
    assert.equal(answers[0]!.statusCode, expected);
    const [{ statusCode, stable, line }] = answers as [(typeof answers)[0]];
    assert.deepEqual([statusCode, line.status, line.path], [expected, expected, path]);
    assert.equal(stable.connection, index < 8 ? 'keep-alive' : 'close');
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  }
});

test('nobody else gets what was cached', async () => {
  const [ours, theirs] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await submit(ours, newRun());
  for (const path of cachedPaths) {
    const ask = (token: string, { orgId }: TestOrganization) => {
      const url = cachedAddress(path, orgId);
      return request(server, { url, headers: { authorization: `Bearer ${token}` } });
    };
    const first = await ask(ours.token, ours);
    assert.equal((await ask(ours.token, ours)).text, first.text);
    assert.equal((await ask(theirs.token, ours)).status, 403);
    assert.equal((await ask(await ours.newToken('viewer', ['runs:write']), ours)).status, 403);
    assert.notEqual((await ask(theirs.token, theirs)).text, first.text, path);
  }
});

test('a revoked token, or one that has expired, gets nothing that was cached', async () => {
  const organization = await testApp.newOrganization();
  const url = `/api/v1/dashboard/summary?org_id=${organization.orgId}`;
  const token = await organization.newToken('viewer', ['costs:read']);
  const ask = () => request(server, { url, headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 200);
  const { body } = await organization.get('/api/v1/tokens');
  const { id } = body.data.find(({ role }: { role: string }) => role === 'viewer');
  assert.equal((await organization.send('DELETE', `/api/v1/tokens/${id}`)).status, 200);
  assert.equal((await ask()).status, 401);
  const expires_at = new Date(clock.now().getTime() + 90_000);
  const created = await organization.send('POST', '/api/v1/tokens', {
    name: 'short',
    role: 'viewer',
    scopes: ['costs:read'],
    expires_at,
  });
  const askShort = () =>
    request(server, { url, headers: { authorization: `Bearer ${created.body.data.token}` } });
  for (let round = 0; round < 5; round++) assert.equal((await askShort()).status, 200);
  clock.forward(90);
  assert.equal((await askShort()).status, 401);
});
