import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, RuncostError } from './client.ts';

/** Returns what the client makes of this response, or of the error of `fetch`. */
async function ask(answer: Response | Error, url = 'https://runcost.example.com/base//'): Promise<unknown> {
  const sent: Request[] = [];
  const client = createClient({
    url,
    token: 'runcost_x',
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
  const sent: string[] = [];
  const client = createClient({ url, fetch: async (request) => (sent.push(request.url), Response.json({})) });
  for (const id of ['..', '.', ''])
    await assert.rejects(client.GET('/api/v1/runs/{id}', { params: { path: { id } } }), {
      message: `id must not be '${id}'`,
    });
  await client.GET('/api/v1/runs/{id}', { params: { path: { id: '../a b' } } });
  assert.deepEqual(sent, [`${url}/api/v1/runs/..%2Fa%20b`]);
});
