import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';

export type Column = { name: string; type: string };
export type Table = { name: string; columns: Column[] };

/** Parents come before their children. */
export async function listTables(db: Database | Transaction, except: readonly string[]): Promise<Table[]> {
  const { rows } = await sql<Table & { parents: string[] }>`
    select t.relname as name,
      array(
        select p.relname::text from pg_constraint k join pg_class p on p.oid = k.confrelid
        where k.conrelid = t.oid and k.contype = 'f' and p.oid <> t.oid
      ) as parents,
      (
        select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
        from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = ''
      ) as columns
    from pg_class t
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace
    order by t.relname
  `.execute(db);
  const left = rows.filter(({ name }) => !except.includes(name));
  const sorted: Table[] = [];
  while (left.length > 0) {
    const isReady = ({ parents }: { parents: string[] }) =>
      !parents.some((parent) => left.some(({ name }) => name === parent));
    const index = left.findIndex(isReady);
    if (index < 0) throw new Error('the foreign keys of these tables go round in a circle');
    const { name, columns } = left.splice(index, 1)[0]!;
    sorted.push({ name, columns });
  }
  return sorted;
}
