import { setImmediate } from 'node:timers/promises';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database, Transaction } from '../db/database.ts';
import { rowsIn } from '../db/rowsIn.ts';
import { claimInOrder, findInAll, removeOld } from './claims.ts';
import { isFree, isHeld, leasedBy, noLease, type Lease } from './leases.ts';

export const taskRows = rowsIn('tasks');

export type TaskRow = Selectable<Tables['tasks']>;
type TaskKey = Pick<TaskRow, 'orgId' | 'id'>;
type OfKind = Pick<TaskRow, 'orgId' | 'kind'>;

export async function countUnendedTasks(tx: Transaction, { orgId, kind }: OfKind): Promise<number> {
  const { count } = await tx
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where((all) => all.and({ orgId, kind }))
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findUnendedTasks(db: Database | Transaction, of: OfKind): Promise<TaskRow[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where((all) => all.and(of))
    .where('status', 'in', ['queued', 'running'])
    .execute();
}

export function cancelTaskRow(
  tx: Transaction,
  { orgId, id }: TaskKey,
  now: Date,
  endedState: object,
): Promise<TaskRow | undefined> {
  return tx
    .updateTable('tasks')
    .set({ status: 'cancelled', endedAt: now, ...noLease, state: stateWith(undefined, endedState) })
    .where((all) => all.and({ orgId, id }))
    .where('status', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
}

export async function hastenTaskRows(
  tx: Transaction,
  { orgId, kind, id, now }: OfKind & { id?: string; now: Date },
): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ dueAt: now })
    .where((all) => all.and({ orgId, kind }))
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .where('status', 'in', ['queued', 'running'])
    .where('dueAt', '>', now)
    .execute();
}

export function stateWith(state: string | undefined, fields: object): RawBuilder<string> {
  const base = state === undefined ? sql`state` : sql`${state}::jsonb`;
  return sql`${base} || ${JSON.stringify(fields)}::jsonb`;
}

const looks = new WeakMap<Database, Promise<ReadonlySet<string>>>();

/** The kinds with due tasks. Pollers that look at the same moment share one look, and rest until the next together. */
export function findDueKinds(db: Database, now: Date): Promise<ReadonlySet<string>> {
  const look = looks.get(db) ?? setImmediate().then(() => lookForKinds(db, now));
  looks.set(db, look);
  return look;
}

async function lookForKinds(db: Database, now: Date): Promise<ReadonlySet<string>> {
  looks.delete(db);
  const due = sql<Pick<TaskRow, 'orgId' | 'kind'>>`
    select distinct on (kind) org_id, kind from tasks
    where status in ('queued', 'running') and due_at <= ${now} and ${isFree(now)}
  `;
  return new Set((await findInAll(db, due)).map(({ kind }) => kind));
}

type Claim = { kind: { name: string; isOneByOne?: boolean }; now: Date; lease: Lease };

export function claimTask(db: Database, claim: Claim): Promise<TaskRow | undefined> {
  if (!claim.kind.isOneByOne) return claimDueTask(db, claim);
  // Two claims at the same time would not see each other's task.
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${claim.kind.name}, 0))`.execute(tx);
    return claimDueTask(tx, claim);
  });
}

async function claimDueTask(
  db: Database | Transaction,
  { kind, now, lease }: Claim,
): Promise<TaskRow | undefined> {
  const othersRun = (orgId: RawBuilder<unknown>) => sql`exists (
    select from tasks other where other.org_id = ${orgId} and other.kind = tasks.kind and ${isHeld(now)}
  )`;
  const isDue = (orgId: RawBuilder<unknown>) => sql`
    kind = ${kind.name} and status in ('queued', 'running') and due_at <= ${now} and ${isFree(now)}
    ${kind.isOneByOne ? sql`and not ${othersRun(orgId)}` : sql``}`;
  const due = sql`select org_id from tasks where ${isDue(sql`tasks.org_id`)} order by due_at`;
  return claimInOrder(db, due, async (orgId) => {
    const { rows } = await sql<TaskRow>`
      with due as (
        select id from tasks
        where org_id = ${orgId} and ${isDue(sql`${orgId}`)}
        order by due_at
        limit 1
        for update skip locked
      )
      update tasks t
      set status = 'running', ${leasedBy(lease)}, starts = t.starts + 1, started_at = coalesce(t.started_at, ${now})
      from due
      where t.org_id = ${orgId} and t.id = due.id
      returning t.*
    `.execute(db);
    return rows[0];
  });
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53100';
}

export function removeEndedTaskRows(db: Database, kind: string, before: Date): Promise<number> {
  return removeOld(db, 'tasks', { key: 'id', age: 'endedAt', before, where: sql`kind = ${kind}` });
}

export async function cancelTasksOf(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ status: 'cancelled', endedAt: now, ...noLease })
    .where('orgId', '=', orgId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}
