import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { countStoredRuns, getBackfill, serveRuns } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakeApp, type FakeApp } from '../../../test/harness/gitHubApps.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { deliveriesOf, widenRecordedRuns } from '../../../test/harness/recordedRuns.ts';
import { deliveredTo } from '../../../test/harness/source.ts';
import type { Payload } from '../../../test/payloads/gitHub.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { clock, worker } = testApp;
const path = '/api/v1/github-apps';
const code = 'a180b1a3d263c81bc6441d7b990bae27d4c10679';
let app: FakeApp;

beforeEach(() => {
  clock.set('2026-03-18T12:00:00Z');
  fake.repositories.clear();
  fake.requests.length = 0;
  app = newFakeApp();
  fake.app = app;
});

async function start(organization: TestOrganization, fields: object = { organization: 'acme' }) {
  const started = await organization.send('POST', path, fields);
  assert.equal(started.status, 201, started.text);
  const { form_url: formUrl, manifest, ...rest } = started.body.data;
  const state = new URL(formUrl).searchParams.get('state')!;
  return { ...rest, formUrl, manifest: JSON.parse(manifest), state };
}

async function create(organization: TestOrganization, fields: object = { organization: 'acme' }) {
  const { state } = await start(organization, fields);
  const created = await organization.send('POST', `${path}/create`, { code, state });
  assert.equal(created.status, 201, created.text);
  return created.body.data.source_id as string;
}

const install = (organization: TestOrganization, id: string, installation_id = String(app.installationId)) =>
  organization.send('POST', `${path}/${id}/install`, { installation_id });

test('connects GitHub in three steps: its events are recorded, and its last 30 days are read', async () => {
  const organization = await testApp.newOrganization();
  const runs = serveRuns(fake, 'acme/app', 4);
  const started = await start(organization, { organization: 'acme', is_reachable: true });
  assert.equal(started.formUrl.split('?')[0], `${fake.url}/organizations/acme/settings/apps/new`);
  assert.match(started.manifest.hook_attributes.url, new RegExp(`/api/v1/ingest/${started.source_id}$`));
  assert.equal(started.expires_at, '2026-03-18T13:00:00.000Z');

  const created = await organization.send('POST', `${path}/create`, { code, state: started.state });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.body.data, {
    source_id: started.source_id,
    install_url: `${fake.url}/apps/runcost-acme/installations/new`,
  });
  const [source] = (await organization.get('/api/v1/sources')).body.data;
  assert.deepEqual([source.id, source.kind, source.name], [started.source_id, 'github', 'GitHub of acme']);
  assert.equal(source.github_app.page_url, `${fake.url}/apps/runcost-acme`);
  assert.match(source.github_app.created_by, /^token tok_/);
  assert.ok(!created.text.includes('PRIVATE KEY') && !created.text.includes(app.webhookSecret!));

  const installed = await install(organization, source.id);
  assert.equal(installed.status, 200, installed.text);
  const { backfill_id, ...rest } = installed.body.data;
  assert.deepEqual(rest, { source_id: source.id, is_reachable: true, repositories: 2 });
  fake.repositories.set('acme/old', { runs: [] });
  await worker.processAll();
  const backfill = await getBackfill(organization, backfill_id);
  assert.deepEqual([backfill.status, backfill.repositories], ['done', ['acme/app', 'acme/old']]);
  assert.equal(await countStoredRuns(testApp, organization), runs.length);

  const [{ event, payload }] = runs.flatMap(deliveriesOf) as [{ event: string; payload: Payload }];
  const { status, text } = await deliveredTo(testApp, { ...source, secret: app.webhookSecret }).deliver(
    event,
    payload,
  );
  assert.equal(status, 202, text);
});

test('reads no repository twice at once, however often the App is installed', async () => {
  const organization = await testApp.newOrganization();
  const id = await create(organization, { organization: 'acme', is_reachable: true });
  const idOf = async () => (await install(organization, id)).body.data.backfill_id as string;
  const [first, second] = await Promise.all([idOf(), idOf()]);
  assert.equal(first, second);
  app.repositories.push({ full_name: 'acme/new', pushed_at: '2026-03-17T00:00:00Z' });
  clock.forward(60);
  const third = await idOf();
  assert.deepEqual((await getBackfill(organization, third)).repositories, ['acme/new']);
  for (const name of ['acme/app', 'acme/old', 'acme/new']) fake.repositories.set(name, { runs: [] });
  await worker.processAll();
  const fourth = await idOf();
  assert.equal((await getBackfill(organization, fourth)).repositories.length, 3, 'all have ended');
  await worker.processAll();
});

