import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type Answer } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import {
  browsersOf,
  cookieOf,
  newMember,
  newToken,
  sessionPath as path,
} from '../../../test/harness/sessions.ts';
import { readConfig } from '../../config.ts';
import { scopes } from '../../platform/lib/actor.ts';
import { commandLine } from '../../platform/lib/commandLine.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { newAddress, signIn, browse, newSession, newCode, assertEnded } = browsersOf(testApp);
const days = 86_400;

/** The same service behind TLS. */
const secureServer = await buildServer({
  ...app,
  publicUrl: () => 'https://costs.acme.test/runcost',
});

describe('signing in with a token', () => {
  test('returns the holder, and sets a 30-day cookie that scripts and other sites cannot use', async () => {
    const organization = await testApp.newOrganization();
    const answer = await signIn({ token: organization.token });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.data, {
      organization: {
        id: organization.orgId,
        name: 'Acme',
        login: 'acme',
        plan: 'team',
        time_zone: 'UTC',
        fiscal_year_start_month: 1,
        week_start: 'monday',
        details_from: null,
        address_name: answer.body.data.organization.address_name,
      },
      kind: 'session',
      member: null,
      token: { id: answer.body.data.token.id, name: 'test' },
      role: 'owner',
      scopes: [...scopes],
      expires_at: new Date(clock.now().getTime() + 30 * days * 1_000).toISOString(),
      command_line: commandLine(testApp.app.config),
      hold: null,
      other_organizations: 0,
      public_url: testApp.app.publicUrl(),
      is_public: false,
    });
    assert.match(
      String(answer.headers['set-cookie']),
      /^runcost_session=runcost_session_[0-9a-f]{32}_[0-9a-f]{20}_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    assert.ok(cookieOf(answer).includes(organization.orgId.replaceAll('-', '')));
    assert.equal(answer.headers['cache-control'], 'no-store');
    const session = await browse(cookieOf(answer), 'GET', path);
    assert.equal(session.status, 200);
    assert.deepEqual(session.body, answer.body);
    assert.equal(session.headers['cache-control'], 'no-store');
  });

  test('is refused from a page of another site, which could sign a browser in as somebody else', async () => {
    const organization = await testApp.newOrganization();
    const code = await newCode(organization);
    const from = (origin: string, payload: object) =>
      request(server, { method: 'POST', url: path, headers: { origin }, payload });
    for (const origin of ['https://evil.test', 'null', `${app.publicUrl()}.evil.test`]) {
      for (const secret of [{ token: organization.token }, { code }]) {
        const answer = await from(origin, secret);
        assertProblem(answer, 403, 'origin_refused');
        assert.equal(answer.headers['set-cookie'], undefined);
      }
    }
    assert.equal((await from(app.publicUrl(), { code })).status, 201, 'the code is still unused');
  });

  test('sets a secure cookie if the public address is https', async () => {
    const { token } = await testApp.newOrganization();
    const answer = await signIn({ token }, { on: secureServer });
    assert.match(String(answer.headers['set-cookie']), /; Secure$/);
    const signedOut = await browse(cookieOf(answer), 'DELETE', path, {
      on: secureServer,
      origin: 'https://costs.acme.test',
    });
    assert.match(String(signedOut.headers['set-cookie']), /^runcost_session=; .*Max-Age=0; Secure$/);
  });

  test("of a member names the member, and gives no more than the member's role", async () => {
    const organization = await testApp.newOrganization();
    const member_id = await newMember(organization, 'member');
    const { token } = await newToken(organization, { member_id, scopes: ['costs:read', 'admin'] });
    const { data } = (await signIn({ token })).body;
    assert.deepEqual(data.member, { email: 'ada@acme.test', name: 'Ada' });
    assert.deepEqual([data.role, data.scopes], ['member', ['costs:read', 'admin']]);
  });

  test('lasts no longer than the token', async () => {
    const organization = await testApp.newOrganization();
    const expires_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const { token } = await newToken(organization, { expires_at });
    const answer = await signIn({ token });
    assert.equal(answer.body.data.expires_at, expires_at);
    assert.match(String(answer.headers['set-cookie']), /Max-Age=3600$/);
    clock.forward(3_599.999);
    assert.equal((await browse(cookieOf(answer), 'GET', path)).status, 200);
    clock.forward(0.001);
    await assertEnded(cookieOf(answer));
    assertProblem(await signIn({ token }), 401, 'invalid_token');
  });

  test('answers 401 without a cookie for an unknown, revoked or expired token', async () => {
    const organization = await testApp.newOrganization();
    const { id, token } = await newToken(organization);
    const session = (await newSession({ token })).split('=')[1]!;
    await organization.send('DELETE', `/api/v1/tokens/${id}`);
    for (const bad of [token, session, organization.token.slice(0, -1), 'nonsense']) {
      const answer = await signIn({ token: bad });
      assertProblem(answer, 401, 'invalid_token');
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });
});

describe('signing in', () => {
  test('takes either a token or a code, and nothing else', async () => {
    const { token } = await testApp.newOrganization();
    for (const [body, paths] of [
      [{}, ['body']],
      [{ token, code: 'x' }, ['body']],
      [{ token: '' }, ['body.token']],
      [{ token: 1 }, ['body.token']],
      [{ code: 'x'.repeat(513) }, ['body.code']],
      [{ code: 'a\0' }, ['body.code']],
      [{ token, remember: true }, ['body.remember']],
    ] as const) {
      assertProblem(await signIn(body), 400, 'invalid_request', [...paths]);
    }
  });

  test("refuses forms, which another site's page could send", async () => {
    const { token } = await testApp.newOrganization();
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const payload = JSON.stringify({ token });
      const headers = { 'content-type': type };
      const answer = await request(server, { method: 'POST', url: path, payload, headers });
      assert.equal(answer.status, 415, answer.text);
    }
  });
});

