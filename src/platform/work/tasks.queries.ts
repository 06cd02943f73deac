import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database, Transaction } from '../db/database.ts';

export type TaskRow = Selectable<Tables['tasks']>;
type TaskKey = Pick<TaskRow, 'orgId' | 'id'>;
type OfKind = Pick<TaskRow, 'orgId' | 'kind'>;

export function insertTask(tx: Transaction, row: Insertable<Tables['tasks']>): Promise<TaskRow> {
  return tx.insertInto('tasks').values(row).returningAll().executeTakeFirstOrThrow();
}

export function findTaskRow(db: Database, { orgId, kind }: OfKind, id: string): Promise<TaskRow | undefined> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The organization's tasks of a kind, newest first, and how many there are. */
export async function findTaskRows(
  db: Database,
  { orgId, kind }: OfKind,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: TaskRow[]; total: number }> {
  const ofKind = db.selectFrom('tasks').where('orgId', '=', orgId).where('kind', '=', kind);
  const { total } = await ofKind
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await ofKind
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: Number(total) };
}

export async function countUnendedTasks(tx: Transaction, { orgId, kind }: OfKind): Promise<number> {
  const { count } = await tx
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('orgId', '=', orgId)
    .where('kind', '=', kind)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findUnendedTasks(db: Database, kind: string): Promise<TaskRow[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('kind', '=', kind)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}

/** Ends a task unless it has ended already; undefined then. `endedState` is put into its state. */
export function cancelTaskRow(
  tx: Transaction,
  { orgId, id }: TaskKey,
  now: Date,
  endedState: object,
): Promise<TaskRow | undefined> {
  return tx
    .updateTable('tasks')
    .set({
      ...{ status: 'cancelled', endedAt: now, lease: null, leasedUntil: null },
      state: merged(undefined, endedState),
    })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
}

/** The new state, or else the one that is stored, with these fields in place of its own. */
function merged(state: string | undefined, fields: object) {
  const base = state === undefined ? sql`state` : sql`${state}::jsonb`;
  return sql<string>`${base} || ${JSON.stringify(fields)}::jsonb`;
}

/** Whether the lease still holds the task. */
export async function isTaskLeased(db: Database, { orgId, id }: TaskKey, lease: string): Promise<boolean> {
  const held = await db
    .selectFrom('tasks')
    .select('id')
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return held !== undefined;
}

/** Takes the task of that kind that is due for longest, for as long as the lease lasts. */
export async function claimTask(
  db: Database,
  { kind, now, lease, leasedUntil }: { kind: string; now: Date; lease: string; leasedUntil: Date },
): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`
    update tasks t
    set status = 'running', lease = ${lease}, leased_until = ${leasedUntil}, starts = t.starts + 1,
      started_at = coalesce(t.started_at, ${now})
    from (
      select org_id, id from tasks
      where kind = ${kind} and status in ('queued', 'running') and due_at <= ${now}
        and (leased_until is null or leased_until <= ${now})
      order by due_at
      limit 1
      for update skip locked
    ) due
    where t.org_id = due.org_id and t.id = due.id
    returning t.*
  `.execute(db);
  return rows[0];
}

/** Changes a task that this lease still holds: whether it does. `endedState` is put into the state that it ends with. */
export async function updateLeasedTask(
  db: Database | Transaction,
  { orgId, id }: TaskKey,
  lease: string,
  change: Updateable<Tables['tasks']> & { state?: string },
  endedState?: object,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ ...change, ...(endedState && { state: merged(change.state, endedState) }) })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the database had no room left for what was written. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53100';
}

export async function removeEndedTaskRows(
  db: Database,
  kind: string,
  { before, except }: { before: Date; except: readonly string[] },
): Promise<void> {
  await db
    .deleteFrom('tasks')
    .where('kind', '=', kind)
    .where('endedAt', '<', before)
    .where('id', '<>', sql<string>`all(${except}::text[])`)
    .execute();
}

/** Ends every task of an organization before its time. */
export async function cancelTasksOf(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ status: 'cancelled', endedAt: now, lease: null, leasedUntil: null })
    .where('orgId', '=', orgId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}
