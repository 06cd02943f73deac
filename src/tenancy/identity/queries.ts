import type { Insertable, Selectable } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const providerRows = rowsIn('identityProviders');
export const identitySessionRows = rowsIn('identitySessions', 'sessionId');

export type ProviderRow = Selectable<Tables['identityProviders']>;
export type IdentitySessionRow = Selectable<Tables['identitySessions']>;

type Identity = Pick<Selectable<Tables['memberIdentities']>, 'orgId' | 'issuer' | 'subject'>;

export async function insertIdentity(
  tx: Transaction,
  row: Insertable<Tables['memberIdentities']>,
): Promise<void> {
  await tx.insertInto('memberIdentities').values(row).execute();
}

export async function findMemberOfIdentity(
  tx: Transaction,
  { orgId, issuer, subject }: Identity,
): Promise<string | null> {
  const row = await tx
    .selectFrom('memberIdentities')
    .select('memberId')
    .where((all) => all.and({ orgId, issuer, subject }))
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
    .where((all) => all.and({ orgId, memberId }));
  const asked = issuer === undefined ? ofMember : ofMember.where('issuer', '=', issuer);
  return (await asked.limit(1).executeTakeFirst()) !== undefined;
}

/** A deleted organization must keep no secrets, even before its rows are removed. */
export async function removeProvidersOf(tx: Transaction, orgId: string): Promise<void> {
  await providerRows.removeAll(tx, { orgId });
  await identitySessionRows.removeAll(tx, { orgId });
}

export const resealIdentities: Reseal = async (tx, reseal) => {
  await providerRows.reseal(tx, reseal, 'clientSecret');
  await identitySessionRows.reseal(tx, reseal, 'refreshToken', 'idToken');
};
