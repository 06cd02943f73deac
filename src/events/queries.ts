import { sql } from 'kysely';
import type { Transaction } from '../platform/db/database.ts';
import { unnestRows, type Columns } from '../platform/db/unnestRows.ts';

type NewEvent = { id: string; kind: string; createdAt: Date; body: string };
type NewDelivery = {
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  status: string;
  createdAt: Date;
  dueAt: Date | null;
};
type Subscriber = { id: string; status: 'active' | 'paused' | 'failing' };

export async function insertEvents(tx: Transaction, orgId: string, events: NewEvent[]): Promise<void> {
  const columns: Columns = { id: 'text', kind: 'text', createdAt: 'timestamptz', body: 'text' };
  await sql`
    insert into events (org_id, id, kind, created_at, body) ${unnestRows(orgId, events, columns)}
  `.execute(tx);
}

export function findSubscribers(tx: Transaction, orgId: string, kind: string): Promise<Subscriber[]> {
  return tx
    .selectFrom('webhooks')
    .select(['id', 'status'])
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .where(sql<boolean>`${kind} = any(events)`)
    .orderBy('id')
    .execute();
}

export async function insertDeliveries(
  tx: Transaction,
  orgId: string,
  deliveries: NewDelivery[],
): Promise<void> {
  const columns: Columns = {
    id: 'text',
    webhookId: 'text',
    eventId: 'text',
    event: 'text',
    status: 'text',
    createdAt: 'timestamptz',
    dueAt: 'timestamptz',
  };
  await sql`
    insert into deliveries (org_id, id, webhook_id, event_id, event, status, created_at, due_at)
    ${unnestRows(orgId, deliveries, columns)}
  `.execute(tx);
}
