import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/ownership/rules';
const platform = { kind: 'team', owner: 'Platform', repository: 'acme/api' };

async function addRule(organization: TestOrganization, rule: object): Promise<string> {
  const answer = await organization.send('POST', path, rule);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

async function ownersIn(organization: TestOrganization): Promise<string[]> {
  const { body } = await organization.get(path);
  return body.data.map(({ owner }: { owner: string }) => owner);
}

test('a rule has what it was given, and null for the rest', async () => {
  const organization = await testApp.newOrganization();
  const { status, body } = await organization.send('POST', path, platform);
  assert.equal(status, 201);
  const { id, created_at: createdAt, updated_at: _, ...rest } = body.data;
  assert.match(id, /^own_[0-9a-f]{20}$/);
  assert.equal(createdAt, testApp.clock.now().toISOString());
  const none = { workflow: null, label: null, valid_from: null, valid_until: null };
  assert.deepEqual(rest, { position: 1, ...platform, ...none, source: 'manual' });
  assert.deepEqual((await organization.get(`${path}/${id}`)).body, body);
  const listed = await organization.get(path);
  assert.deepEqual(listed.body, { data: [body.data], pagination: { total: 1, page: 1, per_page: 50 } });
});

test('rules stand in the order that people give them, in pages', async () => {
  const organization = await testApp.newOrganization();
  const rule = (owner: string) => ({ ...platform, owner, repository: `acme/${owner}` });
  const a = await addRule(organization, rule('a'));
  await addRule(organization, rule('b'));
  await addRule(organization, { ...rule('c'), position: 1 });
  assert.deepEqual(await ownersIn(organization), ['c', 'a', 'b']);
  assert.equal((await organization.send('PUT', `${path}/${a}`, { position: 3 })).body.data.position, 3);
  assert.deepEqual(await ownersIn(organization), ['c', 'b', 'a']);
  const page = await organization.get(path, { page: 2, per_page: 2 });
  assert.deepEqual([page.body.data[0].owner, page.body.data[0].position], ['a', 3]);
  const beyond = await organization.send('PUT', `${path}/${a}`, { position: 4 });
  assertProblem(beyond, 400, 'invalid_request', ['body.position']);
  await organization.send('DELETE', `${path}/${a}`);
  await addRule(organization, { ...rule('d'), position: 3 });
  assert.deepEqual(await ownersIn(organization), ['c', 'b', 'd']);
});

test('a change keeps other fields, and what was read can be sent back', async () => {
  const organization = await testApp.newOrganization();
  const id = await addRule(organization, { ...platform, label: 'gpu' });
  const change = { repository: null, valid_until: '2026-03-31' };
  const changed = await organization.send('PUT', `${path}/${id}`, change);
  const { repository, label, valid_until: until, owner } = changed.body.data;
  assert.deepEqual([repository, label, until, owner], [null, 'gpu', '2026-03-31', 'Platform']);
  const again = await organization.send('PUT', `${path}/${id}`, changed.body.data);
  assert.deepEqual(again.body, changed.body);
  const { body } = await organization.get('/api/v1/audit-log');
  const { action, details } = body.data[0];
  assert.equal(action, 'ownership_rule.update');
  assert.deepEqual(details, { ...change, before: { repository: 'acme/api', valid_until: null } });
});

test('a pattern without star is the same with and without `=`', async () => {
  const organization = await testApp.newOrganization();
  await addRule(organization, platform);
  for (const repository of ['=acme/api', '=ACME/api']) {
    const refused = await organization.send('POST', path, { ...platform, owner: 'Payments', repository });
    assertProblem(refused, 409, 'ownership_rule_exists');
  }
  await addRule(organization, { ...platform, repository: 'acme/*' });
  await addRule(organization, { ...platform, owner: 'Payments', repository: '=acme/*' });
});

test('a rule that would never apply is refused, with the one that comes before it', async () => {
  const organization = await testApp.newOrganization();
  const first = await addRule(organization, { ...platform, valid_from: '2026-01-01' });
  const moved = { ...platform, owner: 'Payments', repository: 'Acme/API', valid_from: '2026-03-01' };
  const refused = await organization.send('POST', path, moved);
  assertProblem(refused, 409, 'ownership_rule_exists');
  assert.match(refused.body.detail, /position 2 would never apply: .* position 1 .* Platform/);
  // The rule applies if it comes later in time, or before the other one in the list.
  const id = await addRule(organization, { ...moved, position: 1 });
  const back = await organization.send('PUT', `${path}/${id}`, { position: 2 });
  assertProblem(back, 409, 'ownership_rule_exists');
  const ended = await organization.send('PUT', `${path}/${first}`, { valid_until: '2026-02-28' });
  assert.equal(ended.status, 200, ended.text);
  await addRule(organization, { ...moved, kind: 'cost_center' });
  await addRule(organization, { ...moved, workflow: 'Deploy' });
  assert.deepEqual(await ownersIn(organization), ['Payments', 'Platform', 'Payments', 'Payments']);
});

describe('a rule is refused', () => {
  const faults: [why: string, change: object, field: string][] = [
    ['without a kind', { kind: undefined }, 'kind'],
    ['with a kind that nobody knows', { kind: 'person' }, 'kind'],
    ['without an owner', { owner: undefined }, 'owner'],
    ['with a blank owner', { owner: ' ' }, 'owner'],
    ['with the name of unowned costs', { owner: ' Unowned' }, 'owner'],
    ['without any pattern', { repository: null }, 'repository'],
    ['with a blank pattern', { workflow: ' \u200B' }, 'workflow'],
    ['with a line break in a pattern', { repository: 'acme/api\nacme/web' }, 'repository'],
    ['with a mark of text direction in a pattern', { workflow: 'CI\u202E' }, 'workflow'],
    ['with a pattern that begins with !', { label: '!gpu' }, 'label'],
    ['with a long pattern', { label: 'x'.repeat(256) }, 'label'],
    ['with a day that is none', { valid_from: '2026-02-30' }, 'valid_from'],
    ['with days in the wrong order', { valid_from: '2026-03-02', valid_until: '2026-03-01' }, 'valid_until'],
    ['with a position below 1', { position: 0 }, 'position'],
    ['with a field that nobody knows', { team: 'x' }, 'team'],
  ];
  for (const [why, change, field] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      const answer = await organization.send('POST', path, { ...platform, ...change });
      assertProblem(answer, 400, 'invalid_request', [`body.${field}`]);
    });
  }
});

test('viewers read, only admins change, strangers see nothing, and changes are audited', async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  const id = await addRule(organization, platform);
  const one = `${path}/${id}`;
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { owner: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    const answer = method === 'GET' ? await stranger.get(one) : await stranger.send(method, one, body);
    assertProblem(answer, 404, 'ownership_rule_not_found');
  }
  assert.deepEqual((await stranger.get(path)).body.data, []);
  const member = await organization.newToken('member');
  assert.equal((await organization.send('POST', path, platform, member)).status, 403);
  assert.equal((await organization.send('PUT', one, { owner: 'x' }, member)).status, 403);
  assert.equal((await organization.send('DELETE', one, undefined, member)).status, 403);
  assert.equal((await organization.send('DELETE', one)).status, 200);
  const { body } = await organization.get('/api/v1/audit-log');
  const actions = body.data
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith('ownership_rule'));
  assert.deepEqual(actions, ['ownership_rule.delete', 'ownership_rule.create']);
});
