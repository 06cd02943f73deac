import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { claimInOrder } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export const scheduledRows = rowsIn('scheduledExports');

export type ScheduledExportRow = Selectable<Tables['scheduledExports']>;

/** Locks the one that is most overdue, and skips those that other workers are planning. */
export function claimDueScheduledExport(tx: Transaction, now: Date): Promise<ScheduledExportRow | undefined> {
  const due = sql`select org_id from scheduled_exports where enabled and next_at <= ${now} order by next_at`;
  return claimInOrder(tx, due, (orgId) =>
    tx
      .selectFrom('scheduledExports')
      .selectAll()
      .where((all) => all.and({ orgId, enabled: true }))
      .where('nextAt', '<=', now)
      .orderBy('nextAt')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst(),
  );
}

export const removeScheduledExportsOf = (tx: Transaction, orgId: string): Promise<void> =>
  scheduledRows.removeAll(tx, { orgId });

export const resealScheduledExports: Reseal = (tx, reseal) =>
  scheduledRows.reseal(tx, reseal, 'secretAccessKey');
