import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

/** Today's names of things that entries name by their ids. A webhook's path may be a secret, so its host names it. */
export async function findNames(
  db: Database,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, coalesce(name, email) as name from members where org_id = ${orgId} and id = any(${ids})
    union all select id, name from tokens where org_id = ${orgId} and id = any(${ids})
    union all select id, name from sources where org_id = ${orgId} and id = any(${ids})
    union all select id, name from price_books where org_id = ${orgId} and id = any(${ids})
    union all select id, name from saved_views where org_id = ${orgId} and id = any(${ids})
    union all select id, name from runner_pools where org_id = ${orgId} and id = any(${ids})
    union all select id, name from channels where org_id = ${orgId} and id = any(${ids})
    union all select id::text, name from alerts where org_id = ${orgId} and id::text = any(${ids})
    union all
      select id, coalesce(name, substring(url from '^https?://([^/?#]+)')) from webhooks
      where org_id = ${orgId} and deleted_at is null and id = any(${ids})
  `.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
