import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { sendConcurrently } from '../../../test/harness/sendConcurrently.ts';

const testApp = await startTestApp();
const path = '/api/v1/members';

async function addMember(organization: TestOrganization, fields: object): Promise<string> {
  const answer = await organization.send('POST', path, fields);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

async function membersOf(organization: TestOrganization): Promise<{ email: string; role: string }[]> {
  return (await organization.get(path)).body.data;
}

test('adds a member with defaults, and lists members by email', async () => {
  const organization = await testApp.newOrganization();
  await addMember(organization, { email: 'zoe@acme.test', name: 'Zoe', role: 'viewer', alert_emails: false });
  const added = await organization.send('POST', path, { email: 'Ann@acme.test' });
  const created_at = testApp.clock.now().toISOString();
  assert.deepEqual(added.body.data, {
    id: added.body.data.id,
    email: 'Ann@acme.test',
    name: null,
    role: 'member',
    alert_emails: true,
    last_seen_at: null,
    created_at,
    updated_at: created_at,
  });
  assert.deepEqual(
    (await membersOf(organization)).map(({ email, role }) => [email, role]),
    [
      ['Ann@acme.test', 'member'],
      ['zoe@acme.test', 'viewer'],
    ],
  );
});

test('allows one member per email and organization, in any case', async () => {
  const organization = await testApp.newOrganization();
  await addMember(organization, { email: 'ann@acme.test' });
  assertProblem(await organization.send('POST', path, { email: 'ANN@Acme.test' }), 409, 'member_exists');
  assert.equal((await membersOf(organization)).length, 1);
  await addMember(await testApp.newOrganization(), { email: 'ann@acme.test' });
});

test('refuses a bad email, a bad role and a missing email, and names the field', async () => {
  const organization = await testApp.newOrganization();
  for (const email of [
    'ann',
    '@acme.test',
    'ann@',
    'ann @acme.test',
    'a@b@c',
    'a..b@acme.test',
    '.a@acme.test',
    'a@acme..test',
    'a@-acme.test',
    'a@acme.test.',
    'a;b@acme.test',
    'Ann <a@acme.test>',
    'a@acme.test,b@acme.test',
    'a@acme.test\nBcc: b@acme.test',
    '"a b"@acme.test',
    '"a>b"@acme.test',
    '"a\nb"@acme.test',
    'a\u00A0b@acme.test',
    'a\u202Eb@acme.test',
    'a\u200Bb@acme.test',
    `${'a'.repeat(250)}@b.cd`,
    7,
    null,
  ]) {
    assertProblem(await organization.send('POST', path, { email }), 400, 'invalid_request', ['body.email']);
  }
  assertProblem(await organization.send('POST', path, {}), 400, 'invalid_request', ['body.email']);
  const nobody = await organization.send('POST', path, { email: 'nobody' });
  assert.equal(nobody.body.detail, 'body.email must be an email address');
  const bad = await organization.send('POST', path, { email: 'a@b.test', role: 'boss', alert_emails: 'yes' });
  assertProblem(bad, 400, 'invalid_request', ['body.role', 'body.alert_emails']);
  assert.deepEqual(await membersOf(organization), []);
});

test('accepts real addresses unchanged', async () => {
  const organization = await testApp.newOrganization();
  for (const email of [
    "o'hara+costs@acme.test",
    'Ada.Lovelace@Mail.acme.test',
    'root@localhost',
    'müller@exämple.test',
    'a_b-c@xn--exmple-cua.test',
    '佐藤@例え.テスト',
  ]) {
    const answer = await organization.send('POST', path, { email });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.data.email, email);
  }
});

test('changes only the given fields of a member', async () => {
  const organization = await testApp.newOrganization();
  const id = await addMember(organization, { email: 'ann@acme.test', name: 'Ann' });
  const before = (await organization.get(path)).body.data[0];
  testApp.clock.forward(60);
  const changed = await organization.send('PUT', `${path}/${id}`, { alert_emails: false });
  assert.deepEqual(changed.body.data, {
    ...before,
    alert_emails: false,
    updated_at: testApp.clock.now().toISOString(),
  });
  assert.deepEqual((await organization.get(path)).body.data, [changed.body.data]);
  const sentBack = await organization.send('PUT', `${path}/${id}`, { ...changed.body.data, name: null });
  assert.deepEqual(sentBack.body.data, { ...changed.body.data, name: null });
});

test("changes a member's email to any address that no other member has", async () => {
  const organization = await testApp.newOrganization();
  const id = await addMember(organization, { email: 'ann@acme.test' });
  await addMember(organization, { email: 'bob@acme.test' });
  const change = (fields: object) => organization.send('PUT', `${path}/${id}`, fields);
  for (const email of ['ann@rockets.test', 'Ann@Rockets.test']) {
    assert.equal((await change({ email })).body.data.email, email);
    assert.deepEqual(
      (await membersOf(organization)).map((member) => member.email),
      [email, 'bob@acme.test'],
    );
  }
  const before = await membersOf(organization);
  assertProblem(await change({ email: 'BOB@acme.test', name: 'Bob' }), 409, 'member_exists');
  for (const email of ['ann', '@acme.test', 'ann @acme.test', 'ann@acme..test', '', null]) {
    assertProblem(await change({ email, name: 'X' }), 400, 'invalid_request', ['body.email']);
  }
  assert.deepEqual(await membersOf(organization), before);
});

