import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import { findInAll, organizationsOf } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';
import { namesOf } from './alertTypes.ts';
import type { Frequency } from './periods.ts';
import type { Scope } from './scope.ts';
import type { Announced } from './tables.ts';

export type AlertRow = Selectable<Tables['alerts']>;

export async function insertAlert(tx: Transaction, row: Insertable<Tables['alerts']>): Promise<AlertRow> {
  return tx.insertInto('alerts').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function countAlerts(db: Database, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findAlerts(db: Database, orgId: string): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** For a message that names what uses a channel. */
export async function findAlertsThatUse(
  tx: Transaction,
  orgId: string,
  channelId: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('alerts')
    .select('name')
    .where('orgId', '=', orgId)
    .where(sql<boolean>`${channelId} = any(channel_ids)`)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => `the alert "${name}"`);
}

const alertOf = (db: Database, orgId: string, id: string) =>
  db.selectFrom('alerts').selectAll().where('orgId', '=', orgId).where('id', '=', id);

export function findAlert(db: Database, orgId: string, id: string): Promise<AlertRow | undefined> {
  return alertOf(db, orgId, id).executeTakeFirst();
}

export function findAlertToChange(tx: Transaction, orgId: string, id: string): Promise<AlertRow | undefined> {
  return alertOf(tx, orgId, id).forUpdate().executeTakeFirst();
}

export async function changeAlert(
  tx: Transaction,
  { orgId, id }: Pick<AlertRow, 'orgId' | 'id'>,
  changes: Updateable<Tables['alerts']>,
): Promise<AlertRow> {
  return tx
    .updateTable('alerts')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function disableAlertsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.updateTable('alerts').set({ enabled: false }).where('orgId', '=', orgId).execute();
}

export async function removeAlert(tx: Transaction, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom('alerts').where('orgId', '=', orgId).where('id', '=', id).execute();
}

function dueAlerts(tx: Transaction, orgId: string, now: Date) {
  return tx
    .selectFrom('alerts')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('enabled', '=', true)
    .where('nextCheckAt', '<=', now)
    .forUpdate()
    .skipLocked();
}

export function claimDueAlerts(
  tx: Transaction,
  orgId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<AlertRow[]> {
  return dueAlerts(tx, orgId, now).orderBy('nextCheckAt').limit(limit).execute();
}

/** The other due alerts with a scope, because all of them are checked from one measurement. */
export function claimDueInScope(
  tx: Transaction,
  orgId: string,
  { now, except }: { now: Date; except: readonly string[] },
): Promise<AlertRow[]> {
  return dueAlerts(tx, orgId, now)
    .where('id', '<>', sql<string>`all(${except}::uuid[])`)
    .where(scopeType, '<>', 'organization')
    .execute();
}

const scopeType = sql<string>`scope ->> 'type'`;

/** `scopes` are the scopes of due alerts whose costs are slow to read. */
export type DueOrganization = { orgId: string; scopes: Scope[] };

/**
 * First the organizations without slow scopes, so that they do not wait for the others; then by the longest
 * wait.
 */
export function findDueOrganizations(
  db: Database,
  now: Date,
  slowTypes: readonly string[],
): Promise<DueOrganization[]> {
  const due = sql<DueOrganization>`
    select org_id, coalesce(jsonb_agg(distinct scope) filter (where is_slow), '[]') as scopes
    from (
      select org_id, next_check_at, scope, ${scopeType} = any(${slowTypes}::text[]) as is_slow from alerts
      where enabled and next_check_at <= ${now}
    ) a
    group by org_id
    order by bool_or(is_slow), min(next_check_at), org_id
  `;
  return findInAll(db, due);
}

/** When the oldest due check of all organizations became due. */
export async function findOldestDueCheck(tx: Transaction, now: Date): Promise<Date | null> {
  const due = sql<{ orgId: string; at: Date }>`
    select org_id, next_check_at as at from alerts
    where enabled and next_check_at <= ${now} order by next_check_at limit 1
  `;
  return (await findInAll(tx, due))[0]?.at ?? null;
}

export async function inSavepoint(tx: Transaction, work: () => Promise<unknown>): Promise<void> {
  await sql`savepoint work`.execute(tx);
  try {
    await work();
    await sql`release savepoint work`.execute(tx);
  } catch (error) {
    await sql`rollback to savepoint work`.execute(tx);
    throw error;
  }
}

export async function scheduleChecks(
  tx: Transaction,
  orgId: string,
  alerts: { id: string; nextCheckAt: Date }[],
): Promise<void> {
  await sql`
    update alerts a set next_check_at = due.at
    from unnest(${alerts.map(({ id }) => id)}::uuid[],
      ${alerts.map(({ nextCheckAt }) => nextCheckAt)}::timestamptz[]) as due (id, at)
    where a.org_id = ${orgId} and a.id = due.id
  `.execute(tx);
}

type Ahead = { now: Date; tolerated: Date; latest: Record<Frequency, Date> };

const isAhead = ({ tolerated, latest }: Ahead) => sql`(
  last_triggered_at > ${tolerated} or created_at > ${tolerated}
  or next_check_at > case
    when check_frequency = 'daily' then ${latest.daily}::timestamptz
    when check_frequency = 'weekly' then ${latest.weekly} else ${latest.monthly} end
)`;

/** Those with alerts that a clock that was ahead scheduled or triggered, except until `tolerated`. */
export function findOrganizationsAhead(db: Database, ahead: Ahead): Promise<string[]> {
  return organizationsOf(db, sql`select org_id from alerts where ${isAhead(ahead)}`);
}

/** Makes such alerts due, moves their times and those of their triggers to `now`, and returns the alerts. */
export async function correctTimes(tx: Transaction, orgId: string, ahead: Ahead): Promise<AlertRow[]> {
  const { now, tolerated } = ahead;
  const { rows } = await sql<AlertRow>`
    update alerts set
      next_check_at = ${now},
      last_triggered_at = case when last_triggered_at > ${now} then ${now} else last_triggered_at end,
      created_at = case when created_at > ${now} then ${now} else created_at end,
      updated_at = case when updated_at > ${now} then ${now} else updated_at end
    where org_id = ${orgId} and ${isAhead(ahead)}
    returning *
  `.execute(tx);
  await sql`
    update alert_triggers t set
      triggered_at = ${now},
      notified_at = case when notified_at > ${now} then ${now} else notified_at end,
      resolved_at = case when resolved_at > ${now} then ${now} else resolved_at end,
      acknowledged_at = case when acknowledged_at > ${now} then ${now} else acknowledged_at end
    where t.org_id = ${orgId} and t.alert_id = any(${rows.map(({ id }) => id)}::uuid[])
      and t.triggered_at > ${tolerated}
  `.execute(tx);
  return rows;
}

/** Of the types that add up a period, and so have thresholds to announce. */
const addsUp = () => sql<boolean>`alert_type = any(${namesOf(({ isByPeriod }) => isByPeriod)}::text[])`;

export function findChangedCosts(db: Database): Promise<string[]> {
  return organizationsOf(
    db,
    sql`
      select org_id from organizations o
      where costs_version > costs_checked_version
        and exists (select 1 from alerts a where a.org_id = o.org_id and a.enabled and ${addsUp()})
    `,
  );
}

/** Organizations whose costs have changed since a budget with a scope of these types was checked. */
export function findBudgetsBehind(db: Database, types: readonly string[]): Promise<string[]> {
  return organizationsOf(
    db,
    sql`
      select a.org_id from alerts a join organizations o on o.org_id = a.org_id
      where a.enabled and ${addsUp()} and a.scope ->> 'type' = any(${types}::text[])
        and a.judged_costs_version < o.costs_version
    `,
  );
}

/** `costsVersion` is the version of the costs by which they were checked. */
export async function markThresholdsChecked(
  tx: Transaction,
  orgId: string,
  { ids, costsVersion }: { ids: readonly string[]; costsVersion: bigint },
): Promise<void> {
  await tx
    .updateTable('alerts')
    .set({ judgedCostsVersion: costsVersion })
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}

export function findBudgets(tx: Transaction, orgId: string, types: readonly string[]): Promise<AlertRow[]> {
  return budgetsOf(tx, orgId, types).execute();
}

/**
 * Locks these alerts and skips those that a check holds, because waiting for a check would delay recording.
 */
export function findFreeBudgets(
  tx: Transaction,
  orgId: string,
  types: readonly string[],
): Promise<AlertRow[]> {
  return budgetsOf(tx, orgId, types).forUpdate().skipLocked().execute();
}

function budgetsOf(tx: Transaction, orgId: string, types: readonly string[]) {
  return tx
    .selectFrom('alerts')
    .selectAll()
    .where('orgId', '=', orgId)
    .where(addsUp())
    .where('enabled', '=', true)
    .where(scopeType, '=', sql<string>`any(${types}::text[])`)
    .orderBy('id');
}

/** The lowest threshold of the enabled daily alerts on the whole organization whose type marks unusual days. */
export async function findUnusualThreshold(db: Database, orgId: string): Promise<bigint | null> {
  const lowest = await db
    .selectFrom('alerts')
    .select('thresholdNanos')
    .where('orgId', '=', orgId)
    .where(
      'alertType',
      'in',
      namesOf(({ marksUnusualDays }) => marksUnusualDays),
    )
    .where('checkFrequency', '=', 'daily')
    .where('enabled', '=', true)
    .where(scopeType, '=', 'organization')
    .orderBy('thresholdNanos')
    .limit(1)
    .executeTakeFirst();
  return lowest?.thresholdNanos ?? null;
}

export function saveAnnounced(
  tx: Transaction,
  budget: AlertRow,
  { since, announced }: { since: Day | null; announced: Announced[] },
): Promise<AlertRow> {
  return changeAlert(tx, budget, {
    announcedSince: since,
    announced: JSON.stringify(announced, bigintsAsText),
  });
}
