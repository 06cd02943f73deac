import { sql, type ExpressionBuilder, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { organizationsOf } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export const tokenRows = rowsIn('tokens');

export type TokenRow = Selectable<Tables['tokens']>;

const isLive = (row: ExpressionBuilder<Tables, 'tokens'>, now: Date) =>
  row.and([row('revokedAt', 'is', null), row.or([row('expiresAt', 'is', null), row('expiresAt', '>', now)])]);

export function findTokens(
  db: Database,
  orgId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<TokenRow[]> {
  return db
    .selectFrom('tokens')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy((row) => isLive(row, now), 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countLiveTokens(db: Database, orgId: string, now: Date): Promise<number> {
  const { tokens } = await db
    .selectFrom('tokens')
    .select((count) => count.fn.countAll<bigint>().as('tokens'))
    .where('orgId', '=', orgId)
    .where((row) => isLive(row, now))
    .executeTakeFirstOrThrow();
  return Number(tokens);
}

type VerifiedToken = Pick<
  TokenRow,
  'secretHash' | 'memberId' | 'role' | 'scopes' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'
> &
  Pick<Selectable<Tables['organizations']>, 'plan' | 'costsVersion'> & { memberRole: Role | null };

/** Every request runs this, and building the query takes longer than the database does. */
export async function findTokenToVerify(
  db: Database,
  orgId: string,
  id: string,
): Promise<VerifiedToken | undefined> {
  const { rows } = await db.executeQuery(tokenToVerify(orgId, id));
  return rows[0];
}

const tokenToVerify = prepared(
  (orgId: string, id: string) => sql<VerifiedToken>`
    select t.secret_hash, t.member_id, t.role, t.scopes, t.expires_at, t.revoked_at, t.last_used_at,
      m.role as member_role, o.plan, o.costs_version
    from tokens t
    join organizations o on o.org_id = t.org_id
    left join members m on m.org_id = t.org_id and m.id = t.member_id
    where t.org_id = ${orgId} and t.id = ${id} and o.deleted_at is null`,
);

type RoleOf = 'members' | 'tokens';

export async function findRole(
  tx: Transaction,
  table: RoleOf,
  orgId: string,
  id: string,
): Promise<Role | undefined> {
  const row = await tx
    .selectFrom(table)
    .select('role')
    .where((all) => all.and({ orgId, id }))
    .executeTakeFirst();
  return row?.role;
}

export async function setAllTokensRevoked(tx: Transaction, orgId: string, at: Date): Promise<number> {
  const revoked = await tx
    .updateTable('tokens')
    .set({ revokedAt: at })
    .where('orgId', '=', orgId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}

export async function setMemberTokensRevoked(
  tx: Transaction,
  { orgId, memberId, at }: { orgId: string; memberId: string; at: Date },
): Promise<number> {
  const revoked = await tx
    .updateTable('tokens')
    .set({ revokedAt: at })
    .where((all) => all.and({ orgId, memberId }))
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}

export async function setTokenRevoked(tx: Transaction, orgId: string, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('tokens')
    .set((row) => ({ revokedAt: row.fn.coalesce('revokedAt', row.val(at)) }))
    .where((all) => all.and({ orgId, id }))
    .execute();
}

export type ExpiringToken = Pick<TokenRow, 'orgId' | 'id' | 'name' | 'role' | 'lastUsedAt'> & {
  expiresAt: Date;
  memberEmail: string | null;
};

type Expiring = { now: Date; milliseconds: number; limit: number };

/** Of tokens that expire within this time. Skips tokens whose whole life is shorter. */
const isExpiring = ({ now, milliseconds }: Expiring) => sql`
  t.revoked_at is null and t.expiry_warned_at is null and t.expires_at > ${now}
  and t.expires_at <= ${new Date(now.getTime() + milliseconds)}
  and t.created_at < t.expires_at - make_interval(secs => ${milliseconds / 1_000})`;

export function findExpiringOrganizations(db: Database, expiring: Expiring): Promise<string[]> {
  return organizationsOf(
    db,
    sql`select org_id from tokens t where ${isExpiring(expiring)} order by expires_at limit ${expiring.limit}`,
  );
}

/** Marks them as warned. */
export async function claimExpiring(
  tx: Transaction,
  orgId: string,
  expiring: Expiring,
): Promise<ExpiringToken[]> {
  const { rows } = await sql<ExpiringToken>`
    with due as (
      select t.id, m.email as member_email
      from tokens t left join members m on m.org_id = t.org_id and m.id = t.member_id
      where t.org_id = ${orgId} and ${isExpiring(expiring)}
      order by t.expires_at
      limit ${expiring.limit}
      for update of t skip locked
    )
    update tokens t
    set expiry_warned_at = ${expiring.now}
    from due
    where t.org_id = ${orgId} and t.id = due.id
    returning t.org_id, t.id, t.name, t.role, t.last_used_at, t.expires_at, due.member_email
  `.execute(tx);
  return rows;
}

export async function removeTokensOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('tokens').where('orgId', '=', orgId).execute();
}
