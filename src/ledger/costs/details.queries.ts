import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { addDays, daysOf, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

type WorkflowName = { id: string; name: string; repository: string };

export function findWorkflow(db: Database, orgId: string, id: string): Promise<WorkflowName | undefined> {
  return db
    .selectFrom('workflows')
    .select(['id', 'name', 'repository'])
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export type WorkflowDay = {
  day: Day;
  costNanos: bigint;
  billedMinutes: bigint;
  runs: bigint;
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
  durationSeconds: bigint;
};

export function findWorkflowDays(
  db: Database,
  orgId: string,
  workflowId: string,
  window: Window,
): Promise<WorkflowDay[]> {
  return db
    .selectFrom('workflowDays')
    .select([
      'day',
      'costNanos',
      'billedMinutes',
      'runs',
      'completedRuns',
      'skippedRuns',
      'successfulRuns',
      'durationSeconds',
    ])
    .where('orgId', '=', orgId)
    .where('workflowId', '=', workflowId)
    .where(isOneOf(window))
    .orderBy('day')
    .execute();
}

export type RunnerKindUse = { kind: string; jobs: bigint; minutes: bigint; costNanos: bigint };

export function findRunnerKinds(
  db: Database,
  orgId: string,
  workflowId: string,
  window: Window,
): Promise<RunnerKindUse[]> {
  return db
    .selectFrom('runnerDays')
    .select([
      'runnerKind as kind',
      sql<bigint>`sum(jobs)::int8`.as('jobs'),
      sql<bigint>`sum(minutes)::int8`.as('minutes'),
      sql<bigint>`sum(cost_nanos)::int8`.as('costNanos'),
    ])
    .where('orgId', '=', orgId)
    .where('workflowId', '=', workflowId)
    .where(isOneOf(window))
    .groupBy('runnerKind')
    .having(sql<boolean>`sum(jobs) > 0`)
    .orderBy('costNanos', 'desc')
    .orderBy('minutes', 'desc')
    .orderBy(sql`runner_kind collate "C"`)
    .execute();
}

/** One lookup per day: the key begins with the day, so a range would read the rows of all workflows. */
function isOneOf(window: Window) {
  return sql<boolean>`day = any(${daysOf(window)}::date[])`;
}

export async function findLastRunAt(
  db: Database,
  orgId: string,
  workflowId: string,
  { start, end }: Window,
): Promise<Date | null> {
  const last = await db
    .selectFrom('runs')
    .select('createdAt')
    .where('orgId', '=', orgId)
    .where('workflowId', '=', workflowId)
    .where('createdAt', '>=', startOfDay(start))
    .where('createdAt', '<', startOfDay(addDays(end, 1)))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.createdAt ?? null;
}
