import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export const credentialRows = rowsIn('sourceCredentials', 'sourceId');

export type CredentialsRow = Selectable<Tables['sourceCredentials']>;

export type SourceKey = { orgId: string; sourceId: string };

/** New credentials do not change whether a source is polled. */
export async function saveCredentials(
  tx: Transaction,
  row: Insertable<Tables['sourceCredentials']>,
): Promise<CredentialsRow> {
  const { orgId: _, sourceId: __, isPolled: ___, ...kept } = row;
  const changes = row.isPolled ? { ...kept, isPolled: true } : kept;
  return tx
    .insertInto('sourceCredentials')
    .values(row)
    .onConflict((conflict) => conflict.columns(['orgId', 'sourceId']).doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type Check = Pick<CredentialsRow, 'orgId' | 'sourceId' | 'checkedAt'>;

export function findChecks(db: Database, kinds: CredentialsRow['kind'][]): Promise<Check[]> {
  return findInAll(
    db,
    sql<Check>`select org_id, source_id, checked_at from source_credentials where kind = any(${kinds}::text[])`,
  );
}

export async function claimCheck(
  tx: Transaction,
  { orgId, sourceId, checkedAt }: Check,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sourceCredentials')
    .set({ checkedAt: now })
    .where((all) => all.and({ orgId, sourceId }))
    .where('checkedAt', 'is not distinct from', checkedAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findDuePolls(db: Database, kind: string, before: Date): Promise<SourceKey[]> {
  return findInAll(
    db,
    sql<SourceKey>`
      select c.org_id, c.source_id from source_credentials c
      where c.is_polled and ${isDue(sql`c.org_id`, kind, before)}
    `,
  );
}

/** Locks the source, so that two workers do not poll it at once. Undefined if another worker was first. */
export async function claimPoll(
  tx: Transaction,
  { orgId, sourceId }: SourceKey,
  kind: string,
  before: Date,
): Promise<{ lastPollAt: Date | null } | undefined> {
  const locked = await tx
    .selectFrom('sourceCredentials as c')
    .select('c.sourceId')
    .where((all) => all.and({ 'c.orgId': orgId, 'c.sourceId': sourceId, 'c.isPolled': true }))
    .forUpdate()
    .executeTakeFirst();
  if (!locked) return undefined;
  const { rows } = await sql<{ lastPollAt: Date | null }>`
    select (
      select max(t.created_at) from tasks t
      where t.org_id = ${orgId} and t.kind = ${kind} and t.input ->> 'sourceId' = c.source_id
    ) as last_poll_at
    from source_credentials c
    where c.org_id = ${orgId} and c.source_id = ${sourceId} and ${isDue(sql`${orgId}`, kind, before)}
  `.execute(tx);
  return rows[0];
}

function isDue(orgId: RawBuilder<unknown>, kind: string, before: Date): RawBuilder<boolean> {
  return sql`not exists (
    select from tasks t
    where t.org_id = ${orgId} and t.kind = ${kind} and t.input ->> 'sourceId' = c.source_id
      and (t.created_at > ${before} or t.status in ('queued', 'running'))
  )`;
}

/** The end of the latest completed nightly check, or the start of the first; null if there is none. */
export async function findCheckedUntil(
  db: Database,
  { orgId, sourceId }: SourceKey,
  kind: string,
): Promise<Date | null> {
  const { rows } = await sql<{ until: string | null }>`
    select coalesce(max(input ->> 'until') filter (where status = 'done'), min(input ->> 'since')) as until
    from tasks
    where org_id = ${orgId} and kind = ${kind} and input @> ${JSON.stringify({ sourceId, isNightly: true })}
  `.execute(db);
  const until = rows[0]?.until ?? null;
  return until === null ? null : new Date(until);
}

export async function findOthersRepositories(
  db: Database,
  { orgId, sourceId }: SourceKey,
  { kind, kinds, since }: { kind: string; kinds: readonly string[]; since: Date },
): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select distinct problem ->> 'repository' as repository
    from source_credentials own
    join tasks t on t.org_id = own.org_id and t.created_at >= greatest(own.set_at, ${since})
    cross join jsonb_array_elements(t.state -> 'problems') problem
    where own.org_id = ${orgId} and own.source_id = ${sourceId} and t.kind = ${kind}
      and t.input @> ${JSON.stringify({ sourceId, isNightly: true })} and (problem ->> 'isRefused')::boolean
      and exists (
        select from source_credentials c
        where c.org_id = ${orgId} and c.source_id <> ${sourceId} and c.kind = any(${kinds}::text[])
      )
  `.execute(db);
  return rows.map(({ repository }) => repository);
}

export async function findActiveRepositories(
  db: Database,
  orgId: string,
  { since, limit, except }: { since: Date; limit: number; except: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select w.repository
    from workflows w
    where w.org_id = ${orgId} and w.named_at >= ${since} and w.repository <> all(${except}::text[])
      and exists (
        select from runs r
        where r.org_id = ${orgId} and r.workflow_id = w.id and (r.provider = 'github' or r.provider like 'github.%')
      )
    group by w.repository
    order by max(w.named_at) desc, w.repository
    limit ${limit}
  `.execute(db);
  return rows.map(({ repository }) => repository);
}

export const resealCredentials: Reseal = (tx, reseal) => credentialRows.reseal(tx, reseal, 'secret');
