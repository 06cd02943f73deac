import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, type KyselyPlugin } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { defaultPriceList } from '../../../test/harness/priceLists.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { priceJob, type BillableJob } from '../pricing/cost.ts';
import { storedPrice } from '../runs/history.ts';
import { splitter } from '../runs/jobFacts.ts';
import { updatePrices } from '../runs/queries.ts';
import { findLoggedJobs, findPaidJobs } from './queries.ts';

const { app, newOrganization } = await startTestApp();

/** An organization with one job per minute, all changed by a reprice. */
async function newHistory(jobs: number): Promise<string> {
  const organization = await newOrganization();
  const { orgId } = organization;
  const [started_at, completed_at] = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'];
  await submit(organization, newRun({ run_id: 'one', jobs: [newJob({ started_at, completed_at })] }));
  // Differs only in the columns that decide the order.
  await sql`
    insert into jobs
    select (jsonb_populate_record(j, jsonb_build_object(
      'run_id', 'run_' || to_char(n, 'FM00000'), 'completed_at', j.completed_at + n * interval '1 minute'
    ))).*
    from jobs j cross join generate_series(1, ${jobs - 1}::integer) n
    where j.org_id = ${orgId}
  `.execute(app.db);
  await sql`
    insert into reprice_changes
    select org_id, 'reprice_1', run_id, attempt, job_id, '', '{}', '{}' from jobs where org_id = ${orgId}
  `.execute(app.db);
  return orgId;
}

/** Makes the database explain the plan of each statement instead of running it. */
function explaining(plans: string[]): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode') return node;
      const [first, ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain ${first}`, ...others] };
    },
    transformResult: ({ result }) => {
      plans.push(result.rows.map((row) => String(Object.values(row)[0])).join('\n'));
      return Promise.resolve({ ...result, rows: [] });
    },
  };
}

const byKey = / using jobs_pkey on jobs j .*\n +Index Cond: .*run_id.*job_id/;

const billable: BillableJob = {
  provider: 'github',
  labels: ['ubuntu-latest'],
  runnerName: null,
  runnerGroup: null,
  rawConclusion: 'success',
  status: 'completed',
  ran: true,
  startedAt: new Date('2026-03-01T00:00:00Z'),
  completedAt: new Date('2026-03-01T00:05:00Z'),
};

test('prices are written by key, even before the database has statistics', async () => {
  // A scan of fewer would be as cheap.
  const orgId = await newHistory(35_000);
  const price = storedPrice(priceJob(billable, defaultPriceList));
  const jobs = Array.from({ length: 1_000 }, (_, index) => {
    return {
      ...billable,
      labels: [...billable.labels],
      runId: `run_${10_000 + index}`,
      attempt: 1,
      jobId: 'job',
      ...price,
    };
  });
  const plans: string[] = [];
  const db = app.db.withPlugin(explaining(plans));
  await db.transaction().execute((tx) => updatePrices(tx, orgId, jobs, splitter(true)));
  assert.match(plans.at(-1)!, byKey);
});

test('the planner does not take a page inside a long window for a large part of it', async () => {
  const jobs = 4_000;
  const orgId = await newHistory(jobs);
  await sql`analyze jobs, reprice_changes`.execute(app.db);
  const plans: string[] = [];
  const db = app.db.withPlugin(explaining(plans));
  const after = { completedAt: '2026-03-02T09:20:00Z', runId: 'run_02000', attempt: 1, jobId: '' };
  await db.transaction().execute(async (tx) => {
    await findPaidJobs(tx, orgId, { from: '2026-03-01', to: '2026-03-31', after, limit: 100 });
    await findLoggedJobs(tx, orgId, { repriceId: 'reprice_1', after, limit: 10 });
  });
  const expected = plans.map((plan) => Number(/ rows=(\d+)/.exec(plan)?.[1]));
  assert.equal(expected.length, 2);
  for (const rows of expected) assert.ok(rows > 0 && rows < jobs / 10, `${rows} rows`);
  assert.match(plans[0]!, /Index Scan using jobs_by_completion/);
  assert.match(plans[1]!, byKey);
});
