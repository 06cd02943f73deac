import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import {
  giveBackLeases,
  holdsLease,
  leaseEnd,
  newLease,
  releaseLease,
  renewLease,
  withLease,
} from './leases.ts';
import { claimTask, type TaskRow } from './tasks.queries.ts';
import { addTask } from './tasks.ts';

const { app, clock, newOrganization } = await startTestApp();
const { db } = app;
const minute = 60_000;
let kinds = 0;

/** A row to work on, of its own kind, and workers who claim it. */
async function setUp() {
  const { orgId } = await newOrganization();
  const kind = `leased_${kinds++}`;
  const asked = { orgId, input: {}, state: { at: 0 } };
  await db.transaction().execute((tx) => addTask(tx, clock, { name: kind, idPrefix: 'lsd' }, asked));
  const claim = (lease = newLease(clock, minute)) =>
    claimTask(db, { kind: { name: kind }, now: clock.now(), lease });
  const stored = (row: TaskRow) =>
    db.selectFrom('tasks').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow();
  return { claim, stored };
}

describe('a lease', () => {
  test('excludes other workers until it expires, to the millisecond', async () => {
    const { claim } = await setUp();
    const first = (await claim())!;
    clock.forward(59.999);
    assert.equal(await claim(), undefined);
    clock.forward(0.001);
    const second = (await claim())!;
    assert.deepEqual([second.id, second.lease === first.lease], [first.id, false]);
  });

  test('expires later when renewed, and its progress is stored', async () => {
    const { claim, stored } = await setUp();
    const row = (await claim())!;
    clock.forward(30);
    assert.equal(await renewLease(db, 'tasks', row, leaseEnd(clock, minute), { done: 7n }), true);
    const { done, lease, leasedUntil } = await stored(row);
    assert.deepEqual([done, lease, leasedUntil], [7n, row.lease, leaseEnd(clock, minute)]);
    clock.forward(59);
    assert.equal(await claim(), undefined);
  });

  test('ends at once when released, and its result is stored', async () => {
    const { claim, stored } = await setUp();
    const row = (await claim())!;
    assert.equal(await releaseLease(db, 'tasks', row, { done: 7n }), true);
    const { done, lease, leasedUntil } = await stored(row);
    assert.deepEqual([done, lease, leasedUntil], [7n, null, null]);
    assert.equal((await claim())?.id, row.id);
  });

  test('stores nothing once lost, neither by renewal nor by release', async () => {
    const { claim, stored } = await setUp();
    const lost = (await claim())!;
    clock.forward(60);
    const held = (await claim())!;
    assert.equal(await renewLease(db, 'tasks', lost, leaseEnd(clock, minute), { done: 7n }), false);
    assert.equal(await releaseLease(db, 'tasks', lost, { done: 7n }), false);
    assert.deepEqual(await stored(held), held);
    assert.deepEqual(
      [await holdsLease(db, 'tasks', lost), await holdsLease(db, 'tasks', held)],
      [false, true],
    );
  });

  test('cannot be regained after its release', async () => {
    const { claim, stored } = await setUp();
    const row = (await claim())!;
    await releaseLease(db, 'tasks', row);
    const free = await stored(row);
    assert.equal(await renewLease(db, 'tasks', row, leaseEnd(clock, minute)), false);
    // Nobody may write a row without claiming it.
    assert.equal(await renewLease(db, 'tasks', free, leaseEnd(clock, minute)), false);
    assert.deepEqual(await stored(row), free);
  });
});

test('a stopping process releases its rows of that table, and nothing of others', async () => {
  const [ours, theirs, ended] = [await setUp(), await setUp(), await setUp()];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const claimed = Promise.withResolvers<TaskRow>();
  const work = withLease(app, 'tasks', minute, async (lease) => {
    claimed.resolve((await ours.claim(lease))!);
    await stopped;
  });
  const [mine, other] = [await claimed.promise, (await theirs.claim())!];
  const done = await withLease(app, 'tasks', minute, async (lease) => (await ended.claim(lease))!);
  await giveBackLeases(db, 'notifications');
  assert.equal((await ours.stored(mine)).lease, mine.lease);
  await giveBackLeases(db, 'tasks');
  assert.equal((await ours.stored(mine)).lease, null);
  assert.equal((await theirs.stored(other)).lease, other.lease);
  assert.equal(
    (await ended.stored(done)).lease,
    done.lease,
    'its work has ended, and settles its rows itself',
  );
  stop();
  await work;
});
