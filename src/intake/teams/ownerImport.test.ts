import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { catchAllOwner } from './ownerImport.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const path = '/api/v1/ownership/imports';

beforeEach(() => {
  fake.files.clear();
  fake.properties.clear();
  fake.requests.length = 0;
  testApp.clock.set('2026-03-18T12:00:00Z');
});

async function organizationWith(...repositories: string[]): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  await submit(
    organization,
    ...repositories.map((repo_name) =>
      newRun({ provider: 'github', repo_name, run_id: String(repo_name.length) }),
    ),
  );
  return organization;
}

async function importFrom(organization: TestOrganization, body: object) {
  const started = await organization.send('POST', path, body);
  assert.equal(started.status, 202, started.text);
  await testApp.worker.processAll();
  return (await organization.get(`${path}/${started.body.data.id}`)).body.data;
}

async function rulesOf(organization: TestOrganization) {
  const { body } = await organization.get('/api/v1/ownership/rules');
  return body.data.map((rule: Record<string, string | null>) => [
    rule['kind'],
    rule['owner'],
    rule['repository'],
    rule['valid_from'],
    rule['valid_until'],
    rule['source'],
  ]);
}

test('the last line for all files names the team, from the first CODEOWNERS file', async () => {
  const organization = await organizationWith('acme/api', 'acme/web2', 'acme/none11');
  fake.files.set(
    'acme/api/.github/CODEOWNERS',
    '* @acme/old\n* @acme/platform @mona # all\n/docs @acme/docs\n',
  );
  fake.files.set('acme/api/CODEOWNERS', '* @acme/unread\n');
  fake.files.set('acme/web2/docs/CODEOWNERS', '*.ts @acme/ts\n* @acme/web\n');
  const done = await importFrom(organization, { from: 'codeowners' });
  assert.deepEqual(
    [done.status, done.found, done.progress, done.problems],
    ['done', 2, { done: 3, total: 3 }, []],
  );
  assert.deepEqual(await rulesOf(organization), [
    ['team', '@acme/platform', '=acme/api', null, null, 'codeowners'],
    ['team', '@acme/web', '=acme/web2', null, null, 'codeowners'],
  ]);
});

test('custom properties name both, over all pages; rules of people come first and stay', async () => {
  const organization = await organizationWith('acme/api');
  const value = (property_name: string, text: unknown) => ({ property_name, value: text });
  fake.properties.set('acme', [
    ...Array.from({ length: 150 }, (_, index) => ({
      repository_full_name: `acme/r${index}`,
      properties: [value('squad', null)],
    })),
    {
      repository_full_name: 'acme/api',
      properties: [value('squad', 'Payments'), value('cost_center', 'CC-7')],
    },
    { repository_full_name: 'acme/web', properties: [value('squad', 'Unowned')] },
  ]);
  const manual = { kind: 'team', owner: 'Mine', repository: 'acme/mine' };
  await organization.send('POST', '/api/v1/ownership/rules', manual);
  await importFrom(organization, { from: 'custom_properties', team_property: 'squad' });
  assert.deepEqual(await rulesOf(organization), [
    ['team', 'Mine', 'acme/mine', null, null, 'manual'],
    ['team', 'Payments', '=acme/api', null, null, 'custom_properties'],
    ['cost_center', 'CC-7', '=acme/api', null, null, 'custom_properties'],
  ]);
  const [, { id }] = (await organization.get('/api/v1/ownership/rules')).body.data;
  const refused = await organization.send('PUT', `/api/v1/ownership/rules/${id}`, { owner: 'X' });
  assertProblem(refused, 409, 'imported_rule');
  const { text } = await organization.get('/api/v1/ownership/csv');
  assert.doesNotMatch(text, /Payments/);
});

test('a new owner has the repository from today, and history keeps the one before', async () => {
  const organization = await organizationWith('acme/api', 'acme/web2');
  fake.files.set('acme/api/CODEOWNERS', '* @acme/a\n');
  fake.files.set('acme/web2/CODEOWNERS', '* @acme/w\n');
  await importFrom(organization, { from: 'codeowners' });
  const first = await rulesOf(organization);
  await importFrom(organization, { from: 'codeowners' });
  assert.deepEqual(await rulesOf(organization), first);
  testApp.clock.set('2026-03-20T12:00:00Z');
  fake.files.set('acme/api/CODEOWNERS', '* @acme/b\n');
  fake.files.delete('acme/web2/CODEOWNERS');
  await importFrom(organization, { from: 'codeowners' });
  assert.deepEqual(await rulesOf(organization), [
    ['team', '@acme/a', '=acme/api', null, '2026-03-19', 'codeowners'],
    ['team', '@acme/w', '=acme/web2', null, '2026-03-19', 'codeowners'],
    ['team', '@acme/b', '=acme/api', '2026-03-20', null, 'codeowners'],
  ]);
});

