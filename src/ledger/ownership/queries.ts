import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { Tables } from '../../tables.ts';
import { ruleSources } from './owners.ts';

export type RuleRow = Omit<Selectable<Tables['ownershipRules']>, 'orgId'>;

/** In the order in which they are tried. */
export function findRules(db: Database, orgId: string): Promise<RuleRow[]> {
  return db
    .selectFrom('ownershipRules')
    .select(Object.keys(columns) as (keyof RuleRow)[])
    .where('orgId', '=', orgId)
    .orderBy(sql`array_position(${sql.val(ruleSources)}::text[], source)`)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

const columns = {
  id: 'text',
  source: 'text',
  position: 'integer',
  kind: 'text',
  owner: 'text',
  repository: 'text',
  workflow: 'text',
  label: 'text',
  validFrom: 'date',
  validUntil: 'date',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
} satisfies Record<keyof RuleRow, Columns[string]>;

export async function saveRules(
  tx: Transaction,
  orgId: string,
  { changed, removed }: { changed: readonly RuleRow[]; removed: readonly string[] },
): Promise<void> {
  if (removed.length > 0)
    await sql`delete from ownership_rules where org_id = ${orgId} and id = any(${removed}::text[])`.execute(
      tx,
    );
  if (changed.length === 0) return;
  const names = Object.keys(columns).map((name) => sql.ref(name));
  const renewed = names.map((name) => sql`${name} = excluded.${name}`);
  await sql`
    insert into ownership_rules (org_id, ${sql.join(names)}) ${unnestRows(orgId, changed, columns)}
    on conflict (org_id, id) do update set ${sql.join(renewed)}
  `.execute(tx);
}
