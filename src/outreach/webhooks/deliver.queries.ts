import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnested, type Columns } from '../../platform/db/unnestRows.ts';
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

/** Finds each webhook with something to send by one look-up in an index. */
const waiting = sql`
  waiting as (
    (
      select org_id, webhook_id from deliveries where next_at is not null
      order by org_id, webhook_id limit 1
    )
    union all
    select following.* from waiting w
    cross join lateral (
      select org_id, webhook_id from deliveries
      where next_at is not null and (org_id, webhook_id) > (w.org_id, w.webhook_id)
      order by org_id, webhook_id limit 1
    ) following
  )
`;

/** When the oldest delivery that nobody works on became due, over all organizations. */
export async function findOldestDue(db: Database, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    with recursive ${waiting}
    select min(d.next_at) as since
    from waiting
    join webhooks w on w.org_id = waiting.org_id and w.id = waiting.webhook_id and w.deleted_at is null
    cross join lateral (
      select next_at from deliveries
      where org_id = w.org_id and webhook_id = w.id and next_at <= ${now} and ${isFree(now)}
        and (w.status <> 'paused' or resend_at <= ${now})
      order by next_at
      limit 1
    ) d
  `.execute(db);
  return rows[0]!.since;
}

export async function findReadyWebhooks(
  db: Database,
  { now, without, limit }: { now: Date; without: WebhookKey[]; limit: number },
): Promise<WebhookKey[]> {
  const { rows } = await sql<WebhookKey>`
    with recursive ${waiting}
    select w.org_id, w.id
    from waiting
    join webhooks w on w.org_id = waiting.org_id and w.id = waiting.webhook_id and w.deleted_at is null
    where (w.org_id, w.id) not in (select org_id, id from ${unnested(without, keyColumns)})
      and exists (
      select 1 from deliveries d
      where d.org_id = w.org_id and d.webhook_id = w.id and d.next_at <= ${now} and ${isFree(now)}
        and (w.status <> 'paused' or d.resend_at <= ${now})
    )
    order by random()
    limit ${limit}
  `.execute(db);
  return rows;
}

export async function lockWebhooksToClaim(tx: Transaction, webhooks: WebhookKey[]): Promise<WebhookKey[]> {
  const { rows } = await sql<WebhookKey>`
    select org_id, id from webhooks
    where (org_id, id) in (select org_id, id from ${unnested(webhooks, keyColumns)})
    for no key update skip locked
  `.execute(tx);
  return rows;
}

const keyColumns: Columns = { orgId: 'uuid', id: 'text' };

export type Claimant = Pick<WebhookRow, 'orgId' | 'id' | 'url' | 'status' | 'lastDeliveryStatus'> & {
  underWay: number;
  inFlightOfOrganization: number;
};

/** Lock the webhooks first, to see other claims. Of a webhook, at most `maxInFlight` count. */
export async function findClaimants(
  tx: Transaction,
  webhooks: WebhookKey[],
  { now, maxInFlight }: { now: Date; maxInFlight: number },
): Promise<Claimant[]> {
  const { rows } = await sql<Claimant>`
    select w.org_id, w.id, w.url, w.status, w.last_delivery_status,
      (
        select count(*)::int from deliveries d
        where d.org_id = w.org_id and d.webhook_id = w.id and ${isHeld(now)}
      ) as under_way,
      (
        select coalesce(sum(least(held.deliveries, ${maxInFlight}::int)), 0)::int
        from (
          select count(*) as deliveries from deliveries d
          where d.org_id = w.org_id and ${isHeld(now)}
          group by d.webhook_id
        ) held
      ) as in_flight_of_organization
    from ${unnested(webhooks, keyColumns)}
    join webhooks w on w.org_id = row.org_id and w.id = row.id
  `.execute(tx);
  return rows;
}

type Claim = { now: Date; lease: Lease; shares: (WebhookKey & { share: number })[] };

const shareColumns: Columns = { ...keyColumns, share: 'integer' };

export async function claimDeliveries(tx: Transaction, claim: Claim): Promise<ClaimedDelivery[]> {
  const { now, lease, shares } = claim;
  const { rows } = await sql<ClaimedDelivery>`
    with picked as (
      select d.org_id, d.id, d.lease as former_lease
      from ${unnested(shares, shareColumns)}
      join webhooks w on w.org_id = row.org_id and w.id = row.id
      cross join lateral (
        select org_id, id, lease from deliveries
        where org_id = w.org_id and webhook_id = w.id and next_at <= ${now} and ${isFree(now)}
          and (w.status <> 'paused' or resend_at <= ${now})
        order by next_at
        limit row.share
        for update skip locked
      ) d
    ),
    claimed as (
      update deliveries d
      set ${leasedBy(lease)}, attempts = attempts + 1
      from picked p
      where d.org_id = p.org_id and d.id = p.id
      returning d.*, case when d.resend_at <= ${now} then 'resend' else 'schedule' end as reason
    ),
    lost as (
      update delivery_attempts a
      set outcome = 'unknown', ended_at = ${now}, message = 'its sender ended before it could say how it went'
      from picked p
      where p.former_lease is not null and a.org_id = p.org_id and a.delivery_id = p.id
        and a.outcome = 'in_flight'
    ),
    begun as (
      insert into delivery_attempts (org_id, delivery_id, number, reason, outcome, started_at, url)
      select c.org_id, c.id, c.attempts, c.reason, 'in_flight', ${now}, w.url
      from claimed c
      join webhooks w on w.org_id = c.org_id and w.id = c.webhook_id
    )
    select c.org_id, c.id, c.webhook_id, c.event_id, c.event, c.status, c.lease, c.attempts as number, c.reason,
      ${now}::timestamptz as started_at, c.automatic_attempts, c.due_at, e.body, w.url, w.secret, w.next_secret,
      w.promote_at
    from claimed c
    join webhooks w on w.org_id = c.org_id and w.id = c.webhook_id
    join events e on e.org_id = c.org_id and e.id = c.event_id and e.body is not null
    order by c.next_at
  `.execute(tx);
  return rows;
}

/** Returns deliveries that were claimed but not sent, as if they had never been claimed. */
export async function returnDeliveries(tx: Transaction, unsent: ClaimedDelivery[]): Promise<void> {
  await sql`
    with returned as (
      update deliveries d
      set lease = null, leased_until = null, attempts = d.attempts - 1
      from ${unnested(unsent, leaseColumns)}
      where d.org_id = row.org_id and d.id = row.id and d.lease = row.lease
      returning d.org_id, d.id, row.number
    )
    delete from delivery_attempts a
    using returned r
    where a.org_id = r.org_id and a.delivery_id = r.id and a.number = r.number and a.outcome = 'in_flight'
  `.execute(tx);
}

export type FinishedAttempt = Pick<
  DeliveryRow,
  'orgId' | 'id' | 'webhookId' | 'status' | 'automaticAttempts' | 'dueAt'
> &
  Omit<AttemptRow, 'deliveryId' | 'outcome' | 'endedAt' | 'url'> & {
    lease: string;
    outcome: 'success' | 'failure' | 'unknown';
    endedAt: Date;
    isShown: boolean;
  };

const leaseColumns: Columns = { ...keyColumns, lease: 'text', number: 'integer' };

const attemptColumns: Columns = {
  ...leaseColumns,
  reason: 'text',
  startedAt: 'timestamptz',
  status: 'text',
  automaticAttempts: 'integer',
  dueAt: 'timestamptz',
  outcome: 'text',
  endedAt: 'timestamptz',
  responseCode: 'integer',
  errorClass: 'text',
  message: 'text',
  dnsMs: 'integer',
  connectMs: 'integer',
  tlsMs: 'integer',
  firstByteMs: 'integer',
  totalMs: 'integer',
  responseBody: 'bytea',
  responseTruncated: 'boolean',
  isShown: 'boolean',
};

/** Returns the ids of the deliveries, without those whose lease another worker holds by now. */
export async function completeAttempts(tx: Transaction, attempts: FinishedAttempt[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    with finished as (select * from ${unnested(attempts, attemptColumns)}),
    completed as (
      update deliveries d
      set lease = null, leased_until = null, status = f.status, automatic_attempts = f.automatic_attempts,
        due_at = f.due_at,
        resend_at = case
          when f.reason = 'resend' and f.outcome <> 'unknown' and d.resend_at <= f.started_at then null
          else d.resend_at
        end,
        response_code = case when f.is_shown then f.response_code else d.response_code end,
        response_time_ms = case when f.is_shown then f.total_ms else d.response_time_ms end,
        error_class = case when f.is_shown then f.error_class else d.error_class end,
        delivered_at = case when f.outcome = 'success' then f.ended_at else d.delivered_at end
      from finished f
      where d.org_id = f.org_id and d.id = f.id and d.lease = f.lease
      returning d.org_id, d.id
    ),
    saved as (
      update delivery_attempts a
      set outcome = f.outcome, started_at = f.started_at, ended_at = f.ended_at, response_code = f.response_code,
        error_class = f.error_class, message = f.message, dns_ms = f.dns_ms, connect_ms = f.connect_ms,
        tls_ms = f.tls_ms, first_byte_ms = f.first_byte_ms, total_ms = f.total_ms,
        response_body = f.response_body, response_truncated = f.response_truncated
      from finished f
      join completed c on c.org_id = f.org_id and c.id = f.id
      where a.org_id = f.org_id and a.delivery_id = f.id and a.number = f.number
    )
    select id from completed
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

export type WebhookUpdate = {
  orgId: string;
  webhookId: string;
  lastDeliveryAt: Date;
  lastDeliveryStatus: 'success' | 'failed';
  lastResponseCode: number | null;
  /** Whether the latest decisive attempt starts or ends the failing status; null if none is decisive. */
  isFailing: boolean | null;
};

const updateColumns: Columns = {
  orgId: 'uuid',
  webhookId: 'text',
  lastDeliveryAt: 'timestamptz',
  lastDeliveryStatus: 'text',
  lastResponseCode: 'integer',
  isFailing: 'boolean',
};

export async function updateWebhooks(tx: Transaction, updates: WebhookUpdate[]): Promise<void> {
  await sql`
    with locked as (
      -- Always in the same order, so that two workers never deadlock.
      select org_id, id from webhooks
      where (org_id, id) in (select org_id, webhook_id from ${unnested(updates, updateColumns)})
      order by org_id, id
      for no key update
    )
    update webhooks w
    set last_delivery_at = row.last_delivery_at, last_delivery_status = row.last_delivery_status,
      last_response_code = row.last_response_code,
      status = case
        when row.is_failing and w.status = 'active' then 'failing'
        when not row.is_failing and w.status = 'failing' then 'active'
        else w.status
      end,
      failing_since = case
        when row.is_failing then coalesce(w.failing_since, row.last_delivery_at)
        when not row.is_failing then null
        else w.failing_since
      end
    from ${unnested(updates, updateColumns)}
    join locked l on l.org_id = row.org_id and l.id = row.webhook_id
    where w.org_id = row.org_id and w.id = row.webhook_id
  `.execute(tx);
}

/** For deliveries that a clock that was ahead has sent, created or leased. Returns their number. */
export async function correctDueTimes(
  db: Database,
  { now, tolerated, latestLease, limit }: { now: Date; tolerated: Date; latestLease: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    with wrong as (
      select org_id, id from deliveries d
      where next_at is not null and (
        leased_until > ${latestLease}
        or next_at > ${tolerated} and (
          attempts = 0 and created_at > ${tolerated}
          or exists (
            select from delivery_attempts a
            where a.org_id = d.org_id and a.delivery_id = d.id and a.number = d.attempts
              and coalesce(a.ended_at, a.started_at) > ${tolerated}
          )
        )
      )
      limit ${limit}
      for update skip locked
    ),
    corrected as (
      update delivery_attempts a
      set started_at = ${now}, ended_at = case when ended_at is not null then ${now}::timestamptz end
      from wrong w
      where a.org_id = w.org_id and a.delivery_id = w.id and a.started_at > ${now}
    )
    update deliveries d
    set due_at = case when due_at is not null then least(due_at, ${now}) end,
      resend_at = case when resend_at is not null then least(resend_at, ${now}) end,
      leased_until = case when leased_until > ${latestLease} then ${now} else leased_until end
    from wrong w
    where d.org_id = w.org_id and d.id = w.id
    returning d.id
  `.execute(db);
  return rows.length;
}
