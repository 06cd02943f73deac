import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newRun } from '../../../test/harness/submission.ts';
import { roles, scopes } from '../../platform/lib/actor.ts';

const testApp = await startTestApp();
const { server, clock } = testApp;
const path = '/api/v1/tokens';

async function newToken(organization: TestOrganization, fields: object = {}, as = organization.token) {
  const answer = await organization.send('POST', path, { name: 'ci', role: 'viewer', ...fields }, as);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data as { id: string; token: string; [field: string]: unknown };
}

/** Reads the organization's summary with this header. */
function read(authorization: string | undefined, query: Record<string, string> = {}) {
  const headers = authorization === undefined ? {} : { authorization };
  return request(server, { method: 'GET', url: '/api/v1/pricing/unpriced', query, headers });
}

describe('a new token', () => {
  test('is shown once, and listed without its text', async () => {
    const organization = await testApp.newOrganization();
    clock.forward(1);
    const { token, ...rest } = await newToken(organization, { scopes: ['costs:read'] });
    assert.match(token, /^runcost_[0-9a-f]{32}_[0-9a-f]{20}_[\w-]{43}$/);
    assert.deepEqual(rest, {
      id: rest.id,
      name: 'ci',
      kind: 'service',
      member_id: null,
      role: 'viewer',
      scopes: ['costs:read'],
      created_at: clock.now().toISOString(),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    const list = await organization.get(path);
    assert.deepEqual(list.body.data[0], rest);
    assert.ok(!list.text.includes(token.slice(-43)));
    assert.equal((await read(`Bearer ${token}`)).status, 200);
  });

  test('is stored as a hash: its secret is in no table and in no log line', async () => {
    const organization = await testApp.newOrganization();
    const { token } = await newToken(organization);
    await read(`Bearer ${token}`);
    const secret = token.slice(-43);
    for (const table of ['tokens', 'audit_entries']) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(table)} t`.execute(
        testApp.app.db,
      );
      assert.ok(rows.length > 0);
      for (const { row } of rows) {
        assert.ok(!row.includes(secret) && !row.includes(Buffer.from(secret).toString('hex')), table);
      }
    }
    assert.ok(!testApp.logged().includes(secret));
  });

  test('gets the scopes of the token that creates it if none are named', async () => {
    const organization = await testApp.newOrganization();
    const creator = await organization.newToken('admin', ['admin', 'costs:read']);
    assert.deepEqual((await newToken(organization, {}, creator)).scopes, ['admin', 'costs:read']);
  });

  test('refuses invalid fields one by one', async () => {
    const organization = await testApp.newOrganization();
    const other = await testApp.newOrganization();
    const stranger = (await other.send('POST', '/api/v1/members', { email: 'a@b.test' })).body.data.id;
    for (const [fields, field] of [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 'a\0' }, 'name'],
      [{ role: 'boss' }, 'role'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['admin', 'admin'] }, 'scopes'],
      [{ scopes: ['costs:write'] }, 'scopes[0]'],
      [{ member_id: stranger }, 'member_id'],
      [{ member_id: '' }, 'member_id'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ expires_at: '2027-02-30T00:00:00Z' }, 'expires_at'],
      [{ expires_at: '2027-02-28T00:00:00' }, 'expires_at'],
      [{ expires_at: '+200000-01-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: clock.now().toISOString() }, 'expires_at'],
      [{ expire_at: null }, 'expire_at'],
    ] as const) {
      const answer = await organization.send('POST', path, { name: 'ci', role: 'viewer', ...fields });
      assertProblem(answer, 400, 'invalid_request', [`body.${field}`]);
    }
    assertProblem(await organization.send('POST', path, {}), 400, 'invalid_request', [
      'body.name',
      'body.role',
    ]);
    assert.equal((await organization.get(path)).body.data.length, 1);
  });
});

describe('a token is refused', () => {
  test('from the moment it is revoked, and revoking it again changes nothing', async () => {
    const organization = await testApp.newOrganization();
    const { id, token } = await newToken(organization);
    assert.equal((await read(`Bearer ${token}`)).status, 200);
    const revoked = await organization.send('DELETE', `${path}/${id}`);
    assert.deepEqual(revoked.body, { data: { id, revoked: true } });
    const revokedAt = clock.now().toISOString();
    assertProblem(await read(`Bearer ${token}`), 401, 'invalid_token');
    clock.forward(60);
    assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 200);
    const listed = (await organization.get(path)).body.data.find((one: { id: string }) => one.id === id);
    assert.equal(listed.revoked_at, revokedAt);
  });

  test('from the moment it expires', async () => {
    const organization = await testApp.newOrganization();
    const expires_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const { token } = await newToken(organization, { expires_at });
    clock.forward(3_599.999);
    assert.equal((await read(`Bearer ${token}`)).status, 200);
    clock.forward(0.001);
    assertProblem(await read(`Bearer ${token}`), 401, 'invalid_token');
  });

  test('with any character changed, cut or added, always with the same text', async () => {
    const organization = await testApp.newOrganization();
    const { token } = await newToken(organization);
    const { token: other } = await newToken(await testApp.newOrganization());
    const details = new Set<string>();
    for (const bad of [
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      `${token.slice(0, -43)}${other.slice(-43)}`,
      `${other.slice(0, 40)}${token.slice(40)}`,
      'nonsense',
    ]) {
      const answer = await read(`Bearer ${bad}`);
      assertProblem(answer, 401, 'invalid_token');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.ok(!answer.text.includes(bad));
      details.add(answer.body.detail);
    }
    assert.equal(details.size, 1);
  });

  test('outside the Authorization header', async () => {
    const organization = await testApp.newOrganization();
    const { token } = await newToken(organization);
    for (const name of ['token', 'access_token']) {
      const answer = await read(undefined, { [name]: token });
      assertProblem(answer, 400, 'invalid_request', [`query.${name}`]);
      assert.ok(!answer.text.includes(token));
      assertProblem(await read(`Bearer ${token}`, { [name]: token }), 400, 'invalid_request', [
        `query.${name}`,
      ]);
    }
    assert.ok(!testApp.logged().includes(token));
  });

  test('in another form than Bearer', async () => {
    const { token } = await testApp.newOrganization();
    for (const header of [
      undefined,
      '',
      token,
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      `Bearer ${token} x`,
      `Bearer  `,
    ]) {
      const answer = await read(header);
      assertProblem(answer, 401, 'token_missing');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.ok(!answer.text.includes(token));
    }
  });
});

test('the word Bearer may be written in any case', async () => {
  const { token } = await testApp.newOrganization();
  for (const word of ['bearer', 'BEARER', 'Bearer '])
    assert.equal((await read(`${word} ${token}`)).status, 200);
});

describe('nobody grants more than they have', () => {
  test('no higher role, and no scope that their token lacks', async () => {
    const organization = await testApp.newOrganization();
    const creator = await organization.newToken('admin', ['admin', 'costs:read']);
    const post = (fields: object) =>
      organization.send('POST', path, { name: 'x', role: 'admin', ...fields }, creator);
    assertProblem(await post({ role: 'owner' }), 403, 'role_too_low');
    assertProblem(await post({ scopes: ['runs:write'] }), 403, 'scope_missing');
    assert.equal((await post({})).status, 201);
  });

  test("gives a member's token the lower of its own role and the member's, at every moment", async () => {
    const organization = await testApp.newOrganization();
    const member = async (role: string) =>
      (await organization.send('POST', '/api/v1/members', { email: `${role}@a.test`, role })).body.data.id;
    const viewer = await member('viewer');
    const owner = await member('owner');
    const low = await newToken(organization, { role: 'owner', member_id: viewer });
    const high = await newToken(organization, { role: 'viewer', member_id: owner });
    const write = (token: string) => organization.send('PUT', '/api/v1/organization', { name: 'X' }, token);
    assertProblem(await write(low.token), 403, 'role_too_low');
    assertProblem(await write(high.token), 403, 'role_too_low');
    await organization.send('PUT', `/api/v1/members/${viewer}`, { role: 'admin' });
    assert.equal((await write(low.token)).status, 200);
    assertProblem(
      await organization.send('PUT', '/api/v1/organization', { plan: 'pro' }, low.token),
      403,
      'role_too_low',
    );
    await organization.send('PUT', `/api/v1/members/${viewer}`, { role: 'member' });
    assertProblem(await write(low.token), 403, 'role_too_low');
  });
});

describe('role and scope', () => {
  const operations = [
    { role: 'viewer', scope: 'costs:read', method: 'GET', url: '/api/v1/pricing/unpriced' },
    { role: 'viewer', scope: 'admin', method: 'GET', url: '/api/v1/members' },
    {
      role: 'member',
      scope: 'runs:write',
      method: 'POST',
      url: '/api/v1/runs',
      payload: { runs: [newRun()] },
    },
    { role: 'admin', scope: 'admin', method: 'GET', url: '/api/v1/audit-log' },
    { role: 'owner', scope: 'admin', method: 'PUT', url: '/api/v1/organization', payload: { plan: 'pro' } },
  ] as const;

  test('allow only what both allow', async () => {
    const organization = await testApp.newOrganization();
    for (const { role, scope, ...operation } of operations) {
      for (const held of roles) {
        for (const heldScope of ['costs:read', 'runs:write', 'admin', 'alerts:read'] as const) {
          const authorization = `Bearer ${await organization.newToken(held, [heldScope])}`;
          const answer = await request(server, { ...operation, headers: { authorization } });
          const isAllowed = heldScope === scope && roles.indexOf(held) >= roles.indexOf(role);
          assert.equal(
            answer.status,
            isAllowed ? 200 : 403,
            `${held} ${heldScope} ${operation.url} ${answer.text}`,
          );
          if (isAllowed && role === 'owner') await organization.send('PUT', operation.url, { plan: 'team' });
        }
      }
    }
  });

  test('are both named in the problem', async () => {
    const organization = await testApp.newOrganization();
    const viewer = await organization.newToken('viewer', scopes);
    const answer = await organization.send('POST', '/api/v1/runs', { runs: [newRun()] }, viewer);
    assertProblem(answer, 403, 'role_too_low');
    assert.match(answer.body.detail, /member.*viewer/);
    const scopeless = await organization.newToken('owner', ['costs:read']);
    const refused = await organization.send('POST', '/api/v1/runs', { runs: [newRun()] }, scopeless);
    assertProblem(refused, 403, 'scope_missing');
    assert.match(refused.body.detail, /runs:write/);
  });
});

test('answers 404 for an unknown token and for one of another organization', async () => {
  const organization = await testApp.newOrganization();
  const { id, token } = await newToken(await testApp.newOrganization());
  for (const bad of [id, 'tok_00000000000000000000', 'x', '%00']) {
    assert.equal((await organization.send('DELETE', `${path}/${bad}`)).status, 404);
  }
  assert.equal((await read(`Bearer ${token}`)).status, 200);
});

test('lists tokens newest first, including revoked and expired ones', async () => {
  const organization = await testApp.newOrganization();
  const made: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    clock.forward(1);
    made.unshift((await newToken(organization, { name })).id);
  }
  await organization.send('DELETE', `${path}/${made[1]}`);
  const listed = (await organization.get(path)).body.data.map((one: { id: string }) => one.id);
  assert.deepEqual(listed.slice(0, 3), made);
});

test('shows when a token was last used, to five minutes, and whom it belongs to', async () => {
  const organization = await testApp.newOrganization();
  const member = { email: 'ada@acme.test', role: 'member' };
  const member_id = (await organization.send('POST', '/api/v1/members', member)).body.data.id;
  const { id, token, kind } = await newToken(organization, { member_id });
  assert.equal(kind, 'personal');
  // The request does not wait until the use is written.
  const usedOnce = async (at: Date) => {
    let shown: string | null = null;
    for (let looks = 0; looks < 50 && shown !== at.toISOString(); looks++) {
      const { data } = (await organization.get(path)).body;
      shown = data.find((each: { id: string }) => each.id === id).last_used_at;
    }
    assert.equal(shown, at.toISOString());
  };
  const first = clock.now();
  await read(`Bearer ${token}`);
  await usedOnce(first);
  clock.forward(299);
  await read(`Bearer ${token}`);
  await usedOnce(first);
  clock.forward(1);
  await read(`Bearer ${token}`);
  await usedOnce(clock.now());
});

test('lets nobody revoke a token of a higher role, or create one for a member of a higher role', async () => {
  const organization = await testApp.newOrganization();
  const admin = await organization.newToken('admin');
  const owners = (await organization.send('POST', path, { name: 'owner', role: 'owner' })).body.data.id;
  assertProblem(
    await organization.send('DELETE', `${path}/${owners}`, undefined, admin),
    403,
    'role_too_low',
  );
  const owner = { email: 'owner@acme.test', role: 'owner' };
  const member_id = (await organization.send('POST', '/api/v1/members', owner)).body.data.id;
  const forOwner = { name: 'for the owner', role: 'admin', member_id };
  assertProblem(await organization.send('POST', path, forOwner, admin), 403, 'role_too_low');
});

test('lists every active token and the newest others, at most 2,000', async () => {
  const organization = await testApp.newOrganization();
  const now = testApp.clock.now();
  const rows = Array.from({ length: 2_100 }, (_, index) => ({
    orgId: organization.orgId,
    id: `tok_${index}`,
    memberId: null,
    name: String(index),
    role: 'admin' as const,
    scopes: ['admin'],
    secretHash: Buffer.from(String(index)),
    expiresAt: null,
    createdAt: new Date(now.getTime() - index * 1e3),
    revokedAt: index === 2099 ? null : now,
  }));
  await testApp.app.db.insertInto('tokens').values(rows).execute();
  const { data } = (await organization.get('/api/v1/tokens')).body;
  assert.equal(data.length, 2_000);
  const ids = data.map(({ id }: { id: string }) => id);
  assert.equal(ids.at(-1), 'tok_2099');
  assert.ok(ids.includes('tok_1997') && !ids.includes('tok_1998'));
  const times = data.map(({ created_at }: { created_at: string }) => created_at);
  assert.deepEqual(times, times.toSorted().toReversed());
});
