import { sql } from 'kysely';
import type { Transaction } from '../platform/db/database.ts';
import { unnestRows, type Columns } from '../platform/db/unnestRows.ts';

type NewEvent = { id: string; kind: string; createdAt: Date; body: string };

export async function insertEvents(tx: Transaction, orgId: string, events: NewEvent[]): Promise<void> {
  const columns: Columns = { id: 'text', kind: 'text', createdAt: 'timestamptz', body: 'text' };
  await sql`
    insert into events (org_id, id, kind, created_at, body) ${unnestRows(orgId, events, columns)}
  `.execute(tx);
}
