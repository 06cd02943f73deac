import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { newRun } from '../../../test/harness/submission.ts';

const megabyte = 1024 * 1024;
const testApp = await startTestApp({ BODY_MEMORY_MB: '3', DATABASE_POOL: '5' });
const { app, server } = testApp;
await server.listen({ port: 0, host: '127.0.0.1' });
const { port } = server.server.address() as AddressInfo;
const organization = await testApp.newOrganization();
const other = await testApp.newOrganization();
const headers = { authorization: `Bearer ${organization.token}`, 'content-type': 'application/json' };
const path = '/api/v1/runs';

type SentAnswer = { status: number; body: { code?: string }; retryAfter: unknown };
type Sent = { finish: () => void; abort: () => void; answer: Promise<SentAnswer> };

/** Starts a request whose body is announced, or sent in chunks. */
function send(bytes: number, { isChunked = false } = {}): Sent {
  const body = JSON.stringify({ runs: [newRun({ run_id: crypto.randomUUID() })] });
  const padded = body.padEnd(bytes, ' ');
  const length = isChunked ? {} : { 'content-length': padded.length };
  const outgoing = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path,
    headers: { ...headers, ...length },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const answer = answered.then(async (response) => ({
    status: response.statusCode!,
    retryAfter: response.headers['retry-after'],
    body: (await json(response)) as { code?: string },
  }));
  answer.catch(() => {}); // Of a request that a test aborts.
  outgoing.write(padded.slice(0, 100));
  return {
    finish: () => outgoing.end(padded.slice(100)),
    abort: () => outgoing.destroy(),
    answer,
  };
}

describe('bodies that do not fit into memory at once', () => {
  test('are refused before they are read, and taken again when there is room', async () => {
    const first = send(2 * megabyte);
    const second = send(2 * megabyte);
    const refused = await second.answer;
    assert.deepEqual([refused.status, refused.body.code, refused.retryAfter], [503, 'too_much_at_once', '5']);
    second.abort();
    const small = send(1_000);
    small.finish();
    assert.equal((await small.answer).status, 200);
    first.finish();
    assert.equal((await first.answer).status, 200);
  });

  test('give their room back when the caller leaves before the end', async () => {
    const leaving = send(2 * megabyte);
    assert.equal((await send(2 * megabyte).answer).status, 503);
    leaving.abort();
    await assert.rejects(leaving.answer, /hang up/);
    assert.doesNotMatch(testApp.logged(), /database_away/);
    // The server may notice a moment later.
    for (let times = 0; times < 100; times++) {
      const next = send(2 * megabyte);
      next.finish();
      if ((await next.answer.catch(() => null))?.status === 200) return;
    }
    assert.fail('no room for the next one');
  });

  test('are not kept out by those that nobody has signed, which hold little', async () => {
    const announce = () => {
      const outgoing = httpRequest({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/v1/session',
        headers: { 'content-type': 'application/json', 'content-length': megabyte },
      });
      outgoing.on('error', () => {});
      outgoing.write('{');
      return outgoing;
    };
    const announced = Array.from({ length: 10 }, announce);
    const own = send(2 * megabyte);
    own.finish();
    assert.equal((await own.answer).status, 200);
    for (const outgoing of announced) outgoing.destroy();
  });

  test('one alone always has room, and one in chunks counts as the largest that its route takes', async () => {
    const large = send(4 * megabyte);
    large.finish();
    assert.equal((await large.answer).status, 200);
    const small = send(1_000);
    const inChunks = send(1_000, { isChunked: true });
    assert.equal((await inChunks.answer).body.code, 'too_much_at_once');
    small.finish();
    assert.equal((await small.answer).status, 200);
    const alone = send(1_000, { isChunked: true });
    alone.finish();
    assert.equal((await alone.answer).status, 200);
  });

  test('a report that goes to a file holds little', async () => {
    const first = send(2 * megabyte);
    const report = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/bills/reports',
      headers: { ...headers, 'content-type': 'text/csv', 'content-length': 100 * megabyte },
    });
    report.on('error', () => {});
    report.write('Date,');
    first.finish();
    assert.equal((await first.answer).status, 200);
    const next = send(1.5 * megabyte);
    next.finish();
    assert.equal((await next.answer).status, 200);
    report.destroy();
  });
});

test('while changes of one organization wait for a lock, others find free connections', async () => {
  const locked = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const { orgId } = organization;
  const lock = app.background.transaction().execute(async (tx) => {
    await sql`select from organizations where org_id = ${orgId} for update`.execute(tx);
    locked.resolve();
    await changed.promise;
  });
  await locked.promise;
  const names = Array.from({ length: 20 }, (_, number) => `Acme ${number}`);
  const changes = names.map((name) => organization.send('PUT', '/api/v1/organization', { name }));
  for (let times = 0; times < 20; times++) {
    assert.equal((await other.get('/api/v1/members')).status, 200);
    assert.equal((await other.send('PUT', '/api/v1/organization', { name: 'Other' })).status, 200);
  }
  changed.resolve();
  await lock;
  for (const { status } of await Promise.all(changes)) assert.equal(status, 200);
});
