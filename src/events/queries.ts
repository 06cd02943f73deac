import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/db/database.ts';
import { unnestRows, type Columns } from '../platform/db/unnestRows.ts';
import { organizationsOf, removeOld } from '../platform/work/claims.ts';

type NewEvent = { id: string; kind: string; createdAt: Date; body: string };

export async function insertEvents(tx: Transaction, orgId: string, events: NewEvent[]): Promise<void> {
  const columns: Columns = { id: 'text', kind: 'text', createdAt: 'timestamptz', body: 'text' };
  await sql`
    insert into events (org_id, id, kind, created_at, body) ${unnestRows(orgId, events, columns)}
  `.execute(tx);
}

const lookedAt = 500;

export function findOrganizationsWithBodies(db: Database, before: Date): Promise<string[]> {
  return organizationsOf(
    db,
    sql`
      select org_id from events
      where body is not null and created_at < ${before}
      order by created_at limit ${lookedAt}
    `,
  );
}

export async function removeBodies(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  await sql`
    update events set body = null
    where org_id = ${orgId} and id = any(${ids}::text[])
  `.execute(tx);
}

export function removeEvents(db: Database, before: Date, limit: number): Promise<number> {
  return removeOld(db, 'events', { key: 'id', age: 'createdAt', before, limit });
}
