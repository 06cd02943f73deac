/** Tests every operation of the OpenAPI document, so that new routes follow the rules too. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { roles, scopes, type Role, type Scope } from '../src/platform/lib/actor.ts';
import { request, startTestApp } from './harness/app.ts';
import { bill, importCsv, lineOf } from './harness/bills.ts';
import { newRun, submit } from './harness/submission.ts';

const root = join(import.meta.dirname, '..');
/** Nothing listens on this port. */
const gitHubApiUrl = 'http://127.0.0.1:9';
const testApp = await startTestApp({ GITHUB_API_URL: gitHubApiUrl });
const { server } = testApp;
const owner = await testApp.newOrganization();
const stranger = await testApp.newOrganization();
const document = (await request(server, { method: 'GET', url: '/openapi.json' })).body;

type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  summary?: string;
  security?: object[];
  'x-scope'?: (typeof scopes)[number];
  'x-role'?: (typeof roles)[number];
  parameters?: { name: string; in: string; required?: boolean; schema: { type?: string } }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: object }> }>;
};

const operations: Operation[] = Object.entries(
  document.paths as Record<string, Record<string, object>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => ({ method: method.toUpperCase(), path, ...operation }) as Operation,
  ),
);
const guarded = operations.filter(({ security }) => !security);
const ofOperator = operations.filter(({ security = [] }) => security.some((each) => 'operator' in each));

const budget = { name: 'walk', alert_type: 'budget', threshold_amount: 10 };
const jobsOfMarch = { dataset: 'jobs', format: 'csv', from: '2026-03-01', to: '2026-03-18' };
const slackChannel = { name: 'walk', kind: 'slack', settings: { url: 'https://chat.example.com/walk' } };
const hook = { url: 'https://hooks.example.com/walk', events: ['alert.triggered'] };
const toChat = { frequency: 'weekly', is_personal: false, chat: true };
/** Ids of the owner's organization. */
const ids: Record<string, string> = {
  tokens: (await owner.send('POST', '/api/v1/tokens', { name: 'walk', role: 'viewer' })).body.data.id,
  members: (await owner.send('POST', '/api/v1/members', { email: 'walk@acme.test' })).body.data.id,
  alerts: (await owner.send('POST', `/api/v1/alerts?org_id=${owner.orgId}`, budget)).body.id,
  sources: (await owner.send('POST', '/api/v1/sources', { kind: 'github' })).body.data.id,
  invitations: (await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })).body.data.id,
  'share-links': (await owner.send('POST', '/api/v1/share-links', { query: 'days=7' })).body.data.id,
  digests: (await owner.send('POST', '/api/v1/digests', toChat)).body.data.id,
  channels: (await owner.send('POST', '/api/v1/channels', slackChannel)).body.data.id,
  views: (await owner.send('POST', '/api/v1/views', { name: 'walk', query: '' })).body.data.id,
  annotations: (await owner.send('POST', '/api/v1/annotations', { start: '2026-03-17', text: 'walk' })).body
    .data.id,
  exports: (await owner.send('POST', '/api/v1/exports', jobsOfMarch)).body.data.id,
  webhooks: (await owner.send('POST', '/api/v1/webhooks', hook)).body.data.id,
};

const credentials = { kind: 'token', token: 'github_pat_walk' };
await owner.send('PUT', `/api/v1/sources/${ids['sources']}/credentials`, credentials);
const backfill = { repositories: ['acme/walk'], since: '7d' };
ids['backfills'] = (await owner.send('POST', '/api/v1/backfills', backfill)).body.data.id;
ids['bills'] = (await importCsv(testApp, owner, bill(lineOf({})))).body.data.id;
const { body: submitted } = await submit(owner, newRun());
ids['runs'] = submitted.data.results[0].id;
const { body: listed } = await owner.get('/api/v1/runs');
ids['workflows'] = listed.data[0].workflow_id;
ids['waste'] = `${ids['workflows']}.failed`;
ids['fixes'] = ids['waste'];
await owner.send('PUT', `/api/v1/waste/fixes/${ids['waste']}/decision`, { status: 'done' });

const bodies: Record<string, object> = {
  'POST /api/v1/webhooks/{id}/resends': { since: '2026-03-01T00:00:00Z' },
  'POST /api/v1/webhooks/{id}/deliveries/sign': { from: '2026-03-01T00:00:00Z' },
  'PUT /api/v1/sources/{id}/credentials': credentials,
  'POST /api/v1/github-apps/{id}/install': { installation_id: '1' },
  'PUT /api/v1/waste/fixes/{id}/decision': { status: 'done' },
  'PUT /api/v1/runs/{id}/amounts': { amounts: [] },
};