test('asks for new runs every ten minutes where GitHub cannot reach the server', async () => {
  const organization = await testApp.newOrganization();
  app.webhookSecret = null;
  app.repositories = [{ full_name: 'acme/app', pushed_at: '2026-03-18T00:00:00Z' }];
  serveRuns(fake, 'acme/app', 2);
  const id = await create(organization, { organization: 'acme', is_reachable: false });
  const installed = await install(organization, id);
  assert.equal(installed.body.data.is_reachable, false);
  await worker.processAll();
  assert.equal(await countStoredRuns(testApp, organization), 2);
  const listed = () => fake.requests.filter((asked) => asked.path.includes('/actions/runs?')).length;

  const before = listed();
  clock.forward(9 * 60);
  await worker.processAll();
  assert.equal(listed(), before, 'not before ten minutes have passed');
  clock.forward(2 * 60);
  const end = new Date('2026-03-18T12:05:00Z');
  const [latest] = widenRecordedRuns('acme/app', { count: 1, end, gapSeconds: 60, firstId: 9_000 });
  fake.repositories.get('acme/app')!.runs.push(latest!);
  await worker.processAll();
  assert.equal(await countStoredRuns(testApp, organization), 3);
  const { data } = (await organization.get('/api/v1/backfills')).body;
  assert.ok(
    data.every(({ id: own }: { id: string }) => own.startsWith('bkf_')),
    'polls are not listed',
  );
});

test('refuses a state that is old, used, wrong or of another organization', async () => {
  const organization = await testApp.newOrganization();
  const other = await testApp.newOrganization();
  const { state } = await start(organization);
  const post = (of: TestOrganization, fields: object) =>
    of.send('POST', `${path}/create`, { code, state, ...fields });
  assertProblem(await post(other, {}), 409, 'link_ended');
  assertProblem(await post(organization, { state: `${state}x` }), 409, 'link_ended');
  assertProblem(await post(organization, { code: 'unknown' }), 409, 'link_ended');
  assert.equal((await post(organization, {})).status, 201);
  assertProblem(await post(organization, {}), 409, 'link_ended');

  const late = await start(organization);
  clock.forward(3_600);
  assertProblem(await post(organization, { state: late.state }), 409, 'link_ended');
  const sources = (await organization.get('/api/v1/sources')).body.data;
  assert.equal(sources.length, 1);
});

test("takes only the App's own installation, and another after the App was installed again", async () => {
  const organization = await testApp.newOrganization();
  const id = await create(organization);
  assertProblem(await install(organization, id, '999'), 400, 'invalid_request', ['body.installation_id']);
  assertProblem(await install(await testApp.newOrganization(), id), 404, 'github_app_not_found');
  assertProblem(await install(organization, 'src_unknown'), 404, 'github_app_not_found');
  assert.equal((await install(organization, id)).status, 200);
  app.installationId = 5;
  app.repositories = [];
  const again = await install(organization, id);
  assert.deepEqual([again.body.data.repositories, again.body.data.backfill_id], [0, null]);
  const credentials = (await organization.get(`/api/v1/sources/${id}/credentials`)).body.data;
  assert.deepEqual(
    [credentials.kind, credentials.hint, credentials.is_polled],
    ['app', 'App 1234567, installation 5', true],
  );
});

test('says so when GitHub is away, answers nonsense or asks to wait, and changes nothing', async () => {
  const organization = await testApp.newOrganization();
  const { state } = await start(organization);
  const post = () => organization.send('POST', `${path}/create`, { code, state });
  for (const interruption of [
    { status: 502 },
    { cut: true } as const,
    { status: 429, headers: { 'retry-after': '60' } },
  ]) {
    fake.interruptions.push(interruption);
    assertProblem(await post(), 503, 'github_unavailable');
  }
  app.pem = undefined as never;
  fake.mayDeviate = true;
  assertProblem(await post(), 503, 'github_unavailable');
  fake.mayDeviate = false;
  assert.deepEqual((await organization.get('/api/v1/sources')).body.data, []);
});

test('wants an admin, and names of organizations', async () => {
  const organization = await testApp.newOrganization();
  const member = await organization.newToken('member');
  assertProblem(await organization.send('POST', path, {}, member), 403, 'role_too_low');
  for (const name of ['-acme', 'ac/me', '', 7]) {
    assertProblem(await organization.send('POST', path, { organization: name }), 400, 'invalid_request', [
      'body.organization',
    ]);
  }
  const own = await start(organization, {});
  assert.equal(own.formUrl.split('?')[0], `${fake.url}/settings/apps/new`);
});
