import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createClient, RuncostError } from './client.ts';

/** Returns what the client makes of this response, or of the error of `fetch`. */
async function ask(answer: Response | Error, url = 'https://runcost.example.com/base//'): Promise<unknown> {
  const sent: Request[] = [];
  const client = createClient({
    url,
    token: 'runcost_x',
    retries: 0,
    fetch: async (request) => {
      sent.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const asked = client.GET('/api/v1/costs', { params: { query: { branch: ['a', 'b'], days: 7 } } });
  const outcome = await asked.then(
    ({ data }) => data,
    (error: unknown) => error,
  );
  const [request] = sent;
  assert.equal(request!.url, 'https://runcost.example.com/base/api/v1/costs?branch=a&branch=b&days=7');
  assert.equal(request!.headers.get('authorization'), 'Bearer runcost_x');
  return outcome;
}

const fieldsOf = (error: unknown) => {
  assert.ok(error instanceof RuncostError);
  const { status, code, detail, request_id: requestId, errors } = error;
  assert.equal(error.message, detail);
  return [status, code, detail, requestId, errors] as const;
};

test('an answer in JSON comes as it is', async () => {
  assert.deepEqual(await ask(Response.json({ data: { total: 1 } })), { data: { total: 1 } });
});

test('a refusal throws the fields of its problem', async () => {
  const problem = {
    title: 'Bad Request',
    status: 400,
    detail: 'query.days must be >= 1',
    code: 'invalid_request',
    errors: [{ path: 'query.days', message: 'must be >= 1' }],
    request_id: 'req-1',
  };
  const headers = { 'content-type': 'application/problem+json' };
  assert.deepEqual(fieldsOf(await ask(new Response(JSON.stringify(problem), { status: 400, headers }))), [
    400,
    'invalid_request',
    'query.days must be >= 1',
    'req-1',
    problem.errors,
  ]);
});

test('what is not from Runcost is refused, whatever its status', async () => {
  const page = (status: number) =>
    new Response('<html>', { status, headers: { 'content-type': 'text/html', 'x-request-id': 'proxy-1' } });
  const bad = await ask(page(502));
  assert.deepEqual(fieldsOf(bad), [502, 'unknown', 'The server answered 502.', 'proxy-1', []]);
  const [status, , detail] = fieldsOf(await ask(page(200)));
  assert.equal(status, 200);
  assert.match(detail, /^https:\S+ answered text\/html in place of JSON\..* check the address\.$/);
});

test('without an answer the error names the address and the reason, and an end by the caller stays one', async () => {
  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
  const detail = 'Cannot reach https://runcost.example.com/base: connect ECONNREFUSED 127.0.0.1:9';
  assert.deepEqual(fieldsOf(await ask(refused)), [0, 'unreachable', detail, null, []]);
  const ended = new DOMException('The operation timed out.', 'TimeoutError');
  assert.equal(await ask(ended as unknown as Error), ended);
});

test('an address that is none is refused at once, and so are a token and an id that would not arrive', async () => {
  const wrong = ['', 'runcost.example.com', 'file:///etc', 'https://a b', 'https://a.example?x=1'];
  for (const url of [...wrong, 'https://ada:secret@a.example', 'https://:secret@a.example'])
    assert.throws(
      () => createClient({ url }),
      /^TypeError: url must be the address of a server, such as \S+$/,
      url,
    );
  const url = 'https://runcost.example.com';
  for (const [token, message] of [
    ['runcost_a\nb', 'the token has a line break'],
    ['runcost_a b', 'the token has a character that no token has'],
  ])
    assert.throws(() => createClient({ url, token }), { name: 'TypeError', message });
});

test('an id stays in its place of the path, and one that no path can carry is refused', async (t) => {
  const received: string[] = [];
  const server = createServer((request, answer) => {
    received.push(request.url!);
    answer.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url });
  // What a server would get, because a parser of URLs reads the encoded form as a step up, too.
  await (await fetch(`${url}/api/v1/runs/%2E%2E`)).text();
  assert.equal(received.pop(), '/api/v1/');
  for (const id of ['..', '.', '']) {
    const message = `id must not be '${id}'`;
    await assert.rejects(client.GET('/api/v1/runs/{id}', { params: { path: { id } } }), { message });
    await assert.rejects(client.runs.get({ id }), { message });
  }
  await assert.rejects(client.runs.get({} as { id: string }), { message: 'id is required' });
  for (const id of ['../a b', '...', '..%2f', '%2e%2e', 'a/../..']) await client.runs.get({ id });
  const names = ['..%2Fa%20b', '...', '..%252f', '%252e%252e', 'a%2F..%2F..'];
  assert.deepEqual(
    received,
    names.map((name) => `/api/v1/runs/${name}`),
  );
});

/** Answers in order, and ends each wait at once. */
function answering(t: TestContext, ...answers: (Response | Error)[]) {
  const waits: number[] = [];
  // A mock of a mock would stay after the test, and end the waits of all others in this process.
  t.mock.restoreAll();
  const { setTimeout: wait } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (end: () => void, milliseconds: number, ...given: []) => {
    waits.push(milliseconds);
    return wait(end, 0, ...given);
  });
  const bodies: string[] = [];
  const client = createClient({
    url: 'https://runcost.example.com',
    fetch: async (request) => {
      bodies.push(await request.text());
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { client, waits, bodies };
}

const later = (status: number, seconds?: number) =>
  new Response(null, { status, headers: seconds === undefined ? {} : { 'retry-after': String(seconds) } });
const broken = () => new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });

test('what is safe is sent again after a broken connection, 429 and 503, with its body', async (t) => {
  const { client, waits, bodies } = answering(t, broken(), later(503), Response.json({ data: { id: 'a' } }));
  assert.deepEqual(await client.digests.update({ id: 'dig_1', enabled: false }), { id: 'a' });
  assert.deepEqual(bodies, Array(3).fill('{"enabled":false}'));
  assert.ok(waits[0]! >= 500 && waits[0]! < 750 && waits[1]! >= 1_000 && waits[1]! < 1_500);
});

test('a request waits as long as the server asks, up to a minute, and is sent three times at most', async (t) => {
  const { client, waits } = answering(t, later(429, 7), later(503, 0), later(429, 7));
  await assert.rejects(client.runs.get({ id: 'a' }), { status: 429 });
  assert.deepEqual(waits, [7_000, 0]);
  const { client: other, bodies } = answering(t, later(429, 61));
  await assert.rejects(other.runs.get({ id: 'a' }), { status: 429 });
  assert.equal(bodies.length, 1);
});

test('a response of another library counts as one', async (t) => {
  const { status, headers } = Response.json({});
  const response = { ok: true, status, headers, json: async () => ({ data: { id: 'a' } }) } as Response;
  const { client, bodies } = answering(t, response);
  assert.deepEqual(await client.runs.get({ id: 'a' }), { id: 'a' });
  assert.equal(bodies.length, 1);
});

test('a POST, a fault of the request and an end by the caller are not sent again', async (t) => {
  const ended = new DOMException('The operation was aborted.', 'AbortError') as unknown as Error;
  for (const answer of [broken(), later(503), later(429, 1)]) {
    const { client, bodies } = answering(t, answer);
    await assert.rejects(client.webhooks.ping({ id: 'a' }), RuncostError);
    assert.equal(bodies.length, 1);
  }
  for (const answer of [later(404), later(500), ended]) {
    const { client, bodies } = answering(t, answer);
    await assert.rejects(client.runs.get({ id: 'a' }));
    assert.equal(bodies.length, 1);
  }
  const stop = new AbortController();
  const client = createClient({
    url: 'https://runcost.example.com',
    fetch: async () => (queueMicrotask(() => stop.abort()), later(503, 60)),
  });
  await assert.rejects(client.runs.get({ id: 'a' }, { signal: stop.signal }), { name: 'AbortError' });
});
