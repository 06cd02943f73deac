import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newTokenHolder, newToken } from '../../../test/harness/sessions.ts';

const testApp = await startTestApp();
const path = '/api/v1/views';
const runners = { name: 'Runners by repository', query: 'group_by=repository,runner&days=90' };

async function save(organization: TestOrganization, body: object, token?: string) {
  const answer = await organization.send('POST', path, body, token);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

async function namesFor(organization: TestOrganization, token = organization.token): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await request(testApp.server, { method: 'GET', url: path, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.map(({ name }: { name: string }) => name);
}

async function newMember(organization: TestOrganization, name: string, role?: string) {
  return (await newTokenHolder(organization, name, role)).token;
}

describe('saved views', () => {
  test('are saved, changed and deleted, each with an entry in the audit log', async () => {
    const organization = await testApp.newOrganization();
    const mona = await newMember(organization, 'Mona');
    const { id, created_at, updated_at, ...rest } = await save(organization, runners, mona);
    assert.match(id, /^view_/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, { ...runners, is_shared: false, author: 'Mona', can_change: true });
    const changed = await organization.send('PUT', `${path}/${id}`, { is_shared: true }, mona);
    assert.equal(changed.body.data.is_shared, true);
    assert.equal((await organization.send('PUT', `${path}/${id}`, runners, mona)).status, 200);
    const deleted = await organization.send('DELETE', `${path}/${id}`, undefined, mona);
    assert.deepEqual(deleted.body.data, { id, deleted: true });
    assert.deepEqual(await namesFor(organization, mona), []);
    const { data } = (await organization.get('/api/v1/audit-log')).body;
    const kept = { ...runners, is_shared: true };
    assert.deepEqual(
      data
        .filter(({ action }: { action: string }) => action.startsWith('view.'))
        .map(({ action, target, details }: Record<string, unknown>) => [action, target, details]),
      [
        ['view.delete', id, kept],
        ['view.update', id, { before: { is_shared: false }, is_shared: true }],
        ['view.create', id, { ...runners, is_shared: false }],
      ],
    );
  });

  test('are seen by their author only, unless they are shared', async () => {
    const organization = await testApp.newOrganization();
    const [mona, ada] = [await newMember(organization, 'Mona'), await newMember(organization, 'Ada')];
    const own = await save(organization, { ...runners, name: 'own' }, mona);
    await save(organization, { ...runners, name: 'All', is_shared: true }, mona);
    assert.deepEqual(await namesFor(organization, mona), ['All', 'own']);
    assert.deepEqual(await namesFor(organization, ada), ['All']);
    assert.deepEqual(await namesFor(organization), ['All'], 'not even by an owner');
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await organization.send(
        method,
        `${path}/${own.id}`,
        method === 'PUT' ? {} : undefined,
        ada,
      );
      assertProblem(answer, 404, 'view_not_found');
    }
    const other = await testApp.newOrganization();
    assert.deepEqual(await namesFor(other), []);
    const stolen = await other.send('PUT', `${path}/${own.id}`, { name: 'stolen' });
    assertProblem(stolen, 404, 'view_not_found');
  });

  test('that are shared are changed by their author and by admins', async () => {
    const organization = await testApp.newOrganization();
    const [mona, ada] = [await newMember(organization, 'Mona'), await newMember(organization, 'Ada')];
    const { id } = await save(organization, { ...runners, is_shared: true }, mona);
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await organization.send(method, `${path}/${id}`, method === 'PUT' ? {} : undefined, ada);
      assertProblem(answer, 403, 'not_your_view');
    }
    const renamed = await organization.send('PUT', `${path}/${id}`, { name: 'Runners' });
    assert.deepEqual([renamed.body.data.name, renamed.body.data.author], ['Runners', 'Mona']);
  });

  test('are also saved by viewers, who cannot share them', async () => {
    const organization = await testApp.newOrganization();
    const vera = await newMember(organization, 'Vera', 'viewer');
    const { id } = await save(organization, runners, vera);
    const shared = { ...runners, is_shared: true };
    const mona = await newTokenHolder(organization, 'Mona');
    const { token: reader } = await newToken(organization, { role: 'viewer', member_id: mona.id });
    const demoted = await save(organization, shared, mona.token);
    assert.deepEqual(await namesFor(organization, reader), [runners.name]);
    for (const answer of [
      await organization.send('POST', path, shared, vera),
      await organization.send('PUT', `${path}/${id}`, shared, vera),
      await organization.send('DELETE', `${path}/${demoted.id}`, undefined, reader),
      await organization.send('PUT', `${path}/${demoted.id}`, { name: 'mine' }, reader),
    ])
      assertProblem(answer, 403, 'sharing_needs_member');
    const limited = await organization.newToken('owner', ['costs:read']);
    assertProblem(await organization.send('POST', path, runners, limited), 403, 'scope_missing');
  });

  test('have names that nobody sees twice', async () => {
    const organization = await testApp.newOrganization();
    const [mona, ada] = [await newMember(organization, 'Mona'), await newMember(organization, 'Ada')];
    const { id } = await save(organization, runners, mona);
    const again = { ...runners, name: ' runners  BY repository ' };
    assertProblem(await organization.send('POST', path, again, mona), 409, 'view_name_taken', ['body.name']);
    const other = await save(organization, { ...runners, name: 'Other', is_shared: true }, ada);
    assertProblem(
      await organization.send('PUT', `${path}/${id}`, { name: 'other' }, mona),
      409,
      'view_name_taken',
    );
    assert.equal((await organization.send('PUT', `${path}/${id}`, again, mona)).status, 200, 'its own name');
    const same = await organization.send('PUT', `${path}/${other.id}`, { name: runners.name }, ada);
    assert.equal(same.status, 200, 'what only Mona sees is not given away');
  });

  test('have a name, and a query that fits into an address', async () => {
    const organization = await testApp.newOrganization();
    for (const [body, ...fields] of [
      [{}, 'body.name', 'body.query'],
      [{ ...runners, name: '' }, 'body.name'],
      [{ ...runners, name: 'x'.repeat(101) }, 'body.name'],
      [{ ...runners, query: 'a b' }, 'body.query'],
      [{ ...runners, query: 'x'.repeat(4_001) }, 'body.query'],
      [{ ...runners, is_shared: 'yes' }, 'body.is_shared'],
      [{ ...runners, page: 'explore' }, 'body.page'],
    ] as const)
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', [...fields]);
    assertProblem(await organization.send('POST', path, runners, 'wrong'), 401, 'invalid_token');
    assertProblem(await organization.send('PUT', `${path}/view_none`, {}), 404, 'view_not_found');
    assertProblem(await organization.send('DELETE', `${path}/view_none`), 404, 'view_not_found');
  });

  test('are at most 200 of one author, who does not take the room of others', async () => {
    const organization = await testApp.newOrganization();
    const mona = await newMember(organization, 'Mona');
    for (let saved = 0; saved < 200; saved++)
      await save(organization, { ...runners, name: `view ${saved}` }, mona);
    assertProblem(await organization.send('POST', path, runners, mona), 409, 'too_many_views');
    await save(organization, runners);
  });
});
