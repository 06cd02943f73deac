import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { plannedEachTime, prepared } from '../../platform/db/prepared.ts';
import { arraysOf, unnested, unnestedArrays, type Columns } from '../../platform/db/unnestRows.ts';
import { changeInEach, findInAll } from '../../platform/work/claims.ts';
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

type Claim = { now: Date; lease: Lease; shares: { id: string; share: number }[] };

export async function claimDeliveries(
  tx: Transaction,
  orgId: string,
  { now, lease, shares }: Claim,
): Promise<ClaimedDelivery[]> {
  const [ids, places] = arraysOf(shares, shareColumns) as [string[], number[]];
  const { rows } = await tx.executeQuery(claimed(orgId, ids, places, now, lease.id, lease.until));
  return rows;
}

const shareColumns: Columns = { id: 'text', share: 'integer' };

const claimed = plannedEachTime(
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
      returning d.*, case when d.resend_at <= ${now} then 'resend' else 'schedule' end as reason
    ),
    lost as (
      update delivery_attempts a
      set outcome = 'unknown', ended_at = ${now}, message = 'its sender ended before it could say how it went'
      from picked p
      where p.former_lease is not null and a.org_id = ${orgId} and a.delivery_id = p.id
        and a.outcome = 'in_flight'
    ),
    begun as (
      insert into delivery_attempts (org_id, delivery_id, number, reason, outcome, started_at, url)
      select ${orgId}::uuid, c.id, c.attempts, c.reason, 'in_flight', ${now}, w.url
      from claimed c
      join webhooks w on w.org_id = ${orgId} and w.id = c.webhook_id
    )
    select c.org_id, c.id, c.webhook_id, c.event_id, c.event, c.status, c.lease, c.attempts as number, c.reason,
      ${now}::timestamptz as started_at, c.automatic_attempts, c.due_at, e.body, w.url, w.secret, w.next_secret,
      w.promote_at
    from claimed c
    join webhooks w on w.org_id = ${orgId} and w.id = c.webhook_id
    join events e on e.org_id = ${orgId} and e.id = c.event_id and e.body is not null
    order by c.next_at
  `,
);

/** Returns deliveries that were claimed but not sent, as if they had never been claimed. */
export async function returnDeliveries(
  tx: Transaction,
  orgId: string,
  unsent: ClaimedDelivery[],
): Promise<void> {
  await sql`
    with returned as (
      update deliveries d
      set lease = null, leased_until = null, attempts = d.attempts - 1
      from ${unnested(unsent, leaseColumns)}
      where d.org_id = ${orgId} and d.id = row.id and d.lease = row.lease
      returning d.id, row.number
    )
    delete from delivery_attempts a
    using returned r
    where a.org_id = ${orgId} and a.delivery_id = r.id and a.number = r.number and a.outcome = 'in_flight'
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

const leaseColumns: Columns = { id: 'text', lease: 'text', number: 'integer' };

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
export async function completeAttempts(
  tx: Transaction,
  orgId: string,
  attempts: FinishedAttempt[],
): Promise<Set<string>> {
  const { rows } = await tx.executeQuery(complete(orgId, ...arraysOf(attempts, attemptColumns)));
  return new Set(rows.map(({ id }) => id));
}

const complete = plannedEachTime(
  (orgId: string, ...columns: unknown[][]) => sql<{ id: string }>`
    with finished as (select * from ${unnestedArrays(columns, attemptColumns)}),
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
      where d.org_id = ${orgId} and d.id = f.id and d.lease = f.lease
      returning d.id
    ),
    saved as (
      update delivery_attempts a
      set outcome = f.outcome, started_at = f.started_at, ended_at = f.ended_at, response_code = f.response_code,
        error_class = f.error_class, message = f.message, dns_ms = f.dns_ms, connect_ms = f.connect_ms,
        tls_ms = f.tls_ms, first_byte_ms = f.first_byte_ms, total_ms = f.total_ms,
        response_body = f.response_body, response_truncated = f.response_truncated
      from finished f
      join completed c on c.id = f.id
      where a.org_id = ${orgId} and a.delivery_id = f.id and a.number = f.number
    )
    select id from completed
  `,
);

export type WebhookUpdate = {
  webhookId: string;
  lastDeliveryAt: Date;
  lastDeliveryStatus: 'success' | 'failed';
  lastResponseCode: number | null;
  /** Whether the latest decisive attempt starts or ends the failing status; null if none is decisive. */
  isFailing: boolean | null;
};

const updateColumns: Columns = {
  webhookId: 'text',
  lastDeliveryAt: 'timestamptz',
  lastDeliveryStatus: 'text',
  lastResponseCode: 'integer',
  isFailing: 'boolean',
};

export async function updateWebhooks(
  tx: Transaction,
  orgId: string,
  updates: WebhookUpdate[],
): Promise<void> {
  await tx.executeQuery(update(orgId, ...arraysOf(updates, updateColumns)));
}

const update = prepared(
  (orgId: string, ...columns: unknown[][]) => sql`
    with locked as (
      -- Always in the same order, so that two workers never deadlock.
      select id from webhooks
      where org_id = ${orgId} and id = any(${columns[0]}::text[])
      order by id
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
    from ${unnestedArrays(columns, updateColumns)}
    join locked l on l.id = row.webhook_id
    where w.org_id = ${orgId} and w.id = row.webhook_id
  `,
);

type Correction = { now: Date; tolerated: Date; latestLease: Date; limit: number };

const isWrong = (orgId: RawBuilder<unknown>, { tolerated, latestLease }: Correction) => sql`
  next_at is not null and (
    leased_until > ${latestLease}
    or next_at > ${tolerated} and (
      attempts = 0 and created_at > ${tolerated}
      or exists (
        select from delivery_attempts a
        where a.org_id = ${orgId} and a.delivery_id = d.id and a.number = d.attempts
          and coalesce(a.ended_at, a.started_at) > ${tolerated}
      )
    )
  )
`;

/** For deliveries that a clock that was ahead has sent, created or leased. Returns their number. */
export function correctDueTimes(db: Database, correction: Correction): Promise<number> {
  const { now, latestLease, limit } = correction;
  const due = sql`select org_id from deliveries d where ${isWrong(sql`d.org_id`, correction)}`;
  const correct = (orgId: string) => sql`
    with wrong as (
      select id from deliveries d
      where org_id = ${orgId} and ${isWrong(sql`${orgId}`, correction)}
      limit ${limit}
      for update skip locked
    ),
    corrected as (
      update delivery_attempts a
      set started_at = ${now}, ended_at = case when ended_at is not null then ${now}::timestamptz end
      from wrong w
      where a.org_id = ${orgId} and a.delivery_id = w.id and a.started_at > ${now}
    )
    update deliveries d
    set due_at = case when due_at is not null then least(due_at, ${now}) end,
      resend_at = case when resend_at is not null then least(resend_at, ${now}) end,
      leased_until = case when leased_until > ${latestLease} then ${now} else leased_until end
    from wrong w
    where d.org_id = ${orgId} and d.id = w.id
  `;
  return changeInEach(db, due, correct);
}
