import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type TriggerRow = Selectable<Tables['alertTriggers']>;

export type RecentTrigger = Omit<
  TriggerRow,
  'explanation' | 'notifiedAt' | 'acknowledgedAt' | 'acknowledgedBy' | 'acknowledgedNote'
>;

export async function findRecentTriggers(
  db: Database,
  orgId: string,
  alertIds: string[],
  since: Date,
): Promise<Map<string, RecentTrigger[]>> {
  const { rows } = await sql<RecentTrigger>`
    select org_id, t.id, alert_id, alert_type, measure, scope, triggered_at, current_nanos, threshold_nanos, observed_nanos, baseline_nanos,
      period_start, period_end, resolved_at, resolution
    from unnest(${alertIds}::uuid[]) as a (id)
    cross join lateral (
      select * from alert_triggers where org_id = ${orgId} and alert_id = a.id and triggered_at >= ${since}
      union all
      select * from alert_triggers
      where org_id = ${orgId} and alert_id = a.id and resolved_at is null and triggered_at < ${since}
    ) t
    order by triggered_at desc, t.id desc
  `.execute(db);
  return Map.groupBy(rows, ({ alertId }) => alertId);
}

export async function insertTrigger(
  tx: Transaction,
  row: Insertable<Tables['alertTriggers']>,
): Promise<TriggerRow> {
  return tx.insertInto('alertTriggers').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function setResolution(
  tx: Transaction,
  { orgId, id }: Pick<TriggerRow, 'orgId' | 'id'>,
  resolution: Pick<TriggerRow, 'resolvedAt' | 'resolution'>,
): Promise<void> {
  await tx
    .updateTable('alertTriggers')
    .set(resolution)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Keeps the first acknowledgement. */
export async function setAcknowledgement(
  tx: Transaction,
  { orgId, id }: Pick<TriggerRow, 'orgId' | 'id'>,
  acknowledgement: Pick<TriggerRow, 'acknowledgedAt' | 'acknowledgedBy' | 'acknowledgedNote'>,
): Promise<TriggerRow | undefined> {
  return tx
    .updateTable('alertTriggers')
    .set(acknowledgement)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('acknowledgedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function markNotified(
  db: Database,
  { orgId, triggerId }: { orgId: string; triggerId: string },
  notifiedAt: Date,
): Promise<void> {
  await db
    .updateTable('alertTriggers')
    .set({ notifiedAt })
    .where('orgId', '=', orgId)
    .where('id', '=', triggerId)
    .where('notifiedAt', 'is', null)
    .execute();
}

export async function findTriggers(
  db: Database,
  orgId: string,
  alertId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ triggers: TriggerRow[]; total: number }> {
  const ofAlert = db.selectFrom('alertTriggers').where('orgId', '=', orgId).where('alertId', '=', alertId);
  const { total } = await ofAlert
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const triggers = await ofAlert
    .selectAll()
    .orderBy('triggeredAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { triggers, total: Number(total) };
}

export function findTrigger(
  db: Database,
  orgId: string,
  alertId: string,
  id: string,
): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('alertTriggers')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('alertId', '=', alertId)
    .where('id', '=', id)
    .executeTakeFirst();
}
