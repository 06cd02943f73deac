import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, type KyselyPlugin } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { findJobGroups } from './queries.ts';

const { app, newOrganization } = await startTestApp();
const slice = { from: new Date('2026-03-17'), until: new Date('2026-03-18') };

/** Makes the database explain its plan instead of running the query. */
function explaining(plan: string[]): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode' || !node.sqlFragments[0]?.includes('with paid')) return node;
      const [first, ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain ${first}`, ...others] };
    },
    transformResult: ({ result }) => {
      plan.push(...result.rows.map((row) => String(Object.values(row)[0])));
      return Promise.resolve(result);
    },
  };
}

test('a database without statistics does not compare all jobs with all', async () => {
  const { orgId } = await newOrganization();
  const plan: string[] = [];
  await findJobGroups({ ...app, db: app.db.withPlugin(explaining(plan)) }, orgId, slice, null);
  const text = plan.join('\n');
  assert.match(text, /CTE repeated/);
  assert.match(text, /Hash .*Join/);
  assert.doesNotMatch(text, /Nested Loop Left Join|Merge/);
});

test('the settings of other queries stay unchanged', async () => {
  const { orgId } = await newOrganization();
  await findJobGroups(app, orgId, slice, null);
  const { rows } = await sql`show enable_nestloop`.execute(app.db);
  assert.deepEqual(rows, [{ enableNestloop: 'on' }]);
});
