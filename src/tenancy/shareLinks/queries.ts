import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const shareRows = rowsIn('shareLinks');

export type ShareLinkRow = Selectable<Tables['shareLinks']>;

export function findShareLinks(db: Database, orgId: string, now: Date) {
  return knownShareLinks(db, orgId, now)
    .orderBy('shareLinks.createdAt', 'desc')
    .orderBy('shareLinks.id')
    .execute();
}

export function findShareLink(db: Database, orgId: string, id: string, now: Date) {
  return knownShareLinks(db, orgId, now).where('shareLinks.id', '=', id).executeTakeFirst();
}

/** Finds nothing if the link's author could no longer create it. */
export function findLiveShareLink(db: Database, orgId: string, id: string, now: Date) {
  return knownShareLinks(db, orgId, now)
    .where('shareLinks.id', '=', id)
    .where(sql<boolean>`(share_links.member_id is null or members.role <> 'viewer')`)
    .where(
      sql<boolean>`(share_links.token_id is null or (tokens.id is not null and tokens.revoked_at is null
        and (tokens.expires_at is null or tokens.expires_at > ${now})))`,
    )
    .executeTakeFirst();
}

export type LiveShareLink = NonNullable<Awaited<ReturnType<typeof findLiveShareLink>>>;

function knownShareLinks(db: Database, orgId: string, now: Date) {
  return (
    db
      .selectFrom('shareLinks')
      .innerJoin('organizations', 'organizations.orgId', 'shareLinks.orgId')
      .leftJoin('members', (join) =>
        join.onRef('members.orgId', '=', 'shareLinks.orgId').onRef('members.id', '=', 'shareLinks.memberId'),
      )
      .leftJoin('tokens', (join) =>
        join.onRef('tokens.orgId', '=', 'shareLinks.orgId').onRef('tokens.id', '=', 'shareLinks.tokenId'),
      )
      .selectAll('shareLinks')
      .select(['organizations.name as organizationName', 'organizations.plan', 'organizations.timeZone'])
      // Links from before heat maps went show their question as bars.
      .select(sql<ShareLinkRow['chart']>`replace(share_links.chart, 'heatmap', 'bars')`.as('chart'))
      .where('shareLinks.orgId', '=', orgId)
      .where('organizations.deletedAt', 'is', null)
      .where(sql<boolean>`(share_links.expires_at is null or share_links.expires_at > ${now})`)
  );
}

export async function deleteExpiredShareLinks(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await tx.deleteFrom('shareLinks').where('orgId', '=', orgId).where('expiresAt', '<=', now).execute();
}