test('answers 404 for an unknown id', async () => {
  const organization = await testApp.newOrganization();
  const elsewhere = await addMember(await testApp.newOrganization(), { email: 'ann@acme.test' });
  for (const id of ['mem_00000000000000000000', 'x', '%20', elsewhere]) {
    assertProblem(await organization.send('PUT', `${path}/${id}`, { name: 'X' }), 404, 'member_not_found');
    assertProblem(await organization.send('DELETE', `${path}/${id}`), 404, 'member_not_found');
  }
});

test('removes a member with all their tokens', async () => {
  const organization = await testApp.newOrganization();
  const id = await addMember(organization, { email: 'ann@acme.test', role: 'admin' });
  const { token } = (
    await organization.send('POST', '/api/v1/tokens', { name: 'a', role: 'admin', member_id: id })
  ).body.data;
  assert.equal((await organization.send('PUT', '/api/v1/organization', {}, token)).status, 200);
  const removed = await organization.send('DELETE', `${path}/${id}`);
  assert.deepEqual(removed.body, { data: { id, deleted: true } });
  assertProblem(await organization.send('PUT', '/api/v1/organization', {}, token), 401, 'invalid_token');
  assert.deepEqual(await membersOf(organization), []);
  assertProblem(await organization.send('DELETE', `${path}/${id}`), 404, 'member_not_found');
});

test('neither demotes nor removes the last owner', async () => {
  const organization = await testApp.newOrganization();
  const first = await addMember(organization, { email: 'ann@acme.test', role: 'owner' });
  assertProblem(await organization.send('PUT', `${path}/${first}`, { role: 'admin' }), 409, 'last_owner');
  assertProblem(await organization.send('DELETE', `${path}/${first}`), 409, 'last_owner');
  assert.equal(
    (await organization.send('PUT', `${path}/${first}`, { role: 'owner', name: 'Ann' })).status,
    200,
  );
  const second = await addMember(organization, { email: 'bob@acme.test', role: 'owner' });
  assert.equal((await organization.send('PUT', `${path}/${first}`, { role: 'viewer' })).status, 200);
  assertProblem(await organization.send('DELETE', `${path}/${second}`), 409, 'last_owner');
});

test('keeps an owner when two requests race', async () => {
  for (const methods of [
    ['DELETE', 'DELETE'],
    ['PUT', 'DELETE'],
    ['PUT', 'PUT'],
  ] as const) {
    const organization = await testApp.newOrganization();
    const owners = await Promise.all(
      ['ann@acme.test', 'bob@acme.test'].map((email) => addMember(organization, { email, role: 'owner' })),
    );
    const requests = methods.map((method, index) => () => {
      const body = method === 'PUT' ? { role: 'member' } : undefined;
      return organization.send(method, `${path}/${owners[index]}`, body);
    });
    const answers = await sendConcurrently(testApp, 'members', organization.orgId, requests);
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409']);
    assert.equal((await membersOf(organization)).filter(({ role }) => role === 'owner').length, 1);
  }
});

test('adds one member when two requests race for an email', async () => {
  const organization = await testApp.newOrganization();
  const answers = await Promise.all(
    ['a@b.test', 'A@B.test', 'a@B.test'].map((email) => organization.send('POST', path, { email })),
  );
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['201', '409', '409']);
});

test('does not let an admin make, change or remove an owner', async () => {
  const organization = await testApp.newOrganization();
  const admin = await organization.newToken('admin');
  const owner = await addMember(organization, { email: 'ann@acme.test', role: 'owner' });
  await addMember(organization, { email: 'second@acme.test', role: 'owner' });
  const member = await addMember(organization, { email: 'bob@acme.test' });
  for (const [method, address, body] of [
    ['POST', path, { email: 'new@acme.test', role: 'owner' }],
    ['PUT', `${path}/${member}`, { role: 'owner' }],
    ['PUT', `${path}/${owner}`, { role: 'viewer' }],
    ['PUT', `${path}/${owner}`, { name: 'X' }],
    ['DELETE', `${path}/${owner}`, undefined],
  ] as const) {
    assertProblem(await organization.send(method, address, body, admin), 403, 'role_too_low');
  }
  assert.equal((await organization.send('PUT', `${path}/${member}`, { role: 'admin' }, admin)).status, 200);
  assert.deepEqual(
    (await membersOf(organization)).map(({ role }) => role),
    ['owner', 'admin', 'owner'],
  );
});
