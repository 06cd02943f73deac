/** `runcost mcp`, as a process, with the client of the protocol's own library and through a bare pipe. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startTestApp } from './harness/app.ts';
import { programStart, runCommand } from './harness/program.ts';
import { newRun, submit } from './harness/submission.ts';

const testApp = await startTestApp();
const address = await testApp.listen();
const organization = await testApp.newOrganization();
const token = await organization.newToken('viewer', ['costs:read']);
await submit(organization, newRun({}), newRun({}), newRun({}));

const folder = mkdtempSync(join(tmpdir(), 'runcost-mcp-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const environment = (changes: Record<string, string> = {}) => ({
  PATH: process.env.PATH!,
  RUNCOST_URL: address,
  RUNCOST_TOKEN: token,
  ...changes,
});

async function connect(changes?: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [...programStart, 'mcp'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: environment(changes),
    cwd: folder,
    stderr: 'inherit',
  });
  await client.connect(transport);
  after(() => client.close());
  return client;
}

async function call(name: string, by: Client) {
  const { content, isError = false } = await by.callTool({ name });
  const [first, ...others] = content;
  assert.ok(first?.type === 'text' && others.length === 0);
  return { isError, text: first.text };
}

test('a token without the scope, a revoked one and a server that is away are explained', async () => {
  const pass = async ({ url: path, headers }: IncomingMessage, answer: ServerResponse) => {
    const passed = await fetch(`${address}${path}`, { headers: headers as never });
    answer.writeHead(passed.status, { 'content-type': passed.headers.get('content-type')! });
    answer.end(await passed.text());
  };
  const proxy = createServer((asked, answer) => void pass(asked, answer));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const other = { name: 'other', role: 'viewer', scopes: ['alerts:read'] };
  const { body: created } = await organization.send('POST', '/api/v1/tokens', other);
  const { id, token: secret } = created.data;
  const by = await connect({ RUNCOST_URL: url, RUNCOST_TOKEN: secret });
  const fault = async () => {
    const { isError, text: message } = await call('cost_list', by);
    assert.ok(isError && !message.includes(secret));
    return message;
  };
  assert.match(await fault(), /scope costs:read.* Request \S+\.$/);
  assert.equal((await organization.send('DELETE', `/api/v1/tokens/${id}`)).status, 200);
  assert.match(await fault(), /Set RUNCOST_TOKEN to a token of the organization/);
  proxy.close();
  proxy.closeAllConnections();
  assert.match(await fault(), new RegExp(`^Cannot reach ${url}: .*\\. Check RUNCOST_URL`));
});

function start(changes?: Record<string, string>) {
  const child = spawn(process.execPath, [...programStart, 'mcp'], { env: environment(changes), cwd: folder });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const said = text(child.stderr);
  return {
    child,
    send: (...lines: (object | string)[]) => {
      for (const line of lines)
        child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    },
    printed: async (part: string) => {
      while (!printed.includes(part)) await once(child.stdout, 'data');
    },
    ended: once(child, 'close').then(async ([code, signal]) => [code ?? signal, printed, await said]),
  };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

test('standard output has the protocol alone, and its end or a signal ends the process', async () => {
  const { child, send, printed: has, ended } = start();
  const asked = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'cost_list', arguments: {} } };
  const refused = [
    'this is no message',
    { jsonrpc: '2.0' },
    { jsonrpc: '2.0', id: 7 },
    { id: 9, method: 5 },
    { jsonrpc: '1.0', id: 17, method: 'ping' },
    { jsonrpc: '2.0', id: {}, method: 'ping' },
    'null',
  ];
  const ping = '{ "jsonrpc": "2.0",\r "id": "line \u2028\u2029", "method": "ping" }\r';
  send(initialize, ...refused, ping, asked);
  await has('"id":2');
  child.stdin.end();
  const [code, printed, said] = await ended;
  assert.equal(code, 0);
  const messages = String(printed)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(messages.every(({ jsonrpc }) => jsonrpc === '2.0'));
  const faults = messages.filter(({ error }) => error).map(({ id, error }) => [id, error.code]);
  assert.deepEqual(faults, [
    [null, -32_700],
    [null, -32_600],
    [7, -32_600],
    [9, -32_600],
    [17, -32_600],
    [null, -32_600],
    [null, -32_600],
  ]);
  assert.ok(messages.some(({ id, result }) => id === 'line \u2028\u2029' && result));
  assert.equal(said, '');
  assert.equal(messages.find(({ id }) => id === 1).result.protocolVersion, '2025-06-18');
  assert.equal(JSON.parse(messages.find(({ id }) => id === 2).result.content[0].text).data.total.value, 0.12);

  const interrupted = start();
  interrupted.send(initialize);
  await interrupted.printed('"id":1');
  interrupted.child.kill('SIGTERM');
  assert.equal((await interrupted.ended)[0], 0);
});

test('without a server or a token it says so, and prints nothing to standard output', async () => {
  const cases = [
    ['RUNCOST_URL', 5, /No server runs with the data folder/],
    ['RUNCOST_TOKEN', 3, /RUNCOST_TOKEN is required/],
  ] as const;
  for (const [name, expected, message] of cases) {
    const settings = { DATA_DIR: '/nowhere', XDG_CONFIG_HOME: '/nowhere', ...environment({ [name]: '' }) };
    const { code, stdout, stderr } = await runCommand(['mcp'], settings);
    assert.deepEqual([code, stdout], [expected, '']);
    assert.match(stderr, message);
  }
});

const guide = readFileSync(join(import.meta.dirname, '../docs/how-to/ask-from-an-assistant.md'), 'utf8');

test('each configuration of the guide starts this command with an address and a token', () => {
  const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => JSON.parse(json!));
  assert.equal(blocks.length, 3);
  for (const block of blocks) {
    const { runcost } = block.mcpServers ?? block.servers;
    assert.deepEqual([runcost.command, runcost.args], ['runcost', ['mcp']]);
    assert.deepEqual(Object.keys(runcost.env), ['RUNCOST_URL', 'RUNCOST_TOKEN']);
  }
});
