import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { plannedEachTime, prepared } from '../../platform/db/prepared.ts';
import { arraysOf, unnested, unnestedArrays, type Columns } from '../../platform/db/unnestRows.ts';
import { changeInEach } from '../../platform/work/claims.ts';
import type { ClaimedDelivery } from './claim.queries.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.queries.ts';

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
