import type { Context, Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { hasRole, type Actor, type Plan } from '../../platform/lib/actor.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { authorOf } from '../members/members.ts';
import { requireRoom } from '../organizations/organizations.ts';
import { hashSecret, newSecret, readSecret, secretMatches, writeSecret } from '../tokens/tokens.ts';
import {
  deleteExpiredShares,
  deleteShare,
  findLiveShare,
  findShare,
  findShares,
  insertShare,
  updateLastUsed,
  type LiveShare,
  type ShareRow,
} from './queries.ts';

export { sharedCharts, sharedPages } from './tables.ts';

const maxShares = 200;
const msPerDay = 86_400_000;

export type Share = Omit<ShareRow, 'orgId' | 'secretHash'> & { canRevoke: boolean };

/** Those that have not expired. */
export async function listShares({ db, actor, clock }: Context): Promise<Share[]> {
  return (await findShares(db, actor.orgId, clock.now())).map((row) => shownTo(actor, row));
}

export type NewShare = Pick<ShareRow, 'page' | 'chart' | 'query'> & { validDays: number };

/** Returns the secret too. Only its hash is stored. */
export async function createShare(ctx: Context, input: NewShare): Promise<{ share: Share; secret: string }> {
  const { db, actor, clock } = ctx;
  const { validDays, ...view } = input;
  if (!actor.scopes.includes('costs:read')) {
    const message = 'A link shows costs, so this token needs the scope costs:read, too.';
    throw new PublicError('forbidden', 'scope_missing', message);
  }
  const now = clock.now();
  const secret = newSecret();
  const row = await db.transaction().execute(async (tx) => {
    await deleteExpiredShares(tx, actor.orgId, now);
    await requireRoom(tx, actor.orgId, {
      things: 'share links',
      max: maxShares,
      count: async () => (await findShares(tx, actor.orgId, now)).length,
      advice: 'Revoke one first.',
    });
    const author = await authorOf(tx, actor);
    const created: ShareRow = {
      ...{ orgId: actor.orgId, id: randomId('shr'), secretHash: hashSecret(secret), ...view, ...author },
      tokenId: author.memberId === null ? actor.identity.tokenId : null,
      ...{ createdAt: now, expiresAt: new Date(now.getTime() + validDays * msPerDay), lastUsedAt: null },
    };
    await insertShare(tx, created);
    await recordAudit(tx, ctx, 'share.create', created.id, namedByTheApi(created));
    return created;
  });
  return {
    share: shownTo(actor, row),
    secret: writeSecret('share', { orgId: actor.orgId, id: row.id, secret }),
  };
}

/** Its maker can, and admins. */
export async function revokeShare(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  await db.transaction().execute(async (tx) => {
    const share = await findShare(tx, actor.orgId, id, clock.now());
    if (!share) throw notFound('share link');
    if (!mayRevoke(actor, share)) {
      const message = 'Only who made this link, an admin or an owner can revoke it.';
      throw new PublicError('forbidden', 'not_your_share_link', message);
    }
    if (!(await deleteShare(tx, actor.orgId, id))) throw notFound('share link');
    await recordAudit(tx, ctx, 'share.revoke', id, namedByTheApi(share));
  });
}

/** The address of a link. Browsers never send the part after # to a server. */
export function shareLink(address: string, secret: string): string {
  return `${address}/shared#link=${secret}`;
}

/** A link as the API shows it. */
export function shareView({ id, page, chart, query, author, canRevoke, ...times }: Share) {
  const { createdAt, expiresAt, lastUsedAt } = times;
  return {
    ...{ id, page, chart, query, author, can_revoke: canRevoke },
    ...{ created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt },
  };
}

const noteEveryMilliseconds = 5 * 60_000;

export type OpenedShare = { share: LiveShare; actor: Actor; plan: Plan };

/**
 * Verifies links. Every request reads the link and its maker again, so that it ends at once; concurrent requests share
 * the read. All failures have the same error.
 */
export function createShareVerifier({ db, clock }: Pick<Program, 'db' | 'clock'>) {
  const share = createSharedReads<LiveShare | undefined>();
  return async (text: string): Promise<OpenedShare> => {
    const parts = readSecret('share', text);
    if (!parts) throw linkEnded();
    const { orgId, id, secret } = parts;
    const now = clock.now();
    const row = await share(`${orgId} ${id} ${now.getTime()}`, () => findLiveShare(db, orgId, id, now));
    if (!row || !secretMatches(secret, row.secretHash)) throw linkEnded();
    const isNews = now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= noteEveryMilliseconds;
    if (isNews) await updateLastUsed(db, orgId, id, now);
    const identity = { memberId: null, tokenId: null, sessionId: null };
    const name = `share link ${id}`;
    return { share: row, plan: row.plan, actor: { orgId, role: 'viewer', scopes: [], name, identity } };
  };
}

function linkEnded(): PublicError {
  const message = 'This link has expired or was revoked. Ask who sent it for a new one.';
  return new PublicError('unauthenticated', 'link_ended', message);
}

function shownTo(actor: Actor, row: ShareRow): Share {
  const { orgId: _, secretHash: __, ...share } = row;
  return { ...share, canRevoke: mayRevoke(actor, row) };
}

function mayRevoke({ role, identity }: Actor, { memberId, tokenId }: ShareRow): boolean {
  if (hasRole(role, 'admin')) return true;
  return memberId === null
    ? tokenId !== null && tokenId === identity.tokenId
    : memberId === identity.memberId && hasRole(role, 'member');
}

function namedByTheApi({ page, chart, query, expiresAt }: ShareRow) {
  return { page, chart, query, expires_at: expiresAt.toISOString() };
}
