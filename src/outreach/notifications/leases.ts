import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import { releaseNotifications } from './queries.ts';

/** The leases of this process under way, for each database that it works with. */
const held = new WeakMap<Database, Set<string>>();

/** Does `work` with a lease of its own, which `releaseLeases` knows of until the work has ended. */
export async function withLease<T>(db: Database, work: (lease: string) => Promise<T>): Promise<T> {
  const lease = randomUUID();
  const leases = held.get(db) ?? new Set();
  held.set(db, leases.add(lease));
  try {
    return await work(lease);
  } finally {
    leases.delete(lease);
  }
}

/**
 * Gives back what this process still holds, for the next one to send at once. Its own sending may have reached the
 * receiver nevertheless: such a message comes twice.
 */
export async function releaseLeases(db: Database): Promise<void> {
  const leases = [...(held.get(db) ?? [])];
  if (leases.length > 0) await releaseNotifications(db, leases);
}
