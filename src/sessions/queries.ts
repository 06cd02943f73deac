import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

export type SignInTable = 'sessions' | 'signInCodes';
type SignInRow = Selectable<Tables[SignInTable]>;

/** What is read of the organization and, where there are any, of the token and its member. */
const holderColumns = [
  'organizations.orgId',
  'organizations.name as organizationName',
  'organizations.login',
  'organizations.plan',
  'tokens.id as tokenId',
  'tokens.name as tokenName',
  'tokens.role as tokenRole',
  'tokens.scopes as tokenScopes',
  'tokens.expiresAt as tokenExpiresAt',
  'tokens.revokedAt as tokenRevokedAt',
  'members.email as memberEmail',
  'members.name as memberName',
  'members.role as memberRole',
] as const;

export async function insertSignIn(tx: Transaction, table: SignInTable, row: SignInRow): Promise<void> {
  await tx.insertInto(table).values(row).execute();
}

/** A session or code, with whose it is. */
export function findSignIn(db: Database, table: SignInTable, orgId: string, id: string) {
  return db
    .selectFrom(`${table} as signIn`)
    .innerJoin('organizations', 'organizations.orgId', 'signIn.orgId')
    .leftJoin('tokens', (join) =>
      join.onRef('tokens.orgId', '=', 'signIn.orgId').onRef('tokens.id', '=', 'signIn.tokenId'),
    )
    .leftJoin('members', (join) =>
      join.onRef('members.orgId', '=', 'tokens.orgId').onRef('members.id', '=', 'tokens.memberId'),
    )
    .select(['signIn.secretHash', 'signIn.expiresAt', ...holderColumns])
    .where('signIn.orgId', '=', orgId)
    .where('signIn.id', '=', id)
    .where('organizations.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Whose a token is. */
export function findTokenHolder(db: Database, orgId: string, id: string) {
  return db
    .selectFrom('organizations')
    .innerJoin('tokens', 'tokens.orgId', 'organizations.orgId')
    .leftJoin('members', (join) =>
      join.onRef('members.orgId', '=', 'tokens.orgId').onRef('members.id', '=', 'tokens.memberId'),
    )
    .select(holderColumns)
    .where('tokens.orgId', '=', orgId)
    .where('tokens.id', '=', id)
    .where('organizations.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** False where there is none any more: of several who delete the same at a time, one is told true. */
export async function deleteSignIn(
  tx: Transaction,
  table: SignInTable,
  orgId: string,
  id: string,
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom(table)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

export async function deleteExpired(
  tx: Transaction,
  table: SignInTable,
  orgId: string,
  now: Date,
): Promise<void> {
  await tx.deleteFrom(table).where('orgId', '=', orgId).where('expiresAt', '<=', now).execute();
}
