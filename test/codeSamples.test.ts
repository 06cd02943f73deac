/** Runs the samples of the API docs against the production server. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Compile } from 'typebox/compile';
import { request, startTestApp, type Answer } from './harness/app.ts';
import { importCsv } from './harness/bills.ts';
import { cookieOf } from './harness/sessions.ts';
import { signGitHub } from './payloads/gitHub.ts';

type Media = { schema?: object; example?: unknown };
type Operation = {
  name: string;
  parameters?: { name: string; example?: unknown; schema: object }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
  'x-codeSamples': { lang: string; label: string; source: string }[];
};

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'runcost-samples-'));
after(() => rmSync(folder, { recursive: true }));

// Nothing listens on this port.
const unreachable = 'http://127.0.0.1:9';
const testApp = await startTestApp({ GITHUB_API_URL: unreachable, CIRCLECI_API_URL: unreachable });
const { app, server, worker } = testApp;
app.setAddress(await server.listen({ host: '127.0.0.1', port: 0 }));
const owner = await testApp.newOrganization();
const { body: document } = await request(server, { method: 'GET', url: '/openapi.json' });

const operations: Operation[] = Object.entries(document.paths as Record<string, object>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(operation as Operation),
      name: `${method.toUpperCase()} ${path}`,
    })),
);
const source = (operation: Operation, label: string) =>
  operation['x-codeSamples'].find((sample) => sample.label === label)!.source;

test('every operation has a sample for curl and one for TypeScript', () => {
  assert.ok(operations.length > 100);
  for (const operation of operations) {
    const labels = operation['x-codeSamples'].map(({ lang, label }) => `${lang} ${label}`);
    assert.deepEqual(labels, ['shell curl', 'typescript TypeScript'], operation.name);
  }
});

test('every parameter and every body has an example that its schema accepts', () => {
  for (const { name, parameters = [], requestBody } of operations) {
    for (const { name: parameter, example, schema } of parameters) {
      assert.notEqual(example, undefined, `${name} ${parameter}`);
      assert.deepEqual(Compile(schema as never).Errors(example), [], `${name} ${parameter}`);
    }
    for (const { example, schema } of Object.values(requestBody?.content ?? {})) {
      assert.notEqual(example, undefined, name);
      assert.deepEqual(Compile(schema as never).Errors(example), [], name);
    }
  }
});

test('every text of a response has an example', () => {
  const without = operations.flatMap(({ name, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema }) =>
        textsWithoutExample(schema as TextSchema).map((place) => `${name} ${status}${place}`),
      ),
    ),
  );
  assert.deepEqual(without, []);
});

type TextSchema = {
  type?: string | string[];
  format?: string;
  examples?: unknown[];
  anyOf?: TextSchema[];
  properties?: Record<string, TextSchema>;
  items?: TextSchema;
};

/** Readers of the document see such a text as "string". */
function textsWithoutExample(schema: TextSchema, place = ''): string[] {
  const { anyOf = [], properties = {}, items, examples = [] } = schema;
  const isShown = examples.some((example) => example !== 'string');
  const isKnown = isShown || 'enum' in schema || 'const' in schema || schema.format === 'binary';
  const isText = [schema.type].flat().includes('string') && !isKnown;
  return [
    ...(isText ? [place] : []),
    ...anyOf.flatMap((each) => textsWithoutExample(each, place)),
    ...Object.entries(properties).flatMap(([name, each]) => textsWithoutExample(each, `${place}.${name}`)),
    ...(items ? textsWithoutExample(items, `${place}[]`) : []),
  ];
}

