import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, ownerOf, runCommand, startServer } from './harness/program.ts';
import { newRun } from './harness/submission.ts';
import { holdAnswers, openWebhookReceiver } from './harness/webhookReceiver.ts';

test('a role must be known', async () => {
  const other = await runCommand(['serve', '--role', 'web'], {});
  assert.match(other.stderr, /Allowed choices are api, worker, all/);
});

test('processes of each role start together, and a worker ends its delivery before it stops', async () => {
  const settings = await newStorage();
  const local = { EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', EGRESS_ALLOW_HTTP: 'true' };
  const [worker, ...apis] = await Promise.all(
    ['worker', 'api', 'api'].map((role) => startServer(settings, local, role)),
  );
  const created = apis.filter(({ ownerToken }) => ownerToken !== null);
  assert.equal(created.length, 1, 'one of them has created the first organization');
  const { token } = ownerOf(created[0]!);
  const receiver = await openWebhookReceiver();
  const answer = holdAnswers(receiver, 204);
  const send = async (server: { address: string }, method: string, path: string, body?: object) => {
    const response = await fetch(`${server.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- asserted below
    return { status: response.status, body: (await response.json()) as any };
  };

  const hook = { url: receiver.url, events: ['workflow.completed'] };
  const webhook = await send(apis[0]!, 'POST', '/api/v1/webhooks', hook);
  assert.equal(webhook.status, 201);
  const end = new Date().toISOString();
  const job = { job_id: '1', runner: 'linux_2_core', started_at: end, completed_at: end };
  const runs = [newRun({ created_at: end, jobs: [job] })];
  assert.equal((await send(apis[1]!, 'POST', '/api/v1/runs', { runs })).status, 200);
  assert.equal((await send(worker!, 'GET', '/readyz')).status, 200);
  assert.equal((await send(worker!, 'GET', '/api/v1/session')).status, 404);

  await receiver.taken(1);
  worker!.process.kill('SIGTERM');
  answer();
  assert.equal(await worker!.ended, 0);
  const path = `/api/v1/webhooks/${webhook.body.data.id}/deliveries`;
  const { body } = await send(apis[0]!, 'GET', path);
  assert.deepEqual(
    body.data.deliveries.map(({ status }: { status: string }) => status),
    ['success'],
  );
});
