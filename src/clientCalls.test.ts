import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../test/harness/app.ts';
import { newRun, submit } from '../test/harness/submission.ts';
import { createClient, RuncostError } from './client.ts';
import { clientVerbs } from './clientVerbs.ts';
import { operations } from './operations.ts';

type Call = (fields: object) => Promise<unknown>;
type Tree = { [name: string]: string | Tree };

const url = 'https://runcost.example.com';
const leavesOf = (tree: Tree, names: string[] = []): { names: string[]; request: string }[] =>
  Object.entries(tree).flatMap(([name, each]) =>
    typeof each === 'string'
      ? [{ names: [...names, name], request: each }]
      : leavesOf(each, [...names, name]),
  );
const leaves = leavesOf(clientVerbs as unknown as Tree);
const callOf = (client: object, names: string[]) =>
  names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], client) as Call;
/** Without what else the client knows of it. */
const addressIn = (request: string) => /^\w+ [^ ?]+/.exec(request)![0];
const requestOf = ({ method, path }: (typeof operations)[number]) =>
  `${method} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`;

test('every verb has a name in the client that reads well', () => {
  const requests = leaves.map(({ request }) => addressIn(request));
  assert.deepEqual(requests.toSorted(), operations.map(requestOf).toSorted());
  for (const { names } of leaves) for (const name of names) assert.match(name, /^[a-z][a-zA-Z]*$/);
  const names = new Set(leaves.map((each) => each.names.join('.')));
  assert.equal(names.size, operations.length);
  const [counted, single, irregular] = [
    ['alerts.create', 'webhooks.deliveries.resend', 'waste.fixes.list', 'priceLists.get', 'workflows.get'],
    [
      'organizations.get',
      'price.terms.set',
      'costs.change.get',
      'sources.credentials.get',
      'dashboard.summary.get',
    ],
    ['auditLogs.list', 'pullRequests.report', 'webhooks.rotateSecret', 'members.testEmail'],
  ];
  for (const name of [...counted!, ...single!, ...irregular!]) assert.ok(names.has(name), name);
});

test('every verb puts its fields into the path, the query or the body', async () => {
  for (const { names, request } of leaves) {
    const operation = operations.find((each) => requestOf(each) === addressIn(request))!;
    const sent: Request[] = [];
    const client = createClient({
      url,
      fetch: async (each) => (sent.push(each), Response.json({ data: 1 })),
    });
    const valuesOf = (part: string) =>
      Object.fromEntries(
        operation.fields.filter((each) => each.in === part).map(({ name }) => [name, `${name}!`]),
      );
    const [params, query, body] = ['params', 'query', 'body'].map(valuesOf);
    assert.equal(await callOf(client, names)({ ...params, ...query, ...body, org_id: 'org!' }), 1);
    const [received] = sent;
    const address = new URL(received!.url);
    const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => params![name]!);
    assert.equal(decodeURIComponent(address.pathname), `/api/v1${path}`);
    assert.deepEqual(Object.fromEntries(address.searchParams), { ...query, org_id: 'org!' }, names.join('.'));
    const text = await received!.text();
    if (['GET', 'DELETE'].includes(operation.method)) assert.deepEqual([text, body], ['', {}]);
    else assert.deepEqual(JSON.parse(text), body);
  }
});

test('every answer in pages gives its rows, wherever they are', async () => {
  const paged = operations.filter(({ list }) => list?.paging);
  assert.ok(paged.some(({ name }) => name === 'backfill completeness get'));
  for (const operation of paged) {
    const { names } = leaves.find(({ request }) => addressIn(request) === requestOf(operation))!;
    const fields = Object.fromEntries(operation.fields.map(({ name }) => [name, 'x']));
    const client = createClient({
      url,
      fetch: async (request) => {
        const { searchParams } = new URL(request.url);
        const isSecond = searchParams.get('page') === '2' || searchParams.get('cursor') === 'b';
        const rows = operation
          .list!.rows.split('.')
          .reduceRight<unknown>((below, name) => ({ [name]: below }), [{ number: isSecond ? 2 : 1 }]);
        const places = { page: isSecond ? 2 : 1, per_page: 1, total: 2 };
        const cursors = { next_cursor: isSecond ? null : 'b' };
        const pagination = operation.list!.paging === 'page' ? places : cursors;
        return Response.json({ ...(rows as object), pagination });
      },
    });
    const found: unknown[] = [];
    const rows = callOf(client, names)({ ...fields, org_id: 'org' }) as unknown as AsyncIterable<unknown>;
    for await (const row of rows) found.push(row);
    assert.deepEqual(found, [{ number: 1 }, { number: 2 }], operation.name);
  }
});