describe('a sign-in after 20 failures within a minute', () => {
  const failures = (count: number, from: string) =>
    Promise.all(Array.from({ length: count }, () => signIn({ token: 'nonsense' }, { from })));
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

  test('from one address answers 429 until the minute is over, even without a rate limit', async () => {
    assert.equal(app.config.rateLimit, 0);
    const from = newAddress();
    assert.deepEqual(statuses(await failures(20, from)), Array<number>(20).fill(401));
    clock.forward(15);
    const refused = await signIn({ token: 'nonsense' }, { from });
    assertProblem(refused, 429, 'rate_limited');
    assert.equal(refused.headers['retry-after'], '45');
    assert.equal((await signIn({ token: 'nonsense' })).status, 401, 'still works from other addresses');
    clock.forward(44);
    assert.deepEqual(statuses(await failures(1, from)), [429]);
    clock.forward(1);
    assert.deepEqual(statuses(await failures(1, from)), [401]);
  });

  test('waits longer and longer while failures go on, up to 15 minutes', async () => {
    const from = newAddress();
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      await failures(20, from);
      const refused = await signIn({ token: 'nonsense' }, { from });
      assert.equal(refused.headers['retry-after'], String(minutes * 60));
      clock.forward(minutes * 60);
    }
    clock.forward(15 * 60);
    await failures(20, from);
    assert.equal((await signIn({ token: 'nonsense' }, { from })).headers['retry-after'], '60');
  });

  test('counts parallel failures like failures in sequence', async () => {
    const answers = statuses(await failures(30, newAddress()));
    assert.deepEqual(answers, [...Array<number>(20).fill(401), ...Array<number>(10).fill(429)]);
  });

  test('still works from the same address with a valid token or code', async () => {
    const organization = await testApp.newOrganization();
    const from = newAddress();
    await failures(25, from);
    assert.equal((await signIn({ token: organization.token }, { from })).status, 201);
    assert.equal((await signIn({ code: await newCode(organization) }, { from })).status, 201);
    assert.deepEqual(statuses(await failures(1, from)), [429], 'does not restart the count after a success');
  });

  test('about one token or code answers 429 from any address, and the valid one still signs in', async () => {
    const organization = await testApp.newOrganization();
    const secrets = { token: organization.token, code: await newCode(organization) };
    for (const [kind, secret] of Object.entries(secrets)) {
      for (const status of [...Array<number>(20).fill(401), 429]) {
        const guess = secret.slice(0, -43) + 'A'.repeat(43);
        assert.equal((await signIn({ [kind]: guess })).status, status, kind);
      }
      const other = secret.slice(0, -64) + 'a'.repeat(20) + secret.slice(-44);
      assert.equal((await signIn({ [kind]: other })).status, 401);
      assert.equal((await signIn({ [kind]: secret })).status, 201);
    }
  });

  test('counts neither successes nor malformed texts', async () => {
    const { token } = await testApp.newOrganization();
    const from = newAddress();
    for (let index = 0; index < 21; index++) {
      assert.equal((await signIn({ token }, { from })).status, 201);
      assert.equal((await signIn({}, { from })).status, 400);
    }
    assert.deepEqual(statuses(await failures(1, from)), [401]);
  });

  test('counts codes too, and all addresses of one IPv6 network together', async () => {
    for (let index = 0; index < 20; index++) {
      assert.equal((await signIn({ code: 'x' }, { from: `2001:db8::${index + 1}` })).status, 401);
    }
    assert.equal((await signIn({ code: 'x' }, { from: '2001:db8::ffff' })).status, 429);
    assert.equal((await signIn({ code: 'x' }, { from: '2001:db8:0:1::1' })).status, 401);
  });
});

