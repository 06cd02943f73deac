import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export async function insertInvitation(tx: Transaction, row: InvitationRow): Promise<void> {
  await tx.insertInto('invitations').values(row).execute();
}

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

/** Returns false if it is no longer open. Of several concurrent requests, one gets true. */
export async function endInvitation(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  end: { acceptedAt: Date } | { revokedAt: Date },
): Promise<boolean> {
  const ended = await tx
    .updateTable('invitations')
    .set(end)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

export async function renewInvitation(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  changes: Pick<InvitationRow, 'secretHash' | 'expiresAt' | 'isMailed' | 'mailError'>,
): Promise<boolean> {
  const renewed = await tx
    .updateTable('invitations')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return renewed.numUpdatedRows === 1n;
}

/** Changes nothing if a newer link was made meanwhile. */
export async function noteMail(
  db: Database,
  { orgId, id, secretHash }: Pick<InvitationRow, 'orgId' | 'id' | 'secretHash'>,
  mailError: string | null,
): Promise<void> {
  await db
    .updateTable('invitations')
    .set({ mailError })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('secretHash', '=', secretHash)
    .execute();
}

/** Links that can no longer be accepted explain why until then. */
export async function deleteEndedBefore(tx: Transaction, orgId: string, before: Date): Promise<void> {
  await tx.deleteFrom('invitations').where('orgId', '=', orgId).where('expiresAt', '<', before).execute();
}
