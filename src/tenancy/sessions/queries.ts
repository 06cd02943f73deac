import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { roles } from '../../platform/lib/actor.ts';

export const sessionRows = rowsIn('sessions');
export const codeRows = rowsIn('signInCodes');

type SignInTable = 'sessions' | 'signInCodes';

export type Whose = { memberId: string } | { tokenId: string } | 'links' | 'everybody';

const holderColumns = [
  'organizations.orgId',
  'organizations.name as organizationName',
  'organizations.login',
  'organizations.plan',
  'organizations.timeZone',
  'organizations.fiscalYearStartMonth',
  'organizations.weekStart',
  'organizations.detailsFrom',
  'tokens.id as tokenId',
  'tokens.name as tokenName',
  'tokens.role as tokenRole',
  'tokens.scopes as tokenScopes',
  'tokens.expiresAt as tokenExpiresAt',
  'tokens.revokedAt as tokenRevokedAt',
  'members.id as memberId',
  'members.email as memberEmail',
  'members.name as memberName',
  'members.role as memberRole',
] as const;

const sessionColumns = [
  'signIn.id',
  'signIn.createdAt',
  'signIn.lastSeenAt',
  'signIn.address',
  'signIn.userAgent',
  'signIn.expiresAt',
] as const;

type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>;
export type ListedSession = Omit<SessionRow, 'secretHash' | 'costsVersion' | 'checkAt' | keyof Proof>;

/** The address that a sign-in proved. The issuer is null unless an organization chose it. */
export type Proof = { provenEmail: string | null; provenIssuer: string | null };

export function findSession(db: Database, orgId: string, id: string) {
  return selectHolders(db, 'sessions', orgId)
    .select([
      'signIn.secretHash',
      'signIn.checkAt',
      'signIn.provenEmail',
      'signIn.provenIssuer',
      'organizations.costsVersion',
      ...sessionColumns,
    ])
    .where('signIn.id', '=', id)
    .executeTakeFirst();
}

export function findSignInCode(db: Database, orgId: string, id: string) {
  return selectHolders(db, 'signInCodes', orgId)
    .select(['signIn.secretHash', 'signIn.expiresAt'])
    .where('signIn.id', '=', id)
    .executeTakeFirst();
}

/** Sorts owners first. */
const rankOf = (table: 'tokens' | 'members') =>
  sql`array_position(${sql.val(roles.toReversed())}::text[], ${sql.ref(`${table}.role`)})`;

const sorts = {
  last_used: sql`sign_in.last_seen_at`,
  created: sql`sign_in.created_at`,
  expires: sql`sign_in.expires_at`,
  holder: sql`lower(coalesce(members.email, tokens.name))`,
  role: sql`coalesce(greatest(${rankOf('tokens')}, ${rankOf('members')}), 1)`,
  address: sql`sign_in.address`,
};
export type SessionOrder = { by: keyof typeof sorts; direction: 'asc' | 'desc' };

