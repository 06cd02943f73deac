import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue, type QueuedDelivery } from './queue.ts';

function claimed(id: string, claimedAt: number, webhookId = 'wh'): QueuedDelivery {
  return { orgId: 'acme', id, webhookId, claimedAt } as QueuedDelivery;
}

type Queue = ReturnType<typeof createQueue>;

/** Sends deliveries and ends each, `milliseconds` after its claim. */
function send(queue: Queue, count: number, { milliseconds = 10, isSuccess = true, webhookId = 'wh' } = {}) {
  for (let index = 0; index < count; index++) {
    queue.add([claimed(`sent ${index}`, 0, webhookId)]);
    queue.allow(webhookId, 1);
    const [sent] = queue.take(webhookId, 0);
    queue.noteEnd(sent!, isSuccess, milliseconds);
  }
}

const idsOf = (deliveries: QueuedDelivery[]) => deliveries.map(({ id }) => id);
const nothing = { inFlight: 0, waiting: 0, ahead: 0 };

test('lets one more wait for each fast answer, one less for each slow one, and none after a failure', () => {
  const queue = createQueue();
  send(queue, 400);
  assert.deepEqual(queue.standingOf('wh'), { ...nothing, ahead: 336 });
  send(queue, 3, { milliseconds: 250 });
  assert.deepEqual(queue.standingOf('wh'), { ...nothing, ahead: 333 });
  send(queue, 1, { isSuccess: false });
  assert.deepEqual(queue.standingOf('wh'), nothing);
});

test('sends oldest first, as many of a webhook as are allowed', () => {
  const queue = createQueue();
  queue.add([claimed('1', 10), claimed('other', 10, 'other'), claimed('2', 10), claimed('3', 10)]);
  assert.deepEqual(queue.take('wh', 20), [], 'none are allowed yet');
  queue.allow('wh', 2);
  const [first] = queue.take('wh', 20);
  assert.deepEqual(queue.standingOf('wh'), { inFlight: 2, waiting: 1, ahead: 0 });
  assert.deepEqual(queue.take('wh', 20), []);
  queue.noteEnd(first!, true, 20);
  assert.deepEqual(idsOf(queue.take('wh', 20)), ['3']);
  assert.deepEqual(queue.take('unknown', 20), []);
});

test('needs no claim for a webhook while more than half of what may wait does', () => {
  const queue = createQueue();
  send(queue, 4);
  queue.add([claimed('1', 10), claimed('2', 10)]);
  assert.deepEqual(queue.supplied(), []);
  queue.add([claimed('3', 10)]);
  assert.deepEqual(queue.supplied(), ['wh']);
});

test('returns what has waited for a second, or waits for a receiver that failed', () => {
  const queue = createQueue();
  send(queue, 4);
  queue.add([claimed('1', 10), claimed('2', 900)]);
  assert.deepEqual(queue.takeLate(1_010), []);
  assert.deepEqual(queue.take('wh', 1_011), [], 'it is not sent any more');
  assert.deepEqual(idsOf(queue.takeLate(1_011)), ['1', '2']);
  assert.deepEqual(queue.standingOf('wh'), nothing, 'so that they are not claimed again at once');
  send(queue, 1, { isSuccess: false });
  queue.add([claimed('3', 10), claimed('4', 10)]);
  assert.deepEqual(idsOf(queue.takeLate(20)), ['3', '4']);
});

test('counts the places to wait, and forgets webhooks that it sends nothing', () => {
  const queue = createQueue();
  send(queue, 4);
  queue.add(Array.from({ length: 1_000 }, (_, index) => claimed(`${index}`, 10, `wh ${index % 10}`)));
  assert.equal(queue.freePlaces(), 24);
  assert.equal(queue.takeAll().length, 1_000);
  assert.equal(queue.freePlaces(), 1_024);
  assert.deepEqual(queue.takeLate(2_000), []);
  assert.deepEqual(queue.standingOf('wh'), nothing);
});
