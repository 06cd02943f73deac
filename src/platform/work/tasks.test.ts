import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { PublicError } from '../lib/errors.ts';
import { findDueKinds } from './tasks.queries.ts';
import {
  addTask,
  cancelTask,
  countTasksUnderWay,
  getTask,
  listTasks,
  requireTask,
  stoppedUntil,
  taskPoller,
  type DoPiece,
  type Task,
} from './tasks.ts';
import type { Poller } from './worker.ts';

const { app, clock, newOrganization } = await startTestApp();
const { db, telemetry } = app;

type Count = { upTo: number };
type Counted = { at: number };

const kindNames = new Set<string>();

/** A separate kind for each test, so that none does another's work. */
function newKind(): { name: string; idPrefix: string } {
  const name = `count_${kindNames.size}`;
  kindNames.add(name);
  return { name, idPrefix: 'cnt' };
}

async function setUp(doPiece: DoPiece<Count, Counted> = countOne) {
  const kind = newKind();
  const { orgId } = await newOrganization();
  const add = (upTo = 3): Promise<Task<Count, Counted>> =>
    db.transaction().execute((tx) => addTask(tx, clock, kind, { orgId, input: { upTo }, state: { at: 0 } }));
  const read = (id: string) => getTask<Count, Counted>(db, kind, { orgId, id });
  const poller = taskPoller<Count, Counted>({ db, clock, telemetry }, kind, doPiece);
  return { kind, orgId, add, read, poller };
}

const countOne: DoPiece<Count, Counted> = async ({ input, state }, save) => {
  const at = state.at + 1;
  await save(db, { state: { at }, done: at, total: input.upTo, isDone: at === input.upTo });
};

const run = (poller: Poller, signal = new AbortController().signal): Promise<boolean> => poller.run(signal);

async function runAll(poller: Poller): Promise<number> {
  let pieces = 0;
  while (await run(poller)) pieces++;
  return pieces;
}

describe('a task', () => {
  test('runs piece by piece and shows its progress', async () => {
    const { add, read, poller } = await setUp();
    const { id } = await add(3);
    assert.equal((await read(id)).status, 'queued');
    await run(poller);
    const underWay = await read(id);
    assert.deepEqual(
      [underWay.status, underWay.done, underWay.total, underWay.state, underWay.lease],
      ['running', 1n, 3n, { at: 1 }, null],
    );
    clock.forward(5);
    assert.equal(await runAll(poller), 2);
    const done = await read(id);
    assert.deepEqual([done.status, done.done, done.endedAt], ['done', 3n, clock.now()]);
    assert.equal(await run(poller), false);
  });

  test('lets waiting tasks run after each piece', async () => {
    const turns: string[] = [];
    const { add, poller } = await setUp(async (task, save, signal) => {
      turns.push(task.id);
      clock.forward(1);
      await countOne(task, save, signal);
    });
    const [first, second] = [await add(2), await add(2)];
    await runAll(poller);
    assert.deepEqual(turns.toSorted(), [first.id, first.id, second.id, second.id].toSorted());
    assert.notEqual(turns[0], turns[1]);
  });

  test('waits until the instant that its piece sets', async () => {
    const { add, read, poller } = await setUp(async ({ state }, save) => {
      const dueAt = new Date(clock.now().getTime() + 60_000);
      await save(db, state.at === 0 ? { state: { at: 1 }, dueAt } : { isDone: true });
    });
    const { id } = await add();
    assert.equal(await runAll(poller), 1);
    clock.forward(59);
    assert.equal(await runAll(poller), 0);
    clock.forward(1);
    assert.equal(await runAll(poller), 1);
    assert.equal((await read(id)).status, 'done');
  });

  test('continues with another worker after the lease of a dead one has run out', async () => {
    const dead = Promise.withResolvers<void>();
    const dies = Promise.withResolvers<void>();
    let isFirst = true;
    const { add, read, poller } = await setUp(async (task, save, signal) => {
      if (task.state.at === 1 && isFirst) {
        isFirst = false;
        dies.resolve();
        await dead.promise;
      }
      await countOne(task, save, signal);
    });
    const { id } = await add(3);
    await run(poller);
    const dying = run(poller);
    await dies.promise;
    assert.equal(await run(poller), false, 'nobody else may have it meanwhile');
    clock.forward(61);
    assert.equal(await runAll(poller), 2);
    dead.resolve();
    await dying;
    const task = await read(id);
    assert.deepEqual(
      [task.status, task.state, task.done],
      ['done', { at: 3 }, 3n],
      'the dead one wrote nothing',
    );
  });

  test('is rolled back with what its piece wrote if it was cancelled meanwhile', async () => {
    const { kind, orgId, add, read, poller } = await setUp(async (task, save) => {
      const cancelled = await db
        .transaction()
        .execute((tx) => cancelTask<Count, Counted>(tx, clock, kind, task));
      assert.equal(cancelled.status, 'cancelled');
      await db.transaction().execute(async (tx) => {
        await tx.updateTable('organizations').set({ name: 'written' }).where('orgId', '=', orgId).execute();
        await save(tx, { isDone: true });
      });
    });
    const { id } = await add();
    await run(poller);
    assert.equal((await read(id)).status, 'cancelled');
    const { name } = await db
      .selectFrom('organizations')
      .select('name')
      .where('orgId', '=', orgId)
      .executeTakeFirstOrThrow();
    assert.notEqual(name, 'written');
    await assert.rejects(
      db.transaction().execute((tx) => cancelTask(tx, clock, kind, { orgId, id })),
      { kind: 'conflict', code: `${kind.name}_ended` },
    );
  });
});

