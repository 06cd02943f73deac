/** The oldest supported PostgreSQL: its tables are made, and it plans every statement that the other tests have sent. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import pg from 'pg';
import { oldestMajor } from '../src/platform/postgres/programs.ts';
import { createServerDatabase, createServerTemplate } from './server/createServerDatabase.ts';
import { findPostgres } from './server/findPostgres.ts';
import { needs } from './server/installed.ts';
import { savedStatements, statementsCache } from './server/recordStatements.ts';
import { startPostgres } from './server/startPostgres.ts';

const postgres = findPostgres(oldestMajor);
const installed = needs(postgres, `PostgreSQL ${oldestMajor}`, `postgresql-${oldestMajor}`);

test(`PostgreSQL ${oldestMajor} makes the tables and plans every statement`, installed, async (context) => {
  if (!existsSync(statementsCache)) return context.skip('there are no statements yet: run `npm test` first');
  const server = startPostgres(postgres!);
  after(server.stop);
  const template = await createServerTemplate(server.url);
  const { url } = await createServerDatabase(server.url, template.name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const failures: string[] = [];
  let planned = 0;
  for (const { text, sender } of savedStatements()) {
    // These name tables and functions that only their tests have.
    if (
      !/^\s*(select|insert|update|delete|with|values)\b/i.test(text) ||
      /^platform\/(backup|db\/(distribution|migrate))/.test(sender)
    )
      continue;
    try {
      await client.query(`prepare planned as ${text}`);
      const { rows } = await client.query<{ count: number }>(
        `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'planned'`,
      );
      const values = Array.from({ length: rows[0]!.count }, () => 'null').join(', ');
      await client.query(`explain execute planned${values && `(${values})`}`);
      planned++;
    } catch (error) {
      failures.push(`${sender}: ${(error as Error).message}\n${text}`);
    }
    await client.query('deallocate all');
  }
  await client.end();
  assert.deepEqual(failures, []);
  assert.ok(planned > 500, String(planned));
});
