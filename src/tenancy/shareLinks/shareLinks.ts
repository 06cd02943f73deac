import type { Context, Program } from '../../context.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { hasRole, type Actor, type Plan } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { authorOf } from '../members/members.ts';
import { requireRoom } from '../organizations/organizations.ts';
import { hashSecret, readSecret, secretMatches, writeSecret } from '../tokens/tokens.ts';
import {
  deleteExpiredShareLinks,
  findLiveShareLink,
  findShareLink,
  findShareLinks,
  type LiveShareLink,
  type ShareLinkRow,
  shareRows,
} from './queries.ts';
import { badgePeriods } from './tables.ts';

export { badgePeriods, sharedCharts, sharedPages, shareLinkKinds } from './tables.ts';

const maxShares = 200;
const msPerDay = 86_400_000;

export type ShareLink = Omit<ShareLinkRow, 'orgId' | 'secretHash'> & { canRevoke: boolean };

/** Lists links that have not expired. */
export async function listShareLinks({ db, actor, clock }: Context): Promise<ShareLink[]> {
  return (await findShareLinks(db, actor.orgId, clock.now())).map((row) => shownTo(actor, row));
}

type ShareLinkKind = ShareLinkRow['kind'];

/** Only a badge can be valid forever: pages show it for years, and it reveals one amount. */
export type NewShareLink = Pick<ShareLinkRow, 'name' | 'kind' | 'page' | 'chart' | 'query' | 'sites'> & {
  validDays: number | null;
};

export type Badge = {
  period?: (typeof badgePeriods)[number];
  label?: string;
  repository?: string;
  team?: string;
};

export function writeBadge({ period = 'month', ...badge }: Badge): string {
  if (badge.repository !== undefined && badge.team !== undefined)
    throw invalid('badge.team', 'cannot be combined with `repository`');
  return new URLSearchParams({ period, ...badge }).toString();
}

export function readBadge(query: string): Badge & { period: NonNullable<Badge['period']> } {
  const { period = '', ...badge } = Object.fromEntries(new URLSearchParams(query));
  return { ...badge, period: badgePeriods.find((each) => each === period) ?? 'month' };
}

const maxSites = 10;

/** Other characters, such as a semicolon, could extend the policy that lists the sites. */
const siteHost = /^[a-z0-9._-]+$/;

/** Requires origins, such as `https://wiki.example.com`. */
export function readSites(sites: readonly string[]): string[] {
  const origins = sites.map((site, index) => {
    const url = URL.parse(site);
    const isOrigin =
      url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(site);
    if (!isOrigin || !siteHost.test(url.hostname))
      throw invalid(
        `sites[${index}]`,
        'must be the address of a site without a path, such as https://wiki.example.com',
      );
    return url.origin;
  });
  if (origins.length === 0) throw invalid('sites', 'must list the sites that may show the embed');
  if (origins.length > maxSites) throw invalid('sites', `must have at most ${maxSites} sites`);
  return [...new Set(origins)];
}

/** Also returns the secret, of which only the hash is stored. */
export async function createShareLink(
  ctx: Context,
  input: NewShareLink,
): Promise<{ share: ShareLink; secret: string }> {
  const { db, actor, clock } = ctx;
  const { validDays, ...view } = input;
  const name = input.name?.trim() ?? null;
  if (!actor.scopes.includes('costs:read')) {
    const message = 'A share link shows costs, so your token also needs the scope costs:read.';
    throw new PublicError('forbidden', 'scope_missing', message);
  }
  const now = clock.now();
  const secret = newSecret();
  const row = await db.transaction().execute(async (tx) => {
    await deleteExpiredShareLinks(tx, actor.orgId, now);
    await requireRoom(tx, actor.orgId, {
      things: 'share links',
      max: maxShares,
      count: async () => (await findShareLinks(tx, actor.orgId, now)).length,
      advice: 'Revoke one first.',
    });
    const author = await authorOf(tx, actor);
    const created: ShareLinkRow = {
      orgId: actor.orgId,
      id: randomId('shr'),
      secretHash: hashSecret(secret),
      ...view,
      name,
      ...author,
      tokenId: author.memberId === null ? actor.identity.tokenId : null,
      expiresAt: validDays === null ? null : new Date(now.getTime() + validDays * msPerDay),
      createdAt: now,
      lastUsedAt: null,
    };
    await shareRows.insert(tx, created);
    await recordAudit(tx, ctx, 'share.create', created.id, namedByTheApi(created));
    return created;
  });
  return {
    share: shownTo(actor, row),
    secret: writeSecret('share', { orgId: actor.orgId, id: row.id, secret }),
  };
}

