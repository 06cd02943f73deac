import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Actor } from '../../platform/lib/actor.ts';
import type { Tables } from '../../tables.ts';

export type LoginRow = Selectable<Tables['logins']>;

export async function insertLogin(db: Database, row: Insertable<Tables['logins']>): Promise<void> {
  await db.insertInto('logins').values(row).execute();
}

export async function deleteExpiredLogins(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('logins').where('expiresAt', '<=', now).execute();
}

export function findLoginByCode(db: Database, codeHash: Buffer, now: Date): Promise<LoginRow | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('codeHash', '=', codeHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/** The row stays locked until the transaction ends, so that one request gets its token. */
export function lockLogin(tx: Transaction, secretHash: Buffer, now: Date): Promise<LoginRow | undefined> {
  return tx
    .selectFrom('logins')
    .selectAll()
    .where('secretHash', '=', secretHash)
    .where('expiresAt', '>', now)
    .forUpdate()
    .executeTakeFirst();
}

export async function deleteLogin(tx: Transaction, secretHash: Buffer): Promise<void> {
  await tx.deleteFrom('logins').where('secretHash', '=', secretHash).execute();
}

/** In the order of their key, so that two requests at once do not wait for each other. */
export async function deleteConfirmedLogins(tx: Transaction, orgId: string): Promise<void> {
  const confirmed = tx
    .selectFrom('logins')
    .select('secretHash')
    .where('forOrgId', '=', orgId)
    .orderBy('secretHash')
    .forUpdate();
  await tx
    .with('confirmed', () => confirmed)
    .deleteFrom('logins')
    .where('secretHash', 'in', (from) => from.selectFrom('confirmed').select('secretHash'))
    .execute();
}

/** False if somebody has decided before. Without an actor, the login is refused. */
export async function decideLogin(
  db: Database,
  { codeHash }: Pick<LoginRow, 'codeHash'>,
  actor: Actor | null,
): Promise<boolean> {
  const approval = actor && {
    forOrgId: actor.orgId,
    memberId: actor.identity.memberId,
    actor: actor.name,
    role: actor.role,
    scopes: [...actor.scopes],
  };
  const decided = await db
    .updateTable('logins')
    .set(approval ?? { isDenied: true })
    .where((all) => all.and({ codeHash, isDenied: false }))
    .where('forOrgId', 'is', null)
    .executeTakeFirst();
  return decided.numUpdatedRows === 1n;
}
