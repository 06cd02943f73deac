import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { EgressPolicy } from './addresses.ts';
import { createEgress, type EgressOutcome, type EgressRequest } from './egress.ts';

const strict: EgressPolicy = { allowedCidrs: [], allowHttp: true, allowLoopback: false };
const trial: EgressPolicy = { allowedCidrs: [], allowHttp: false, allowLoopback: true };
const head = 'HTTP/1.1 200 OK\r\n';

type Context = Pick<TestContext, 'after'>;
type Lookup = NonNullable<NonNullable<Parameters<typeof createEgress>[1]>['lookup']>;

async function listen(context: Context, server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, host);
  await once(server, 'listening');
  context.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that calls `answer` with each connection once a request has arrived. */
function rawReceiver(context: Context, answer: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => socket.on('data', () => answer(socket)));
  return listen(context, server);
}

function receiver(context: Context, answer: RequestListener): Promise<number> {
  return listen(context, createHttpServer(answer));
}

function newEgress(context: Context, policy = trial, lookup?: Lookup) {
  const egress = createEgress(policy, lookup ? { lookup } : {});
  context.after(() => egress.close());
  return (target: number | string, more: Partial<EgressRequest> = {}): Promise<EgressOutcome> =>
    egress.post({
      url: typeof target === 'number' ? `http://127.0.0.1:${target}/hook?a=b` : target,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{}'),
      timeoutMilliseconds: 20_000,
      ...more,
    });
}

function assertAnswer(outcome: EgressOutcome): asserts outcome is EgressOutcome & { kind: 'answer' } {
  assert.equal(outcome.kind, 'answer', JSON.stringify(outcome));
}

function assertFailure(outcome: EgressOutcome, errorClass: string, message = /./): void {
  assert.equal(outcome.kind, 'failure', JSON.stringify(outcome));
  if (outcome.kind === 'failure') assert.equal(outcome.errorClass, errorClass, outcome.message);
  if (outcome.kind === 'failure') assert.match(outcome.message, message);
}

describe('a forbidden URL is refused when a request is sent', () => {
  for (const url of [
    'http://example.com/',
    'https://user:secret@example.com/',
    'ftp://example.com',
    'nonsense',
  ]) {
    test(url, async (context) => {
      const lookup = () => assert.fail('was looked up');
      assertFailure(await newEgress(context, trial, lookup)(url), 'refused_url', /^the URL /);
    });
  }
});

