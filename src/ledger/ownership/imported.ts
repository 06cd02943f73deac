import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import { isBlank } from '../../platform/lib/text.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { isUnowned, type OwnerKind, type RuleSource } from './owners.ts';
import { saveRules, type RuleRow } from './queries.ts';
import { changesBetween, lockRules, newRow, requireFew } from './rules.ts';

export type FoundOwner = { repository: string; kind: OwnerKind; owner: string };

type Found = {
  owners: readonly FoundOwner[];
  /** Repositories and organizations that could not be read. Their rules stay. */
  unread: readonly string[];
};

type Author = Pick<Context, 'clock' | 'subscribers'> & { actor: Pick<Context['actor'], 'orgId' | 'name'> };

/** A new owner has the repository from today on; earlier days keep the previous owner. */
export async function saveImported(
  tx: Transaction,
  author: Author,
  source: Exclude<RuleSource, 'manual'>,
  found: Found,
): Promise<void> {
  const { orgId } = author.actor;
  const { all } = await lockRules(tx, orgId);
  const before = all.filter((row) => row.source === source);
  const after = mergeImported(before, found, { source, now: author.clock.now() });
  requireFew(all.length - before.length + after.length);
  const changes = changesBetween(before, after);
  await saveRules(tx, orgId, changes);
  const details = {
    source,
    rules: after.length,
    changed: changes.changed.length,
    removed: changes.removed.length,
  };
  await recordAudit(tx, author, 'ownership.import', orgId, details);
}

type Import = { source: RuleSource; now: Date };

function mergeImported(before: readonly RuleRow[], found: Found, { source, now }: Import): RuleRow[] {
  const today = dayOf(now);
  const owners = new Map(found.owners.map((each) => [keyOf(each), each]));
  const unread = new Set(found.unread.map((name) => name.toLowerCase()));
  const isUnread = (row: RuleRow) => {
    const repository = nameOf(row.repository!);
    return unread.has(repository) || unread.has(repository.split('/')[0]!);
  };
  const after: RuleRow[] = [];
  const settled = new Set<string>();
  for (const row of before) {
    const key = keyOf(row as FoundOwner);
    const isOpen = row.validUntil === null;
    const isKept = !isOpen || isUnread(row) || owners.get(key)?.owner === row.owner;
    if (isOpen && isKept) settled.add(key);
    if (isKept) after.push(row);
    else if (row.validFrom !== today) after.push(endedBefore(row, today, now));
  }
  const known = new Set(after.map((row) => keyOf(row as FoundOwner)));
  for (const [key, { kind, owner, repository }] of owners) {
    if (settled.has(key)) continue;
    const validFrom = known.has(key) ? today : null;
    const none = { workflow: null, label: null, validUntil: null };
    after.push(newRow({ kind, owner, repository: `=${repository}`, ...none, validFrom }, now, source));
  }
  return after;
}

function endedBefore(row: RuleRow, today: Day, now: Date): RuleRow {
  return { ...row, validUntil: addDays(today, -1), updatedAt: now };
}

function keyOf({ kind, repository }: Pick<FoundOwner, 'kind' | 'repository'>): string {
  return `${kind} ${nameOf(repository)}`;
}

function nameOf(repository: string): string {
  return repository.replace(/^=/, '').toLowerCase();
}

const maxOwnerLength = 100;

export function ownerNamed(text: string): string | null {
  return isBlank(text) || isUnowned(text) ? null : text.trim().slice(0, maxOwnerLength);
}
