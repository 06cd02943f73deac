/** A verb that exists nowhere else reaches every face of the program from its declaration alone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { Type } from 'typebox';
import { actionsText, operationsText } from '../scripts/operations.ts';
import { audited } from '../src/audited.ts';
import { createClient } from '../src/client.ts';
import { clientVerbs } from '../src/clientVerbs.ts';
import { operations, type Operation } from '../src/operations.ts';
import { joinPrograms, verb } from '../src/platform/http/verbs.ts';
import { buildServer } from '../src/server.ts';
import { recordAudit } from '../src/tenancy/audit/audit.ts';
import { verbsOf } from '../src/verbs.ts';
import { verbActions } from '../web/src/api/actions.ts';
import { request, startTestApp } from './harness/app.ts';
import { runCommand } from './harness/program.ts';

// As a line in `audited.ts` does, which also makes it a name that the compiler knows.
const creation = 'gadget.create' as never;
Object.assign(audited, { gadget: { title: 'Gadgets', words: { create: 'created a gadget' } } });

const sizes: number[] = [];
const Gadget = Type.Object({ size: Type.Integer({ examples: [3] }) }, { examples: [{ size: 3 }] });
const common = { tag: 'Runs', access: { scope: null, role: 'viewer' } } as const;
const gadgetVerbs = [
  verb({
    ...common,
    name: 'gadget create',
    at: 'POST /gadgets',
    title: 'Create a gadget',
    page: '/gadgets/new',
    body: Gadget,
    status: 201,
    answer: Gadget,
    run: async (ctx, { body }) => {
      await ctx.db.transaction().execute((tx) => recordAudit(tx, ctx, creation, 'gad_1', body));
      sizes.push(body.size);
      return body;
    },
  }),
  verb({
    ...common,
    name: 'gadget get',
    at: 'GET /gadgets/:id',
    title: 'Get a gadget',
    page: '/gadgets/:id',
    params: Type.Object({ id: Type.String() }),
    answer: Gadget,
    run: () => ({ size: sizes[0]! }),
  }),
  verb({
    ...common,
    name: 'gadget list',
    at: 'GET /gadgets',
    title: 'List the gadgets',
    assistant: true,
    answer: Type.Array(Gadget),
    columns: [['size', 'metres']],
    run: () => sizes.map((size) => ({ size })),
  }),
];

const { app, newOrganization } = await startTestApp();
const server = await buildServer(app, { verbs: [...verbsOf(app.providers), ...gadgetVerbs] });
after(() => server.close());
const address = await server.listen({ host: '127.0.0.1', port: 0 });
const organization = await newOrganization();
const settings = { RUNCOST_URL: address, RUNCOST_TOKEN: organization.token };
// What `npm run api-types` writes into files.
const known = operations.length;
operations.push(...(JSON.parse(operationsText(gadgetVerbs)) as Operation[]));
Object.assign(clientVerbs, {
  gadgets: { create: 'POST /api/v1/gadgets', get: 'GET /api/v1/gadgets/:id', list: 'GET /api/v1/gadgets' },
});
after(() => {
  operations.splice(known);
  delete (clientVerbs as Record<string, unknown>)['gadgets'];
});

test('by HTTP, in OpenAPI and in the audit log', async () => {
  const headers = { authorization: `Bearer ${organization.token}` };
  const send = (body: object) => request(server, { method: 'POST', url: '/api/v1/gadgets', headers, body });
  assert.deepEqual([(await send({ size: 1 })).status, sizes], [201, [1]]);
  assert.deepEqual((await send({ size: 'big' })).body.errors[0].path, 'body.size');
  const { paths } = (await request(server, { method: 'GET', url: '/openapi.json' })).body;
  assert.deepEqual(
    ['post', 'get'].map((method) => paths['/api/v1/gadgets'][method].operationId),
    ['gadget_create', 'gadget_list'],
  );
  const { body } = await request(server, { method: 'GET', url: '/api/v1/audit-log', headers });
  assert.equal(body.data[0].action, 'gadget.create');
  assert.equal(body.data[0].summary, 'created a gadget');
});

test('by a command', async () => {
  const created = await runCommand(['gadget', 'create', '--size', '2', '--json'], settings);
  assert.deepEqual(created, { code: 0, stdout: '{"size":2}\n', stderr: '' });
  assert.equal((await runCommand(['gadget', 'list'], settings)).stdout, 'METRES\n1\n2\n');
  const refused = await runCommand(['gadget', 'create', '--size', '1.5'], settings);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^error: --size must be integer/);
  assert.match((await runCommand(['gadget', '--help'], {})).stdout, /create .*create a gadget/);
});

test('by its page, which --web opens and the palette lists', async () => {
  const withoutBrowser = { ...settings, PATH: '' };
  const opened = async (...words: string[]) => (await runCommand([...words, '--web'], withoutBrowser)).stderr;
  assert.equal(await opened('gadget', 'create'), `${address}/gadgets/new\n`, 'without its required options');
  assert.equal(await opened('gadget', 'get', 'a/b'), `${address}/gadgets/a%2Fb\n`);
  const linesOf = (text: string) => text.split(',\n').flatMap((line) => /\{.*\}/.exec(line) ?? []);
  const listed = { label: 'Create a gadget', go: '/gadgets/new', needs: { scope: null, role: 'viewer' } };
  assert.deepEqual(linesOf(actionsText(gadgetVerbs)), [JSON.stringify(listed)]);
  const written = verbActions.map((action) => JSON.stringify(action));
  assert.deepEqual(written, linesOf(actionsText()), 'npm run api-types writes it');
});

test('by the typed client and as a tool of assistants', async () => {
  const client = createClient({ url: address, token: organization.token });
  const { gadgets } = client as unknown as { gadgets: { list: () => Promise<object> } };
  assert.deepEqual(await gadgets.list(), [{ size: 1 }, { size: 2 }]);
  const { newServer } = await import('../src/mcp/server.ts');
  const [here, there] = InMemoryTransport.createLinkedPair();
  await newServer(client, address).connect(here);
  const assistant = new Client({ name: 'test', version: '1' });
  await assistant.connect(there);
  after(() => assistant.close());
  const { content } = await assistant.callTool({ name: 'gadget_list' });
  assert.match(JSON.stringify(content), /\{\\"size\\":2\}/);
});

test('two functions of one name cannot hide each other in the program of all verbs', () => {
  const joined = joinPrograms({ send: 1 }, { count: 2 });
  assert.deepEqual([joined.send, joined.count], [1, 2]);
  assert.throws(() => joinPrograms({ send: 1 }, { count: 2 }, { send: 3 }), /have a send/);
});
