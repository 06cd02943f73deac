import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const { app, clock, server, worker } = testApp;
const paths = [
  'dashboard/summary',
  'dashboard/trends?days=365',
  'dashboard/top-workflows',
  'dashboard/recent-runs',
  'dashboard/workflows',
  'dashboard/workflows/summary',
  'costs?group_by=repository&granularity=day&compare=previous_period',
  'costs?group_by=team&metric=net_cost',
  'costs?group_by=visibility,workflow&metric=runs',
  'costs/change?group_by=workflow',
  'costs/workflows?granularity=day&compare=previous_period',
];

async function newServer(countCommits = app.countCommits): Promise<FastifyInstance> {
  const built = await buildServer({ ...app, countCommits });
  await built.ready();
  return built;
}

/** With its own memory, like a second process, which cannot count the commits of the first. */
const second = await newServer(null);
after(() => second.close());

async function answersOf(from: FastifyInstance, { orgId, token }: TestOrganization): Promise<string[]> {
  const answers: string[] = [];
  for (const path of paths) {
    const url = `/api/v1/${path}${path.includes('?') ? '&' : '?'}org_id=${orgId}`;
    const answer = await request(from, { url, headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200, answer.text);
    answers.push(answer.text);
  }
  return answers;
}

type Company = Awaited<ReturnType<typeof newBilledCompany>> & { deletable: string[] };

type Change = (company: Company, draw: number) => Promise<unknown>;

/** What an answer depends on, each by a route that changes it. In this order, each changes an answer. */
const changes: Record<string, Change> = {
  work: ({ work }, draw) => work({ day: '2026-03-18', minutes: 10 + (draw % 50) }),
  run: async ({ organization, deletable }, draw) => {
    const run = newRun({ workflow_name: `Build ${draw % 3}` });
    await submit(organization, run);
    deletable.push(`run_api_${run['run_id'] as string}`);
  },
  terms: ({ organization }, draw) =>
    organization.send('PUT', '/api/v1/pricing/terms', { terms: [{ discount_percent: 1 + (draw % 50) }] }),
  deletion: ({ organization, deletable }) =>
    organization.send('DELETE', `/api/v1/runs/${deletable.pop() ?? 'none'}`),
  reprice: async ({ organization }, draw) => {
    const book_id = draw % 2 === 0 ? 'github_2025' : 'github_2026';
    await organization.send('PUT', '/api/v1/pricing', { book_id });
    await organization.send('POST', '/api/v1/reprices', { from: '2026-03-01', to: '2026-03-31' });
    await worker.processAll();
  },
  owners: ({ organization }, draw) =>
    organization.send('POST', '/api/v1/ownership/rules', {
      ...{ kind: 'team', owner: `Team ${draw}`, repository: 'acme/api' },
    }),
  threshold: ({ organization }, draw) =>
    organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, {
      ...{ name: `Sudden ${draw}`, alert_type: 'anomaly', threshold_amount: 1 + (draw % 50) },
      check_frequency: 'daily',
    }),
  removal: async ({ organization }) => {
    await organization.send('PUT', '/api/v1/organization', { run_retention_days: 90 });
    await worker.processAll();
  },
  plan: ({ organization }, draw) =>
    organization.send('PUT', '/api/v1/organization', {
      plan: (['free', 'pro', 'team'] as const)[draw % 3],
    }),
  day: async (_company, draw) => clock.forward(3_600 * (draw % 30)),
};

async function newCompany(): Promise<Company> {
  clock.set('2026-03-18T12:00:00Z');
  const company = { ...(await newBilledCompany(testApp)), deletable: [] };
  await company.work({ day: '2025-11-18' });
  await company.work({ day: '2026-03-18' });
  return company;
}

/** Compares the answers with those of a new server, which has kept none. Returns them. */
async function checkedAnswers({ organization }: Company, change: string): Promise<string> {
  const fresh = await newServer();
  const expected = await answersOf(fresh, organization);
  await fresh.close();
  for (const each of [server, second, server]) {
    assert.deepEqual(await answersOf(each, organization), expected, change);
  }
  return expected.join();
}

test('whatever changes an answer ends those that were kept', async () => {
  const company = await newCompany();
  let before = await checkedAnswers(company, 'nothing');
  for (const [name, change] of Object.entries(changes)) {
    await change(company, 27);
    const answers = await checkedAnswers(company, name);
    assert.notEqual(answers, before, `${name} changed nothing`);
    before = answers;
  }
});

