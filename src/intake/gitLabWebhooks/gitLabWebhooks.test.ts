import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newPlace, startFakeGitLab } from '../../../test/harness/gitLabApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { gitLabPipeline } from '../../../test/payloads/gitLab.ts';

const fake = await startFakeGitLab();
const testApp = await startTestApp({
  PUBLIC_URL: 'https://runcost.acme.example',
  EGRESS_ALLOW_HTTP: 'true',
  EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
});
testApp.clock.set('2026-11-21T12:00:00Z');
const path = '/api/v1/gitlab-webhooks';

beforeEach(() => {
  Object.assign(fake, { scopes: ['api'], hasGroupHooks: true, groups: [newPlace(1, 'acme')] });
  fake.projects = [newPlace(11, 'acme/api'), newPlace(12, 'acme/web/shop'), newPlace(13, 'ada/tools')];
  fake.closedProjects.clear();
  fake.refusals.length = 0;
  fake.requests.length = 0;
  fake.sendTest = async ({ url, token }) => {
    const { status } = await request(testApp.server, {
      method: 'POST',
      url: new URL(url).pathname,
      headers: {
        'content-type': 'application/json',
        'x-gitlab-event': 'Pipeline Hook',
        'x-gitlab-token': token,
      },
      payload: JSON.stringify(gitLabPipeline()),
    });
    return status;
  };
});

const access = () => ({ address: fake.url, token: fake.token });

const connect = (organization: TestOrganization, fields: object = { path: 'acme' }) =>
  organization.send('POST', path, { ...access(), ...fields });

test('names the groups and projects of a token', async () => {
  const organization = await testApp.newOrganization();
  fake.groups.push(newPlace(2, 'acme/web'));
  const found = await organization.send('POST', `${path}/find`, access());
  assert.equal(found.status, 200, found.text);
  assert.deepEqual(found.body.data, {
    token_name: 'Runcost',
    expires_on: '2026-12-31',
    groups: ['acme'],
    projects: ['ada/tools'],
    is_cut: false,
  });
  assert.ok(fake.requests.every((asked) => asked.startsWith('GET ')));
});

test('adds one webhook to a group, whose test event is recorded, and changes it when repeated', async () => {
  const organization = await testApp.newOrganization();
  const connected = await connect(organization);
  assert.equal(connected.status, 200, connected.text);
  const { source_id: sourceId, ...rest } = connected.body.data;
  assert.deepEqual(rest, {
    scope: 'group',
    webhooks: [{ path: 'acme', result: 'added', error: null }],
    projects: null,
    test_event: { result: 'sent', reason: null },
    next_page: null,
  });
  const [hook] = fake.groups[0]!.hooks;
  assert.equal(hook!.url, `https://runcost.acme.example/api/v1/ingest/${sourceId}`);
  const { push_events, job_events, pipeline_events, merge_requests_events, enable_ssl_verification } =
    hook!.fields;
  assert.deepEqual(
    [push_events, job_events, pipeline_events, merge_requests_events, enable_ssl_verification],
    [false, true, true, true, true],
  );
  const [source] = (await organization.get('/api/v1/sources')).body.data;
  assert.deepEqual([source.id, source.kind, source.name], [sourceId, 'gitlab', 'GitLab of acme']);
  assert.equal(source.last_event_at, '2026-11-21T12:00:00.000Z');
  assert.equal((await organization.get('/api/v1/runs')).body.data.length, 1);

  fake.groups[0]!.hooks.unshift({ ...hook!, id: 7, url: 'https://other.example/hook' });
  const again = await connect(organization);
  assert.deepEqual([again.body.data.source_id, again.body.data.webhooks[0].result], [sourceId, 'changed']);
  assert.equal(fake.groups[0]!.hooks.length, 2);
  assert.equal((await organization.get('/api/v1/sources')).body.data.length, 1);
  const audit = (await organization.get('/api/v1/audit-log')).text;
  for (const text of [again.text, audit, testApp.logged()]) assert.ok(!text.includes(fake.token));
});

test('changes the webhook of a deleted source, and adds its own beside that of another organization', async () => {
  const organization = await testApp.newOrganization();
  const first = (await connect(organization)).body.data.source_id;
  await organization.send('DELETE', `/api/v1/sources/${first}`);
  const second = (await connect(organization)).body.data;
  assert.notEqual(second.source_id, first);
  assert.equal(second.webhooks[0].result, 'changed');
  assert.equal(second.test_event.result, 'sent', 'with the secret of the new source');
  const other = await testApp.newOrganization();
  assert.equal((await connect(other)).body.data.webhooks[0].result, 'added');
  assert.equal(fake.groups[0]!.hooks.length, 2);
});