test('a task shows that its worker has stopped, and when another takes over', async () => {
  const never = new Promise<void>(() => {});
  const begun = Promise.withResolvers<void>();
  const { add, read, poller } = await setUp(() => {
    begun.resolve();
    return never;
  });
  const { id } = await add();
  assert.equal(stoppedUntil(await read(id), clock.now()), null);
  const until = new Date(clock.now().getTime() + 60_000);
  void run(poller);
  await begun.promise;
  const leasedAfter = async (seconds: number) => {
    clock.forward(seconds);
    return stoppedUntil(await read(id), clock.now());
  };
  // Renewals come every 15 seconds and may be late.
  assert.equal(await leasedAfter(25), null);
  assert.deepEqual(await leasedAfter(1), until);
  assert.deepEqual(await leasedAfter(33), until);
  assert.equal(await leasedAfter(1), null, 'it can be claimed now');
});

test('a piece of a cancelled task ends before it writes anything', async () => {
  let isWritten = false;
  const { kind, add, poller } = await setUp(async (task) => {
    await requireTask(db, task);
    await db.transaction().execute((tx) => cancelTask<Count, Counted>(tx, clock, kind, task));
    await requireTask(db, task);
    isWritten = true;
  });
  await add();
  assert.equal(await run(poller), true);
  assert.equal(isWritten, false);
});

test('nobody hears of a fault in a piece of a cancelled task', async () => {
  const { kind, add, read, poller } = await setUp(async (task) => {
    await db.transaction().execute((tx) => cancelTask<Count, Counted>(tx, clock, kind, task));
    throw new Error('what it wrote to is gone');
  });
  const { id } = await add();
  assert.equal(await run(poller), true);
  const { status, error } = await read(id);
  assert.deepEqual([status, error], ['cancelled', null]);
});

test('secret state of a task is deleted at its end, however it ends', async () => {
  const kind = { ...newKind(), endedState: { secret: null } };
  const { orgId } = await newOrganization();
  type Kept = { at: number; secret: string | null };
  const state: Kept = { at: 0, secret: 'hunter2' };
  const add = (input: string) =>
    db.transaction().execute((tx) => addTask<string, Kept>(tx, clock, kind, { orgId, input, state }));
  const poller = taskPoller<string, Kept>(
    { db, clock, telemetry },
    kind,
    async ({ input, state: at }, save) => {
      if (input === 'fails') throw new PublicError('conflict', 'fails', 'It fails.');
      await save(db, input === 'saves' ? { state: { ...at, at: 1 }, isDone: true } : { isDone: true });
    },
  );
  const tasks = [await add('saves'), await add('ends'), await add('fails'), await add('cancelled')];
  await db.transaction().execute((tx) => cancelTask<string, Kept>(tx, clock, kind, tasks[3]!));
  await runAll(poller);
  const ends = await Promise.all(tasks.map(({ id }) => getTask<string, Kept>(db, kind, { orgId, id })));
  assert.deepEqual(
    ends.map(({ status, state: left }) => [status, left]),
    [
      ['done', { at: 1, secret: null }],
      ['done', { at: 0, secret: null }],
      ['failed', { at: 0, secret: null }],
      ['cancelled', { at: 0, secret: null }],
    ],
  );
});