test('in any order of changes, a kept answer is the one of a new server', async () => {
  const anyChange = fc.record({ name: fc.constantFrom(...Object.keys(changes)), draw: fc.nat(1_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 3, maxLength: 8 }), async (drawn) => {
      const company = await newCompany();
      await checkedAnswers(company, 'nothing');
      for (const { name, draw } of drawn) {
        await changes[name]!(company, draw);
        await checkedAnswers(company, name);
      }
    }),
    { numRuns: 5 },
  );
});

test('at whichever step a day begins, its answers are not those of the day before', async () => {
  const { organization } = await newCompany();
  const [evening, midnight] = [new Date('2026-03-18T23:59:59.999Z'), new Date('2026-03-19T00:00:00Z')];
  for (let steps = 0; steps < 4; steps++) {
    let left = Infinity;
    const turning = await buildServer({
      ...app,
      clock: { ...clock, now: () => (left-- > 0 ? evening : midnight) },
    });
    for (const path of paths) {
      const url = `/api/v1/${path}${path.includes('?') ? '&' : '?'}org_id=${organization.orgId}`;
      const ask = () => request(turning, { url, headers: { authorization: `Bearer ${organization.token}` } });
      left = steps;
      await ask();
      left = 0;
      const next = (await ask()).text;
      // An answer that is kept for this address alone.
      const fresh = await request(turning, {
        url: url.replace('?', '?&'),
        headers: { authorization: `Bearer ${organization.token}` },
      });
      assert.equal(next, fresh.text, `${path} after ${steps} steps`);
    }
    await turning.close();
  }
});

test('a kept answer is sent without asking for its data again', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const fresh = await newServer();
  const [first] = await answersOf(fresh, organization);
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
    assert.deepEqual((await answersOf(counting, organization))[0], first);
    counts.push(asked.length);
  }
  // The look-up of the token remains on a server; the embedded database is not asked at all.
  assert.ok(counts[0]! > paths.length, String(counts));
  assert.equal(counts[1], app.countCommits ? 0 : paths.length);
  await fresh.close();
  await counting.close();
});

test('a kept answer has the headers and the log line of the first', async () => {
  const other = await startTestApp({ RATE_LIMIT: '100', CORS_ORIGINS: 'https://pages.example' });
  const organization = await other.newOrganization();
  for (let index = 0; index < 20; index++)
    await submit(organization, newRun({ workflow_name: `W ${index}` }));
  const authorization = `Bearer ${organization.token}`;
  const origin = 'https://pages.example';
  const variants = [
    { headers: { authorization } },
    { headers: { authorization, 'accept-encoding': 'gzip, br' } },
    { headers: { authorization, 'accept-encoding': 'gzip;q=0' } },
    { headers: { authorization, 'if-none-match': '*' } },
    { headers: { authorization, origin } },
    { headers: { authorization }, method: 'HEAD' as const },
  ];
  const changing = ['x-request-id', 'x-ratelimit-remaining', 'date'];
  for (const [index, variant] of variants.entries()) {
    const url = `/api/v1/dashboard/workflows?org_id=${organization.orgId}&days=${index + 1}`;
    const answers = [];
    for (let round = 0; round < 3; round++) {
      const { statusCode, headers, rawPayload } = await other.server.inject({
        method: 'GET',
        url,
        ...variant,
      });
      const stable = Object.entries(headers).filter(([name]) => !changing.includes(name));
      const left = Number(headers['x-ratelimit-remaining']);
      answers.push({ statusCode, headers: Object.fromEntries(stable), rawPayload });
      assert.ok(headers['x-request-id']);
      assert.equal(left, 100 - 3 * index - round - 1);
      const line = JSON.parse(other.logged().trim().split('\n').at(-1)!);
      assert.deepEqual(
        [line.reqId, line.organization, line.status, line.path],
        [headers['x-request-id'], organization.orgId, statusCode, '/api/v1/dashboard/workflows'],
      );
      assert.match(line.token, /^tok_/);
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  }
});

test('nobody else gets what was kept', async () => {
  const [ours, theirs] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await submit(ours, newRun());
  for (const path of paths) {
    const ask = (token: string, { orgId }: TestOrganization) => {
      const url = `/api/v1/${path}${path.includes('?') ? '&' : '?'}org_id=${orgId}`;
      return request(server, { url, headers: { authorization: `Bearer ${token}` } });
    };
    const kept = await ask(ours.token, ours);
    assert.equal((await ask(ours.token, ours)).text, kept.text);
    assert.equal((await ask(theirs.token, ours)).status, 403);
    assert.equal((await ask(await ours.newToken('viewer', ['runs:write']), ours)).status, 403);
    assert.notEqual((await ask(theirs.token, theirs)).text, kept.text, path);
  }
});

test('a revoked token gets nothing that was kept', async () => {
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
});
