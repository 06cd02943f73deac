import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { getBackfill, newReadingSource, startBackfill } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { widenRecordedRuns } from '../../../test/harness/recordedRuns.ts';
import { newGitLabSource, newSource } from '../../../test/harness/source.ts';
import { webhookProviders } from '../providers/providers.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { worker } = testApp;
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const app = { kind: 'app', app_id: '1234', installation_id: '5678', private_key: privateKey };

beforeEach(() => {
  const end = new Date('2026-03-18T09:00:00Z');
  fake.repositories.set('acme/app', {
    runs: widenRecordedRuns('acme/app', { count: 3, gapSeconds: 60, end }),
  });
  fake.interruptions.length = 0;
});

const pathOf = (id: string) => `/api/v1/sources/${id}/credentials`;

async function auditOf(organization: TestOrganization): Promise<string[]> {
  const { body } = await organization.get('/api/v1/audit-log');
  return body.data.map(({ action }: { action: string }) => action);
}

test('stores a token and shows only its last characters', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newSource(testApp, organization);
  assert.equal((await organization.get(pathOf(id))).body.data, null);
  const set = await organization.send('PUT', pathOf(id), { kind: 'token', token: fake.token });
  assert.equal(set.status, 200);
  const { set_by, ...rest } = set.body.data;
  assert.deepEqual(rest, {
    kind: 'token',
    hint: '…abcd',
    set_at: '2026-03-18T12:00:00.000Z',
    checked_at: null,
    is_polled: false,
  });
  assert.match(set_by, /^token tok_/);
  const shown = await organization.get(pathOf(id));
  assert.deepEqual(shown.body, set.body);
  for (const { text } of [set, shown, await organization.get('/api/v1/audit-log')]) {
    assert.ok(!text.includes(fake.token));
  }
  assert.ok(!testApp.logged().includes(fake.token));
  const rows = await testApp.app.db.selectFrom('sourceCredentials').selectAll().execute();
  assert.ok(rows.every(({ secret }) => !secret.includes(fake.token)));
  assert.ok((await auditOf(organization)).includes('source.set_credentials'));
});

test("a source takes credentials only if its provider's descriptor says that it has backfills", async (context) => {
  const organization = await testApp.newOrganization();
  const { id } = await newGitLabSource(testApp, organization);
  const set = () => organization.send('PUT', pathOf(id), { kind: 'token', token: fake.token });
  assertProblem(await set(), 409, 'not_github');
  const { webhook } = webhookProviders.find((provider) => provider.id === 'gitlab')!;
  context.after(() => (webhook.hasBackfills = false));
  webhook.hasBackfills = true;
  assert.equal((await set()).status, 200);
});

test("a GitHub App reads with its installation's token", async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newSource(testApp, organization);
  const set = await organization.send('PUT', pathOf(id), app);
  assert.equal(set.status, 200, set.text);
  assert.deepEqual([set.body.data.kind, set.body.data.hint], ['app', 'App 1234, installation 5678']);
  const [source] = (await organization.get('/api/v1/sources')).body.data;
  assert.deepEqual([source.has_app_key, source.github_app], [true, null]);
  // New credentials read the storage at once.
  await worker.processAll();
  fake.requests.length = 0;
  const backfill = await startBackfill(organization, ['acme/app']);
  await worker.processAll();
  assert.equal((await getBackfill(organization, backfill.id)).status, 'done');
  const exchanges = fake.requests.filter(({ path }) => path === '/app/installations/5678/access_tokens');
  assert.deepEqual(
    exchanges,
    [{ path: '/app/installations/5678/access_tokens', status: 201 }],
    'once an hour',
  );
});

test('rejects credentials that GitHub rejects, and accepts them if it cannot check', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newSource(testApp, organization);
  const wrong = await organization.send('PUT', pathOf(id), { kind: 'token', token: 'github_pat_wrong' });
  assert.deepEqual([wrong.status, wrong.body.errors[0].path], [400, 'body.token']);
  fake.interruptions.push({ status: 404, message: 'Integration not found' });
  const wrongApp = await organization.send('PUT', pathOf(id), app);
  assert.deepEqual([wrongApp.status, wrongApp.body.errors[0].path], [400, 'body.private_key']);
  fake.interruptions.push({ status: 503 });
  const unchecked = await organization.send('PUT', pathOf(id), { kind: 'token', token: 'github_pat_wrong' });
  assert.equal(unchecked.status, 200);
});

