import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type RuleRow = Selectable<Tables['priceRules']>;

/** The organization's rules in the order in which they are tried. */
export function findRuleRows(db: Database, orgId: string): Promise<RuleRow[]> {
  return db
    .selectFrom('priceRules')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

/** Writes all rules anew: there are few, and a moved one moves others. */
export async function replaceRules(
  tx: Transaction,
  orgId: string,
  rows: Insertable<Tables['priceRules']>[],
): Promise<void> {
  await tx.deleteFrom('priceRules').where('orgId', '=', orgId).execute();
  if (rows.length > 0) await tx.insertInto('priceRules').values(rows).execute();
}