function pathOf(operation: Operation, id?: string): string {
  const collection = operation.path.split('/')[3] ?? '';
  return operation.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id ?? ids[collection] ?? ids['sources']!));
}

async function call(
  operation: Operation,
  token: string | null,
  options: { path?: string; query?: object; body?: unknown } = {},
) {
  const answer = await request(server, {
    method: operation.method,
    url: options.path ?? pathOf(operation),
    query: (options.query ?? {}) as Record<string, string>,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(options.body === undefined ? {} : { payload: options.body as object }),
  });
  assertFitsSchema(operation, answer.status, answer.body ?? answer.text);
  assert.match(String(answer.headers['cache-control']), /^(private, no-cache|no-store)$/);
  return answer;
}

function assertFitsSchema(operation: Operation, status: number, body: unknown): void {
  const described = operation.responses[status];
  assert.ok(described, `${operation.method} ${operation.path} does not describe its ${status}`);
  const schema = Object.values(described.content ?? {})[0]?.schema;
  if (!schema) return;
  const compiled = compiledSchemas.get(schema) ?? Compile(schema as never);
  compiledSchemas.set(schema, compiled);
  // `Errors` takes many times as long.
  if (compiled.Check(body)) return;
  const of = `${operation.method} ${operation.path} ${status}: ${JSON.stringify(body)?.slice(0, 300)}`;
  assert.deepEqual(compiled.Errors(body), [], of);
}

const compiledSchemas = new WeakMap<object, ReturnType<typeof Compile>>();

test('the document is OpenAPI 3.1 and describes every operation for people', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.ok(operations.length >= 20, `${operations.length} operations`);
  for (const operation of operations)
    assert.ok(operation.summary, `${operation.method} ${operation.path} has no summary`);
});

test('every response has a description, by default the name of its status', () => {
  for (const { method, path, responses } of operations)
    for (const [status, { description }] of Object.entries(responses))
      assert.ok(description && description !== 'Default Response', `${method} ${path} ${status}`);
  const { responses } = operations.find(({ method, path }) => `${method} ${path}` === 'POST /api/v1/tokens')!;
  assert.equal(responses['201']!.description, 'Created');
  assert.equal(responses['401']!.description, 'No valid bearer token');
});

test('exactly these operations take no token', () => {
  assert.deepEqual(
    operations
      .filter((each) => each.security && !ofOperator.includes(each))
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
    [
      'GET /api/v1/shared',
      'GET /api/v1/sign-in-options',
      'GET /badge/{link}.svg',
      'GET /healthz',
      'GET /openapi.json',
      'GET /readyz',
      ...['subscribe', 'unsubscribe/digest', 'unsubscribe'].map((page) => `GET /${page}/{link}`),
      'POST /api/v1/ingest/{source_id}',
      ...['accept', 'open', 'sign-in'].map((verb) => `POST /api/v1/invitation/${verb}`),
      'POST /api/v1/logins',
      'POST /api/v1/logins/poll',
      'POST /api/v1/session',
      ...['subscribe', 'unsubscribe/digest', 'unsubscribe'].map((page) => `POST /${page}/{link}`),
    ],
  );
});

test('every other operation takes a token, or the cookie of a session', () => {
  assert.deepEqual(document.security, [{ token: [] }, { session: [] }]);
  const { type, in: place, name } = document.components.securitySchemes.session;
  assert.deepEqual([type, place, name], ['apiKey', 'cookie', 'runcost_session']);
});

test('exactly these operations take a token of any scope', () => {
  assert.deepEqual(
    guarded.filter((operation) => !operation['x-scope']).map(({ method, path }) => `${method} ${path}`),
    [
      'DELETE /api/v1/tokens/current',
      ...['GET', 'DELETE'].map((method) => `${method} /api/v1/session`),
      ...['GET', 'DELETE'].map((method) => `${method} /api/v1/sessions`),
      'DELETE /api/v1/sessions/{id}',
      ...['GET', 'POST'].map((method) => `${method} /api/v1/session/organizations`),
      'GET /api/v1/logins/{code}',
      ...['approve', 'deny'].map((verb) => `POST /api/v1/logins/{code}/${verb}`),
    ],
  );
});

/** Created once, because that takes longer than drawing values. */
const anyJson = fc.jsonValue();
const anyText = fc.string({ unit: 'binary' });
const anyId = anyText.filter((text) => text !== '');
const junk = fc.oneof(
  anyText,
  fc.integer().map(String),
  fc.constantFrom('\0', '%', '-1', '1e999', 'NaN', '٣'),
);

/** Made once for all operations. */
const tokens = new Map<string, Promise<string>>();

