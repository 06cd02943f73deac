import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { inPipeline } from './pipeline.ts';
import { prepared } from './prepared.ts';

// Before the app registers its own end.
after(() => sql`drop table numbers`.execute(db));
const { db } = (await startTestApp()).app;
await sql`create table numbers (id integer primary key, value jsonb)`.execute(db);

const insert = prepared(
  (id: number, value: unknown) => sql`insert into numbers (id, value) values (${id}, ${value}::jsonb)`,
);
const count = prepared(
  (above: number) => sql<{ count: bigint }>`select count(*) from numbers where id > ${above}`,
);
const list = prepared(
  (above: number) => sql<{ id: number }>`select id from numbers where id > ${above} order by id`,
);

async function stored(): Promise<number[]> {
  return (await db.executeQuery(list(0))).rows.map(({ id }) => id);
}

test('statements are executed in the order of their calls, and nothing before the commit', async () => {
  const counts = await inPipeline(db, async (tx, send) => {
    const first = await tx.executeQuery(count(0));
    send(insert(1, null));
    const second = tx.executeQuery(count(0));
    send(insert(2, '{"b":1}'));
    const third = tx.executeQuery(count(0));
    send(insert(3, null));
    return [first, await second, await third].map(({ rows }) => rows[0]!.count);
  });
  assert.deepEqual(counts, [0n, 1n, 2n]);
  assert.deepEqual(await stored(), [1, 2, 3]);
});

test('if a statement fails, its error is thrown and nothing is stored', async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const failing = [
    { value: '{', error: { code: '22P02' } },
    // The server never gets this one.
    { value: circular, error: /circular/ },
  ];
  for (const { value, error } of failing) {
    const failed = inPipeline(db, async (tx, send) => {
      await tx.executeQuery(count(0));
      for (const id of [11, 12, 13]) send(insert(id, id === 13 ? value : null));
    });
    await assert.rejects(failed, error);
    assert.deepEqual(await stored(), [1, 2, 3]);
  }
  const readAfter = inPipeline(db, async (tx, send) => {
    await tx.executeQuery(count(0));
    send(insert(11, '{'));
    await tx.executeQuery(count(0));
  });
  await assert.rejects(readAfter, { code: '22P02' }, 'not that of the read, which the server refuses then');
});

test('refuses statements after its end, when somebody else may have the connection', async () => {
  const late = Promise.withResolvers<Promise<unknown>>();
  let sendLate = (): void => {};
  const failed = inPipeline(db, async (tx, send) => {
    await tx.executeQuery(count(0));
    setImmediate(() => late.resolve(Promise.allSettled([failed]).then(() => tx.executeQuery(count(0)))));
    sendLate = () => send(insert(41, null));
    throw new Error('no');
  });
  await assert.rejects(failed, /^Error: no$/);
  await assert.rejects(async () => late.promise, /has ended/);
  assert.throws(() => sendLate(), /has ended/);
});

test('if the work fails, nothing is stored and the connection goes on', async () => {
  const failed = inPipeline(db, async (tx, send) => {
    await tx.executeQuery(count(0));
    send(insert(21, null));
    throw new Error('no');
  });
  await assert.rejects(failed, /^Error: no$/);
  assert.deepEqual(await stored(), [1, 2, 3]);
});

test('a change waits until the transaction has begun', async () => {
  const early = inPipeline(db, async (_tx, send) => send(insert(31, null)));
  await assert.rejects(early, /first answer/);
  assert.deepEqual(await stored(), [1, 2, 3]);
});

test('prepared statements take the values again in any place, and survive a new column', async () => {
  const between = prepared(
    (low: number, high: number) => sql<{ id: number }>`
      select id from numbers where id >= ${low} and id <= ${high} and ${low}::integer < ${high}::integer order by id
    `,
  );
  const ids = async (low: number, high: number) =>
    (await db.executeQuery(between(low, high))).rows.map(({ id }) => id);
  assert.deepEqual(await ids(2, 3), [2, 3]);
  await sql`alter table numbers add column added text`.execute(db);
  assert.deepEqual(await ids(1, 2), [1, 2]);
  assert.deepEqual(await ids(3, 3), []);
});

test('a prepared statement takes no value but its own', () => {
  const mixed = prepared((low: number) => sql`select id from numbers where id between ${low} and ${7}`);
  assert.throws(() => mixed(1), /a value of its own/);
});

test('a connection to a server prepares a statement once', async () => {
  const names = await db.connection().execute(async (connection) => {
    for (const above of [0, 1]) await connection.executeQuery(list(above));
    const { rows } = await sql<{ statement: string; calls: bigint }>`
        select statement, generic_plans + custom_plans as calls from pg_prepared_statements
      `.execute(connection);
    return rows.filter(({ statement }) => statement === list(0).sql);
  });
  assert.equal(names.length, 1);
  assert.ok(names[0]!.calls >= 2n);
});
