import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';

export type WorkflowOfDay = {
  workflowId: string;
  workflowName: string;
  repository: string;
  costNanos: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  runs: bigint;
};

/** What stands on a day, by workflow, the dearest first. */
export function findWorkflowsOfDay(db: Database, orgId: string, day: Day): Promise<WorkflowOfDay[]> {
  return db
    .selectFrom('workflowDays')
    .innerJoin('workflows', (join) =>
      join
        .onRef('workflows.orgId', '=', 'workflowDays.orgId')
        .onRef('workflows.id', '=', 'workflowDays.workflowId'),
    )
    .select([
      'workflows.id as workflowId',
      'workflows.name as workflowName',
      'workflows.repository',
      'workflowDays.costNanos',
      'workflowDays.jobs',
      'workflowDays.billedMinutes',
      'workflowDays.runs',
    ])
    .where('workflowDays.orgId', '=', orgId)
    .where('workflowDays.day', '=', day)
    .orderBy('workflowDays.costNanos', 'desc')
    .orderBy('workflowDays.billedMinutes', 'desc')
    .orderBy(sql`workflows.repository collate "C"`)
    .orderBy(sql`workflows.name collate "C"`)
    .execute();
}