function tokenOf(role: Role, among: readonly Scope[]): Promise<string> {
  const key = `${role} ${among.join()}`;
  const token = tokens.get(key) ?? owner.newToken(role, among);
  tokens.set(key, token);
  return token;
}

test('a token that is no token, and one without its end, are invalid', async () => {
  const operation = guarded.find(({ method, path }) => method === 'GET' && path === '/api/v1/runs')!;
  for (const token of ['nonsense', owner.token.slice(0, -1)])
    assert.equal((await call(operation, token)).status, 401);
});

describe('every guarded operation', () => {
  for (const operation of guarded) {
    const name = `${operation.method} ${operation.path}`;

    test(`${name} answers 401 without a token, and with an invalid one`, async () => {
      for (const token of [null, `${owner.token}x`]) {
        const answer = await call(operation, token);
        assert.equal(answer.status, 401);
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
      }
    });

    test(`${name} gives another organization's token nothing`, async () => {
      const asked = await call(operation, stranger.token, { query: { org_id: owner.orgId } });
      assert.equal(asked.status, 403);
      // OTLP answers with Google's codes: 7 is PERMISSION_DENIED.
      assert.equal(asked.body.code, operation.path.startsWith('/api/') ? 'wrong_organization' : 7);
      if (!operation.path.includes('{')) return;
      const body = operation.requestBody ? (bodies[name] ?? {}) : undefined;
      const found = await call(operation, stranger.token, { body });
      assert.equal(found.status, 404, found.text);
    });

    test(`${name} answers 403 to a token without its scope or role`, async () => {
      if (operation['x-scope']) {
        const others = scopes.filter((scope) => scope !== operation['x-scope']);
        assert.equal((await call(operation, await tokenOf('owner', others))).status, 403);
      }
      const lower = roles[roles.indexOf(operation['x-role']!) - 1];
      if (lower) assert.equal((await call(operation, await tokenOf(lower, scopes))).status, 403);
    });

    test(`${name} never fails on junk`, async () => {
      const endsAll = /\/(revoke-all|tokens\/current)$/.test(operation.path);
      const { orgId, token } = endsAll ? await testApp.newOrganization() : owner;
      const names = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => parameter.name);
      const query = fc.dictionary(fc.constantFrom(...names, 'other'), junk, { maxKeys: 4 });
      const body = operation.requestBody ? anyJson : fc.constant(undefined);
      await fc.assert(
        fc.asyncProperty(query, body, anyId, async (asked, sent, id) => {
          const answer = await call(operation, token, {
            query: { org_id: orgId, ...asked },
            ...(sent === undefined || sent === null
              ? {}
              : { body: typeof sent === 'object' ? sent : [sent] }),
            path: pathOf(operation, operation.path.includes('{') ? `x${id}` : undefined),
          });
          assert.ok(answer.status < 500, answer.text);
        }),
        { numRuns: 10 },
      );
    });
  }
});

test('POST /runs answers as described, whether all, some or none of the runs are recorded', async () => {
  const operation = guarded.find(({ method, path }) => method === 'POST' && path === '/api/v1/runs')!;
  const [good, bad] = [newRun(), newRun({ status: 'done' })];
  const statuses = [];
  for (const runs of [[good], [good, bad], [bad]])
    statuses.push((await call(operation, owner.token, { body: { runs } })).status);
  assert.deepEqual(statuses, [200, 207, 400]);
});

describe('a huge integer in the URL counts like any large one', () => {
  const ask = (operation: Operation, name: string, value: string) =>
    call(operation, owner.token, { query: { org_id: owner.orgId, [name]: value } });
  const tooLong = ['2147483648', '9007199254740993', '9223372036854775808', '9'.repeat(23), '9'.repeat(400)];
  /** Without the values that differ between two responses: an id, and the requested page. */
  const compared = ({ status, text }: Awaited<ReturnType<typeof call>>) => ({
    status,
    text: text.replace(/"page":\d+|"request_id":"[^"]+"/g, ''),
  });

  for (const operation of operations) {
    const integers = (operation.parameters ?? []).filter(({ schema }) => schema.type === 'integer');
    for (const { name } of integers) {
      test(`${name} of ${operation.method} ${operation.path}`, async () => {
        const large = compared(await ask(operation, name, '1000000'));
        assert.ok(large.status < 500);
        const negative = compared(await ask(operation, name, '-1'));
        for (const value of tooLong) {
          assert.deepEqual(compared(await ask(operation, name, value)), large, value);
          assert.deepEqual(compared(await ask(operation, name, `-${value}`)), negative, `-${value}`);
        }
      });
    }
  }
});

