import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { looksOf } from '../../platform/lib/text.ts';
import type { Tables } from '../../tables.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts, requireRoom } from '../../tenancy/organizations/organizations.ts';
import { createActorKinds, type Acted, type ActorKinds } from './actorKinds.ts';
import type { ActorKind, ActorPattern } from './actorPattern.ts';
import { findBotAccounts, patternRows } from './queries.ts';

export { addBotAccounts } from './queries.ts';

export type Pattern = Selectable<Tables['actorPatterns']>;

const maxPatterns = 1_000;

export function listPatterns({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<Pattern[]> {
  return patternRows.list(db, { orgId: actor.orgId }, 'pattern');
}

/** By the patterns of now, for all days. */
export async function readActorKinds(db: Database, orgId: string): Promise<ActorKinds> {
  const patterns = await patternRows.list(db, { orgId });
  return createActorKinds({ patterns, bots: await findBotAccounts(db, orgId) });
}

/** Of many rows, in place: copying them would take longer than deciding. */
export async function addActorKinds<Row extends Acted>(
  db: Database,
  orgId: string,
  rows: readonly Row[],
): Promise<(Row & { actorKind: ActorKind | null })[]> {
  const kinds = await readActorKinds(db, orgId);
  return rows.map((row) => Object.assign(row, { actorKind: kinds.of(row) }));
}

export async function createPattern(ctx: Context, input: ActorPattern): Promise<Pattern> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    await requireRoom(tx, actor.orgId, {
      things: 'actor patterns',
      max: maxPatterns,
      count: () => patternRows.count(tx, { orgId: actor.orgId }),
      advice: 'Replace several by a pattern such as acme-agent-*.',
    });
    const given = await readPattern(tx, actor.orgId, input);
    const row = { orgId: actor.orgId, id: randomId('act'), ...given, createdAt: now, updatedAt: now };
    const created = await patternRows.insert(tx, row);
    await recordAudit(tx, ctx, 'actor_pattern.create', created.id, given);
    return created;
  });
}

export async function updatePattern(
  ctx: Context,
  id: string,
  changes: Partial<ActorPattern>,
): Promise<Pattern> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    const before = await lockPattern(tx, actor.orgId, id);
    const given = await readPattern(tx, actor.orgId, { ...namedByTheApi(before), ...changes }, before);
    const details = differences(namedByTheApi(before), given);
    if (!details) return before;
    const changed = (await patternRows.change(tx, before, { ...given, updatedAt: clock.now() }))!;
    await recordAudit(tx, ctx, 'actor_pattern.update', id, details);
    return changed;
  });
}

export async function deletePattern(ctx: Context, id: string): Promise<void> {
  const { db, actor } = ctx;
  await db.transaction().execute(async (tx) => {
    const row = await lockPattern(tx, actor.orgId, id);
    await patternRows.remove(tx, row);
    await recordAudit(tx, ctx, 'actor_pattern.delete', id, namedByTheApi(row));
  });
}

/** Also locks costs: changed patterns change what kinds of actors cost, whose alerts must then be checked again. */
async function lockPattern(tx: Transaction, orgId: string, id: string): Promise<Pattern> {
  await lockCosts(tx, orgId);
  const row = await patternRows.find(tx, { orgId, id });
  if (!row) throw notFound('actor pattern');
  return row;
}

function namedByTheApi({ pattern, kind }: Pattern): ActorPattern {
  return { pattern, kind };
}

async function readPattern(
  tx: Transaction,
  orgId: string,
  { pattern: text, kind }: ActorPattern,
  before?: Pattern,
): Promise<ActorPattern> {
  const pattern = text.trim();
  if (/^\**$/.test(pattern)) throw invalid('pattern', 'must name somebody: this would match every actor');
  const isAlike = (row: Pattern) => looksOf(row.pattern) === looksOf(pattern);
  const alike = (await patternRows.list(tx, { orgId })).find((row) => row.id !== before?.id && isAlike(row));
  if (!alike) return { pattern, kind };
  const message = `The pattern ${alike.pattern} exists already (${alike.id}). Change its kind instead.`;
  throw new PublicError('conflict', 'actor_pattern_exists', message);
}
