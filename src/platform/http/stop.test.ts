import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const organization = await testApp.newOrganization();
const { token } = organization;

test('an incomplete request delays the stop by 10 seconds, and no longer', async (context) => {
  const server = await buildServer(testApp.app);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const accepted = once(server.server, 'connection') as Promise<[Socket]>;
  const asked = once(server.server, 'request');
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  context.after(() => client.destroy());
  client.on('error', () => {});
  const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9`;
  client.write(`POST /api/v1/runs HTTP/1.1\r\n${headers}\r\n\r\n{`);
  const [socket] = await accepted;
  await asked;

  context.mock.timers.enable({ apis: ['setTimeout'] });
  const closed = server.close();
  while (server.server.listening) await setImmediate();
  context.mock.timers.tick(9_999);
  assert.ok(!socket.destroyed);
  context.mock.timers.tick(1);
  assert.ok(socket.destroyed);
  await closed;
});

test('while the server drains, /readyz says so, and other requests are answered and end their connection', async () => {
  const ask = (url: string) => request(testApp.server, { method: 'GET', url });
  assert.equal((await ask('/readyz')).status, 200);
  assert.notEqual((await organization.get('/api/v1/members')).headers.connection, 'close');
  testApp.app.health.drain();
  assertProblem(await ask('/readyz'), 503, 'stopping');
  assert.equal((await ask('/healthz')).status, 200);
  const { status, headers } = await organization.get('/api/v1/members');
  assert.deepEqual([status, headers.connection], [200, 'close']);
});