test('the TypeScript samples have no type errors', () => {
  const files = operations.map((operation, index) => {
    const file = join(folder, `typed-${index}.mts`);
    writeFileSync(file, `${source(operation, 'TypeScript')}\n`);
    return file;
  });
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--noUnusedLocals', '--target', 'es2023'];
  const types = ['--module', 'nodenext', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const output = execFileSync(process.execPath, [tsc, ...options, ...types, ...files], { encoding: 'utf8' });
  assert.equal(output, '');
});

/** Maps ids of the examples to ids that exist. */
const realIds = new Map<string, string>();
const realIn = (text: string) =>
  [...realIds].reduce((changed, [example, id]) => changed.replaceAll(example, id), text);
const exampleIn = (name: string, parameter = 'id') =>
  String(
    operations.find((each) => each.name === name)!.parameters!.find((each) => each.name === parameter)!
      .example,
  );

async function make(path: string, body: object, example: string): Promise<Answer> {
  const answer = await owner.send('POST', path, body);
  assert.ok(answer.status < 300, answer.text);
  realIds.set(example, answer.body.data?.id ?? answer.body.id);
  return answer;
}

const exampleBody = (name: string) =>
  Object.values(operations.find((each) => each.name === name)!.requestBody!.content)[0]!.example;
const bodyOf = (name: string) => exampleBody(name) as object;
const reportCsv = exampleBody('POST /api/v1/bills/reports') as string;
const secrets = {
  RUNCOST_TOKEN: owner.token,
  RUNCOST_OPERATOR: app.operatorToken,
  RUNCOST_SESSION: '',
  RUNCOST_SHARE: '',
  SOURCE_SECRET: '',
};

/** Creates the resources of the examples' ids, mostly with the example bodies. */
async function makeResources(): Promise<void> {
  realIds.set(exampleIn('GET /api/v1/alerts', 'org_id'), owner.orgId);
  realIds.set((bodyOf('POST /api/v1/session') as { token: string }).token, owner.token);
  const created = (name: string, used: string, changes: object = {}) =>
    make(name.split(' ')[1]!, { ...bodyOf(name), ...changes }, exampleIn(used));

  const { body: submitted } = await owner.send('POST', '/api/v1/runs', bodyOf('POST /api/v1/runs'));
  realIds.set(exampleIn('GET /api/v1/runs/{id}'), submitted.data.results[0].id);
  const { body: runs } = await owner.get('/api/v1/runs');
  realIds.set(exampleIn('GET /api/v1/workflows/{id}'), runs.data[0].workflow_id);

  await created('POST /api/v1/members', 'PUT /api/v1/members/{id}', { email: 'first@acme.example' });
  await created('POST /api/v1/identity-providers', 'PUT /api/v1/identity-providers/{id}');
  await created('POST /api/v1/annotations', 'PUT /api/v1/annotations/{id}');
  await created('POST /api/v1/views', 'PUT /api/v1/views/{id}', { name: 'First' });
  await created('POST /api/v1/digests', 'PUT /api/v1/digests/{id}');
  const { body: shared } = await created('POST /api/v1/share-links', 'DELETE /api/v1/share-links/{id}');
  secrets.RUNCOST_SHARE = shared.data.url.split('=')[1]!;
  await created('POST /api/v1/invitations', 'DELETE /api/v1/invitations/{id}', { email: null });
  const { body: invited } = await owner.send('POST', '/api/v1/invitations', { role: 'viewer' });
  const { invitation } = bodyOf('POST /api/v1/invitation/open') as { invitation: string };
  realIds.set(invitation, invited.data.link.split('#')[1]);
  const { body: second } = await owner.send('POST', '/api/v1/invitations', { role: 'viewer' });
  const atProvider = bodyOf('POST /api/v1/invitation/sign-in') as { invitation: string };
  realIds.set(atProvider.invitation, second.data.link.split('#')[1]);
  const { body: login } = await owner.send('POST', '/api/v1/logins', bodyOf('POST /api/v1/logins'));
  realIds.set(exampleIn('GET /api/v1/logins/{code}', 'code'), login.data.code);
  realIds.set((bodyOf('POST /api/v1/logins/poll') as { secret: string }).secret, login.data.secret);
  await created('POST /api/v1/tokens', 'DELETE /api/v1/tokens/{id}');
  await created('POST /api/v1/pricing/books', 'GET /api/v1/pricing/books/{id}', { name: 'First' });
  await created('POST /api/v1/runner-pools', 'PUT /api/v1/runner-pools/{id}', { name: 'first' });
  await created('POST /api/v1/pricing/rules', 'PUT /api/v1/pricing/rules/{id}', { pattern: 'first' });
  const firstRule = { repository: 'acme/first' };
  await created('POST /api/v1/ownership/rules', 'GET /api/v1/ownership/rules/{id}', firstRule);
  await created('POST /api/v1/actors/patterns', 'PUT /api/v1/actors/patterns/{id}', { pattern: 'first' });
  const { body: sender } = await created('POST /api/v1/sources', 'DELETE /api/v1/sources/{id}');
  secrets.SOURCE_SECRET = sender.data.secret;
  const credentials = `/api/v1/sources/${sender.data.id}/credentials`;
  await owner.send('PUT', credentials, bodyOf('PUT /api/v1/sources/{id}/credentials'));
  await created('POST /api/v1/backfills', 'GET /api/v1/backfills/{id}');
  const { body: circleCi } = await owner.send('POST', '/api/v1/sources', { kind: 'circleci' });
  const token = { kind: 'circleci', token: 'CCIPAT_example', organization_id: 'f22b6566' };
  await owner.send('PUT', `/api/v1/sources/${circleCi.data.id}/credentials`, token);
  await created('POST /api/v1/usage-imports', 'GET /api/v1/usage-imports/{id}');
  const billed = await created('POST /api/v1/bills/accounts', 'DELETE /api/v1/bills/accounts/{id}', {
    login: 'first',
  });
  realIds.set(exampleIn('GET /api/v1/bills/fetches/{id}'), billed.body.data.fetch.id);
  await created('POST /api/v1/ownership/imports', 'GET /api/v1/ownership/imports/{id}');
  await created('POST /api/v1/storage/readings', 'GET /api/v1/storage/readings/{id}');
  await created('POST /api/v1/reprices', 'GET /api/v1/reprices/{id}', { dry_run: false });
  await created('POST /api/v1/exports', 'GET /api/v1/exports/{id}');
  await created('POST /api/v1/channels', 'GET /api/v1/channels/{id}', { name: 'First' });
  // No storage listens, so its uploads wait.
  const nowhere = 'http://127.0.0.1:9';
  realIds.set((bodyOf('POST /api/v1/scheduled-exports') as { endpoint: string }).endpoint, nowhere);
  const toNowhere = { endpoint: nowhere };
  await created('POST /api/v1/scheduled-exports', 'PUT /api/v1/scheduled-exports/{id}', toNowhere);

  const report = await importCsv(testApp, owner, reportCsv);
  realIds.set(exampleIn('GET /api/v1/bills/reports/{id}'), report.body.data.id);
  await signIn();
  await makeAlert();
  await makeWebhook();
  await worker.processAll();
  const { body: uploads } = await owner.get('/api/v1/export-uploads');
  realIds.set(exampleIn('POST /api/v1/export-uploads/{id}/repeat'), uploads.data[0].id);
}

/** Two sessions: one to end by its id, and one for the sample that sends its cookie. */
async function signIn(): Promise<void> {
  const signInOnce = () =>
    request(server, { method: 'POST', url: '/api/v1/session', payload: { token: owner.token } });
  await signInOnce();
  const { body } = await owner.get('/api/v1/sessions');
  realIds.set(exampleIn('DELETE /api/v1/sessions/{id}'), body.data[0].id);
  realIds.set('https://gitlab.example.com', 'http://127.0.0.1:9');
  secrets.RUNCOST_SESSION = cookieOf(await signInOnce()).split('=')[1]!;
}

/** An alert that is triggered. */
async function makeAlert(): Promise<void> {
  const low = { ...bodyOf('POST /api/v1/alerts'), threshold_amount: 0.01 };
  const path = `/api/v1/alerts?org_id=${owner.orgId}`;
  const { body } = await make(path, low, exampleIn('GET /api/v1/alerts/{id}'));
  await owner.send('POST', `/api/v1/alerts/${body.id}/check`);
  const { triggers } = (await owner.get(`/api/v1/alerts/${body.id}/triggers`)).body;
  realIds.set(exampleIn('GET /api/v1/alerts/{id}/triggers/{trigger_id}', 'trigger_id'), triggers[0].id);
}

/** A webhook with a delivery and a resend. */
async function makeWebhook(): Promise<void> {
  const name = 'GET /api/v1/webhooks/{id}';
  const { body } = await make('/api/v1/webhooks', bodyOf('POST /api/v1/webhooks'), exampleIn(name));
  const path = `/api/v1/webhooks/${body.data.id}`;
  await owner.send('POST', `${path}/ping`);
  const { deliveries } = (await owner.get(`${path}/deliveries`)).body.data;
  realIds.set(exampleIn(`${name}/deliveries/{delivery_id}`, 'delivery_id'), deliveries[0].id);
  const resend = { ...bodyOf('POST /api/v1/webhooks/{id}/resends'), status: 'pending', until: undefined };
  await make(`${path}/resends`, resend, exampleIn(`${name}/resends/{resend_id}`, 'resend_id'));
}

type Sent = { method: string; url: string; headers: Record<string, string>; body: string | null };

/** Runs each curl sample in a shell with a `curl` that prints its arguments. */
function curlRequests(): Sent[] {
  const script = operations.map((operation) => realIn(source(operation, 'curl')));
  const printing = String.raw`curl() { printf '%s\0' "$@"; printf '\0'; }`;
  const output = execFileSync('sh', ['-e'], {
    input: [printing, ...script].join('\n'),
    encoding: 'utf8',
    env: { ...process.env, ...secrets },
  });
  return output
    .split('\0\0')
    .slice(0, -1)
    .map((call) => sentBy(call.split('\0')));
}

function sentBy(words: string[]): Sent {
  const sent: Sent = { method: 'GET', url: '', headers: {}, body: null };
  for (let index = 0; index < words.length; index++) {
    const option = words[index]!;
    if (/^https?:/.test(option)) sent.url = option;
    else if (option === '-X') sent.method = words[++index]!;
    else if (option === '-d') sent.body = words[++index]!;
    else if (option === '--data-binary')
      sent.body = readFileSync(join(folder, words[++index]!.slice(1)), 'utf8');
    else if (option === '-o') index++;
    else if (option === '--fail') continue;
    else {
      assert.equal(option, '-H');
      const [name, value] = words[++index]!.split(/: (.*)/s);
      sent.headers[name!.toLowerCase()] = value!;
    }
  }
  return sent;
}

/** Runs a TypeScript sample in this test's folder. Returns its request and the response. */
async function runTypeScript(operation: Operation, index: number) {
  const file = join(folder, `run-${index}.mts`);
  const inFolder = (text: string) =>
    text.replaceAll(/'((?:report|export|owners)\.csv)'/g, (_, name: string) => `'${join(folder, name)}'`);
  writeFileSync(file, inFolder(realIn(source(operation, 'TypeScript'))));
  const realFetch = globalThis.fetch;
  let seen: { sent: Sent; status: number } | null = null;
  globalThis.fetch = async (url, init = {}) => {
    const response = await realFetch(url, init);
    const body = init.body === undefined ? null : await new Response(init.body).text();
    const headers = Object.fromEntries(new Headers(init.headers));
    seen = {
      sent: { method: init.method ?? 'GET', url: url as string, headers, body },
      status: response.status,
    };
    return response;
  };
  try {
    await import(pathToFileURL(file).href).catch((error: Error) =>
      assert.match(error.message, /^[45]\d\d: /),
    );
  } finally {
    globalThis.fetch = realFetch;
  }
  return seen as unknown as { sent: Sent; status: number };
}

async function deleteLastRule(): Promise<void> {
  const { body } = await owner.get('/api/v1/pricing/rules');
  const answer = await owner.send('DELETE', `/api/v1/pricing/rules/${body.data.at(-1).id}`);
  assert.equal(answer.status, 200);
}

/** Deletions come last: children before parents, and the organization at the end, with its tokens. */
function rankOf({ name }: Operation): number {
  if (/\/tokens\/(revoke-all|current)$/.test(name)) return 5;
  if (!name.startsWith('DELETE')) return 0;
  if (name.endsWith('/organization')) return 4;
  return name.includes('}/') ? 1 : name.endsWith('}') ? 2 : 3;
}

/** Rejected because tasks have ended, the list has no successor, or the server has no mail. */
const refused: Record<string, number> = {
  // The sample before it has confirmed the login.
  'POST /api/v1/logins/{code}/deny': 409,
  // The samples have created a second organization, and at last deleted the first.
  'POST /api/v1/sign-in-links': 400,
  'POST /api/v1/tokens/revoke-all': 401,
  'DELETE /api/v1/tokens/current': 401,
  'POST /api/v1/exports/{id}/cancel': 409,
  'POST /api/v1/ownership/imports/{id}/cancel': 409,
  'POST /api/v1/reprices/{id}/cancel': 409,
  'POST /api/v1/webhooks/{id}/resends/{resend_id}/cancel': 409,
  'POST /api/v1/pricing/switch': 409,
  'POST /api/v1/organization/demo': 409, // It has runs.
  'POST /api/v1/members/{id}/test-email': 409,
  'POST /api/v1/digests/{id}/send': 409,
  'POST /api/v1/bills/months/{id}/send': 409,
  // Only GitHub could give a valid code for this server.
  'POST /api/v1/github-apps/create': 409,
  'POST /api/v1/github-apps/{id}/install': 404,
  'GET /api/v1/workflow-files': 503, // No GitHub listens.
  'POST /api/v1/fixes/{id}/pull-request': 409, // Pull requests are off.
  'POST /api/v1/gitlab-webhooks': 400, // No GitLab listens.
  'POST /api/v1/gitlab-webhooks/find': 400,
  'GET /badge/{link}.svg': 404,
  // Only an email has a valid link.
  'GET /unsubscribe/{link}': 404,
  'GET /unsubscribe/digest/{link}': 404,
  'POST /unsubscribe/digest/{link}': 404,
  'POST /unsubscribe/{link}': 404,
  'GET /subscribe/{link}': 404,
  'POST /subscribe/{link}': 404,
};

describe('both samples of an operation send the same, and it answers as documented:', () => {
  let requests: Sent[] = [];
  const given = Object.keys(secrets).map((name) => [name, process.env[name]] as const);

  before(async () => {
    await makeResources();
    Object.assign(process.env, secrets);
    writeFileSync(join(folder, 'report.csv'), reportCsv);
    writeFileSync(join(folder, 'owners.csv'), exampleBody('PUT /api/v1/ownership/csv') as string);
    requests = curlRequests();
    assert.equal(requests.length, operations.length);
  });
  after(() => {
    for (const [name, value] of given) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  for (const operation of operations.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    test(operation.name, async (t) => {
      t.mock.method(console, 'log', () => {});
      const index = operations.indexOf(operation);
      const { sent, status } = await runTypeScript(operation, index);
      assert.deepEqual(comparable(sent), comparable(requests[index]!));
      assert.ok(operation.responses[status], `${status} is not documented`);
      if (refused[operation.name]) assert.equal(status, refused[operation.name]);
      else assert.ok(status < 300, `${status}`);
      if (/POST .*\/(resends|reprices)$/.test(operation.name)) await worker.processAll(); // Only one task may run.
      // The next sample makes the first rule equal to this one, and equal rules are rejected.
      if (operation.name === 'POST /api/v1/pricing/rules') await deleteLastRule();
    });
  }
});

/** Compares bodies without JSON whitespace, which also changes the signature. */
function comparable({ body, ...sent }: Sent) {
  const isJson = sent.headers['content-type'] === 'application/json';
  const { 'x-hub-signature-256': signature, ...headers } = sent.headers;
  if (signature) assert.equal(signature, signGitHub(body!, secrets.SOURCE_SECRET));
  return { ...sent, headers, body: isJson ? (JSON.parse(body!) as object) : body };
}
