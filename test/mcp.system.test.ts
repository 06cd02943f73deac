/** `runcost mcp`, tested with the client of the protocol's own library and through a bare pipe. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cliActor } from '../src/platform/lib/actor.ts';
import { updateOrganization } from '../src/tenancy/organizations/organizations.ts';
import { request, startTestApp } from './harness/app.ts';
import { programStart, runCommand } from './harness/program.ts';
import { newJob, newRun, submit } from './harness/submission.ts';

const testApp = await startTestApp();
const address = await testApp.server.listen({ host: '127.0.0.1', port: 0 });
const organization = await testApp.newOrganization();
const token = await organization.newToken('viewer', ['costs:read']);
const failed = newRun({ conclusion: 'failure', jobs: [newJob({ conclusion: 'failure' })] });
await submit(organization, newRun({ branch: 'main' }), failed, newRun({ repo_name: 'acme/web' }));

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

const client = await connect();

async function call(name: string, given: Record<string, unknown> = {}, by = client) {
  const { content, isError = false } = await by.callTool({ name, arguments: given });
  const [first, ...others] = content;
  assert.ok(first?.type === 'text' && others.length === 0);
  return { isError, text: first.text };
}

/** The answer of a call that succeeds. */
async function answerOf(name: string, given?: Record<string, unknown>) {
  const { isError, text: answer } = await call(name, given);
  assert.ok(!isError, answer);
  return JSON.parse(answer);
}

test('the tools only read, and take what the API takes', async () => {
  assert.match(client.getInstructions()!, new RegExp(`${address}.* US dollars .* days are UTC`));
  const { tools } = await client.listTools();
  const { body: document } = await request(testApp.server, { method: 'GET', url: '/openapi.json' });
  const parametersOf = (path: string): { name: string; schema: { type: string; enum?: string[] } }[] =>
    document.paths[path].get.parameters.filter(({ name }: { name: string }) => name !== 'org_id');
  const paths = { costs: '/api/v1/costs', change: '/api/v1/costs/change', waste: '/api/v1/waste/fixes' };
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['change', 'costs', 'estimate', 'waste']);
  for (const { name, description, inputSchema, annotations } of tools) {
    assert.deepEqual(annotations?.readOnlyHint, true, name);
    assert.match(description!, /US dollars \(USD\).* nano-dollar/, name);
    const properties = inputSchema.properties as Record<string, { description: string }>;
    for (const [field, property] of Object.entries(properties)) assert.ok(property.description, field);
    if (name === 'estimate') continue;
    const shape = ({ type, enum: words }: { type?: string; enum?: string[] }) => [type, words?.toSorted()];
    assert.deepEqual(
      Object.fromEntries(Object.entries(properties).map(([field, each]) => [field, shape(each as never)])),
      Object.fromEntries(
        parametersOf(paths[name as keyof typeof paths]).map((each) => [
          // The same word in all tools.
          each.name === 'repo' ? 'repository' : each.name,
          shape(each.schema),
        ]),
      ),
    );
  }
});

test('each tool answers what the API answers, with its unit', async () => {
  const costs = await answerOf('costs', { group_by: 'repository', repository: ['acme/*'], days: 7 });
  const { body: asked } = await organization.get('/api/v1/costs', {
    group_by: 'repository',
    repository: 'acme/*',
    days: 7,
  });
  assert.deepEqual(costs, { unit: 'US dollars, list cost', ...asked.data });
  assert.equal(costs.total.value, 0.12);
  assert.equal((await answerOf('costs', { metric: 'minutes' })).unit, 'billed minutes');

  const change = await answerOf('change', { days: 1 });
  assert.deepEqual([change.unit, change.total.change], ['US dollars', 0.12]);
  assert.match(change.sentence, /^CI cost \$0\.12, and nothing on the day before/);

  const waste = await answerOf('waste', { category: 'failed', repository: 'acme/api' });
  assert.deepEqual([waste.unit, waste.waste_cost, waste.pagination.page], ['US dollars', 0.04, 1]);
});

