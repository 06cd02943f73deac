import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Enough that a claim finds work although others have just taken what is due first. */
const looksAt = 16;

/**
 * Tries one organization after the other, because a distributed database locks rows of one only. `due` selects the `org_id`
 * of due rows. A claim locks in a CTE: a joined subquery can run again, and lock another row each time.
 */
export async function claimInOrder<Claimed>(
  db: Database,
  due: RawBuilder<unknown>,
  claim: (orgId: string) => Promise<Claimed | undefined>,
): Promise<Claimed | undefined> {
  for (const orgId of await organizationsOf(db, sql`${due} limit ${looksAt}`)) {
    const claimed = await claim(orgId);
    if (claimed !== undefined) return claimed;
  }
  return undefined;
}

/** The organizations of these rows, each once, in their order. */
export async function organizationsOf(db: Database, rowsOfDue: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ orgId: string }>`${rowsOfDue}`.execute(db);
  return [...new Set(rows.map(({ orgId }) => orgId))];
}