/** Allowed for the link's author and for admins. */
export async function revokeShareLink(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  await db.transaction().execute(async (tx) => {
    const share = await findShareLink(tx, actor.orgId, id, clock.now());
    if (!share) throw notFound('share link');
    if (!mayRevoke(actor, share)) {
      const message = 'Only the person who created this link, an admin or an owner can revoke it.';
      throw new PublicError('forbidden', 'not_your_share_link', message);
    }
    if (!(await shareRows.remove(tx, share))) throw notFound('share link');
    await recordAudit(tx, ctx, 'share.revoke', id, namedByTheApi(share));
  });
}

/** Browsers never send what follows #. Other sites request badges and embeds by a path. */
export function shareLinkUrl(address: string, secret: string, kind: ShareLinkKind): string {
  if (kind === 'badge') return `${address}/badge/${secret}.svg`;
  return kind === 'embed' ? `${address}/embed/${secret}` : `${address}/shared#link=${secret}`;
}

export function shareLinkView({
  id,
  name,
  kind,
  page,
  chart,
  query,
  sites,
  author,
  canRevoke,
  ...times
}: ShareLink) {
  const { createdAt, expiresAt, lastUsedAt } = times;
  return {
    id,
    name,
    kind,
    page,
    chart,
    query,
    sites,
    author,
    can_revoke: canRevoke,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
  };
}

const noteEveryMilliseconds = 5 * 60_000;

export type OpenedShareLink = { share: LiveShareLink; actor: Actor; plan: Plan };

/** Every request reads the link and its author again, so that it ends at once. */
export function createShareLinkVerifier({ db, clock }: Pick<Program, 'db' | 'clock'>) {
  const coalesce = createCoalescer<LiveShareLink | undefined>();
  return async (text: string, kinds: readonly ShareLinkKind[]): Promise<OpenedShareLink> => {
    const parts = readSecret('share', text);
    if (!parts) throw linkEnded();
    const { orgId, id, secret } = parts;
    const now = clock.now();
    const row = await coalesce(`${orgId} ${id} ${now.getTime()}`, () =>
      findLiveShareLink(db, orgId, id, now),
    );
    if (!row || !secretMatches(secret, row.secretHash) || !kinds.includes(row.kind)) throw linkEnded();
    const isNews = now.getTime() - (row.lastUsedAt?.getTime() ?? 0) >= noteEveryMilliseconds;
    if (isNews) await shareRows.change(db, row, { lastUsedAt: now });
    const identity = { memberId: null, tokenId: null, sessionId: null };
    const name = `share link ${id}`;
    return { share: row, plan: row.plan, actor: { orgId, role: 'viewer', scopes: [], name, identity } };
  };
}

function linkEnded(): PublicError {
  const message = 'This link has expired or was revoked. Ask the sender for a new one.';
  return new PublicError('unauthenticated', 'link_ended', message);
}

function shownTo(actor: Actor, row: ShareLinkRow): ShareLink {
  const { orgId: _, secretHash: __, ...share } = row;
  return { ...share, canRevoke: mayRevoke(actor, row) };
}

function mayRevoke({ role, identity }: Actor, { memberId, tokenId }: ShareLinkRow): boolean {
  if (hasRole(role, 'admin')) return true;
  return memberId === null
    ? tokenId !== null && tokenId === identity.tokenId
    : memberId === identity.memberId && hasRole(role, 'member');
}

function namedByTheApi({ name, kind, page, chart, query, sites, expiresAt }: ShareLinkRow) {
  const shared = { ...(name !== null && { name }), query, expires_at: expiresAt?.toISOString() ?? null };
  if (kind === 'badge') return { kind, ...shared };
  return { ...(kind === 'embed' && { kind, sites }), page, chart, ...shared };
}
