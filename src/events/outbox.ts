import type { Subscribers } from '../context.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { orderedId } from '../platform/lib/ids.ts';
import type { EventKind, pingKind } from './eventKinds.ts';
import type { EventData } from './eventTypes.ts';
import { insertEvents, removeBodies, removeEvents } from './queries.ts';

type Recording = { orgId: string; now: Date; subscribers: Pick<Subscribers, 'fanOut'> };

/** In the transaction of the change. The body is stored as text, so that all receivers get the same bytes. */
export async function recordEvent<Kind extends EventKind>(
  tx: Transaction,
  recording: Recording,
  kind: Kind,
  data: EventData[Kind],
): Promise<void> {
  await recordEvents(tx, recording, kind, [data]);
}

export async function recordEvents<Kind extends EventKind>(
  tx: Transaction,
  { orgId, now, subscribers }: Recording,
  kind: Kind,
  data: readonly EventData[Kind][],
): Promise<string[]> {
  const events = data.map((each) => newEvent(kind, each, now));
  await insertEvents(tx, orgId, events);
  await subscribers.fanOut(tx, orgId, { kind, now, ids: events.map(({ id }) => id) });
  return events.map(({ id }) => id);
}

export async function recordPing(
  tx: Transaction,
  { orgId, now }: Omit<Recording, 'subscribers'>,
  data: EventData[typeof pingKind],
): Promise<string> {
  const event = newEvent('webhook.ping', data, now);
  await insertEvents(tx, orgId, [event]);
  return event.id;
}

function newEvent<Kind extends keyof EventData>(kind: Kind, data: EventData[Kind], now: Date) {
  const id = orderedId('evt', now);
  return { id, kind, createdAt: now, body: JSON.stringify({ id, event: kind, timestamp: now, data }) };
}

const day = 86_400_000;
const bodiesKeptMilliseconds = 30 * day;
const eventsKeptMilliseconds = 90 * day;

type Old = { orgId: string; id: string };

/** Deletes bodies of events older than 30 days, after `giveUp` has ended and returned their deliveries. */
export async function deleteOldBodies(
  db: Database,
  now: Date,
  giveUp: (tx: Transaction, before: Date) => Promise<Old[]>,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const old = await giveUp(tx, new Date(now.getTime() - bodiesKeptMilliseconds));
    if (old.length > 0) await removeBodies(tx, old);
    return old.length;
  });
}

export function deleteOldEvents(db: Database, now: Date, limit: number): Promise<number> {
  return removeEvents(db, new Date(now.getTime() - eventsKeptMilliseconds), limit);
}
