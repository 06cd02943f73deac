import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { plannedEachTime, prepared } from '../../platform/db/prepared.ts';
import { arraysOf, unnestedArrays, type Columns } from '../../platform/db/unnestRows.ts';
import { findInAll } from '../../platform/work/claims.ts';
import { isFree, isHeld, leasedBy, type Lease } from '../../platform/work/leases.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.queries.ts';
import type { WebhookRow } from './queries.ts';

type WebhookKey = Pick<WebhookRow, 'orgId' | 'id'>;

export type ClaimedDelivery = Pick<
  DeliveryRow,
  'orgId' | 'id' | 'webhookId' | 'eventId' | 'event' | 'status' | 'automaticAttempts' | 'dueAt'
> &
  Pick<WebhookRow, 'url' | 'secret' | 'nextSecret' | 'promoteAt'> &
  Pick<AttemptRow, 'number' | 'reason' | 'startedAt'> & { lease: string; body: string };

const isDue = (now: Date) => sql`next_at <= ${now} and ${isFree(now)}`;

/** A paused webhook `w` sends only what was asked for by hand. */
const mayBeSent = (now: Date) => sql`(w.status <> 'paused' or resend_at <= ${now})`;

/** When the oldest delivery that nobody works on became due, over all organizations. */
export async function findOldestDue(db: Database, now: Date): Promise<Date | null> {
  const oldest = sql<{ orgId: string; since: Date | null }>`
    select w.org_id, (
      select min(next_at) from deliveries d
      where d.org_id = w.org_id and d.webhook_id = w.id and ${isDue(now)} and ${mayBeSent(now)}
    ) as since
    from webhooks w where w.deleted_at is null
    order by since limit 1
  `;
  return (await findInAll(db, oldest))[0]?.since ?? null;
}

const readAtOnce = 500;

type Look = { now: Date; after: WebhookKey; without: ReadonlySet<string>; limit: number };

/** The first after `after`, in the order of keys. Skips what is left of a webhook that has more due than is read at once. */
export async function findDueWebhooks(
  db: Database,
  { now, after, without, limit }: Look,
): Promise<WebhookKey[]> {
  const found = new Map<string, WebhookKey>();
  for (let last: WebhookKey | undefined = after; last && found.size < limit;) {
    const due: WebhookKey[] = await findInAll(
      db,
      sql<WebhookKey>`
        select org_id, webhook_id as id from deliveries
        where (org_id, webhook_id) > (${last.orgId}::uuid, ${last.id}) and ${isDue(now)}
        order by org_id, webhook_id limit ${readAtOnce}
      `,
    );
    for (const key of due) if (!without.has(key.id)) found.set(key.id, key);
    last = due[readAtOnce - 1];
  }
  return [...found.values()].slice(0, limit);
}

/** Of these webhooks, those with something to send, in random order, so that each has its turn first. */
export function findReadyWebhooks(db: Database, webhooks: WebhookKey[], now: Date): Promise<WebhookKey[]> {
  const orgIds = [...new Set(webhooks.map(({ orgId }) => orgId))];
  return findInAll(
    db,
    sql<WebhookKey>`
      select w.org_id, w.id from webhooks w
      where w.org_id = any(${orgIds}::uuid[]) and w.id = any(${webhooks.map(({ id }) => id)}::text[])
        and w.deleted_at is null and exists (
          select from deliveries d
          where d.org_id = w.org_id and d.webhook_id = w.id and ${isDue(now)} and ${mayBeSent(now)}
        )
      order by random()
    `,
  );
}

/** Returns the ids of those that no other worker claims from at the moment. */
export async function lockWebhooksToClaim(
  tx: Transaction,
  orgId: string,
  webhooks: { id: string }[],
): Promise<string[]> {
  const ids = webhooks.map(({ id }) => id);
  const { rows } = await tx.executeQuery(lockFree(orgId, ids));
  return rows.map(({ id }) => id);
}

const lockFree = prepared(
  (orgId: string, ids: string[]) => sql<{ id: string }>`
    select id from webhooks
    where org_id = ${orgId} and id = any(${ids}::text[])
    for no key update skip locked
  `,
);

export type Claimant = Pick<WebhookRow, 'orgId' | 'id' | 'url' | 'status' | 'lastDeliveryStatus'> & {
  underWay: number;
  inFlightOfOrganization: number;
};

/** Lock the webhooks first, to see other claims. Of a webhook, at most `maxInFlight` count. In random order. */
export async function findClaimants(
  tx: Transaction,
  orgId: string,
  ids: string[],
  { now, maxInFlight }: { now: Date; maxInFlight: number },
): Promise<Claimant[]> {
  const { rows } = await tx.executeQuery(claimants(orgId, ids, now, maxInFlight));
  return rows;
}