test('failures are in the audit log of the organization, at most one a minute for a credential and address', async () => {
  const organization = await testApp.newOrganization();
  const { id, token } = await newToken(organization);
  const logged = async () =>
    (await organization.get('/api/v1/audit-log')).body.data
      .filter(({ action }: { action: string }) => action === 'session.fail')
      .map(({ target, details }: { target: string; details: { address: string } }) => [
        target,
        details.address,
      ]);
  const guess = token.slice(0, -43) + 'A'.repeat(43);
  const [here, there] = [newAddress(), newAddress()];
  for (const from of [here, here, there]) await signIn({ token: guess }, { from });
  const unknown = token.slice(0, -64) + 'a'.repeat(20) + token.slice(-44);
  await signIn({ token: unknown }, { from: here });
  assert.deepEqual(await logged(), [
    [id, there],
    [id, here],
  ]);
  clock.forward(60);
  await signIn({ token: guess }, { from: here });
  assert.equal((await logged()).length, 3);
  assert.ok(!(await organization.get('/api/v1/audit-log')).text.includes('AAAA'));
});

describe('failures behind a proxy', async () => {
  const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.9.0.0/16, 2001:db8:9::1' });
  const proxied = await buildServer({ ...app, config: { ...app.config, trustedProxies } });

  /** How many failures of the sender pass before the limit. */
  async function failuresLeft(on: typeof server, from: string, forwarded: (index: number) => string) {
    for (let index = 0; index <= 20; index++) {
      const headers = { 'x-forwarded-for': forwarded(index) };
      if ((await signIn({ token: 'nonsense' }, { on, from, headers })).status === 429) return index;
    }
    return Infinity;
  }

  test('count for the address that a trusted proxy names, with or without a port', async () => {
    for (const proxy of ['10.9.1.1', '2001:db8:9::1', '::ffff:10.9.1.2']) {
      assert.equal(await failuresLeft(proxied, proxy, (index) => `192.0.2.${index}`), Infinity);
    }
    assert.equal(await failuresLeft(proxied, '10.9.1.1', () => '198.51.100.1'), 20);
    assert.equal(await failuresLeft(proxied, '10.9.1.1', (index) => `198.51.100.2:${5_000 + index}`), 20);
    assert.equal(await failuresLeft(proxied, '10.9.1.1', (index) => `[2001:db8:1::${index}]:80`), 20);
  });

  test('count for the nearest untrusted address, whatever stands before it', async () => {
    assert.equal(await failuresLeft(proxied, '10.9.1.1', (index) => `192.0.2.${index}, 198.51.100.3`), 20);
    assert.equal(await failuresLeft(proxied, '10.9.1.1', () => '198.51.100.4, 10.9.2.2'), 20);
  });

  test('count for the proxy if it names no address', async () => {
    assert.equal(await failuresLeft(proxied, '10.9.3.3', (index) => `unknown-${index}`), 20);
  });

  test('need a setting of addresses and ranges that does not cover everything', () => {
    for (const text of ['true', '*', 'proxy.acme.test', '10.9.0.0/33', '10.9', '0.0.0.0/0', '10.9.1.1,']) {
      assert.throws(() => readConfig({ TRUSTED_PROXIES: text }), /TRUSTED_PROXIES must be addresses/, text);
    }
  });

  test('count for the caller if it is no trusted proxy', async () => {
    assert.equal(await failuresLeft(proxied, newAddress(), (index) => `192.0.2.${index}`), 20);
    assert.equal(await failuresLeft(server, '10.9.4.4', (index) => `192.0.2.${index}`), 20);
  });
});

