import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { listTables } from '../db/listTables.ts';
import { inReading, readLines } from './rows.queries.ts';

const { app } = await startTestApp();

/** Of each type that tables have, and some that they do not, with values that are easily written otherwise. */
const columns = {
  whole: `bigint, 9223372036854775807`,
  exact: `numeric, 1.2300000000000000000001`,
  number: `double precision, 'Infinity'`,
  word: String.raw`text, E'a"b\\c\u0001\u2028é\t'`,
  bytes: String.raw`bytea, '\x00ff22'`,
  jsonb_null: `jsonb, 'null'`,
  as_written: `json, '{"a":   1.00}'`,
  moment: `timestamptz, '2026-01-01 00:00:00.123456+02'`,
  never: `timestamptz, 'infinity'`,
  wall_time: `timestamp, '2026-01-01 00:00:00.1'`,
  day: `date, '-infinity'`,
  words: String.raw`text[], '{a,NULL,"b\"c"}'`,
  numbers: `integer[], '{{1,2},{3,NULL}}'`,
  id: `uuid, '00000000-0000-4000-8000-000000000001'`,
  is_set: `boolean, true`,
  letter: `"char", 'x'`,
  all_bytes: String.raw`bytea[], '{"\\x00ff"}'`,
  'odd "name"': `integer, 5`,
};

test('a line of a backup is the row as JSON that PostgreSQL writes, with JSON as text', async () => {
  const all = Object.entries(columns).map(([name, text]) => {
    const [, type, value] = /^(.+?), ([^]+)$/.exec(text) as unknown as [string, string, string];
    return { name: `"${name.replaceAll('"', '""')}"`, type, value };
  });
  const asText = all.map(({ name, type }) => (type.startsWith('json') ? `${name}::text as ${name}` : name));
  await sql
    .raw(
      `create table everything (${all.map(({ name, type }) => `${name} ${type}`).join()});
       insert into everything values (${all.map(({ value }) => value).join()});
       insert into everything (whole) values (null)`,
    )
    .execute(app.db);
  const table = (await listTables(app.db, [])).find(({ name }) => name === 'everything')!;
  await inReading(app.db, async (tx) => {
    const lines = (await Array.fromAsync(readLines(tx, table))).flat();
    const { rows } = await sql
      .raw<{ line: string }>(
        `select row_to_json(whole_row)::text as line from (select ${asText.join()} from everything) whole_row`,
      )
      .execute(tx);
    assert.deepEqual(
      lines,
      rows.map(({ line }) => line),
    );
  });
});
