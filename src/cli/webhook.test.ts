import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, programStart, runCommand, serveHere, startCommand } from '../../test/harness/program.ts';
import { openWebhookReceiver, type Received } from '../../test/harness/webhookReceiver.ts';
import { verifyWebhook } from '../verifyWebhook.ts';

const settings = await newStorage();

type Organization = { org_id: string; token: string };
const { run: webhook, json, printed } = commandsOf('webhook', settings);

const acme: Organization = await json('org', 'create', '--name', 'acme');
const server = await serveHere(settings);
/** The webhook's receiver, and a developer's local program. */
const [receiver, developer] = [await openWebhookReceiver(), await openWebhookReceiver()];

async function ask(path: string, body?: object, token = acme.token): Promise<Json> {
  const response = await fetch(`${server.address}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const answer: Json = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer.data ?? answer;
}

const hook = await ask('webhooks', { url: receiver.url, events: ['alert.triggered'] });

/** Returns the delivery's id. */
async function ping(): Promise<string> {
  const before = receiver.received.length;
  const { id } = await json('webhook', 'ping', hook.id);
  await receiver.taken(before + 1);
  await allStored();
  return id;
}

/** The receiver has an attempt before its result is stored. */
async function allStored(): Promise<void> {
  const isMissing = ({ next_attempt_at: next }: Json) => next !== null;
  while ((await ask(`webhooks/${hook.id}/deliveries`)).deliveries.some(isMissing));
}

function cellsOf(text: string): string[][] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.trim().split(/ {2,}/));
}

function eventOf({ body, headers }: Received): Json {
  return verifyWebhook({ body, headers, secret: hook.secret });
}

const listen = ['listen', '--forward-to', developer.url];

test('without a webhook, the list says how to create one, and listen does too', async () => {
  const own = await newStorage();
  await serveHere(own);
  const run = (...args: string[]) => runCommand(['webhook', ...args], own);
  assert.deepEqual(await run('list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  const list = await run('list');
  assert.deepEqual([list.code, list.stdout], [0, '']);
  assert.match(list.stderr, /No webhooks yet.*webhook create/);
  const { code, stderr } = await run(...listen);
  assert.equal(code, 2);
  assert.match(stderr, /--webhook has nothing to choose from/);
});

test("the server sends a ping, and the list matches the API's", async () => {
  const [id, note] = await printed('ping', hook.id);
  assert.match(note, /server sends it/);
  await receiver.taken(1);
  assert.equal(receiver.received[0]!.headers['x-service-delivery'], id.trim());
  assert.equal(eventOf(receiver.received[0]!).event, 'webhook.ping');
  const { deliveries } = await ask(`webhooks/${hook.id}/deliveries`);
  assert.deepEqual(
    (await json('webhook', 'deliveries', hook.id)).map((row: Json) => row.id),
    deliveries.map((row: Json) => row.id),
  );
  const [listed] = await json('webhook', 'list');
  assert.deepEqual([listed.id, listed.url, listed.status], [hook.id, receiver.url, 'active']);
  assert.ok(!('secret' in listed));
});

test('filters, limits and prints deliveries', async () => {
  const latest = await ping();
  const [table, note] = await printed('deliveries', hook.id, '--limit', '1', '--event', 'webhook.ping');
  const [headings, row] = cellsOf(table);
  assert.deepEqual(headings, ['DELIVERY', 'EVENT', 'CREATED', 'STATUS', 'ATTEMPTS', 'RESPONSE', 'MS']);
  assert.deepEqual(row!.slice(0, 2), [latest, 'webhook.ping']);
  assert.match(note, /^1 of 2 rows not shown\. To see all: --limit 2$/m);
  assert.deepEqual(await json('webhook', 'deliveries', hook.id, '--status', 'held'), []);
  const none = await printed('deliveries', hook.id, '--event', 'alert.triggered');
  assert.deepEqual(none, ['', 'No matching deliveries.\n']);
  const [hooks] = await printed('list');
  const shown = [hook.id, '-', receiver.url, 'alert.triggered', 'active'];
  assert.deepEqual(cellsOf(hooks)[1]!.slice(0, 5), shown);
});

test('resends deliveries, all or none', async () => {
  const ids = [await ping(), await ping()];
  const before = receiver.received.length;
  const refused = await webhook('resend', ids[0]!, 'del_none');
  assert.deepEqual([refused.code, refused.stdout], [4, '']);
  assert.match(refused.stderr, /no such delivery: del_none/);
  assert.deepEqual(await printed('resend', ...ids), [`${ids.join('\n')}\n`, 'The server sends it now.\n']);
  await receiver.taken(before + 2);
  const again = receiver.received.slice(before).map(({ headers }) => headers['x-service-delivery']);
  assert.deepEqual(new Set(again), new Set(ids));
});

test('forwards past deliveries with a new signature, without a trace in the history', async () => {
  await allStored();
  const history = await ask(`webhooks/${hook.id}/deliveries`);
  const ids = history.deliveries.map((row: Json) => row.id).toReversed();
  developer.answer = 418;
  const [lines, note] = await printed(...listen, '--since', '1h', '--once', '--webhook', hook.id);
  developer.answer = 204;
  assert.equal(note, '');
  assert.deepEqual(
    cellsOf(lines).map(([, event, id, answer]) => [event, id, answer]),
    ids.map((id: string) => ['webhook.ping', id, '418']),
  );
  for (const [at, , , , took] of cellsOf(lines)) {
    assert.match(at!, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.match(took!, /^\d+ ms$/);
  }
  assert.deepEqual(
    developer.received.map(({ headers }) => headers['x-service-delivery']),
    ids,
  );
  for (const received of developer.received) assert.equal(eventOf(received).event, 'webhook.ping');
  assert.deepEqual(await ask(`webhooks/${hook.id}/deliveries`), history);
  const nothing = await printed(...listen, '--since', '1h', '--once', '--event', 'export.ready');
  assert.deepEqual(nothing, ['', 'Nothing to forward; --since goes further back.\n']);
});

test('follows new deliveries until Ctrl-C, without older ones unless --since asks', async () => {
  const { ended, interrupt, until } = startCommand(['webhook', ...listen], settings);
  const [greeting] = await until(/^Forwarding .*\n/m);
  assert.ok(greeting.includes(`${hook.id} to ${developer.url}`) && greeting.includes('Ctrl-C'), greeting);
  const ids = [];
  for (let count = 0; count < 2; count++) {
    // A second command would wait for the end of the first.
    const { id } = await ask(`webhooks/${hook.id}/ping`, {});
    const [line] = await until(new RegExp(`.*${id}.*\n`));
    assert.deepEqual(cellsOf(line)[0]!.slice(1, 4), ['webhook.ping', id, '204']);
    ids.push(id);
  }
  interrupt();
  const { code, stdout } = await ended;
  assert.deepEqual([code, cellsOf(stdout).map(([, , id]) => id)], [0, ids]);
  for (const id of ids) {
    const received = developer.received.filter(({ headers }) => headers['x-service-delivery'] === id);
    assert.equal(received.length, 1);
  }
});

test('Ctrl-C ends the process of a command that follows', async () => {
  const env = { ...process.env, DATABASE_URL: '', ...settings };
  const child = spawn(process.execPath, [...programStart, 'webhook', ...listen], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  for (let said = ''; !said.includes('Ctrl-C');) said += (await once(child.stderr, 'data')).join('');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
});

test('says why an address does not answer', async () => {
  const toNobody = ['listen', '--forward-to', 'http://127.0.0.1:1', '--since', '1h', '--once', '--json'];
  const { code, stdout, stderr } = await webhook(...toNobody);
  assert.equal(code, 0, stderr);
  const lines = stdout.trim().split('\n');
  for (const line of lines) assert.match(JSON.parse(line).answer, /ECONNREFUSED|bad port/);
});

const mistakes: [args: string[], code: number, message: RegExp][] = [
  [['deliveries', 'wh_none', '--status', 'sent'], 2, /--status.*pending, success, failed, held/],
  [['listen'], 2, /--forward-to/],
  [[...listen, '--since', 'yesterday'], 2, /--since.*30m, 1h or 7d/],
  [[...listen, '--webhook', 'wh_none'], 4, /no such webhook/],
  [['listen', '--forward-to', 'localhost:3000'], 2, /--forward-to must start with https:\/\//],
];
test('names what is wrong with a command', async () => {
  for (const [args, expected, message] of mistakes) {
    const { code, stdout, stderr } = await webhook(...args);
    assert.deepEqual([code, stdout], [expected, ''], args.join(' '));
    assert.match(stderr, message);
  }
});

test('resends many, after a dry run that counts them', async () => {
  const asked = ['resend', 'create', hook.id, '--status', 'success', '--event', 'webhook.ping'];
  const since = ['--since', new Date(Date.now() - 3_600_000).toISOString()];
  await allStored();
  const { pagination } = await ask(`webhooks/${hook.id}/deliveries?event=webhook.ping&status=success`);
  const { total } = pagination;
  assert.deepEqual(await printed(...asked, ...since, '--dry-run'), [`${total} match.\n`, '']);
  const before = receiver.received.length;
  const [resent] = await printed(...asked, ...since);
  assert.equal(resent, `Resent ${total}.\n`);
  await receiver.taken(before + total);
});

test('of several webhooks, one must be chosen', async () => {
  await ask('webhooks', { url: receiver.url, events: ['cost.threshold'] });
  const { code, stderr } = await webhook(...listen);
  assert.equal(code, 2);
  assert.match(stderr, /--webhook is required: there are several/);
  const named = await printed(...listen, '--webhook', hook.id, '--event', 'alert.triggered', '--once');
  assert.match(named[1], /Nothing to forward/);
});

test('listen goes on after the server asked it to wait', async () => {
  const headers = { 'content-type': 'application/json' };
  const delivery = { id: 'del_1', event: 'webhook.ping', created_at: '2026-03-17T10:00:00Z' };
  let signed = 0;
  const busy = createServer((asked, answer) => {
    asked.resume();
    const answered = (deliveries: object[]) =>
      answer.writeHead(200, headers).end(JSON.stringify({ deliveries, data: { deliveries } }));
    if (!asked.url!.includes('/sign')) return answered([]);
    signed += 1;
    if (signed === 2) return answer.writeHead(429, { 'retry-after': '1' }).end();
    return answered(signed === 3 ? [{ ...delivery, headers: {}, body: '{}' }] : []);
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const address = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const args = ['webhook', 'listen', '--webhook', 'wh_1', '--forward-to', 'http://127.0.0.1:1'];
  const { ended, interrupt, until } = startCommand(args, { RUNCOST_URL: address, RUNCOST_TOKEN: 'x' });
  await until(/del_1/);
  interrupt();
  assert.equal((await ended).code, 0);
  busy.close();
});