describe('a one-time code', () => {
  test('signs in once, as an owner with all scopes', async () => {
    const organization = await testApp.newOrganization();
    const code = await newCode(organization);
    assert.match(code, /^runcost_code_[0-9a-f]{32}_[0-9a-f]{20}_[\w-]{43}$/);
    const answer = await signIn({ code });
    assert.equal(answer.status, 201, answer.text);
    const { organization: named, member, role, scopes: held } = answer.body.data;
    assert.deepEqual([named.id, member, role, held], [organization.orgId, null, 'owner', [...scopes]]);
    assert.equal((await browse(cookieOf(answer), 'GET', '/api/v1/tokens')).status, 200);
    assertProblem(await signIn({ code }), 401, 'invalid_code');
  });

  test('signs in only one of many simultaneous requests', async () => {
    const code = await newCode(await testApp.newOrganization());
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn({ code })));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, ...Array<number>(11).fill(401)],
    );
  });

  test('works until it expires', async () => {
    const organization = await testApp.newOrganization();
    const [first, second] = [await newCode(organization, 900), await newCode(organization, 900)];
    clock.forward(899.999);
    assert.equal((await signIn({ code: first })).status, 201);
    clock.forward(0.001);
    assertProblem(await signIn({ code: second }), 401, 'invalid_code');
  });

  test('survives wrong guesses', async () => {
    const code = await newCode(await testApp.newOrganization());
    const other = await newCode(await testApp.newOrganization());
    for (const bad of [
      `${code.slice(0, -43)}${other.slice(-43)}`,
      `${other.slice(0, -64)}${code.slice(-64)}`,
      code.slice(0, -1),
      `${code}A`,
    ]) {
      assertProblem(await signIn({ code: bad }), 401, 'invalid_code');
    }
    assert.equal((await signIn({ code })).status, 201);
  });

  test("of a token has that token's rights and ends with it, and so do its sessions", async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newToken(organization, { role: 'viewer', scopes: ['costs:read'] });
    const [used, kept] = [await newCode(organization, 900, id), await newCode(organization, 900, id)];
    const answer = await signIn({ code: used });
    assert.deepEqual([answer.body.data.role, answer.body.data.scopes], ['viewer', ['costs:read']]);
    await organization.send('DELETE', `/api/v1/tokens/${id}`);
    await assertEnded(cookieOf(answer));
    assertProblem(await signIn({ code: kept }), 401, 'invalid_code');
  });
});

test('stores sessions and codes as hashes until they end, and logs no secret', async () => {
  const organization = await testApp.newOrganization();
  const code = await newCode(organization);
  const kept = await newCode(organization);
  const texts = [kept, code, await newSession({ code }), await newSession({ token: organization.token })];
  await browse(texts[2]!, 'GET', path);
  await signIn({ code });
  const secrets = [...texts, organization.token].map((text) => text.slice(-43));
  const rowsOf = async (table: string): Promise<string[]> => {
    const read = sql<{
      row: string;
    }>`select t::text as row from ${sql.table(table)} t where org_id = ${organization.orgId}`;
    return (await read.execute(app.db)).rows.map(({ row }) => row);
  };
  for (const [table, count] of [
    ['sessions', 2],
    ['sign_in_codes', 1],
    ['audit_entries', 6],
  ] as const) {
    const rows = await rowsOf(table);
    assert.equal(rows.length, count, table);
    for (const secret of secrets) {
      const forms = [secret, Buffer.from(secret).toString('hex')];
      assert.ok(!rows.some((row) => forms.some((form) => row.includes(form))), table);
    }
  }
  for (const secret of secrets) assert.ok(!testApp.logged().includes(secret));

  clock.forward(31 * days);
  await newSession({ code: await newCode(organization) });
  assert.equal((await rowsOf('sessions')).length, 1);
  assert.deepEqual(await rowsOf('sign_in_codes'), []);
});
