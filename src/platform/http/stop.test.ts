import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startTestApp } from '../../../test/harness/app.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const { token } = await testApp.newOrganization();

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
