import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { backfillPollers } from '../../src/intake/backfills/doBackfill.ts';
import { createWorker, type Worker } from '../../src/platform/work/worker.ts';
import type { Answer, TestApp, TestOrganization } from './app.ts';
import type { FakeGitHub } from './gitHubApi.ts';
import { widenRecordedRuns, type RunWithJobs } from './recordedRuns.ts';
import { newSource, type TestSource } from './source.ts';

export async function newReadingSource(
  testApp: TestApp,
  organization: TestOrganization,
  { token }: Pick<FakeGitHub, 'token'>,
): Promise<TestSource> {
  const source = await newSource(testApp, organization);
  const body = { kind: 'token', token };
  const set = await organization.send('PUT', `/api/v1/sources/${source.id}/credentials`, body);
  assert.equal(set.status, 200, set.text);
  return source;
}

/** Only the pollers of backfills and nightly checks, which takes a tenth of the time of all. */
export function backfillWorker({ app }: TestApp): Worker {
  const program = { ...app, db: app.background, gitHubApiUrl: app.config.gitHubApiUrl };
  return createWorker(backfillPollers(program), app);
}

/** Nightly checks and backfills of earlier tests would go on. */
export async function deleteEarlierSources({ app: { db } }: TestApp): Promise<void> {
  await db.deleteFrom('sourceCredentials').execute();
  await db.deleteFrom('tasks').execute();
}

/** Defaults to the last 90 days. */
export async function startBackfill(
  organization: TestOrganization,
  repositories: string[],
  fields: object = {},
): Promise<Answer['body']> {
  const body = { repositories, since: '90d', ...fields };
  const started = await organization.send('POST', '/api/v1/backfills', body);
  assert.equal(started.status, 202, started.text);
  return started.body.data;
}

export async function getBackfill(organization: TestOrganization, id: string): Promise<Answer['body']> {
  return (await organization.get(`/api/v1/backfills/${id}`)).body.data;
}

/** Serves `count` recorded runs of the repository; the last one is from this morning. */
export function serveRuns(
  { repositories }: Pick<FakeGitHub, 'repositories'>,
  name: string,
  count: number,
  firstId = 1,
): RunWithJobs[] {
  const end = new Date('2026-03-18T09:00:00Z');
  const runs = widenRecordedRuns(name, { count, end, gapSeconds: 3_600, firstId });
  repositories.set(name, { runs });
  return runs;
}

/** Starts a backfill and runs all work that is due now. */
export async function runBackfill(
  testApp: TestApp,
  organization: TestOrganization,
  repositories = ['acme/app'],
): Promise<Answer['body']> {
  const { id } = await startBackfill(organization, repositories);
  await backfillWorker(testApp).processAll();
  return getBackfill(organization, id);
}

export async function countStoredRuns({ app }: TestApp, { orgId }: TestOrganization): Promise<number> {
  const rows = await app.db.selectFrom('runs').select('id').where('orgId', '=', orgId).execute();
  return rows.length;
}

const compared = [
  'organization_days',
  'workflow_days',
  'runner_days',
  'charge_days',
  'unpriced_days',
] as const;

/** Until a webhook reports the file of a workflow, its jobs count by workflow name. They leave a row of zeros. */
const zeros =
  /^\{"day": "[^"]+"(, "(workflow_id|provider|runner_kind)": "[^"]*"|, "is_free": false|, "\w+": 0)+\}$/;

/** Returned as text, to compare. */
export async function totalsOf(
  { app }: TestApp,
  { orgId }: TestOrganization,
): Promise<Record<string, string>> {
  const totals: Record<string, string> = {};
  for (const table of compared) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - 'org_id' - 'version')::text as row from ${sql.table(table)} t where org_id = ${orgId} order by 1
    `.execute(app.db);
    const filled = rows.map(({ row }) => row).filter((row) => !zeros.test(row));
    totals[table] = filled.join('\n');
  }
  return totals;
}