test('a huge integer in a body is named as a fault', async () => {
  const rule = { match: 'label', pattern: 'walk', runner_kind: 'linux_2_core' };
  const [large, larger] = ['999999999999', '9'.repeat(23)].map((digits) => JSON.rawJSON(digits));
  for (const [method, path, bodyOf, field] of [
    ['PUT', '/api/v1/pricing', (minutes: unknown) => ({ included_minutes: { minutes } }), 'minutes'],
    ['POST', '/api/v1/pricing/what-if', (days: unknown) => ({ days, rules: [] }), 'days'],
    ['POST', '/api/v1/pricing/rules', (position: unknown) => ({ ...rule, position }), 'position'],
  ] as const) {
    for (const value of [large, larger]) {
      const answer = await owner.send(method, path, bodyOf(value));
      assert.equal(answer.status, 400, answer.text);
      assert.ok(
        answer.body.errors.some(({ path: at }: { path: string }) => at.endsWith(field)),
        answer.text,
      );
    }
  }
});

/** Requests in the README and the docs, in curl commands and in the text. */
const named = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8')
    .replaceAll(/'\$\(date [^)]*\)'/g, '2026-03-18T12:00:00Z')
    .replaceAll('…', 'x');
  const curls = [...text.matchAll(/^ *curl [^]*?(?=^ *(?:curl|```))/gm)].flatMap(([command]) => {
    const [, url] = /(?:http:\/\/127\.0\.0\.1:8080|\$RUNCOST_URL)(\/[^\s"]+)/.exec(command) ?? [];
    if (!url) return [];
    const [, method = 'GET'] = /-X (\w+)/.exec(command) ?? [];
    const [, body] = /-d '([^']*)'/.exec(command) ?? [];
    return [{ page, method, url, body, isCommand: true }];
  });
  const inText = [...text.matchAll(/`([A-Z]+) (\/[^\s`]*)`/g)].map(([, method, url]) => ({
    page,
    method: method!,
    url: url!,
    body: undefined,
    isCommand: false,
  }));
  return [...curls, ...inText];
});

test('every request in the docs is an operation of the API, with its parameters and a body that fits', () => {
  assert.ok(named.filter(({ body }) => body).length >= 12, `${named.length} requests`);
  const faults = named.flatMap(({ page, method, url, body }) => {
    const text = `${page}: ${method} ${url}`;
    const [path, query] = url.split('?');
    const ofMethod = operations.filter((each) => each.method === method);
    const operation =
      ofMethod.find((each) => each.path === path) ??
      ofMethod.find((each) => new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path!));
    if (!operation) return [text];
    const known = new Set(operation.parameters?.map(({ name }) => name));
    const unknown = [...new URLSearchParams(query).keys()].filter((name) => !known.has(name));
    const schema = operation.requestBody?.content['application/json']?.schema;
    const bodyFaults = body ? Compile(schema as never).Errors(JSON.parse(body)) : [];
    return [...unknown, ...bodyFaults.map((fault) => JSON.stringify(fault))].map(
      (fault) => `${text}: ${fault}`,
    );
  });
  assert.deepEqual(faults, []);
});

test('the commands in the docs that read or send a body succeed', async () => {
  const values = {
    ORG: owner.orgId,
    WEBHOOK: ids['webhooks']!,
    SOURCE: ids['sources']!,
    EXPORT: ids['exports']!,
    RUN: ids['runs']!,
  };
  const commands = named
    .filter(({ isCommand, method, body }) => isCommand && (method === 'GET' || body))
    .filter(({ url }) => !url.endsWith('/download'));
  assert.ok(commands.length >= 25, `${commands.length} commands`);
  const faults: string[] = [];
  for (const { page, method, url, body } of commands) {
    const path = url.replaceAll(/\$(\w+)/g, (_, name: keyof typeof values) => values[name]);
    const send = () => owner.send(method as 'POST' | 'PUT', path, JSON.parse(body!));
    const answer = method === 'GET' ? await owner.get(path) : await send();
    if (answer.status >= 300)
      faults.push(`${page}: ${method} ${url}: ${answer.status} ${answer.body?.detail}`);
  }
  assert.deepEqual(faults, []);
});

test('docs/reference/access.md has a row for every guarded operation, with its role and scope', () => {
  const page = readFileSync(join(root, 'docs/reference/access.md'), 'utf8');
  const row = /^\| `([A-Z]+ \/\S+)` +\| (\w+) +\| `?([\w:]+)`? +\|$/gm;
  const rows = [...page.matchAll(row)].map(([, ...cells]) => cells.join(' '));
  const expected = [...guarded, ...ofOperator].map(
    ({ method, path, 'x-role': role = 'operator', 'x-scope': scope }) =>
      `${method} ${path} ${role} ${scope ?? 'any'}`,
  );
  assert.deepEqual(rows.toSorted(), expected.toSorted());
});
