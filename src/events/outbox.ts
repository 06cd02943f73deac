import type { Subscribers } from '../context.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { orderedId } from '../platform/lib/ids.ts';
import { oneByOne } from '../platform/work/worker.ts';
import type { EventKind, pingKind } from './eventKinds.ts';
import type { EventData } from './eventTypes.ts';
import { findOrganizationsWithBodies, insertEvents, removeBodies, removeEvents } from './queries.ts';

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

type GiveUp = (tx: Transaction, orgId: string, before: Date) => Promise<string[]>;

/** Deletes bodies of events older than 30 days, after `giveUp` has ended their deliveries and returned their ids. */
export async function deleteOldBodies(db: Database, now: Date, giveUp: GiveUp): Promise<number> {
  const before = new Date(now.getTime() - bodiesKeptMilliseconds);
  let deleted = 0;
  const deleteOfOne = async (orgId: string) => {
    deleted += await db.transaction().execute(async (tx) => {
      const old = await giveUp(tx, orgId, before);
      await removeBodies(tx, orgId, old);
      return old.length;
    });
  };
  await oneByOne(await findOrganizationsWithBodies(db, before), deleteOfOne, {
    nameOf: (orgId) => ['event bodies', orgId],
    message: 'could not delete event bodies',
  });
  return deleted;
}

export function deleteOldEvents(db: Database, now: Date, limit: number): Promise<number> {
  return removeEvents(db, new Date(now.getTime() - eventsKeptMilliseconds), limit);
}
