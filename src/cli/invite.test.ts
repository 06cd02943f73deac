import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

test('what a mail server says cannot give commands to the terminal', async () => {
  const server = createServer((socket) => socket.end('554 go away \u001B[31m\r\n'));
  after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { ...(await newStorage()), SMTP_URL: url, EMAIL_FROM: 'runcost@acme.example' };
  await serveHere(settings);
  const { code, stderr } = await runCommand(['invite', '--email', 'a@acme.test'], settings);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /could not be sent: .*go away {2}\[31m/);
});
