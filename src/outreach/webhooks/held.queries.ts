import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

/** Holds deliveries of paused webhooks that wait for an automatic attempt, and answers how many. */
export async function holdDeliveries(db: Database, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries d set status = 'held', due_at = null
    from (
      select waiting.org_id, waiting.id
      from webhooks w
      cross join lateral (
        select org_id, id from deliveries
        where org_id = w.org_id and webhook_id = w.id and next_at is not null
          and status = 'pending' and due_at is not null and lease is null
        limit ${limit}
        for update skip locked
      ) waiting
      where w.status = 'paused' and w.deleted_at is null
      limit ${limit}
    ) h
    where d.org_id = h.org_id and d.id = h.id
  `.execute(db);
  return Number(numAffectedRows);
}

/**
 * Makes the oldest held deliveries of webhooks that are not paused due: `each` of every one that has not as many due
 * already, and not more than `limit` in all. Answers how many.
 */
export async function releaseDeliveries(
  db: Database,
  { now, each, limit }: { now: Date; each: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries d set status = 'pending', due_at = ${now}
    from (
      select held.org_id, held.id
      from webhooks w
      cross join lateral (
        select org_id, id from deliveries
        where org_id = w.org_id and webhook_id = w.id and status = 'held'
        order by created_at, id
        limit ${each}
        for update skip locked
      ) held
      where w.status <> 'paused' and w.deleted_at is null
        and (
          select count(*) from (
            select 1 from deliveries
            where org_id = w.org_id and webhook_id = w.id and next_at is not null and next_at <= ${now}
            limit ${each}
          ) due
        ) < ${each}
      limit ${limit}
    ) r
    where d.org_id = r.org_id and d.id = r.id
  `.execute(db);
  return Number(numAffectedRows);
}
