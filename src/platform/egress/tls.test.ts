import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { createEgress, type EgressOutcome } from './egress.ts';

const day = 86_400_000;
const now = Date.now();
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
const valid = selfSigned(now - day, now + day);
const expired = selfSigned(now - 2 * day, now - day);
const unknown = selfSigned(now - day, now + 2 * day);
setDefaultCACertificates([valid, expired]);

test('a receiver with a valid certificate is called, and each step is timed', async (context) => {
  const names: unknown[] = [];
  const outcome = await postTo(context, httpsReceiver(valid, names), 'receiver.example');
  assert.equal(outcome.kind === 'answer' && outcome.body.toString(), 'hello');
  for (const milliseconds of Object.values(outcome.times)) assert.equal(typeof milliseconds, 'number');
  assert.deepEqual(names, ['receiver.example']);
});

for (const [kind, certificate, host, message] of [
  ['expired', expired, 'receiver.example', /expired/],
  ['for another name', valid, 'other.example', /other\.example/],
  ['for a name, at an address', valid, '127.0.0.1', /127\.0\.0\.1/],
  ['of an authority nobody knows', unknown, 'receiver.example', /self-signed/],
] as const) {
  test(`a receiver whose certificate is ${kind} gets nothing`, async (context) => {
    const names: unknown[] = [];
    const outcome = await postTo(context, httpsReceiver(certificate, names), host);
    assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'tls');
    assert.match(outcome.kind === 'failure' ? outcome.message : '', message);
    assert.deepEqual(names, []);
  });
}

test('a receiver without TLS fails', async (context) => {
  const server = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
  const outcome = await postTo(context, server, 'receiver.example');
  assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'tls');
});

test('a receiver that stalls during TLS times out, and is disconnected at the end', async (context) => {
  const dropped = Promise.withResolvers<unknown>();
  const server = createServer((socket) =>
    socket
      .resume()
      .on('error', () => {})
      .on('close', dropped.resolve),
  );
  const egress = trustingEgress();
  const port = await listen(context, server);
  const request = { url: `https://receiver.example:${port}/`, headers: {}, body: Buffer.from('{}') };
  const outcome = await egress.post({ ...request, timeoutMilliseconds: 200 });
  assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'timeout');
  await egress.close();
  await dropped.promise;
});

function httpsReceiver(cert: string, names: unknown[]): Server {
  return createHttpsServer({ cert, key: pem }, ({ socket }, response) => {
    names.push('servername' in socket && socket.servername);
    response.end('hello');
  });
}

function trustingEgress() {
  const policy = { allowedCidrs: [], allowHttp: false, allowLoopback: true };
  return createEgress(policy, { lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
}

async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function postTo(context: TestContext, server: Server, host: string): Promise<EgressOutcome> {
  const port = await listen(context, server);
  const egress = trustingEgress();
  context.after(() => egress.close());
  const request = { headers: {}, body: Buffer.from('{}'), timeoutMilliseconds: 20_000 };
  return egress.post({ ...request, url: `https://${host}:${port}/` });
}

/** A self-signed certificate for `receiver.example`: the minimum of RFC 5280 that OpenSSL accepts. */
function selfSigned(notBefore: number, notAfter: number): string {
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(`test ${notAfter}`)));
  const name = der(0x30, der(0x31, commonName));
  const time = (at: number) => der(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));
  const alternativeNames = der(0x30, der(0x82, Buffer.from('receiver.example')));
  const extension = der(0x30, Buffer.from('0603551d11', 'hex'), der(0x04, alternativeNames));
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    der(0x30, time(notBefore), time(notAfter)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const certificate = der(0x30, content, ecdsaWithSha256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
