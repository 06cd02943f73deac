import { isDeepStrictEqual } from 'node:util';
import { audited, type AuditAction } from '../../audited.ts';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { sliceOfDays, type TimeSlice } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { timeOrderedUuid } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { findNames } from './names.queries.ts';
import {
  countAuditEntries,
  findAuditEntries,
  findEntriesOf,
  insertAuditEntry,
  lockAuditTarget,
  type AuditFilter,
  type AuditRow,
} from './queries.ts';
import { inWords, recordIn, textOf, type AuditedKind, type Details } from './words.ts';

type Author = Pick<Context, 'clock' | 'subscribers'> & { actor: Pick<Context['actor'], 'orgId' | 'name'> };

/** In the transaction of the change. `target` is the id of the thing; `details` contain no secret. */
export async function recordAudit(
  tx: Transaction,
  { actor, clock, subscribers }: Author,
  action: AuditAction,
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

/** Once with these details, whoever asks again, because the program can end before the entry of an outside change. */
export async function recordAuditOnce(
  tx: Transaction,
  ctx: Author,
  action: AuditAction,
  target: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { orgId } = ctx.actor;
  await lockAuditTarget(tx, orgId, target);
  const known = await findEntriesOf(tx, orgId, { actions: [action], targets: [target] });
  if (known.some((each) => isDeepStrictEqual(each.details, details))) return;
  await recordAudit(tx, ctx, action, target, details);
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
  { db, actor, providers }: Context,
  asked: AskedEntries,
  page: Page,
): Promise<{ entries: AuditEntry[]; total: number }> {
  const filter = filterOf(asked);
  const total = await countAuditEntries(db, actor.orgId, filter);
  const rows = await findAuditEntries(db, actor.orgId, filter, rowsOf(page));
  return { entries: await entriesOf({ db, providers }, actor.orgId, rows), total };
}

const kinds: Record<string, AuditedKind> = audited;

/** The kinds of entries, with the titles that people choose from. */
export const auditKinds = Object.entries(kinds).map(([kind, { title }]) => ({ kind, title }));

export type AuditEntry = ReturnType<typeof entryOf>;

/** Entries in words, with the names that things have today. */
export async function entriesOf(
  { db, providers }: { db: Database; providers: Pick<Context['providers'], 'books'> },
  orgId: string,
  rows: readonly AuditRow[],
): Promise<AuditEntry[]> {
  const shipped = providers.books.map(({ id, name }) => [id, name] as const);
  const own = await findNames(db, orgId, [...new Set(rows.flatMap(idsIn))]);
  const names = new Map([...shipped, ...own]);
  return rows.map((row) => entryOf(row, names));
}

export function entryOf(
  { id, createdAt, actor, action, target, details }: Omit<AuditRow, 'orgId'>,
  names: ReadonlyMap<string, string>,
) {
  const recorded = recordIn(details);
  const name = names.get(target) ?? nameIn(recorded);
  const nameOf = (of: unknown) => names.get(textOf(of)) ?? textOf(of);
  const [kind = '', verb = ''] = action.split('.');
  const { words, page } = kinds[kind] ?? {};
  return {
    id,
    created_at: createdAt,
    actor,
    action,
    target,
    details: recorded,
    summary: inWords(words?.[verb] ?? action.replaceAll(/[._]/g, ' '), recorded, { name, nameOf }),
    target_name: name,
    target_page: page && names.has(target) ? `${page}${target}` : null,
  };
}

/** The id of the target, and texts of the details that may be ids. */
function idsIn({ target, details }: AuditRow): string[] {
  const recorded = recordIn(details);
  const fields = [recorded, recordIn(recorded['before'])].flatMap((each) => Object.entries(each));
  const values = fields.flatMap(([field, value]) => (field.endsWith('_ids') ? value : [value]));
  return [target, ...values.filter((value) => typeof value === 'string')];
}

/** The name of a thing when the entry was recorded. */
function nameIn(details: Details): string | null {
  const before = recordIn(details['before']);
  const named = ['name', 'email', 'file_name', 'host'].map((field) => details[field] ?? before[field]);
  return named.find((value) => typeof value === 'string') ?? null;
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

export const auditColumns = ['created_at', 'actor', 'action', 'target', 'details', 'summary'];

/** The newest 10,000 entries, one per line. */
export async function auditCsv({ db, actor, providers }: Context, asked: AskedEntries): Promise<string> {
  const page = { limit: maxLines, offset: 0 };
  const rows = await findAuditEntries(db, actor.orgId, filterOf(asked), page);
  const entries = await entriesOf({ db, providers }, actor.orgId, rows);
  const lines = entries.map(({ created_at: at, actor: who, action, target, details, summary }) =>
    csvLine([at.toISOString(), ...[who, action, target, JSON.stringify(details), summary].map(harmless)]),
  );
  return csvLine(auditColumns) + lines.join('');
}

export type { AuditRow } from './queries.ts';

/** Entries of these actions, latest first, for pages that show them beside what changed. */
export function listEntriesOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  asked: { actions: readonly AuditAction[]; slice?: TimeSlice; targets?: readonly string[] },
): Promise<AuditRow[]> {
  if (asked.targets?.length === 0) return Promise.resolve([]);
  return findEntriesOf(db, actor.orgId, asked);
}
