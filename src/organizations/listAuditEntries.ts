import type { Context } from './context.ts';
import { countAuditEntries, findAuditEntries, type AuditRow } from './queries.ts';
import { rowsOf, type Page } from '../lib/page.ts';

/** Who did what, newest first. */
export async function listAuditEntries(
  { db, actor }: Context,
  page: Page,
): Promise<{ entries: AuditRow[]; total: number }> {
  const total = await countAuditEntries(db, actor.orgId);
  const entries = await findAuditEntries(db, actor.orgId, rowsOf(page));
  return { entries, total };
}
