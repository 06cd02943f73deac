import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { buildWorker } from '../../src/worker.ts';
import { newStorage, ownerOf, startServer, type RunningServer } from '../harness/program.ts';
import { newRun } from '../harness/submission.ts';
import { never, openWebhookReceiver } from '../harness/webhookReceiver.ts';

const minute = 60_000;

async function send(server: RunningServer, method: string, path: string, body?: object) {
  const response = await fetch(`${server.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ownerOf(server).token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as { data: Record<string, unknown> } };
}

test('a server killed during deliveries loses none, and keeps a correct history', async () => {
  const settings = await newStorage();
  const receiver = await openWebhookReceiver();
  receiver.answer = never;
  const server = await startServer(settings);
  const created = await send(server, 'POST', '/webhooks', {
    url: receiver.url,
    events: ['workflow.completed'],
  });
  assert.equal(created.status, 201);
  const runs = Array.from({ length: 40 }, () => {
    const start = new Date(Date.now() - minute).toISOString();
    const times = { started_at: start, completed_at: new Date().toISOString() };
    return newRun({
      created_at: times.started_at,
      jobs: [{ job_id: '1', runner: 'linux_2_core', ...times }],
    });
  });
  const posted = await send(server, 'POST', '/runs', { runs });
  assert.equal(posted.status, 200);
  await receiver.taken(1);
  server.process.kill('SIGKILL');
  await server.ended;

  // The same folder minutes later, after the leases have expired.
  const sentBefore = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  receiver.received.length = 0;
  receiver.answer = 204;
  const clock = { now: () => new Date(Date.now() + 5 * minute) };
  const app = await createApp(readConfig(settings), {
    mayCreate: true,
    clock,
    log: pino({ level: 'silent' }),
  });
  try {
    await buildWorker(app).processAll();
    const events = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(events.length, 40);
    assert.equal(new Set(events).size, 40);
    const attempts = await app.db
      .selectFrom('deliveryAttempts')
      .innerJoin('deliveries', 'deliveries.id', 'deliveryAttempts.deliveryId')
      .select(['number', 'outcome', 'eventId'])
      .execute();
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown');
    assert.deepEqual(
      attempts.filter(({ outcome }) => outcome === 'in_flight'),
      [],
    );
    for (const id of sentBefore)
      assert.ok(
        unknown.some(({ eventId }) => eventId === id),
        'what was sent is recorded',
      );
    assert.equal(attempts.filter(({ outcome }) => outcome === 'success').length, 40);
  } finally {
    await app.close();
  }
});
