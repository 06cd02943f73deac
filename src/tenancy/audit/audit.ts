import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { sliceOfDays, type TimeSlice } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { timeOrderedUuid } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import {
  countAuditEntries,
  findAuditEntries,
  findEntriesOf,
  insertAuditEntry,
  type AuditFilter,
  type AuditRow,
} from './queries.ts';

type Author = Pick<Context, 'clock' | 'subscribers'> & { actor: Pick<Context['actor'], 'orgId' | 'name'> };

/**
 * Records who did what and its event, in the transaction of the change. `action` is `thing.verb`, `target` is
 * the id of the thing, and `details` must contain no secret.
 */
export async function recordAudit(
  tx: Transaction,
  { actor, clock, subscribers }: Author,
  action: string,
  target: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const now = clock.now();
  const entry: AuditRow = {
    orgId: actor.orgId,
    id: timeOrderedUuid(now),
    createdAt: now,
    actor: actor.name,
    action,
    target,
    details,
  };
  if (await insertAuditEntry(tx, entry)) await subscribers.announceAudit(tx, entry);
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
  asked: AskedEntries,
  page: Page,
): Promise<{ entries: AuditRow[]; total: number }> {
  const filter = filterOf(asked);
  const total = await countAuditEntries(db, actor.orgId, filter);
  const entries = await findAuditEntries(db, actor.orgId, filter, rowsOf(page));
  return { entries, total };
}

/** Days are UTC, and `from` and `to` are both included. */
export type AskedEntries = {
  kind?: string[] | undefined;
  actor?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

function filterOf({ kind, actor, from, to }: AskedEntries): AuditFilter {
  if (from !== undefined && to !== undefined && from > to) throw invalid('from', 'must not be after `to`');
  const slice =
    from === undefined && to === undefined ? undefined : sliceOfDays(from ?? firstDay, to ?? lastDay);
  return { kinds: kind, actors: actor, slice };
}

const [firstDay, lastDay] = ['1970-01-01', '9999-12-30'];

const maxLines = 10_000;

/** The newest 10,000 entries, one per line. */
export async function auditCsv({ db, actor }: Context, asked: AskedEntries): Promise<string> {
  const page = { limit: maxLines, offset: 0 };
  const entries = await findAuditEntries(db, actor.orgId, filterOf(asked), page);
  const lines = entries.map(({ createdAt, actor: who, action, target, details }) =>
    csvLine([createdAt.toISOString(), ...[who, action, target, JSON.stringify(details)].map(harmless)]),
  );
  return csvLine(['created_at', 'actor', 'action', 'target', 'details']) + lines.join('');
}

export type { AuditRow } from './queries.ts';

/** Entries of these actions, latest first, for pages that show them beside what changed. */
export function listEntriesOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  asked: { actions: readonly string[]; slice?: TimeSlice; targets?: readonly string[] },
): Promise<AuditRow[]> {
  if (asked.targets?.length === 0) return Promise.resolve([]);
  return findEntriesOf(db, actor.orgId, asked);
}
