import { sql, type CompiledQuery } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { arraysOf, selectArrays, type Columns } from '../../platform/db/unnestRows.ts';
import { organizationsOf, removeOld } from '../../platform/work/claims.ts';
import type { Conclusion } from './report.ts';

export type Completion = {
  runId: string;
  attempt: number;
  conclusion: Conclusion | 'completed';
  startedAt: Date | null;
  completedAt: Date;
  dueAt: Date;
};

const newColumns: Columns = {
  runId: 'text',
  attempt: 'integer',
  conclusion: 'text',
  startedAt: 'timestamptz',
  completedAt: 'timestamptz',
  dueAt: 'timestamptz',
};

export function saveCompletions(orgId: string, completions: readonly Completion[]): CompiledQuery {
  return insertCompletions(orgId, ...arraysOf(completions, newColumns));
}

const insertCompletions = prepared(
  (orgId: string, ...arrays: unknown[][]) => sql`
    insert into run_completions as known (org_id, run_id, attempt, conclusion, started_at, completed_at, due_at)
    ${selectArrays(arrays, newColumns, orgId)}
    on conflict (org_id, run_id, attempt) do update
    set conclusion = excluded.conclusion, started_at = excluded.started_at,
      completed_at = excluded.completed_at, due_at = excluded.due_at
    where known.announced_at is null
  `,
);

export type DueCompletion = {
  orgId: string;
  runId: string;
  attempt: number;
  conclusion: Completion['conclusion'];
  startedAt: Date | null;
  completedAt: Date;
  workflowId: string;
  workflowName: string;
  repository: string;
  /** The cost of this attempt and of earlier ones. */
  costNanos: bigint;
  attemptCostNanos: bigint;
  lastJobCompletedAt: Date | null;
};

export function findDueOrganizations(db: Database, now: Date, limit: number): Promise<string[]> {
  return organizationsOf(
    db,
    sql`
      select org_id from run_completions where announced_at is null and due_at <= ${now} order by due_at limit ${limit}
    `,
  );
}

export async function claimDueCompletions(
  tx: Transaction,
  { orgId, now, limit }: { orgId: string; now: Date; limit: number },
): Promise<DueCompletion[]> {
  const { rows } = await sql<DueCompletion>`
    with due as (
      select * from run_completions
      where org_id = ${orgId} and announced_at is null and due_at <= ${now}
      order by due_at limit ${limit}
      for update skip locked
    )
    select due.org_id, due.run_id, due.attempt, due.conclusion, due.started_at, due.completed_at,
      r.workflow_id, w.name as workflow_name, w.repository, j.*
    from due
    join runs r on r.org_id = ${orgId} and r.id = due.run_id
    join workflows w on w.org_id = r.org_id and w.id = r.workflow_id
    cross join lateral (
      select coalesce(sum(cost_nanos) filter (where attempt <= due.attempt), 0)::int8 as cost_nanos,
        coalesce(sum(cost_nanos) filter (where attempt = due.attempt), 0)::int8 as attempt_cost_nanos,
        max(completed_at) filter (where attempt = due.attempt and not is_carried_over) as last_job_completed_at
      from jobs where org_id = ${orgId} and run_id = due.run_id
    ) j
    order by due.due_at, due.run_id, due.attempt
  `.execute(tx);
  return rows;
}

export async function markAnnounced(
  tx: Transaction,
  orgId: string,
  announced: DueCompletion[],
  now: Date,
): Promise<void> {
  await sql`
    update run_completions c set announced_at = ${now}
    from unnest(
      ${announced.map(({ runId }) => runId)}::text[], ${announced.map(({ attempt }) => attempt)}::integer[]
    ) as t (run_id, attempt)
    where c.org_id = ${orgId} and c.run_id = t.run_id and c.attempt = t.attempt
  `.execute(tx);
}

export function removeAnnounced(db: Database, before: Date): Promise<number> {
  return removeOld(db, 'runCompletions', { key: 'runId', age: 'announcedAt', before });
}