test('an estimate compares a folder, or two refs of a clone, and runs nothing of it', async () => {
  const workflows = join(folder, 'clone/.github/workflows');
  mkdirSync(workflows, { recursive: true });
  const write = (runner: string) =>
    writeFileSync(join(workflows, 'ci.yml'), `on: push\njobs:\n  test: { runs-on: ${runner} }\n`);
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', join(folder, 'clone'), '-c', 'user.name=m', '-c', 'user.email=m@acme.test', ...args],
      { stdio: 'pipe' },
    );
  git('init', '--quiet', '--initial-branch=main');
  write('ubuntu-latest');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  write('macos-latest');
  git('commit', '--quiet', '--all', '--message=Second');
  const watched = join(folder, 'watched');
  git('config', 'core.fsmonitor', `touch ${watched}; false`);
  const given = { folder: join(folder, 'clone'), repository: 'acme/api' };
  const working = await answerOf('estimate', given);
  assert.equal(working.jobs[0].status, 'unchanged');
  const compared = await answerOf('estimate', { ...given, base: 'main~1', head: 'main', days: 7 });
  assert.deepEqual(
    [compared.unit, compared.days, compared.jobs[0].status, compared.jobs[0].runner],
    ['US dollars', 7, 'changed', 'macos-latest'],
  );
  assert.ok(!existsSync(watched));

  const faults: [Record<string, unknown>, RegExp][] = [
    [{ ...given, base: 'nowhere' }, /^base is not a folder or a commit: nowhere\.?$/],
    [{ ...given, base: '--output=x' }, /^base is not a folder or a commit/],
    [{ ...given, repository: 'api' }, /^repository must be owner\/name, such as acme\/api/],
    [{ folder: given.folder }, /^repository is required, such as acme\/api/],
    [{ folder: join(folder, 'missing') }, /^folder must be a folder of this computer, not /],
  ];
  for (const [wrong, expected] of faults) {
    const { isError, text: message } = await call('estimate', wrong);
    assert.ok(isError);
    assert.match(message, expected);
  }
});

test('a wrong question names the field and the fix', async () => {
  const faults: [string, Record<string, unknown>, RegExp][] = [
    ['costs', { dayz: 7 }, /dayz is unknown; did you mean days\?$/],
    ['costs', { days: '7' }, /days must be integer$/],
    ['costs', { metric: 'euros' }, /metric must be one of: cost, net_cost, minutes, jobs, runs$/],
    ['costs', { branch: 'main' }, /branch must be array$/],
    ['costs', { from: 'yesterday' }, /from must be a calendar day such as 2026-01-31$/],
    ['costs', { group_by: 'repo' }, /^group_by.*repository.* Request \S+\.$/],
    ['waste', { category: 'idle' }, /category must be one of: rounding, failed/],
    ['estimate', { days: 91 }, /days must be at most 90$/],
    ['waste', { days: 91 }, /days must be at most 90$/],
    ['change', { days: 366 }, /days must be at most 365$/],

    ['costs', { branch: Array.from({ length: 51 }, () => 'x') }, /branch must have at most 50 items$/],
    ['costs', { branch: ['x'.repeat(501)] }, /branch\[0\] must have at most 500 characters$/],
    ['costs', { branch: Array.from({ length: 50 }, () => 'x'.repeat(200)) }, /^The filters have \d+ char/],
    ['waste', { repo: 'acme/api' }, /repo is unknown; did you mean repository\?$/],
    ['waste', { from: '2026-03-01' }, /pair\. Request \S+\.$/],
  ];
  for (const [name, given, expected] of faults) {
    const { isError, text: message } = await call(name, given);
    assert.ok(isError);
    assert.match(message, expected);
    assert.doesNotMatch(message, /query|body| {2}/);
  }
  const ctx = { ...testApp.app, actor: cliActor(organization.orgId) };
  await updateOrganization(ctx, { plan: 'free' });
  const { text: message } = await call('costs', { days: 31 });
  assert.equal(message, 'days must be at most 30: the plan of the organization shows no older days.');
  await updateOrganization(ctx, { plan: 'team' });
});

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
    const { isError, text: message } = await call('costs', {}, by);
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
  const asked = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'costs', arguments: {} } };
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
  assert.equal(JSON.parse(messages.find(({ id }) => id === 2).result.content[0].text).total.value, 0.12);

  const interrupted = start();
  interrupted.send(initialize);
  await interrupted.printed('"id":1');
  interrupted.child.kill('SIGTERM');
  assert.equal((await interrupted.ended)[0], 0);
});

test('without an address or a token it says so, and prints nothing to standard output', async () => {
  for (const name of ['RUNCOST_URL', 'RUNCOST_TOKEN']) {
    const { code, stdout, stderr } = await runCommand(['mcp'], environment({ [name]: '' }));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`error: ${name} is required`));
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
