import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { isHeld } from '../../platform/work/leases.ts';

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

type EventKey = { orgId: string; id: string };

/**
 * Gives up what is still to be sent of events older than `before`, takes the bodies out of the answers, and answers
 * those events, locked.
 */
export async function giveUpOld(
  tx: Transaction,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<EventKey[]> {
  const { rows: old } = await sql<EventKey>`
    select org_id, id from events e
    where body is not null and created_at < ${before}
      and not exists (
        -- On its way at this moment; it is for the next time.
        select 1 from deliveries d where d.org_id = e.org_id and d.event_id = e.id and ${isHeld(now)}
      )
    order by created_at limit ${limit}
    for update skip locked
  `.execute(tx);
  await sql`
    with old as (select org_id, id from ${unnested(old, { orgId: 'uuid', id: 'text' })}),
    expired as (
      update deliveries d
      set status = case when d.status in ('pending', 'held') then 'failed' else d.status end,
        error_class = case when d.status in ('pending', 'held') then 'expired' else d.error_class end,
        due_at = null, resend_at = null
      from old
      where d.org_id = old.org_id and d.event_id = old.id
        and (d.status in ('pending', 'held') or d.resend_at is not null)
    )
    update delivery_attempts a set response_body = null
    from old
    join deliveries d on d.org_id = old.org_id and d.event_id = old.id
    where a.org_id = d.org_id and a.delivery_id = d.id and a.response_body is not null
  `.execute(tx);
  return old;
}

/** Removes deliveries of deleted webhooks, and such a webhook itself when it has none left. Answers how much it removed. */
export async function removeDeletedWebhooks(db: Database, limit: number): Promise<number> {
  const deliveries = await sql`
    delete from deliveries d
    using (
      select d.org_id, d.id from webhooks w
      cross join lateral (
        select org_id, id from deliveries where org_id = w.org_id and webhook_id = w.id limit ${limit}
      ) d
      where w.deleted_at is not null
      limit ${limit}
    ) gone
    where d.org_id = gone.org_id and d.id = gone.id
  `.execute(db);
  const resends = await sql`
    delete from resends r using webhooks w
    where w.deleted_at is not null and r.org_id = w.org_id and r.webhook_id = w.id
  `.execute(db);
  const webhooks = await sql`
    delete from webhooks w
    where w.deleted_at is not null
      and not exists (select 1 from deliveries d where d.org_id = w.org_id and d.webhook_id = w.id)
  `.execute(db);
  return [deliveries, resends, webhooks].reduce(
    (sum, result) => sum + Number(result.numAffectedRows ?? 0n),
    0,
  );
}
