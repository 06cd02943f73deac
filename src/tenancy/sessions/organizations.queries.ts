import { sql, type RawBuilder } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { findInAll } from '../../platform/work/claims.ts';
import { selectHolders, type Proof } from './queries.ts';

export type Root = { orgId: string; id: string } & Proof;

export type MembershipRow = {
  orgId: string;
  memberId: string;
  role: Role;
  isRequired: boolean;
  /** The browser's session there; null if it has not entered. */
  enteredId: string | null;
};

/** It needs a member there with the address that the browser proved. */
export function findEntered(db: Database, orgId: string, root: Root) {
  return selectHolders(db, 'sessions', orgId)
    .select(['signIn.id', 'signIn.checkAt', 'signIn.lastSeenAt', 'signIn.expiresAt'])
    .select('organizations.costsVersion')
    .where((all) => all.and({ 'signIn.rootOrgId': root.orgId, 'signIn.rootId': root.id }))
    .where(
      sql<boolean>`(sign_in.proven_email is null
        or (sign_in.proven_email = ${root.provenEmail} and ${provesMember(root, sql`sign_in.org_id`)}))`,
    )
    .executeTakeFirst();
}

/** An issuer that an organization chose proves addresses only to organizations that chose it, too. */
function provesMember({ provenEmail, provenIssuer }: Proof, orgId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(lower(members.email) = ${provenEmail} and (${provenIssuer}::text is null or exists (
    select from identity_providers where identity_providers.org_id = ${orgId} and issuer = ${provenIssuer})))`;
}

/** Those with a member who has its proven address, and those it has entered otherwise. */
export function findMemberships(db: Database, root: Root, now: Date): Promise<MembershipRow[]> {
  const memberships = db
    .selectFrom('organizations')
    .innerJoin('members', 'members.orgId', 'organizations.orgId')
    .leftJoin('signInPolicies', 'signInPolicies.orgId', 'organizations.orgId')
    .leftJoin('sessions', (join) =>
      join
        .onRef('sessions.orgId', '=', 'members.orgId')
        .onRef('sessions.memberId', '=', 'members.id')
        .on('sessions.rootOrgId', '=', root.orgId)
        .on('sessions.rootId', '=', root.id)
        .on('sessions.expiresAt', '>', now),
    )
    .select(['members.orgId', 'members.id as memberId', 'members.role', 'sessions.id as enteredId'])
    .select(sql<boolean>`coalesce(sign_in_policies.is_required, false)`.as('isRequired'))
    .where('organizations.deletedAt', 'is', null)
    .where('organizations.orgId', '!=', root.orgId)
    .where((row) =>
      row.or([
        provesMember(root, sql`members.org_id`),
        row.and([row('sessions.id', 'is not', null), row('sessions.provenEmail', 'is', null)]),
      ]),
    )
    .orderBy(sql`lower(organizations.name)`)
    .orderBy('organizations.orgId')
    .orderBy('sessions.id', (order) => order.asc().nullsLast());
  return findInAll(db, sql`${memberships}`);
}

/** Locks the session, so that a browser enters an organization once. False if it has ended. */
export async function lockSession(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where((all) => all.and({ orgId, id }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export function findSessionsOfRoot(
  db: Database,
  { orgId, id }: { orgId: string; id: string },
): Promise<{ orgId: string; id: string }[]> {
  return findInAll(db, sql`select org_id, id from sessions where root_org_id = ${orgId} and root_id = ${id}`);
}
