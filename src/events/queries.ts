import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/db/database.ts';
import { unnestRows, type Columns } from '../platform/db/unnestRows.ts';
import { removeOld } from '../platform/work/claims.ts';

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
  for (const [orgId, of] of Map.groupBy(events, (event) => event.orgId)) {
    const ids = of.map(({ id }) => id);
    await tx
      .updateTable('events')
      .set({ body: null })
      .where('orgId', '=', orgId)
      .where('id', '=', sql<string>`any(${ids}::text[])`)
      .execute();
  }
}

export function removeEvents(db: Database, before: Date, limit: number): Promise<number> {
  return removeOld(db, 'events', { key: 'id', age: 'createdAt', before, limit });
}