const claimants = plannedEachTime(
  (orgId: string, ids: string[], now: Date, maxInFlight: number) => sql<Claimant>`
    select w.org_id, w.id, w.url, w.status, w.last_delivery_status,
      (
        select count(*)::int from deliveries d
        where d.org_id = ${orgId} and d.webhook_id = w.id and ${isHeld(now)}
      ) as under_way,
      (
        select coalesce(sum(least(held.deliveries, ${maxInFlight}::int)), 0)::int
        from (
          select count(*) as deliveries from deliveries d
          where d.org_id = ${orgId} and ${isHeld(now)}
          group by d.webhook_id
        ) held
      ) as in_flight_of_organization
    from webhooks w
    where w.org_id = ${orgId} and w.id = any(${ids}::text[])
    order by random()
  `,
);

type Claim = { now: Date; lease: Lease; shares: { id: string; share: number }[]; isDistributed: boolean };

export async function claimDeliveries(
  tx: Transaction,
  orgId: string,
  { now, lease, shares, isDistributed }: Claim,
): Promise<ClaimedDelivery[]> {
  const [ids, places] = arraysOf(shares, shareColumns) as [string[], number[]];
  const statement = isDistributed ? claimed : claimedAndBegun;
  const { rows } = await tx.executeQuery(statement(orgId, ids, places, now, lease.id, lease.until));
  if (isDistributed) await tx.executeQuery(begun(orgId, ids, lease.id, now));
  return rows;
}

const shareColumns: Columns = { id: 'text', share: 'integer' };

const reasonOf = (now: Date) => sql`case when c.resend_at <= ${now} then 'resend' else 'schedule' end`;

const begin = (orgId: string, now: Date, claimedRows: RawBuilder<unknown>) => sql`
  insert into delivery_attempts (org_id, delivery_id, number, reason, outcome, started_at, url)
  select w.org_id, c.id, c.attempts, ${reasonOf(now)}, 'in_flight', ${now}, w.url
  from ${claimedRows} c
  join webhooks w on w.org_id = ${orgId} and w.id = c.webhook_id
`;

/** A statement of its own for Citus, which would insert the rows of a CTE by way of its coordinator. */
const begun = plannedEachTime(
  (orgId: string, ids: string[], lease: string, now: Date) => sql`
    ${begin(orgId, now, sql`deliveries`)}
    where c.org_id = ${orgId} and c.webhook_id = any(${ids}::text[]) and c.lease = ${lease}
  `,
);

const claims = (andBegins: boolean) =>
  plannedEachTime(
    (
      orgId: string,
      ids: string[],
      shares: number[],
      now: Date,
      lease: string,
      until: Date,
    ) => sql<ClaimedDelivery>`
    with picked as (
      select d.id, d.lease as former_lease
      from ${unnestedArrays([ids, shares], shareColumns)}
      join webhooks w on w.org_id = ${orgId} and w.id = row.id
      cross join lateral (
        select id, lease from deliveries
        where org_id = ${orgId} and webhook_id = w.id and next_at <= ${now} and ${isFree(now)}
          and (w.status <> 'paused' or resend_at <= ${now})
        order by next_at
        limit row.share
        for update skip locked
      ) d
    ),
    claimed as (
      update deliveries d
      set ${leasedBy({ id: lease, until })}, attempts = attempts + 1
      from picked p
      where d.org_id = ${orgId} and d.id = p.id
      returning d.*
    ),
    lost as (
      update delivery_attempts a
      set outcome = 'unknown', ended_at = ${now}, message = 'its sender ended before it could say how it went'
      from picked p
      where p.former_lease is not null and a.org_id = ${orgId} and a.delivery_id = p.id
        and a.outcome = 'in_flight'
    )
    ${andBegins ? sql`, begun as (${begin(orgId, now, sql`claimed`)})` : sql``}
    select c.org_id, c.id, c.webhook_id, c.event_id, c.event, c.status, c.lease, c.attempts as number,
      ${reasonOf(now)} as reason, ${now}::timestamptz as started_at, c.automatic_attempts, c.due_at,
      e.body, w.url, w.secret, w.next_secret, w.promote_at
    from claimed c
    join webhooks w on w.org_id = ${orgId} and w.id = c.webhook_id
    join events e on e.org_id = ${orgId} and e.id = c.event_id and e.body is not null
    order by c.next_at
  `,
  );

const claimed = claims(false);
const claimedAndBegun = claims(true);
