import type { Transaction } from '../db/database.ts';
import { timeOrderedUuid } from '../lib/ids.ts';
import { insertEvent } from './queries.ts';

/** What can happen that other systems are told of. */
export type EventKind = 'alert.triggered' | 'alert.resolved' | 'cost.threshold';

/**
 * Writes that something happened, in the transaction in which it does: both are stored, or neither. The body is kept as
 * the text that receivers will get, so that every one of them gets the same bytes.
 */
export async function recordEvent(
  tx: Transaction,
  { orgId, now }: { orgId: string; now: Date },
  kind: EventKind,
  data: object,
): Promise<void> {
  // In the order in which things happened, also within one transaction.
  const id = `evt_${timeOrderedUuid(now).replaceAll('-', '')}`;
  const body = JSON.stringify({ id, event: kind, timestamp: now, data });
  await insertEvent(tx, { orgId, id, kind, createdAt: now, body });
}
