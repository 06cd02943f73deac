import type { Transaction } from '../platform/db/database.ts';
import { timeOrderedUuid } from '../platform/lib/ids.ts';
import { pingKind, type EventKind } from './eventKinds.ts';
import { findSubscribers, insertDeliveries, insertEvents } from './queries.ts';

/**
 * Writes that something happened, and its way to each webhook that has subscribed to such events, in the transaction in
 * which it does: all of it is stored, or nothing. The body is kept as the text that receivers will get, so that every
 * one of them gets the same bytes.
 */
export async function recordEvent(
  tx: Transaction,
  { orgId, now }: { orgId: string; now: Date },
  kind: EventKind,
  data: object,
): Promise<void> {
  await recordEvents(tx, { orgId, now }, kind, [data]);
}

/** Writes several events of one kind, in their order, and answers their ids; `data` is that of each. */
export async function recordEvents(
  tx: Transaction,
  { orgId, now }: { orgId: string; now: Date },
  kind: EventKind,
  data: readonly object[],
): Promise<string[]> {
  const events = data.map((each) => newEvent(kind, each, now));
  await insertEvents(tx, orgId, events);
  const subscribers = await findSubscribers(tx, orgId, kind);
  const deliveries = events.flatMap((event) =>
    subscribers.map(({ id: webhookId, status }) => ({
      id: newId('del', now),
      webhookId,
      eventId: event.id,
      event: kind,
      status: status === 'paused' ? 'held' : 'pending',
      createdAt: now,
      dueAt: status === 'paused' ? null : now,
    })),
  );
  if (deliveries.length > 0) await insertDeliveries(tx, orgId, deliveries);
  return events.map(({ id }) => id);
}

/** Whether any webhook of the organization has subscribed to events of the kind. */
export async function isSubscribed(tx: Transaction, orgId: string, kind: EventKind): Promise<boolean> {
  return (await findSubscribers(tx, orgId, kind)).length > 0;
}

/** Writes a ping, whose delivery its caller writes: it answers the event's id. */
export async function recordPing(
  tx: Transaction,
  { orgId, now }: { orgId: string; now: Date },
  data: object,
): Promise<string> {
  const event = newEvent(pingKind, data, now);
  await insertEvents(tx, orgId, [event]);
  return event.id;
}

/** An event with the text that receivers get of it. */
function newEvent(kind: EventKind | typeof pingKind, data: object, now: Date) {
  const id = newId('evt', now);
  return { id, kind, createdAt: now, body: JSON.stringify({ id, event: kind, timestamp: now, data }) };
}

/** Ids sort in the order in which things happened, also within one transaction. */
export function newId(prefix: 'evt' | 'del', now: Date): string {
  return `${prefix}_${timeOrderedUuid(now).replaceAll('-', '')}`;
}
