import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/db/database.ts';
import { unnested, unnestRows, type Columns } from '../platform/db/unnestRows.ts';

type NewEvent = { id: string; kind: string; createdAt: Date; body: string };

export async function insertEvents(tx: Transaction, orgId: string, events: NewEvent[]): Promise<void> {
  const columns: Columns = { id: 'text', kind: 'text', createdAt: 'timestamptz', body: 'text' };
  await sql`
    insert into events (org_id, id, kind, created_at, body) ${unnestRows(orgId, events, columns)}
  `.execute(tx);
}

export async function removeBodies(
  tx: Transaction,
  events: readonly { orgId: string; id: string }[],
): Promise<void> {
  await sql`
    update events e set body = null from ${unnested(events, { orgId: 'uuid', id: 'text' })}
    where e.org_id = row.org_id and e.id = row.id
  `.execute(tx);
}

export async function removeEvents(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from events e
    using (select org_id, id from events where created_at < ${before} order by created_at limit ${limit}) old
    where e.org_id = old.org_id and e.id = old.id
  `.execute(db);
  return Number(numAffectedRows);
}
