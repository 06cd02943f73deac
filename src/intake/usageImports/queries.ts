import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

export type RecordedJob = { runId: string; jobId: string; name: string | null; startedAt: Date | null };

/** Jobs of CircleCI's runs. */
export async function findRecordedJobs(
  db: Database,
  orgId: string,
  runIds: readonly string[],
): Promise<RecordedJob[]> {
  const ids = runIds.map((id) => `run_circleci_${id}`);
  const { rows } = await sql<RecordedJob>`
    select substr(run_id, length('run_circleci_') + 1) as run_id, job_id, name, started_at
    from jobs
    where org_id = ${orgId} and run_id = any(${ids}::text[])
  `.execute(db);
  return rows;
}
