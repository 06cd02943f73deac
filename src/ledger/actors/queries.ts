import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { selectArrays } from '../../platform/db/unnestRows.ts';

export const patternRows = rowsIn('actorPatterns');

export async function findBotAccounts(db: Database, orgId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('botAccounts').select('name').where('orgId', '=', orgId).execute();
  return new Set(rows.map(({ name }) => name));
}

/** What is known stays, so the order of reports does not matter. */
export const addBotAccounts = prepared(
  (orgId: string, names: readonly string[]) => sql`
    insert into bot_accounts (org_id, name)
    ${selectArrays([names], { name: 'text' }, orgId)}
    on conflict (org_id, name) do nothing
  `,
);
