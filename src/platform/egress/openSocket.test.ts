import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import ipaddr from 'ipaddr.js';
import type { EgressPolicy } from './addresses.ts';
import { createEgress, type EgressOutcome } from './egress.ts';
import { createLookup, type Lookup } from './openSocket.ts';

const strict: EgressPolicy = { allowedCidrs: [], allowHttp: true, allowLoopback: false };

/** Counts connections and bytes: the proof that we did not even connect to a refused address. */
async function countingReceiver(context: TestContext) {
  const got = { connections: 0, bytes: 0 };
  const server = createServer((socket) => {
    got.connections++;
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        got.bytes += chunk.length;
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
  });
  server.listen(0, '::');
  await once(server, 'listening');
  context.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, got };
}

function newEgress(context: TestContext, policy: EgressPolicy, lookup?: Lookup) {
  const egress = createEgress(policy, lookup ? { lookup } : {});
  context.after(() => egress.close());
  return (url: string): Promise<EgressOutcome> =>
    egress.post({ url, headers: {}, body: Buffer.from('{}'), timeoutMilliseconds: 20_000 });
}

function assertRefused(outcome: EgressOutcome): void {
  assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'refused_address', JSON.stringify(outcome));
}

describe('we never connect to a forbidden address', () => {
  const hosts = [
    'localhost',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0.0.0.0',
    '0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
    '[fd00::1]',
    '100.64.0.1',
    '192.0.2.1',
    '10.0.0.1',
    '168.63.129.16',
  ];
  for (const host of hosts) {
    test(host, async (context) => {
      const { port, got } = await countingReceiver(context);
      assertRefused(await newEgress(context, strict)(`http://${host}:${port}/`));
      assert.equal(got.connections, 0);
    });
  }

  const answers: [string, string[]][] = [
    ['a private address', ['10.0.0.1']],
    ["this machine's own", ['127.0.0.1']],
    ['public and private addresses', ['1.1.1.1', '127.0.0.1']],
    ['private and public addresses in IPv6 form', ['::ffff:127.0.0.1', '2606:4700::1111']],
    ['what is no address', ['localhost']],
  ];
  for (const [kind, addresses] of answers) {
    test(`of a name that resolves to ${kind}`, async (context) => {
      const { port, got } = await countingReceiver(context);
      const lookup = async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const outcome = await newEgress(context, strict, lookup)(`http://receiver.example:${port}/`);
      assertRefused(outcome);
      assert.equal(got.connections, 0);
    });
  }

  test('of a name that resolves differently on the second call', async (context) => {
    const { port, got } = await countingReceiver(context);
    const found = ['127.0.0.5', '127.0.0.1'];
    const policy = { ...strict, allowedCidrs: [ipaddr.parseCIDR('127.0.0.5/32')] };
    const post = newEgress(context, policy, async () => [{ address: found.shift() ?? '', family: 4 }]);
    assert.equal((await post(`http://receiver.example:${port}/`)).kind, 'answer');
    assertRefused(await post(`http://receiver.example:${port}/`));
    assert.equal(got.connections, 1);
  });

  test('a connection that leads elsewhere is dropped before anything is sent', async (context) => {
    const { port, got } = await countingReceiver(context);
    // Gives a public address to the first caller, the check, and another one to the next, the connection.
    const resolved = ['1.1.1.1'];
    const found = { family: 4, address: '' };
    Object.defineProperty(found, 'address', { get: () => resolved.shift() ?? '127.0.0.1' });
    const outcome = await newEgress(context, strict, async () => [found])(`http://liar.example:${port}/`);
    assertRefused(outcome);
    assert.match(outcome.kind === 'failure' ? outcome.message : '', /^127\.0\.0\.1 /);
    assert.equal(typeof outcome.times.connectMilliseconds, 'number');
    assert.equal(got.bytes, 0);
  });
});

describe('a lookup', () => {
  const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const fromSystem = [{ address: '10.0.0.7', family: 4 }];
  const system = () => Promise.resolve(fromSystem);
  const never = () => new Promise<never>(() => {});

  test('finds all addresses that DNS knows', async () => {
    const lookup = createLookup({
      resolve4: () => Promise.resolve(['192.0.2.1']),
      resolve6: () => Promise.resolve(['2001:db8::1']),
      system: never,
    });
    assert.deepEqual(await lookup('hooks.example.com'), [
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    const only4 = createLookup({
      resolve4: () => Promise.resolve(['192.0.2.1']),
      resolve6: refused('ENODATA'),
      system,
    });
    assert.deepEqual(await only4('hooks.example.com'), [{ address: '192.0.2.1', family: 4 }]);
  });

  test('asks the system for what DNS does not know, and for local names', async () => {
    const lookup = createLookup({ resolve4: refused('ENOTFOUND'), resolve6: refused('ENOTFOUND'), system });
    assert.deepEqual(await lookup('in.the.hosts.file'), fromSystem);
    const withoutDns = createLookup({ resolve4: never, resolve6: never, system });
    for (const name of ['localhost', 'receiver', 'printer.local', 'a.localhost']) {
      assert.deepEqual(await withoutDns(name), fromSystem);
    }
  });

  test('does not ask the system, which shares its threads, after a silent name server', async () => {
    const lookup = createLookup({
      resolve4: refused('ETIMEOUT'),
      resolve6: refused('ETIMEOUT'),
      system: never,
    });
    await assert.rejects(lookup('slow.example'), { code: 'ETIMEOUT' });
  });

  test('of a name runs once at a time, and again afterwards', async () => {
    let asked = 0;
    const resolve4 = () => Promise.resolve([`192.0.2.${++asked}`]);
    const lookup = createLookup({ resolve4, resolve6: refused('ENODATA'), system });
    const [first, second] = await Promise.all([lookup('a.example'), lookup('a.example')]);
    assert.deepEqual([first, asked], [second, 1]);
    assert.deepEqual(await lookup('a.example'), [{ address: '192.0.2.2', family: 4 }]);
  });
});
