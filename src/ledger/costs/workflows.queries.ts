import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { sliceOfDays, type Window } from '../../platform/lib/days.ts';

export async function findWorkflowNames(
  db: Database,
  orgId: string,
): Promise<Map<string, { name: string; repository: string }>> {
  const workflows = await db
    .selectFrom('workflows')
    .select(['id', 'name', 'repository'])
    .where('orgId', '=', orgId)
    .execute();
  return new Map(workflows.map(({ id, ...names }) => [id, names]));
}

export type LatestRun = { workflowId: string; createdAt: Date; status: string; conclusion: string | null };

/** The latest run of each of these workflows that has one in the window. Rollups and columns do not know which run is open. */
export async function findLatestRuns(
  db: Database,
  orgId: string,
  { start, end }: Window,
  workflowIds: readonly string[],
): Promise<Map<string, LatestRun>> {
  const { from, until } = sliceOfDays(start, end);
  const { rows } = await sql<LatestRun>`
    select w.id as workflow_id, r.* from unnest(${[...workflowIds]}::text[]) as w (id)
    cross join lateral (
      select created_at, status, conclusion from runs
      where org_id = ${orgId} and workflow_id = w.id and created_at >= ${from} and created_at < ${until}
      order by created_at desc, id desc
      limit 1
    ) r
  `.execute(db);
  return new Map(rows.map((run) => [run.workflowId, run]));
}
