import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, type KyselyPlugin } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { findAlikeJobs, restorePrices } from './newPrices.queries.ts';
import { secondsCount } from './priceGroups.ts';

const { app, newOrganization } = await startTestApp();
const jobs = 4_000;

/** An organization with a job each minute of some days, all of them changed by a reprice. */
async function newHistory(): Promise<string> {
  const organization = await newOrganization();
  const { orgId } = organization;
  const [started_at, completed_at] = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'];
  await submit(organization, newRun({ run_id: 'one', jobs: [newJob({ started_at, completed_at })] }));
  // Only what orders them differs.
  await sql`
    insert into jobs
    select (jsonb_populate_record(j, jsonb_build_object(
      'run_id', 'run_' || to_char(n, 'FM0000'), 'completed_at', j.completed_at + n * interval '1 minute'
    ))).*
    from jobs j cross join generate_series(1, ${jobs - 1}::integer) n
    where j.org_id = ${orgId}
  `.execute(app.db);
  await sql`
    insert into reprice_changes
    select org_id, 'reprice_1', run_id, attempt, job_id, '', '{}', '{}' from jobs where org_id = ${orgId}
  `.execute(app.db);
  await sql`analyze jobs, reprice_changes`.execute(app.db);
  return orgId;
}

/** Has the database tell how many rows it expects a page to have, in place of reading it. */
function expecting(rows: number[]): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode') return node;
      const [first, ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain ${first}`, ...others] };
    },
    transformResult: ({ result }) => {
      const plan = result.rows.map((row) => String(Object.values(row)[0])).join('\n');
      rows.push(Number(/CTE page\n.* rows=(\d+)/.exec(plan)?.[1]));
      return Promise.resolve({ ...result, rows: [] });
    },
  };
}

test('a page in the midst of a long window is not taken for a large part of it', async () => {
  const orgId = await newHistory();
  const rows: number[] = [];
  const db = app.db.withPlugin(expecting(rows));
  const placeAt = (completedAt: string, number: string) => ({
    ...{ completedAt, runId: `run_${number}`, attempt: 1, jobId: '' },
  });
  const [after, last] = [placeAt('2026-03-02T09:20:00Z', '2000'), placeAt('2026-03-02T11:00:00Z', '2100')];
  await db.transaction().execute(async (tx) => {
    const page = { from: '2026-03-01', to: '2026-03-31', after, last };
    await findAlikeJobs(tx, orgId, page, secondsCount([], app.providers), app.providers);
    await restorePrices(tx, { orgId, id: 'reprice_2' }, { repriceId: 'reprice_1', after, last });
  });
  assert.equal(rows.length, 2);
  for (const expected of rows) assert.ok(expected > 0 && expected < jobs / 10, `${expected} rows`);
});