test('what cannot be read keeps its rules and is named; with nothing read, the import fails', async () => {
  const organization = await organizationWith('acme/api', 'acme/web2');
  fake.files.set('acme/api/CODEOWNERS', '* @acme/a\n');
  fake.files.set('acme/web2/CODEOWNERS', '* @acme/w\n');
  await importFrom(organization, { from: 'codeowners' });
  const before = await rulesOf(organization);
  fake.interruptions.push({ status: 403, message: 'Resource not accessible by personal access token' });
  const partly = await importFrom(organization, { from: 'codeowners' });
  assert.deepEqual([partly.status, partly.problems[0].name], ['done', 'acme/api']);
  assert.match(partly.problems[0].message, /"Contents: read"/);
  assert.deepEqual(await rulesOf(organization), before);
  fake.interruptions.push({ status: 403, message: 'Forbidden' });
  const failed = await importFrom(organization, { from: 'custom_properties' });
  assert.equal(failed.status, 'failed');
  assert.match(failed.error, /Nothing could be read\. .*"Custom properties: read"/);
});

test('a limit of GitHub makes it wait, and then it goes on', async () => {
  const organization = await organizationWith('acme/api', 'acme/web2');
  fake.files.set('acme/web2/.github/CODEOWNERS', '* @acme/w\n');
  fake.interruptions.push(null, null, null, { status: 429, headers: { 'retry-after': '60' } });
  const waiting = await importFrom(organization, { from: 'codeowners' });
  assert.equal(waiting.status, 'running');
  assert.deepEqual(waiting.waiting, { until: '2026-03-18T12:01:00.000Z', reason: 'secondary_rate_limit' });
  testApp.clock.forward(61);
  await testApp.worker.processAll();
  const done = (await organization.get(`${path}/${waiting.id}`)).body.data;
  assert.deepEqual([done.status, done.found, done.waiting], ['done', 1, null]);
});

test('imports are listed, and one can be cancelled, which changes no rule', async () => {
  const organization = await organizationWith('acme/api');
  fake.files.set('acme/api/CODEOWNERS', '* @acme/a\n');
  const done = await importFrom(organization, { from: 'codeowners' });
  fake.files.set('acme/api/CODEOWNERS', '* @acme/b\n');
  testApp.clock.forward(1);
  const { id } = (await organization.send('POST', path, { from: 'codeowners' })).body.data;
  const stranger = await testApp.newOrganization();
  assertProblem(await stranger.send('POST', `${path}/${id}/cancel`), 404, 'ownership_import_not_found');
  const viewer = await organization.newToken('viewer');
  assertProblem(await organization.send('POST', `${path}/${id}/cancel`, {}, viewer), 403, 'role_too_low');
  const cancelled = await organization.send('POST', `${path}/${id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'cancelled']);
  assertProblem(await organization.send('POST', `${path}/${id}/cancel`), 409, 'ownership_import_ended');
  await testApp.worker.processAll();
  assert.deepEqual(
    (await rulesOf(organization)).map(([, owner]: string[]) => owner),
    ['@acme/a'],
  );
  const { body } = await organization.get(path, { per_page: 1 });
  assert.deepEqual(body.pagination, { total: 2, page: 1, per_page: 1 });
  assert.deepEqual([body.data.length, body.data[0].id], [1, id]);
  assert.equal((await organization.get(path, { page: 2, per_page: 1 })).body.data[0].id, done.id);
  assert.deepEqual((await stranger.get(path)).body.data, []);
  assertProblem(await organization.get(path, { status: 'done' }), 400, 'invalid_request', ['query.status']);
});

test('needs an admin and a source with credentials, and finds nothing without a repository of GitHub', async () => {
  const organization = await testApp.newOrganization();
  const body = { from: 'codeowners' };
  assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', ['body.source_id']);
  await newReadingSource(testApp, organization, fake);
  const none = await importFrom(organization, body);
  assert.deepEqual([none.status, none.found], ['done', 0]);
  const wrong = await organization.send('POST', path, { from: 'ldap' });
  assertProblem(wrong, 400, 'invalid_request', ['body.from']);
  const member = await organization.newToken('member');
  assert.equal((await organization.send('POST', path, body, member)).status, 403);
  const own = await organizationWith('acme/api');
  const { body: started } = await own.send('POST', path, body);
  const foreign = await organization.get(`${path}/${started.data.id}`);
  assert.equal(foreign.status, 404);
});

test('the owner of all files is the first of the last line for all files', () => {
  const cases: [string, string | null][] = [
    ['* @acme/a @mona', '@acme/a'],
    ['* @acme/a\r\n\r\n# comment\r\n* @acme/b # why\r\n', '@acme/b'],
    ['* @acme/a\n*', null],
    ['*.js @acme/js\n/docs/ @acme/docs', null],
    ['/* @acme/root', null],
    ['** dev@acme.test', 'dev@acme.test'],
    ['', null],
  ];
  for (const [text, owner] of cases) assert.equal(catchAllOwner(text), owner, text);
});
