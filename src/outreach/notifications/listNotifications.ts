import type { Database } from '../../platform/db/database.ts';
import { findNotifications, type ListedNotification, type OfTrigger } from './queries.ts';

/** A message to the chat, whose recipient is empty, or a mail. A pending one is tried at `dueAt`. */
export type SentNotification = ListedNotification;

/** What has become of a trigger's messages: the chat's, then the mails. None are left once they have been pruned. */
export function listNotifications(db: Database, of: OfTrigger): Promise<SentNotification[]> {
  return findNotifications(db, of);
}