test('names fields of the other kind, missing fields, and an invalid key', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newSource(testApp, organization);
  const { private_key: _, ...withoutKey } = app;
  const faults: [body: object, path: string][] = [
    [{ kind: 'token' }, 'body.token'],
    [{ kind: 'token', token: fake.token, app_id: '1' }, 'body.app_id'],
    [withoutKey, 'body.private_key'],
    [{ ...app, token: fake.token }, 'body.token'],
    [{ ...app, private_key: 'no key' }, 'body.private_key'],
    [{ kind: 'token', token: 'two words' }, 'body.token'],
    [{ kind: 'password' }, 'body.kind'],
  ];
  for (const [body, path] of faults) {
    const answer = await organization.send('PUT', pathOf(id), body);
    assert.deepEqual([answer.status, answer.body.errors[0].path], [400, path]);
  }
  assert.equal((await organization.get(pathOf(id))).body.data, null);
});

test('deleted credentials stop working, and go with their source', async () => {
  const organization = await testApp.newOrganization();
  const source = await newReadingSource(testApp, organization, fake);
  const { id } = await startBackfill(organization, ['acme/app']);
  assert.equal((await organization.send('DELETE', pathOf(source.id))).status, 200);
  await worker.processAll();
  const failed = await getBackfill(organization, id);
  assert.deepEqual(
    [failed.status, failed.error],
    ['failed', 'The source has no credentials. Set new ones and start again.'],
  );
  assert.equal((await organization.send('DELETE', pathOf(source.id))).status, 404);
  assert.ok((await auditOf(organization)).includes('source.delete_credentials'));
  const other = await newReadingSource(testApp, organization, fake);
  assert.equal((await organization.send('DELETE', `/api/v1/sources/${other.id}`)).status, 200);
  assert.equal((await organization.get(pathOf(other.id))).status, 404);
});

test('a backfill needs credentials, and a source if several have some', async () => {
  const organization = await testApp.newOrganization();
  const body = { repositories: ['acme/app'], since: '7d' };
  const none = await organization.send('POST', '/api/v1/backfills', body);
  assert.deepEqual([none.status, none.body.errors[0].path], [400, 'body.source_id']);
  assert.match(none.body.detail, /PUT \/api\/v1\/sources\/\{id\}\/credentials/);
  const one = await newReadingSource(testApp, organization, fake);
  const started = await organization.send('POST', '/api/v1/backfills', body);
  assert.deepEqual([started.status, started.body.data.source_id], [202, one.id]);
  const two = await newReadingSource(testApp, organization, fake);
  const unclear = await organization.send('POST', '/api/v1/backfills', body);
  assert.match(unclear.body.detail, /body\.source_id is required: several sources have credentials/);
  const named = await organization.send('POST', '/api/v1/backfills', { ...body, source_id: two.id });
  assert.equal(named.body.data.source_id, two.id);
  const stranger = await testApp.newOrganization();
  const others = await stranger.send('POST', '/api/v1/backfills', { ...body, source_id: two.id });
  assert.equal(others.status, 400);
});

test('checks the period and the repositories, and lists the newest first', async () => {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  const faults: [fields: object, path: string][] = [
    [{ repositories: [] }, 'body.repositories'],
    [{ repositories: ['app'] }, 'body.repositories[0]'],
    [{ repositories: ['acme/..'] }, 'body.repositories[0]'],
    [{ repositories: ['acme/../../user'] }, 'body.repositories[0]'],
    [{ since: '2026-02-30' }, 'body.since'],
    [{ since: 'yesterday' }, 'body.since'],
    [{ since: '2026-03-19' }, 'body.since'],
    [{ since: '2010-01-01' }, 'body.since'],
    [{ since: '2026-03-10', until: '2026-03-09' }, 'body.since'],
    [{ until: 'soon' }, 'body.until'],
  ];
  for (const [fields, path] of faults) {
    const body = { repositories: ['acme/app'], since: '7d', ...fields };
    const answer = await organization.send('POST', '/api/v1/backfills', body);
    assert.deepEqual([answer.status, answer.body.errors?.[0].path], [400, path], JSON.stringify(fields));
  }
  const first = await startBackfill(organization, ['acme/app'], { since: '2026-03-01' });
  assert.deepEqual([first.since, first.until], ['2026-03-01T00:00:00.000Z', '2026-03-18T12:00:00.000Z']);
  testApp.clock.forward(1);
  const second = await startBackfill(organization, ['acme/app'], { until: '2026-03-10' });
  assert.equal(second.until, '2026-03-11T00:00:00.000Z');
  const { body } = await organization.get('/api/v1/backfills', { per_page: 1 });
  assert.deepEqual(body.pagination, { total: 2, page: 1, per_page: 1 });
  assert.equal(body.data[0].id, second.id);
  const stranger = await testApp.newOrganization();
  assert.equal((await stranger.get(`/api/v1/backfills/${first.id}`)).status, 404);
  assert.equal((await stranger.send('POST', `/api/v1/backfills/${first.id}/cancel`)).status, 404);
  assert.deepEqual((await stranger.get('/api/v1/backfills')).body.data, []);
});
