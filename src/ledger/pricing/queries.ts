import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { StoredPrice } from './customBook.ts';

export type PriceListRow = {
  priceBookId: string;
  book: { name: string; prices: StoredPrice[] } | null;
  rules: StoredRule[];
};

/** A rule as it comes within JSON, where big integers are text. */
export type StoredRule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  nanosPerMinute: string | null;
  rounding: 'minute' | 'second' | null;
};

/** The organization's book, where it is one of its own, and its rules in their order, by one look. */
export async function findPriceListRow(db: Database, orgId: string): Promise<PriceListRow | undefined> {
  const { rows } = await sql<PriceListRow>`
    select o.price_book_id,
      (select jsonb_build_object('name', b.name, 'prices', b.prices)
       from price_books b where b.org_id = o.org_id and b.id = o.price_book_id) as book,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', r.id, 'match', r.match, 'pattern', r.pattern, 'runnerKind', r.runner_kind, 'name', r.name,
          'nanosPerMinute', r.nanos_per_minute::text, 'rounding', r.rounding) order by r.position, r.id)
        from price_rules r where r.org_id = o.org_id
      ), '[]') as rules
    from organizations o
    where o.org_id = ${orgId}
  `.execute(db);
  return rows[0];
}

/** Names of the organization's books, also of deleted ones. */
export function findBookNames(
  db: Database,
  orgId: string,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('priceBooks')
    .select(['id', 'name'])
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}
