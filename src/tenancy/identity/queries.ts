import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type ProviderRow = Selectable<Tables['identityProviders']>;
export type IdentitySessionRow = Selectable<Tables['identitySessions']>;

export function findProviders(db: Database, orgId: string): Promise<ProviderRow[]> {
  return db
    .selectFrom('identityProviders')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export async function insertProvider(
  tx: Transaction,
  row: Insertable<Tables['identityProviders']>,
): Promise<void> {
  await tx.insertInto('identityProviders').values(row).execute();
}

export async function changeProvider(
  tx: Transaction,
  orgId: string,
  id: string,
  changes: Updateable<Tables['identityProviders']>,
): Promise<void> {
  await tx
    .updateTable('identityProviders')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteProvider(tx: Transaction, orgId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('identityProviders')
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

type Identity = Pick<Selectable<Tables['memberIdentities']>, 'orgId' | 'issuer' | 'subject'>;

export async function findMemberOfIdentity(
  tx: Transaction,
  { orgId, issuer, subject }: Identity,
): Promise<string | null> {
  const row = await tx
    .selectFrom('memberIdentities')
    .select('memberId')
    .where('orgId', '=', orgId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.memberId ?? null;
}

export async function hasIdentity(
  tx: Transaction,
  { orgId, issuer, memberId }: { orgId: string; issuer?: string; memberId: string },
): Promise<boolean> {
  const ofMember = tx
    .selectFrom('memberIdentities')
    .select('subject')
    .where('orgId', '=', orgId)
    .where('memberId', '=', memberId);
  const asked = issuer === undefined ? ofMember : ofMember.where('issuer', '=', issuer);
  return (await asked.limit(1).executeTakeFirst()) !== undefined;
}

export async function insertIdentity(
  tx: Transaction,
  row: Insertable<Tables['memberIdentities']>,
): Promise<void> {
  await tx.insertInto('memberIdentities').values(row).execute();
}

export async function insertIdentitySession(tx: Transaction, row: IdentitySessionRow): Promise<void> {
  await tx.insertInto('identitySessions').values(row).execute();
}

export function findIdentitySession(
  db: Database,
  orgId: string,
  sessionId: string,
): Promise<IdentitySessionRow | undefined> {
  return db
    .selectFrom('identitySessions')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('sessionId', '=', sessionId)
    .executeTakeFirst();
}

export async function findSessionsOfProvider(
  tx: Transaction,
  orgId: string,
  providerId: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('identitySessions')
    .select('sessionId')
    .where('orgId', '=', orgId)
    .where('providerId', '=', providerId)
    .execute();
  return rows.map(({ sessionId }) => sessionId);
}

export async function changeIdentitySession(
  tx: Transaction,
  { orgId, sessionId }: Pick<IdentitySessionRow, 'orgId' | 'sessionId'>,
  changes: Updateable<Tables['identitySessions']>,
): Promise<void> {
  await tx
    .updateTable('identitySessions')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('sessionId', '=', sessionId)
    .execute();
}

/** A deleted organization must keep no secrets, even before its rows are removed. */
export async function removeProvidersOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('identityProviders').where('orgId', '=', orgId).execute();
  await tx.deleteFrom('identitySessions').where('orgId', '=', orgId).execute();
}

export async function resealIdentities(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const providers = await tx.selectFrom('identityProviders').selectAll().forUpdate().execute();
  for (const { orgId, id, clientSecret } of providers) {
    await changeProvider(tx, orgId, id, { clientSecret: reseal(clientSecret) });
  }
  const sessions = await tx.selectFrom('identitySessions').selectAll().forUpdate().execute();
  for (const row of sessions) {
    const { refreshToken, idToken } = row;
    await changeIdentitySession(tx, row, {
      refreshToken: refreshToken && reseal(refreshToken),
      idToken: idToken && reseal(idToken),
    });
  }
}
