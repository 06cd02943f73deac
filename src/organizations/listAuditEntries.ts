import type { Context } from './context.ts';
import { countAuditEntries, findAuditEntries, type AuditRow } from './queries.ts';

/** Who did what, newest first. */
export async function listAuditEntries(
  { db, actor }: Context,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ entries: AuditRow[]; total: number }> {
  const total = await countAuditEntries(db, actor.orgId);
  const entries = await findAuditEntries(db, actor.orgId, { limit: perPage, offset: (page - 1) * perPage });
  return { entries, total };
}
