import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { claimInOrder } from '../../platform/work/claims.ts';

export function claimDeleted(tx: Transaction): Promise<string | undefined> {
  const deleted = sql`select org_id from organizations where deleted_at is not null order by deleted_at`;
  return claimInOrder(tx, deleted, async (orgId) => {
    const row = await tx
      .selectFrom('organizations')
      .select('orgId')
      .where('orgId', '=', orgId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    return row?.orgId;
  });
}

export async function removeOrganization(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('organizations').where('orgId', '=', orgId).execute();
}

export type OwnedTable = { name: string; key: string[]; referring: string[] };

/** Reads all tables except `organizations` from the catalog, so that no new table is missed. */
export async function findOwnedTables(db: Database): Promise<OwnedTable[]> {
  const { rows } = await sql<OwnedTable>`
    select t.relname as name,
      (
        select array_agg(a.attname::text order by k.place)
        from unnest(i.indkey::int2[]) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
      ) as key,
      array(
        select distinct r.relname::text from pg_constraint c join pg_class r on r.oid = c.conrelid
        where c.contype = 'f' and c.confrelid = t.oid and c.conrelid <> t.oid
      ) as referring
    from pg_class t
    join pg_attribute o on o.attrelid = t.oid and o.attname = 'org_id'
    join pg_index i on i.indrelid = t.oid and i.indisprimary
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace and t.relname <> 'organizations'
    order by t.relname
  `.execute(db);
  return rows;
}

export async function removeRows(
  tx: Transaction,
  { name, key }: OwnedTable,
  { orgId, limit }: { orgId: string; limit: number },
): Promise<number> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  const isSame = key.map((column) => sql`t.${sql.ref(column)} = picked.${sql.ref(column)}`);
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(name)} t
    using (select ${keyColumns} from ${sql.table(name)} where org_id = ${orgId} limit ${limit}) picked
    where t.org_id = ${orgId} and ${sql.join(isSame, sql` and `)}
  `.execute(tx);
  return Number(numAffectedRows);
}