export function findSessions(
  db: Database,
  {
    orgId,
    whose,
    now,
    by,
    direction,
    roots,
    limit,
    offset,
  }: Live & SessionOrder & { limit: number; offset: number },
): Promise<ListedSession[]> {
  return selectHolders(db, 'sessions', orgId)
    .select([...sessionColumns])
    .where(isOf(orgId, whose))
    .where(isLive({ now, roots }))
    .orderBy(sorts[by], (order) => order[direction]().nullsLast())
    .orderBy('signIn.lastSeenAt', 'desc')
    .orderBy('signIn.id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countSessions(db: Database, { orgId, whose, now, roots }: Live): Promise<number> {
  const { sessions } = await signInsOf(db, 'sessions', orgId)
    .select((count) => count.fn.countAll<bigint>().as('sessions'))
    .where(isOf(orgId, whose))
    .where(isLive({ now, roots }))
    .executeTakeFirstOrThrow();
  return Number(sessions);
}

type Live = { orgId: string; whose: Whose; now: Date; roots: readonly string[] };

/** Of the sessions in other organizations that began one here, those that have not ended. */
export async function findRoots(db: Database, orgId: string, now: Date): Promise<string[]> {
  const { rows: begun } = await sql<{ orgId: string; ids: string[] }>`
    select root_org_id as org_id, array_agg(root_id) as ids from sessions
    where org_id = ${orgId} and root_id is not null group by root_org_id
  `.execute(db);
  const roots: string[] = [];
  for (const of of begun) {
    const { rows } = await sql<{ id: string }>`
      select id from sessions where org_id = ${of.orgId} and id = any(${of.ids}::text[]) and expires_at > ${now}
    `.execute(db);
    roots.push(...rows.map(({ id }) => id));
  }
  return roots;
}

export function selectHolders(db: Database, table: SignInTable, orgId: string) {
  return signInsOf(db, table, orgId).select(holderColumns);
}

/** Sessions and sign-in codes share these columns, except those that `findSignInCode` omits. */
function signInsOf(db: Database, table: SignInTable, orgId: string) {
  return db
    .selectFrom(`${table} as signIn` as 'sessions as signIn')
    .innerJoin('organizations', 'organizations.orgId', 'signIn.orgId')
    .leftJoin('tokens', (join) =>
      join.onRef('tokens.orgId', '=', 'signIn.orgId').onRef('tokens.id', '=', 'signIn.tokenId'),
    )
    .leftJoin('members', (join) =>
      join
        .onRef('members.orgId', '=', 'signIn.orgId')
        .on('members.id', '=', sql<string>`coalesce(sign_in.member_id, tokens.member_id)`),
    )
    .where('signIn.orgId', '=', orgId)
    .where('organizations.deletedAt', 'is', null);
}

function isOf(orgId: string, whose: Whose): RawBuilder<boolean> {
  if (whose === 'everybody') return sql`true`;
  if (whose === 'links') return sql`sign_in.token_id is null and sign_in.member_id is null`;
  if ('tokenId' in whose) return sql`sign_in.token_id = ${whose.tokenId}`;
  const { memberId } = whose;
  return sql`(sign_in.member_id = ${memberId}
    or sign_in.token_id in (select id from tokens where org_id = ${orgId} and member_id = ${memberId}))`;
}

/** The same rule as `isTokenGood`. A session ends with the session that began it. */
function isLive({ now, roots }: Pick<Live, 'now' | 'roots'>): RawBuilder<boolean> {
  return sql`sign_in.expires_at > ${now} and tokens.revoked_at is null
    and (tokens.expires_at is null or tokens.expires_at > ${now})
    and (sign_in.root_id is null or sign_in.root_id = any(${roots}::text[]))`;
}

export function findTokenHolder(db: Database, orgId: string, id: string) {
  return db
    .selectFrom('organizations')
    .innerJoin('tokens', 'tokens.orgId', 'organizations.orgId')
    .leftJoin('members', (join) =>
      join.onRef('members.orgId', '=', 'tokens.orgId').onRef('members.id', '=', 'tokens.memberId'),
    )
    .select(holderColumns)
    .where((all) => all.and({ 'tokens.orgId': orgId, 'tokens.id': id }))
    .where('organizations.deletedAt', 'is', null)
    .executeTakeFirst();
}

export function findMemberHolder(db: Database, orgId: string, memberId: string) {
  return (
    db
      .selectFrom('organizations')
      .innerJoin('members', 'members.orgId', 'organizations.orgId')
      // None: no token has an empty id.
      .leftJoin('tokens', (join) =>
        join.onRef('tokens.orgId', '=', 'organizations.orgId').on('tokens.id', '=', ''),
      )
      .select(holderColumns)
      .where((all) => all.and({ 'members.orgId': orgId, 'members.id': memberId }))
      .where('organizations.deletedAt', 'is', null)
      .executeTakeFirst()
  );
}

export async function deleteSignIns(
  tx: Transaction,
  table: SignInTable,
  { orgId, whose, except }: { orgId: string; whose: Whose; except: string | null },
): Promise<number> {
  const deleted = await tx
    .deleteFrom(`${table} as signIn` as 'sessions as signIn')
    .where('signIn.orgId', '=', orgId)
    .where('signIn.id', '!=', except ?? '')
    .where(isOf(orgId, whose))
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export async function deleteExpired(
  tx: Transaction,
  table: SignInTable,
  orgId: string,
  now: Date,
): Promise<void> {
  await tx.deleteFrom(table).where('orgId', '=', orgId).where('expiresAt', '<=', now).execute();
}

export async function endSessionsOf(tx: Transaction, orgId: string): Promise<void> {
  await deleteSignIns(tx, 'signInCodes', { orgId, whose: 'everybody', except: null });
  await deleteSignIns(tx, 'sessions', { orgId, whose: 'everybody', except: null });
}

export async function findSignInPolicy(db: Database, orgId: string): Promise<boolean> {
  const row = await db
    .selectFrom('signInPolicies')
    .select('isRequired')
    .where('orgId', '=', orgId)
    .executeTakeFirst();
  return row?.isRequired ?? false;
}

export async function setSignInPolicy(tx: Transaction, orgId: string, isRequired: boolean): Promise<void> {
  await tx
    .insertInto('signInPolicies')
    .values({ orgId, isRequired })
    .onConflict((conflict) => conflict.column('orgId').doUpdateSet({ isRequired }))
    .execute();
}