test('adds a webhook to each project where the plan has none for groups, ten at a time', async () => {
  const organization = await testApp.newOrganization();
  fake.hasGroupHooks = false;
  fake.projects = Array.from({ length: 12 }, (_, index) => newPlace(20 + index, `acme/p${index}`));
  fake.closedProjects.add(23);
  const first = (await connect(organization)).body.data;
  const shown = [first.scope, first.webhooks.length, first.projects, first.next_page];
  assert.deepEqual(shown, ['projects_of_group', 10, 12, 2]);
  assert.deepEqual([first.webhooks[3].path, first.webhooks[3].result], ['acme/p3', 'failed']);
  assert.match(first.webhooks[3].error, /role Maintainer/);
  assert.equal(first.test_event.result, 'sent');
  const rest = { path: 'acme', page: 2, source_id: first.source_id };
  const last = (await connect(organization, rest)).body.data;
  assert.deepEqual([last.webhooks.length, last.next_page], [2, null]);
  const urls = new Set(fake.projects.flatMap(({ hooks }) => hooks.map(({ url }) => url)));
  assert.equal(urls.size, 1);

  fake.projects.unshift(newPlace(15, 'acme/old'));
  const again = (await connect(organization)).body.data;
  assert.equal(again.source_id, first.source_id);
  const results = again.webhooks.slice(0, 3).map(({ result }: { result: string }) => result);
  assert.deepEqual(results, ['added', 'changed', 'changed']);
  assert.equal((await organization.get('/api/v1/sources')).body.data.length, 1);
});

test('reads at most 20 pages of webhooks, and says so', async () => {
  const organization = await testApp.newOrganization();
  const hook = { url: 'https://other.example/hook', token: '', fields: {} };
  const hooks = Array.from({ length: 2_001 }, (_, id) => ({ ...hook, id }));
  fake.groups = [{ ...newPlace(1, 'acme'), hooks }];
  const refused = await connect(organization);
  assertProblem(refused, 409, 'gitlab_refused');
  assert.match(refused.body.detail, /more than 2000 webhooks of acme/);
  assert.equal(fake.requests.filter((asked) => asked.includes('/hooks')).length, 20);
  assert.deepEqual((await organization.get('/api/v1/sources')).body.data, []);
});

test('says what became of the test event', async () => {
  const organization = await testApp.newOrganization();
  fake.sendTest = async () => 422;
  const none = (await connect(organization, { path: 'ada/tools' })).body.data;
  assert.deepEqual(none.test_event, { result: 'refused', reason: 'Ensure the project has CI pipelines.' });
  assert.equal(none.scope, 'project');
  fake.sendTest = null;
  const old = (await connect(organization, { path: 'ada/tools' })).body.data;
  assert.deepEqual(old.test_event, { result: 'not_offered', reason: null });
});

test('names the field that is wrong, and leaves nothing', async () => {
  const organization = await testApp.newOrganization();
  const refused = async (answer: object, fields: object, code = 'invalid_request', status = 400) => {
    if ('status' in answer) fake.refusals.push(answer as (typeof fake.refusals)[number]);
    const sent = await connect(organization, { path: 'acme', ...fields });
    assertProblem(sent, status, code);
    return sent.text;
  };
  const expired = 'Token is expired. You can either do re-authorization or token refresh.';
  const oauth = (error: string, error_description: string) => ({ error, error_description });
  assert.match(await refused({}, { token: 'glpat-wrong' }), /body\.token is unknown to this GitLab/);
  const gone = { status: 401, body: oauth('invalid_token', expired) };
  assert.match(await refused(gone, {}), /body\.token has expired/);
  const narrow = { status: 403, body: oauth('insufficient_scope', 'The request requires higher …') };
  assert.match(await refused(narrow, {}), /body\.token lacks the scope api/);
  assert.match(await refused({}, { path: 'acme/none' }), /no such group or project/);
  assert.match(await refused({}, { address: 'http://127.0.0.1:9' }), /refuses the connection/);
  assert.match(await refused({}, { address: 'https://10.1.2.3' }), /EGRESS_ALLOWED_CIDRS/);
  assert.match(await refused({}, { address: 'gitlab' }), /body\.address/);
  const away = { status: 502, body: {} };
  assert.match(await refused(away, {}, 'gitlab_unavailable', 503), /answered 502/);
  const seen = fake.requests.length;
  const badUrl = { status: 422, body: { message: 'Invalid url given' } };
  fake.refusals.push({ status: 404, body: {} }, { status: 200, body: { id: 13, path_with_namespace: 'x' } });
  fake.refusals.push({ status: 200, body: [] as never });
  assert.match(await refused(badUrl, {}, 'gitlab_refused', 409), /Set PUBLIC_URL/);
  assert.equal(fake.requests.length, seen + 4);
  assert.deepEqual((await organization.get('/api/v1/sources')).body.data, []);

  fake.scopes = ['read_api'];
  const found = await organization.send('POST', `${path}/find`, access());
  assertProblem(found, 400, 'invalid_request', ['body.token']);
  fake.closedProjects.add(13);
  assertProblem(await connect(organization, { path: 'ada/tools' }), 400, 'invalid_request', ['body.token']);
});

test('wants an admin', async () => {
  const organization = await testApp.newOrganization();
  const member = await organization.newToken('member');
  for (const address of [path, `${path}/find`]) {
    const sent = await organization.send('POST', address, { ...access(), path: 'acme' }, member);
    assertProblem(sent, 403, 'role_too_low');
  }
});
