import assert from 'node:assert/strict';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type Answer } from '../../../test/harness/app.ts';
import { gateTo } from '../../../test/harness/gate.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newRun } from '../../../test/harness/submission.ts';
import { gitHubRun } from '../../../test/payloads/gitHub.ts';
import { readConfig } from '../../config.ts';
import { buildServer } from '../../server.ts';
import { openDatabase } from '../db/database.ts';
import { createHealth } from '../db/health.ts';
import { createMetrics } from '../telemetry/metrics.ts';

const testApp = await startTestApp();
const { app, server } = testApp;
const organization = await testApp.newOrganization();
const headers = { authorization: `Bearer ${organization.token}` };

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS', url: string, more: object = {}) =>
  request(server, { method, url, headers, ...more });

/** The log lines of one request. */
function logOf({ headers: { 'x-request-id': id } }: Answer): { level: number; [field: string]: unknown }[] {
  const lines = testApp.logged().split('\n');
  return lines.filter((line) => line.includes(String(id))).map((line) => JSON.parse(line));
}

describe('every answer', () => {
  const asked: [string, () => Promise<Answer>, number][] = [
    ['a success', () => ask('GET', '/api/v1/members'), 200],
    ['an unknown route', () => ask('GET', '/nowhere'), 404],
    ['an unknown id', () => ask('DELETE', '/api/v1/members/x'), 404],
    ['a bad address', () => ask('GET', '/%zz?token=secret'), 400],
    ['a bad address below the API', () => ask('PUT', '/api/v1/members/%ff', { payload: {} }), 400],
    ['a null character in an id', () => ask('PUT', '/api/v1/members/%00', { payload: {} }), 404],
    [
      'a bad body',
      () =>
        ask('PUT', '/api/v1/organization', {
          payload: '{',
          headers: { ...headers, 'content-type': 'application/json' },
        }),
      400,
    ],
    [
      'another content type',
      () =>
        ask('PUT', '/api/v1/organization', {
          payload: '<a/>',
          headers: { ...headers, 'content-type': 'text/xml' },
        }),
      415,
    ],
    [
      'too large a body',
      () => ask('PUT', '/api/v1/organization', { payload: { name: 'x'.repeat(1_100_000) } }),
      413,
    ],
    ['no token', () => ask('GET', '/api/v1/members', { headers: {} }), 401],
    ['another method', () => ask('OPTIONS', '/api/v1/members'), 405],
    ['the page of the docs', () => ask('GET', '/docs'), 200],
  ];
  const ids = new Set<unknown>();

  for (const [name, get, status] of asked) {
    test(`has its own id and headers that protect browsers: ${name}`, async () => {
      const answer = await get();
      assert.equal(answer.status, status, answer.text);
      const { headers: given } = answer;
      assert.match(String(given['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.ok(!ids.has(given['x-request-id']));
      ids.add(given['x-request-id']);
      assert.equal(given['x-content-type-options'], 'nosniff');
      assert.match(String(given['content-security-policy']), /default-src 'self'/);
      assert.equal(given['referrer-policy'], 'no-referrer');
      assert.equal(given['cache-control'], name.includes('docs') ? 'no-store' : 'private, no-cache');
      for (const absent of ['x-powered-by', 'server', 'access-control-allow-origin'])
        assert.equal(given[absent], undefined);
      if (status >= 400) assertProblem(answer, status, answer.body.code);
      assert.ok(!answer.text.includes('secret'));
    });
  }

  test('to an endless or unreadable id is not found', async () => {
    for (const id of ['x'.repeat(600), 'x'.repeat(5_000), '%00', '%F0%9F%9A%80', '%25']) {
      const answer = await ask('DELETE', `/api/v1/members/${id}`);
      assertProblem(answer, 404, answer.body.code);
      assert.ok(answer.text.length < 500);
    }
  });

  test('has an id that the caller cannot choose', async () => {
    const answer = await ask('GET', '/healthz', {
      headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
    });
    assert.notEqual(answer.headers['x-request-id'], 'mine');
  });

  test('is logged in one line with its id, without the query', async () => {
    const answer = await ask('GET', '/api/v1/members?name=value');
    const [line, ...others] = logOf(answer);
    assert.deepEqual(others, []);
    assert.equal(line!['path'], '/api/v1/members');
    assert.equal(line!['status'], 400);
  });
});

describe('methods', () => {
  test('that a path does not have answer 405 with those it has, to anybody', async () => {
    for (const [method, url, allow] of [
      ['POST', '/api/v1/organization', 'DELETE, GET, HEAD, PUT'],
      ['POST', '/api/v1/dashboard/summary?org_id=x', 'GET, HEAD'],
      ['PUT', '/api/v1/runs', 'GET, HEAD, POST'],
      ['POST', '/api/v1/alerts/some%2Fid', 'DELETE, GET, HEAD, PUT'],
      ['PATCH', '/api/v1/%61lerts/preview', 'DELETE, GET, HEAD, POST, PUT'],
      ['HEAD', '/api/v1/ingest/x', 'POST'],
      ['OPTIONS', '/healthz', 'GET, HEAD'],
      ['GET', '/v1/traces', 'POST'],
      ['POST', '/docs', 'GET, HEAD'],
      ['DELETE', '/', 'GET, HEAD'],
    ] as const) {
      const answer = await request(server, { method, url, headers: { accept: 'text/html' } });
      assert.deepEqual([answer.status, answer.headers['allow']], [405, allow], url);
      if (method !== 'HEAD') assertProblem(answer, 405, 'method_not_allowed');
      assert.ok(!answer.text.includes('org_id'), answer.text);
    }
  });

  test('of an unknown path are an unknown route', async () => {
    for (const [method, url] of [
      ['GET', '/api/v1/alerts/'],
      ['POST', '/api/v1/alerts/x/y'],
      ['OPTIONS', '/nowhere'],
      ['GET', '/docs/static/nothing.css'],
      ['DELETE', '/api/v1/members/%zz'],
    ] as const) {
      const answer = await ask(method, url);
      assert.equal(answer.headers['allow'], undefined, url);
      assert.ok([404, 400].includes(answer.status), answer.text);
    }
    assertProblem(await ask('OPTIONS', '/nowhere'), 404, 'route_not_found');
  });

  test('HEAD answers like GET without a body, to those who may GET', async () => {
    const url = `/api/v1/dashboard/summary?org_id=${organization.orgId}`;
    const get = await ask('GET', url);
    const head = await server.inject({ method: 'HEAD', url, headers });
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    const response = await server.inject({ method: 'HEAD', url });
    assert.equal(response.statusCode, 401);
  });

  test('without a body accept any content type, and none', async () => {
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/xml',
      'nonsense',
      null,
    ]) {
      const { id } = (await organization.send('POST', '/api/v1/tokens', { name: 'x', role: 'viewer' })).body
        .data;
      const answer = await ask('DELETE', `/api/v1/tokens/${id}`, {
        headers: { ...headers, ...(type === null ? {} : { 'content-type': type }) },
      });
      assert.equal(answer.status, 200, `${type} ${answer.text}`);
    }
    const { id } = (await organization.send('POST', '/api/v1/tokens', { name: 'x', role: 'viewer' })).body
      .data;
    const zero = { ...headers, 'content-type': 'text/xml', 'content-length': '0' };
    assert.equal((await ask('DELETE', `/api/v1/tokens/${id}`, { headers: zero })).status, 200);
  });
});

describe('scripts of other origins', async () => {
  const { corsOrigins } = readConfig({ CORS_ORIGINS: 'https://Tools.Acme.test:443, http://localhost:3000/' });
  const open = await buildServer({ ...app, config: { ...app.config, corsOrigins, rateLimit: 100 } });
  const url = '/api/v1/members';
  const corsHeaders = (answer: Answer) =>
    Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));

  test('may call the API if their origin is set, read its headers, and send no cookie', async () => {
    for (const origin of ['https://tools.acme.test', 'http://localhost:3000']) {
      const answer = await request(open, { method: 'GET', url, headers: { ...headers, origin } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['access-control-allow-origin'], origin);
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      assert.match(String(answer.headers['vary']), /\borigin\b/i);
      const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
      for (const name of ['etag', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
        assert.ok(name in answer.headers && exposed.includes(name), name);
      }
      assert.ok(exposed.includes('retry-after') && exposed.includes('x-request-id'));
      for (const refused of ['/nowhere', '/api/v1/organization']) {
        const failed = await request(open, { method: 'DELETE', url: refused, headers: { origin } });
        assert.equal(failed.headers['access-control-allow-origin'], origin, refused);
      }
    }
  });

  test('get their preflight answer without a token', async () => {
    const asked = { origin: 'https://tools.acme.test', 'access-control-request-method': 'PUT' };
    const preflight = { ...asked, 'access-control-request-headers': 'authorization, content-type' };
    const answer = await request(open, { method: 'OPTIONS', url: `${url}/mem_x`, headers: preflight });
    assert.equal(answer.status, 204, answer.text);
    assert.equal(answer.headers['access-control-allow-origin'], asked.origin);
    assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, POST, PUT, DELETE');
    assert.equal(answer.headers['access-control-allow-headers'], 'authorization, content-type');
    assert.equal(answer.headers['access-control-max-age'], '600');
  });

  test('get nothing unless their exact origin is set', async () => {
    for (const origin of [
      'https://tools.acme.test.evil.test',
      'http://tools.acme.test',
      'https://tools.acme.test:8443',
      'https://TOOLS.acme.test',
      'https://x.tools.acme.test',
      'null',
      '',
    ]) {
      const answer = await request(open, { method: 'GET', url, headers: { ...headers, origin } });
      assert.deepEqual([answer.status, corsHeaders(answer)], [200, []], origin);
      assert.match(String(answer.headers['vary']), /\borigin\b/i);
      const asked = { origin, 'access-control-request-method': 'PUT' };
      const preflight = await request(open, { method: 'OPTIONS', url, headers: asked });
      assertProblem(preflight, 405, 'method_not_allowed');
      assert.deepEqual([preflight.headers['allow'], corsHeaders(preflight)], ['GET, HEAD, POST', []]);
      const nowhere = await request(open, { method: 'OPTIONS', url: '/nowhere', headers: asked });
      assertProblem(nowhere, 404, 'route_not_found');
    }
  });

  test('get nothing if no origin is set', async () => {
    const origin = 'https://tools.acme.test';
    const answer = await request(server, { method: 'GET', url, headers: { ...headers, origin } });
    assert.deepEqual([answer.status, corsHeaders(answer)], [200, []]);
  });

  test('are set only by origins in the form that browsers send', () => {
    for (const setting of [
      '*',
      'null',
      'https://*.acme.test',
      'acme.test',
      'https://acme.test/app',
      'ftp://acme.test',
      'https://u:p@acme.test',
      'https://acme.test?x',
      'https://acme.test,',
      'https://acme.test https://b.test',
    ]) {
      assert.throws(
        () => readConfig({ CORS_ORIGINS: setting }),
        /CORS_ORIGINS must be origins such as/,
        setting,
      );
    }
  });
});

describe('over a connection', async () => {
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;

  async function say(bytes: string): Promise<{ head: string; body: { [field: string]: unknown } }> {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    return { head: head!, body: JSON.parse(body!) };
  }

  test('invalid HTTP is answered with a problem', async () => {
    for (const [bytes, status] of [
      ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['nonsense\r\n\r\n', 400],
      ['GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: a\r\n\r\n', 400],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ] as const) {
      const { head, body } = await say(bytes);
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(head, /content-type: application\/problem\+json/i);
      assert.equal(body['status'], status);
    }
  });

  test('an unknown HTTP method is not allowed', async () => {
    const { head, body } = await say('PROPFIND /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(head, /^HTTP\/1.1 405 /);
    assert.match(head, /^allow: GET, HEAD\r$/im);
    assert.equal(body['code'], 'method_not_allowed');
  });
});

describe('while the database is away', async () => {
  const gate = await gateTo(app.config);
  const metrics = createMetrics();
  const gated = await openDatabase(
    { ...app.config, databaseUrl: gate.databaseUrl },
    { mayCreate: true, metrics },
  );
  const health = createHealth(gated.spare, app.log);
  const gatedServer = await buildServer({ ...app, db: gated.db, health });
  const source = await newSource({ ...testApp, server: gatedServer }, organization);
  const through = (url: string) => request(gatedServer, { method: 'GET', url, headers });

  test('/readyz and everything that needs it answer 503, /healthz does not, and all recovers afterwards', async () => {
    assert.equal((await through('/readyz')).status, 200);
    gate.shut();
    for (const answer of [
      await through('/readyz'),
      await through('/api/v1/members'),
      await source.deliver('workflow_run', gitHubRun()),
    ]) {
      assertProblem(answer, 503, 'database_away');
      assert.match(String(answer.headers['retry-after']), /^\d+$/);
      assert.ok(!/ECONN|127\.0\.0\.1|postgres/i.test(answer.text), answer.text);
    }
    assert.equal((await through('/healthz')).status, 200);
    assert.equal((await through('/openapi.json')).status, 200);
    gate.open();
    assert.equal((await through('/readyz')).status, 200);
    assert.equal((await through('/api/v1/members')).status, 200);
    assert.match(await metrics.registry.metrics(), /^runcost_pool_lost_connections_total{pool="probes"} 1$/m);
    health.close();
    await gatedServer.close();
    await gated.close();
  });
});

test('an internal error shows nothing to the caller and everything to the log', async () => {
  await sql`alter table members rename to away`.execute(app.db);
  const answer = await ask('GET', '/api/v1/members');
  await sql`alter table away rename to members`.execute(app.db);
  assertProblem(answer, 500, 'internal_error');
  assert.deepEqual(Object.keys(answer.body).toSorted(), [
    'code',
    'detail',
    'request_id',
    'status',
    'title',
    'type',
  ]);
  assert.ok(!/members|relation|select|\.ts|stack/i.test(answer.text), answer.text);
  const fault = logOf(answer).find(({ level }) => level === 50);
  assert.match(JSON.stringify(fault), /relation.*members.*does not exist/);
});

test('no log line contains a token, a secret or a query, wherever it was sent', async () => {
  const other = await testApp.newOrganization();
  const { token } = other;
  const secret = token.slice(-43);
  const source = await newSource(testApp, other);
  await ask('GET', `/api/v1/members?token=${token}`);
  await ask('GET', `/nowhere?access_token=${token}`);
  await ask('DELETE', `/api/v1/tokens/${token}`);
  await ask('GET', `/${token}/x`);
  await ask('GET', '/api/v1/members', { headers: { authorization: `Bearer ${token}x` } });
  await ask('POST', '/api/v1/runs', { payload: { runs: [newRun({ token })] } });
  await source.deliver('workflow_run', gitHubRun());
  assert.ok(testApp.logged().length > 1_000);
  for (const kept of [secret, source.secret]) assert.ok(!testApp.logged().includes(kept));
});
