import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const invitationRows = rowsIn('invitations');

export type InvitationRow = Selectable<Tables['invitations']>;

/** Open invitations, newest first. */
export function findOpen(db: Database, orgId: string, now: Date) {
  return known(db, orgId)
    .where('invitations.acceptedAt', 'is', null)
    .where('invitations.revokedAt', 'is', null)
    .where('invitations.expiresAt', '>', now)
    .orderBy('invitations.createdAt', 'desc')
    .orderBy('invitations.id')
    .execute();
}

export function findInvitation(db: Database, orgId: string, id: string) {
  return known(db, orgId).where('invitations.id', '=', id).executeTakeFirst();
}

export type KnownInvitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>;

function known(db: Database, orgId: string) {
  return db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.orgId', 'invitations.orgId')
    .leftJoin('members', (join) =>
      join.onRef('members.orgId', '=', 'invitations.orgId').onRef('members.id', '=', 'invitations.memberId'),
    )
    .leftJoin('tokens', (join) =>
      join.onRef('tokens.orgId', '=', 'invitations.orgId').onRef('tokens.id', '=', 'invitations.tokenId'),
    )
    .selectAll('invitations')
    .select(['organizations.name as organizationName', 'members.role as authorRole'])
    .select(sql<boolean>`tokens.revoked_at is not null`.as('isTokenRevoked'))
    .where('invitations.orgId', '=', orgId)
    .where('organizations.deletedAt', 'is', null);
}

/** Links that can no longer be accepted explain why until then. */
export async function deleteEndedBefore(tx: Transaction, orgId: string, before: Date): Promise<void> {
  await tx.deleteFrom('invitations').where('orgId', '=', orgId).where('expiresAt', '<', before).execute();
}

const open = { acceptedAt: null, revokedAt: null };

/** Returns false if it is no longer open. Of several concurrent requests, one gets true. */
export async function changeOpen(
  tx: Transaction,
  invitation: Pick<InvitationRow, 'orgId' | 'id'>,
  changes: Updateable<Tables['invitations']>,
): Promise<boolean> {
  return (await invitationRows.change(tx, invitation, changes, open)) !== undefined;
}