describe('a receiver', () => {
  test('gets the exact bytes and headers, and is asked not to compress', async (context) => {
    const received: { headers: IncomingHttpHeaders; line: string; body: Buffer }[] = [];
    const port = await receiver(context, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const line = `${request.method} ${request.url}`;
        received.push({ headers: request.headers, line, body: Buffer.concat(chunks) });
        response.writeHead(202, { 'retry-after': '120' }).end('taken');
      });
    });
    const body = Buffer.from([0, 1, 0xff, 0xc3, 0x28]);
    const outcome = await newEgress(context)(port, { body, headers: { 'x-service-event': 'ping' } });
    assertAnswer(outcome);
    const { times, headers, ...answer } = outcome;
    assert.equal(headers['retry-after'], '120');
    assert.deepEqual(answer, {
      kind: 'answer',
      statusCode: 202,
      body: Buffer.from('taken'),
      truncated: false,
      retryAfter: '120',
      locationHost: null,
      note: null,
    });
    assert.equal(received[0]?.line, 'POST /hook?a=b');
    assert.deepEqual(received[0].body, body);
    assert.equal(received[0].headers['accept-encoding'], 'identity');
    assert.equal(received[0].headers['x-service-event'], 'ping');
    assert.equal(received[0].headers.host, `127.0.0.1:${port}`);
    assert.ok(times.totalMilliseconds >= 0);
  });

  test('is called by GET without a body, and answers up to the requested size', async (context) => {
    const asked: { line: string; length: string | undefined }[] = [];
    const port = await receiver(context, (request, response) => {
      const line = `${request.method} ${request.url}`;
      asked.push({ line, length: request.headers['content-length'] });
      response.end('x'.repeat(70_000));
    });
    const egress = createEgress(trial);
    context.after(() => egress.close());
    const request = { url: `http://127.0.0.1:${port}/runs`, headers: {}, timeoutMilliseconds: 20_000 };
    const kept = await egress.get({ ...request, maxBytes: 100_000 });
    assertAnswer(kept);
    assert.deepEqual([kept.body.length, kept.truncated], [70_000, false]);
    const cut = await egress.get(request);
    assertAnswer(cut);
    assert.deepEqual([cut.body.length, cut.truncated], [65_536, true]);
    assert.deepEqual(asked[0], { line: 'GET /runs', length: undefined });
  });

  test('is called again on the same connection, which then takes no time to open', async (context) => {
    const ports: unknown[] = [];
    const port = await receiver(context, (request, response) => {
      ports.push(request.socket.remotePort);
      request.resume().on('end', () => response.end('ok'));
    });
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const post = newEgress(context, { ...trial, allowHttp: true }, lookup);
    const first = await post(`http://a.example:${port}`);
    await setImmediate(); // until then undici waits for the receiver to close it
    const second = await post(`http://a.example:${port}`);
    assert.equal(new Set(ports).size, 1);
    assert.equal(typeof first.times.dnsMilliseconds, 'number');
    assert.equal(typeof first.times.connectMilliseconds, 'number');
    assert.equal(typeof second.times.firstByteMilliseconds, 'number');
    const { dnsMilliseconds, connectMilliseconds, tlsMilliseconds } = second.times;
    assert.deepEqual([dnsMilliseconds, connectMilliseconds, tlsMilliseconds], [null, null, null]);
  });

  test('is called again even if it closes each connection', async (context) => {
    const port = await receiver(context, (_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const post = newEgress(context);
    for (let index = 0; index < 3; index++) {
      const outcome = await post(port);
      assertAnswer(outcome);
      assert.equal(typeof outcome.times.connectMilliseconds, 'number');
    }
  });

  test('is not followed when it redirects, and only the host of its target is kept', async (context) => {
    const asked: string[] = [];
    const answers: [number, string][] = [
      [302, 'http://login.example:81/login?secret=1'],
      [307, '/login'],
      [308, 'http://['],
      [201, 'http://login.example/'],
    ];
    const port = await receiver(context, (request, response) => {
      asked.push(request.url ?? '');
      const [status, location] = answers.shift() ?? [200, ''];
      response.writeHead(status, { location }).end();
    });
    const post = newEgress(context);
    for (const [status, host] of [
      [302, 'login.example:81'],
      [307, `127.0.0.1:${port}`],
      [308, null],
      [201, null],
    ]) {
      const outcome = await post(port);
      assertAnswer(outcome);
      assert.deepEqual([outcome.statusCode, outcome.locationHost], [status, host]);
    }
    assert.deepEqual(asked, Array<string>(4).fill('/hook?a=b'));
  });

  test('that does not listen fails', async (context) => {
    const server = createServer();
    const port = await listen(context, server);
    server.close();
    await once(server, 'close');
    assertFailure(await newEgress(context)(port), 'connect', /ECONNREFUSED/);
    const lookup = async () => [127, 128].map((byte) => ({ address: `127.0.0.${byte}`, family: 4 }));
    const post = newEgress(context, { ...trial, allowHttp: true }, lookup);
    assertFailure(await post(`http://a.example:${port}`), 'connect', /ECONNREFUSED/);
  });

  test('with an unknown name fails', async (context) => {
    const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND not-there.example'));
    assertFailure(await newEgress(context, strict, lookup)('http://not-there.example/'), 'dns', /ENOTFOUND/);
  });
});

