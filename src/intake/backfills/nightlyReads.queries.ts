import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { findInAll } from '../../platform/work/claims.ts';

/** Each has a row for an organization, with `tried_at` and `claimed_until`. */
export type ReadTable = 'hosted_runner_reads' | 'pull_request_reads';

/** Organizations with such credentials, and since when nothing was read. */
export function findReadTimes(
  db: Database,
  table: ReadTable,
  kinds: readonly string[],
): Promise<{ orgId: string; since: Date }[]> {
  return findInAll(
    db,
    sql<{ orgId: string; since: Date }>`
      select c.org_id, coalesce(max(t.tried_at), min(c.set_at)) as since
      from source_credentials c left join ${sql.table(table)} t on t.org_id = c.org_id
      where c.kind = any(${kinds}::text[])
      group by c.org_id
      order by c.org_id
    `,
  );
}

/** Whether this worker is the one that reads. Another one may have begun. If it is killed, the claim ends by itself. */
export async function claimRead(
  db: Database,
  table: ReadTable,
  orgId: string,
  { since, now, until }: { since: Date; now: Date; until: Date },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into ${sql.table(table)} as known (org_id, claimed_until) values (${orgId}, ${until})
    on conflict (org_id) do update set claimed_until = excluded.claimed_until
    where coalesce(known.tried_at, ${since}) <= ${since} and coalesce(known.claimed_until, ${now}) <= ${now}
  `.execute(db);
  return numAffectedRows > 0n;
}

export async function endRead(db: Database, table: ReadTable, orgId: string, now: Date): Promise<void> {
  await sql`
    update ${sql.table(table)} set claimed_until = null, tried_at = ${now} where org_id = ${orgId}
  `.execute(db);
}
