import type { Subscribers } from '../../context.ts';
import { recordEvent } from '../../events/recordEvent.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { resolveTrigger, type AlertRow, type RecentTrigger } from './queries.ts';

/** Why a trigger is over. */
export type Resolution =
  | 'condition_cleared'
  | 'period_ended'
  | 'alert_changed'
  | 'alert_disabled'
  | 'alert_deleted';

const millisecondsPerHour = 3_600_000;

/** Ends a trigger, and tells other systems. */
export async function resolve(
  tx: Transaction,
  { orgId, id, name }: AlertRow,
  trigger: Pick<RecentTrigger, 'orgId' | 'id' | 'triggeredAt'>,
  { resolution, now, subscribers }: { resolution: Resolution; now: Date; subscribers: Subscribers },
): Promise<void> {
  await resolveTrigger(tx, trigger, now, resolution);
  const hours = (now.getTime() - trigger.triggeredAt.getTime()) / millisecondsPerHour;
  await recordEvent(tx, { orgId, now, subscribers }, 'alert.resolved', {
    alert: { id, name },
    resolution: {
      triggered_at: trigger.triggeredAt,
      resolved_at: now,
      duration_hours: Math.round(hours * 100) / 100,
      reason: resolution,
    },
  });
}
