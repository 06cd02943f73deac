import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { TimeSlice } from '../../platform/lib/days.ts';
import { timeOrderedUuid } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import {
  countAuditEntries,
  findAuditEntries,
  findEntriesOf,
  insertAuditEntry,
  type AuditRow,
} from './queries.ts';

type Author = Pick<Context, 'clock'> & { actor: Pick<Context['actor'], 'orgId' | 'name'> };

/**
 * Records who did what, in the transaction that does it. `action` is `thing.verb`, `target` is the thing's id, and
 * `details` must hold no secret.
 */
export async function recordAudit(
  tx: Transaction,
  { actor, clock }: Author,
  action: string,
  target: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const now = clock.now();
  await insertAuditEntry(tx, {
    orgId: actor.orgId,
    id: timeOrderedUuid(now),
    createdAt: now,
    actor: actor.name,
    action,
    target,
    details,
  });
}

export function differences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> | null {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (names.length === 0) return null;
  return { ...picked(after, names), before: picked(before, names) };
}

function picked(values: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

export async function listAuditEntries(
  { db, actor }: Context,
  page: Page,
): Promise<{ entries: AuditRow[]; total: number }> {
  const total = await countAuditEntries(db, actor.orgId);
  const entries = await findAuditEntries(db, actor.orgId, rowsOf(page));
  return { entries, total };
}

export type { AuditRow } from './queries.ts';

/** Who did these things within a time, latest first: for those who show them beside what they changed. */
export function listEntriesOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  asked: { actions: readonly string[]; slice?: TimeSlice; targets?: readonly string[] },
): Promise<AuditRow[]> {
  if (asked.targets?.length === 0) return Promise.resolve([]);
  return findEntriesOf(db, actor.orgId, asked);
}
