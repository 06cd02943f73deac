import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/audit-log';

async function actionsOf(organization: TestOrganization, query = ''): Promise<string[]> {
  const answer = await organization.get(`${path}?per_page=100${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.pagination.total, answer.body.data.length);
  return answer.body.data.map(({ action }: { action: string }) => action);
}

async function busyOrganization(): Promise<TestOrganization> {
  testApp.clock.set('2026-03-17T23:59:59Z');
  const organization = await testApp.newOrganization();
  testApp.clock.set('2026-03-18T00:00:00Z');
  await organization.send('POST', '/api/v1/members', { email: 'mona@acme.test', name: '=Mona' });
  await organization.send('POST', '/api/v1/views', { name: '=1+1', query: '' });
  return organization;
}

test('the audit log has filters of kind, actor and days', async () => {
  const organization = await busyOrganization();
  const other = await busyOrganization();
  const whole = ['view.create', 'member.add', 'token.create', 'organization.create'];
  assert.deepEqual(await actionsOf(organization), whole);
  assert.deepEqual(await actionsOf(organization, '&kind=member&kind=token'), ['member.add', 'token.create']);
  const unknown = await organization.get(`${path}?kind=mem`);
  assertProblem(unknown, 400, 'invalid_request', ['query.kind[0]']);
  assert.match(unknown.body.detail, /must be one of: .*\bmember\b.*\btoken\b/);
  assert.deepEqual(await actionsOf(organization, '&actor=cli'), ['token.create', 'organization.create']);
  assert.deepEqual(await actionsOf(organization, '&from=2026-03-18'), ['view.create', 'member.add']);
  assert.deepEqual(await actionsOf(organization, '&to=2026-03-17&actor=cli&kind=token'), ['token.create']);
  assert.deepEqual(await actionsOf(organization, '&from=2026-03-17&to=2026-03-18'), whole);
  const theirs = (await organization.get(path)).body.data[0].actor;
  assert.deepEqual(await actionsOf(other, `&actor=${theirs}`), [], "another organization's actor");
  for (const [query, field] of [
    ['from=2026-03-18&to=2026-03-17', 'query.from'],
    ['from=today', 'query.from'],
    ['since=2026-03-17', 'query.since'],
    ['to=2026-02-30', 'query.to'],
    [`actor=${'x'.repeat(301)}`, 'query.actor'],
  ] as const) {
    const { errors } = assertInvalid(await organization.get(`${path}?${query}`));
    assert.ok(errors[0]!.path.startsWith(field), errors[0]!.path);
  }
});

function assertInvalid(answer: Parameters<typeof assertProblem>[0]) {
  assertProblem(answer, 400, 'invalid_request');
  return answer.body as { errors: { path: string }[] };
}

test('the audit log is a CSV file too, safe for spreadsheets', async () => {
  const organization = await busyOrganization();
  const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
  const csv = (url: string, sent: Record<string, string> = headers) =>
    request(testApp.server, { method: 'GET', url, headers: sent });
  const answer = await csv(`${path}?kind=view&page=7`);
  assert.match(String(answer.headers['content-disposition']), /filename="runcost-audit-log\.csv"/);
  const [heading, line, ...rest] = answer.text.split('\r\n');
  assert.equal(heading, 'created_at,actor,action,target,details,summary');
  assert.match(
    line!,
    /^2026-03-18T00:00:00\.000Z,token tok_\w+,view\.create,view_\w+,"\{""name"":""=1\+1"".*,created the view “=1\+1”$/,
  );
  assert.deepEqual(rest, ['']);
  const stranger = await testApp.newOrganization();
  const foreign = await csv(`${path}?kind=view`, { ...headers, authorization: `Bearer ${stranger.token}` });
  assert.equal(foreign.text, 'created_at,actor,action,target,details,summary\r\n');
  const member = await organization.newToken('member');
  assertProblem(await csv(path, { ...headers, authorization: `Bearer ${member}` }), 403, 'role_too_low');
});

test('the audit log is paged, newest first', async () => {
  const organization = await testApp.newOrganization();
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    testApp.clock.forward(1);
    await organization.send('PUT', '/api/v1/organization', { name });
  }
  const pageOf = async (query: Record<string, number>) => (await organization.get(path, query)).body;
  const all = (await pageOf({ per_page: 100 })).data as { created_at: string }[];
  const times = all.map(({ created_at }) => created_at);
  assert.deepEqual(times, times.toSorted().toReversed());
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => pageOf({ page, per_page: 2 })));
  assert.deepEqual(
    pages.flatMap(({ data }) => data),
    all,
  );
  const past = await pageOf({ page: 99, per_page: 500 });
  assert.deepEqual(past.data, []);
  assert.deepEqual(past.pagination, { total: all.length, page: 99, per_page: 100 });
});