describe('a task that fails', () => {
  test('ends with the message of a public error', async () => {
    const { add, read, poller } = await setUp(async () => {
      throw new PublicError('unavailable', 'no_access', 'The token has no access to acme/api.');
    });
    const { id } = await add();
    await run(poller);
    const { status, error, lease } = await read(id);
    assert.deepEqual([status, error, lease], ['failed', 'The token has no access to acme/api.', null]);
  });

  test('is tried five times after any other error, later each time, and shows nothing internal', async () => {
    const { add, read, poller } = await setUp(async () => {
      throw new Error('password=hunter2');
    });
    const { id } = await add();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      await assert.rejects(run(poller), (error: Error) => error.message.includes(id));
      assert.equal(await run(poller), false);
      const { dueAt } = await read(id);
      waits.push((dueAt.getTime() - clock.now().getTime()) / 1_000);
      clock.set(dueAt);
    }
    assert.deepEqual(waits.slice(0, 4), [10, 20, 40, 80]);
    const { status, error } = await read(id);
    assert.equal(status, 'failed');
    assert.ok(!error?.includes('hunter2'), error ?? '');
  });

  test('says that the disk is full, between retries and at the end', async () => {
    const { add, read, poller } = await setUp(async () => {
      throw Object.assign(new Error('could not extend file "base/5/16384"'), { code: '53100' });
    });
    const { id } = await add();
    const errors: (string | null)[] = [];
    for (let tries = 0; tries < 5; tries++) {
      await assert.rejects(run(poller));
      const { dueAt, error } = await read(id);
      errors.push(error);
      clock.set(dueAt);
    }
    assert.match(errors[0]!, /^The disk of the database is full; it will be retried/);
    assert.match(errors[4]!, /^The disk of the database is full; see the log/);
    assert.equal((await read(id)).status, 'failed');
  });

  test('counts attempts from the start again after progress', async () => {
    let failures = 0;
    const { add, read, poller } = await setUp(async (task, save, signal) => {
      if (failures++ % 5 < 4) throw new Error('away');
      await countOne(task, save, signal);
    });
    const { id } = await add(3);
    for (let turns = 0; turns < 15; turns++) {
      await run(poller).catch(() => {});
      clock.forward(200);
    }
    assert.equal((await read(id)).status, 'done');
  });

  test('is given up after five interruptions without progress', async () => {
    const never = new Promise<void>(() => {});
    let begun = Promise.withResolvers<void>();
    const { add, read, poller } = await setUp(async () => {
      begun.resolve();
      await never;
    });
    const { id } = await add();
    for (let deaths = 0; deaths < 5; deaths++) {
      begun = Promise.withResolvers();
      void run(poller);
      await begun.promise;
      clock.forward(61);
    }
    await run(poller);
    const { status, error } = await read(id);
    assert.deepEqual([status, error], ['failed', 'The task was interrupted 5 times without progress.']);
  });

  test('is released at once when the worker stops, which is no failure', async () => {
    let stopping = new AbortController();
    const { add, read, poller } = await setUp(async (_task, _save, signal) => {
      stopping.abort();
      signal.throwIfAborted();
    });
    const { id } = await add();
    for (let stops = 0; stops < 7; stops++) {
      stopping = new AbortController();
      await run(poller, stopping.signal);
    }
    assert.equal(await run(poller, stopping.signal), false, 'a stopped worker takes nothing on');
    const { status, lease, starts } = await read(id);
    assert.deepEqual([status, lease, starts], ['running', null, 0]);
  });
});

test('pollers that look at the same moment ask the database once', async () => {
  const { kind, add } = await setUp();
  const look = findDueKinds(db, clock.now());
  assert.equal(findDueKinds(db, clock.now()), look);
  assert.ok(!(await look).has(kind.name));
  await add(1);
  assert.ok((await findDueKinds(db, clock.now())).has(kind.name));
});

test('tasks are listed newest first, and hidden from others', async () => {
  const { kind, orgId, add, poller } = await setUp();
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) {
    clock.forward(1);
    ids.unshift((await add(1)).id);
  }
  const { rows: tasks, total } = await listTasks(db, kind, { orgId, page: 1, perPage: 2 });
  assert.deepEqual([tasks.map(({ id }) => id), total], [ids.slice(0, 2), 3]);
  const other = await newOrganization();
  assert.equal((await listTasks(db, kind, { orgId: other.orgId, page: 1, perPage: 2 })).total, 0);
  await assert.rejects(getTask(db, kind, { orgId: other.orgId, id: ids[0]! }), { kind: 'not_found' });
  await assert.rejects(getTask(db, newKind(), { orgId, id: ids[0]! }), { kind: 'not_found' });
  const underWay = () => db.transaction().execute((tx) => countTasksUnderWay(tx, kind, orgId));
  assert.equal(await underWay(), 3);
  await runAll(poller);
  assert.equal(await underWay(), 0);
});

test('two pieces of a kind that runs one by one are never claimed at once for one organization', async () => {
  const kind = { ...newKind(), isOneByOne: true };
  const orgIds: string[] = [];
  for (let index = 0; index < 5; index++) orgIds.push((await newOrganization()).orgId);
  for (let round = 0; round < 10; round++) {
    for (const orgId of orgIds.flatMap((id) => [id, id]))
      await db.transaction().execute((tx) => addTask(tx, clock, kind, { orgId, input: {}, state: {} }));
    const [allAtWork, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const atWork: string[] = [];
    const poller = taskPoller({ db, clock, telemetry }, kind, async (task, save) => {
      if (atWork.push(task.orgId) === orgIds.length) allAtWork.resolve();
      await done.promise;
      await save(db, { isDone: true });
    });
    const claims = orgIds.map(() => run(poller));
    await allAtWork.promise;
    assert.deepEqual(atWork.toSorted(), orgIds.toSorted());
    done.resolve();
    await Promise.all(claims);
    await runAll(poller);
  }
});