describe('a hostile receiver', () => {
  test('that sends its body slowly times out, and its partial answer is kept', async (context) => {
    const dropped = Promise.withResolvers<void>();
    const port = await rawReceiver(context, (socket) => {
      socket.write(`${head}content-length: 1000\r\n\r\nslow`);
      const timer = setInterval(() => socket.write('.'), 5);
      socket.on('close', () => {
        clearInterval(timer);
        dropped.resolve();
      });
    });
    const outcome = await newEgress(context)(port, { timeoutMilliseconds: 1_000 });
    assertAnswer(outcome);
    assert.equal(outcome.statusCode, 200);
    assert.match(outcome.body.toString(), /^slow\.*$/);
    assert.equal(outcome.note, 'not answered in full within 1000 ms');
    await dropped.promise;
  });

  test('times out when it sends headers slowly', async (context) => {
    const port = await rawReceiver(context, (socket) => {
      const timer = setInterval(() => socket.write('H'.slice(socket.bytesWritten)), 5);
      socket.on('close', () => clearInterval(timer));
      socket.write(`${head}x: `);
    });
    assertFailure(await newEgress(context)(port, { timeoutMilliseconds: 200 }), 'timeout');
  });

  test('is cut off after 64 KiB when its answer never ends, and its connection dropped', async (context) => {
    const closed = Promise.withResolvers<void>();
    const port = await rawReceiver(context, (socket) => {
      socket.write(`${head}\r\n`);
      const more = () => {
        while (socket.writable && socket.write(Buffer.alloc(10_000, 'x')));
      };
      socket.on('drain', more).on('close', () => closed.resolve());
      more();
    });
    const outcome = await newEgress(context)(port);
    assertAnswer(outcome);
    assert.deepEqual([outcome.body.length, outcome.truncated, outcome.note], [65_536, true, null]);
    await closed.promise;
  });

  test('may answer exactly 64 KiB, which are all kept', async (context) => {
    const port = await receiver(context, (_request, response) => response.end(Buffer.alloc(65_536)));
    const outcome = await newEgress(context)(port);
    assertAnswer(outcome);
    assert.deepEqual([outcome.body.length, outcome.truncated], [65_536, false]);
  });

  test('that sends a megabyte of headers fails', async (context) => {
    const port = await rawReceiver(context, (socket) =>
      socket.write(`${head}x: ${'y'.repeat(1_000_000)}\r\n\r\n`),
    );
    assertFailure(await newEgress(context)(port), 'response_too_large');
  });

  test('is kept unchanged when it answers in binary or gzip', async (context) => {
    for (const body of [Buffer.from([0xff, 0xfe, 0x00, 0xc3]), gzipSync(Buffer.alloc(10_000_000))]) {
      const port = await receiver(context, (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
      });
      const outcome = await newEgress(context)(port);
      assertAnswer(outcome);
      assert.deepEqual(outcome.body, body);
    }
  });

  test('that breaks off during its answer has answered, with a note', async (context) => {
    const port = await rawReceiver(context, (socket) => {
      socket.write(`${head}content-length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy());
    });
    const outcome = await newEgress(context)(port);
    assertAnswer(outcome);
    assert.deepEqual([outcome.statusCode, outcome.truncated], [200, false]);
    assert.match(outcome.note ?? '', /\w/);
  });

  test('that breaks off before its answer fails', async (context) => {
    const reset = await rawReceiver(context, (socket) => socket.resetAndDestroy());
    const end = await rawReceiver(context, (socket) => socket.end());
    const post = newEgress(context);
    assertFailure(await post(reset), 'reset');
    assertFailure(await post(end), 'reset');
  });

  test('that resets every connection at once fails', async (context) => {
    const port = await listen(
      context,
      createServer((socket) => socket.resetAndDestroy()),
    );
    const outcome = await newEgress(context)(port);
    assert.ok(outcome.kind === 'failure' && ['reset', 'connect'].includes(outcome.errorClass));
  });

  test('times out when it accepts the connection and says nothing', async (context) => {
    const port = await rawReceiver(context, () => {});
    const outcome = await newEgress(context)(port, { timeoutMilliseconds: 1_000 });
    assertFailure(outcome, 'timeout', /1000 ms/);
    assert.equal(typeof outcome.times.connectMilliseconds, 'number');
    assert.equal(outcome.times.firstByteMilliseconds, null);
  });

  test('does not disturb the next answer with a 204 that has a body', async (context) => {
    const port = await rawReceiver(context, (socket) =>
      socket.write('HTTP/1.1 204 No\r\n\r\nHTTP/1.1 500 X\r\n\r\n'),
    );
    const post = newEgress(context);
    for (let index = 0; index < 3; index++) {
      const outcome = await post(port);
      assertAnswer(outcome);
      assert.deepEqual([outcome.statusCode, outcome.body.length], [204, 0]);
    }
  });

  test('that does not speak HTTP fails', async (context) => {
    const port = await rawReceiver(context, (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    assertFailure(await newEgress(context)(port), 'protocol');
  });

  test('that asks for another protocol, or sends endless hints, fails', async (context) => {
    const upgrade = await rawReceiver(context, (socket) =>
      socket.write('HTTP/1.1 101 S\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    );
    const hints = await rawReceiver(context, (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const post = newEgress(context);
    assert.equal((await post(upgrade)).kind, 'failure');
    assertFailure(await post(hints, { timeoutMilliseconds: 200 }), 'timeout');
  });
});

describe('a request', () => {
  test('is never sent if its time ends during the lookup of the name', async (context) => {
    const asked: string[] = [];
    const port = await receiver(context, (request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    const found = Promise.withResolvers<{ address: string; family: number }[]>();
    const post = newEgress(context, { ...trial, allowHttp: true }, () => found.promise);
    const late = await post(`http://slow.example:${port}/late`, { timeoutMilliseconds: 50 });
    assertFailure(late, 'timeout');
    const next = post(`http://slow.example:${port}/next`);
    found.resolve([{ address: '127.0.0.1', family: 4 }]);
    assertAnswer(await next);
    assert.deepEqual(asked, ['/next']);
  });

  test('can be cancelled before and after it is sent', async (context) => {
    const controller = new AbortController();
    const port = await rawReceiver(context, () => controller.abort());
    const post = newEgress(context);
    assertFailure(await post(port, { signal: controller.signal }), 'aborted');
    assertFailure(await post(port, { signal: controller.signal }), 'aborted');
  });

  test('ends when the egress is closed, and later ones do not start', async (context) => {
    const asked = Promise.withResolvers<void>();
    const port = await rawReceiver(context, () => asked.resolve());
    const egress = createEgress(trial, { lookup: () => new Promise(() => {}) });
    const request = { headers: {}, body: Buffer.from('{}'), timeoutMilliseconds: 20_000 };
    const sent = egress.post({ ...request, url: `http://127.0.0.1:${port}` });
    const lookedUp = egress.post({ ...request, url: `http://localhost:${port}` });
    await asked.promise;
    await egress.close();
    assertFailure(await sent, 'aborted');
    assertFailure(await lookedUp, 'aborted');
    assertFailure(await egress.post({ ...request, url: `http://127.0.0.1:${port}` }), 'aborted');
  });

  test('does not start if the egress was closed before the first one', async () => {
    const looks: string[] = [];
    const egress = createEgress(trial, { lookup: async (name) => (looks.push(name), []) });
    await egress.close();
    const request = { headers: {}, body: Buffer.from('{}'), timeoutMilliseconds: 20_000 };
    assertFailure(await egress.post({ ...request, url: 'https://example.com' }), 'aborted');
    assert.deepEqual(looks, []);
  });

  test('throws if it cannot be written', async (context) => {
    const port = await rawReceiver(context, () => {});
    await assert.rejects(newEgress(context)(port, { headers: { 'x-a': 'b\r\nc: d' } }), /invalid x-a header/);
  });
});