const testApp = await sharedTestApp();

/** A client of a new organization, and the addresses that it asked. */
async function connect() {
  const organization = await testApp.newOrganization();
  const asked: string[] = [];
  const client = createClient({
    url,
    token: organization.token,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(`${request.method} ${pathname}${search}`);
      const { statusCode, headers, rawPayload } = await testApp.server.inject({
        method: request.method as 'GET',
        url: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        payload: await request.text(),
      });
      return new Response(rawPayload as Uint8Array<ArrayBuffer>, {
        status: statusCode,
        headers: headers as never,
      });
    },
  });
  return { client, asked, organization };
}

test('a verb returns its answer, and asks once whose organization it is where the API wants to know', async () => {
  const { client, asked, organization } = await connect();
  const budget = { alert_type: 'budget', threshold_amount: 5_000, period: 'month' } as const;
  const { id, name } = await client.alerts.create({ name: 'CI in total', ...budget });
  const { alerts } = await client.alerts.list();
  assert.deepEqual([name, alerts.map((alert) => alert.id)], ['CI in total', [id]]);
  assert.deepEqual(asked, [
    'GET /api/v1/session',
    `POST /api/v1/alerts?org_id=${organization.orgId}`,
    `GET /api/v1/alerts?org_id=${organization.orgId}`,
  ]);
  await client.alerts.update({ id, threshold_amount: 6_000 });
  assert.equal((await client.alerts.get({ id })).threshold_amount, 6_000);
  await assert.rejects(client.alerts.create({ name: 'Nothing', ...budget, threshold_amount: 0 }), (error) => {
    assert.ok(error instanceof RuncostError);
    assert.deepEqual([error.status, error.errors[0]?.path], [400, 'body.threshold_amount']);
    return true;
  });
  const other = await connect();
  await assert.rejects(other.client.alerts.list({ org_id: organization.orgId }), RuncostError);

  // It has no field for the body.
  assert.equal((await client.alerts.check({ id })).state, 'ok');
});

test('a list has its first page, and all rows of all pages', async () => {
  const { client, asked, organization } = await connect();
  const numbers = [1, 2, 3, 4, 5];
  await submit(organization, ...numbers.map((run_number) => newRun({ run_number })));
  const page = await client.runs.list({ per_page: 2 });
  assert.deepEqual([page.data.length, page.pagination.total], [2, 5]);
  asked.length = 0;

  const found = [];
  for await (const { run_number } of client.runs.list({ per_page: 2 })) found.push(run_number);
  assert.deepEqual(new Set(found), new Set(numbers));
  assert.deepEqual(asked, [
    'GET /api/v1/runs?per_page=2',
    'GET /api/v1/runs?per_page=2&page=2',
    'GET /api/v1/runs?per_page=2&page=3',
  ]);
  asked.length = 0;
  let jobs = 0;
  for await (const { cost } of client.costs.jobs.list({ limit: 3 })) jobs += cost > 0 ? 1 : 0;
  assert.deepEqual([jobs, asked.length], [5, 2]);
  assert.match(asked[1]!, /^GET \/api\/v1\/costs\/jobs\?limit=3&cursor=\S+$/);

  asked.length = 0;
  for await (const { workflow_id } of client.dashboard.workflows.list({ per_page: 1 })) {
    assert.match(workflow_id, /^wf_/);
    break;
  }
  for await (const fix of client.waste.fixes.list()) assert.fail(fix.id);
  for await (const { repository } of client.waste.get({ per_page: 1 })) assert.match(repository, /\//);
  const webhook = { name: 'Ours', url: 'https://a.example/', events: ['alert.triggered' as const] };
  const { id } = await client.webhooks.create(webhook);
  await client.webhooks.ping({ id });
  for await (const { event } of client.webhooks.deliveries.list({ id })) assert.equal(event, 'webhook.ping');
});

test('a text comes as it is, and a page of another program is refused', async () => {
  const { client, organization } = await connect();
  await submit(organization, newRun());
  const { data } = await client.runs.list();
  assert.match(await client.runs.receipt.get({ id: data[0]!.id }), /^#|\|/);
  const page = new Response('<html>', { headers: { 'content-type': 'text/html' } });
  await assert.rejects(createClient({ url, fetch: async () => page }).runs.list(), /answered text\/html/);
});
