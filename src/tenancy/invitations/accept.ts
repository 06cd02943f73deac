import type { Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { addMemberIn, findMemberByEmail } from '../members/members.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { isProviderRequired } from '../sessions/sessions.ts';
import { signInMember, type Client, type NewSession } from '../sessions/signIn.ts';
import { readSecret, secretMatches } from '../tokens/tokens.ts';
import { endInvitationsTo, findInvitationOf, isBacked, markAccepted } from './invitations.ts';
import { findInvitation, type KnownInvitation } from './queries.ts';

export type OpenedInvitation = {
  organization: string;
  role: Role;
  author: string;
  expiresAt: Date;
  /** The address that the link proves; null means that the person enters theirs. */
  email: string | null;
  /** The invited address of a link that does not prove it. */
  suggestedEmail: string | null;
  isMember: boolean;
  organizationId: string;
  /** If true, the person accepts by signing in at the identity provider. */
  isProviderRequired: boolean;
};

export async function openInvitation(program: Program, text: string): Promise<OpenedInvitation> {
  const row = await readInvitation(program, program.db, text);
  const { organizationName, author, expiresAt, isMailed, email, orgId } = row;
  const role = await roleOf(program, program.db, row);
  const proven = isMailed ? email : null;
  const isMember = proven !== null && (await findMemberByEmail(program.db, orgId, proven)) !== undefined;
  const suggestedEmail = isMailed ? null : email;
  return {
    organization: organizationName,
    organizationId: orgId,
    role,
    author,
    expiresAt,
    email: proven,
    suggestedEmail,
    isMember,
    isProviderRequired: await isProviderRequired(program.db, orgId),
  };
}

export type Accepting = Client & { email?: string | undefined; name?: string | null | undefined };

/** Only a mailed link proves an address: with any other, nobody signs in as an existing member. */
export async function acceptInvitation(
  program: Program,
  text: string,
  { email: given, name = null, ...client }: Accepting,
): Promise<NewSession> {
  return program.db.transaction().execute(async (tx) => {
    const first = await readInvitation(program, tx, text);
    const { orgId, id } = first;
    await lockOrganization(tx, orgId);
    const row = await readInvitation(program, tx, text);
    const { isMailed, email: invited } = row;
    const role = await roleOf(program, tx, row);
    const email = isMailed ? invited! : (invited ?? given);
    if (email === undefined) throw invalid('email', 'is required');
    const identity = { memberId: null, tokenId: null, sessionId: null };
    const ctx = { ...program, actor: { orgId, role, scopes: [], name: `invitation ${id}`, identity } };
    const present = await findMemberByEmail(tx, orgId, email);
    if (present && !isMailed) {
      const message = `${email} is already a member of this organization. Sign in, or use another address.`;
      throw new PublicError('conflict', 'member_exists', message);
    }
    const { id: memberId } = present ?? (await addMemberIn(tx, ctx, { email, name, role }));
    if (!(await markAccepted(tx, ctx, id, { email, memberId }))) throw usedInvitation();
    if (isMailed) await endInvitationsTo(tx, ctx, email);
    const proof = isMailed ? { provenEmail: email.toLowerCase() } : {};
    return signInMember(tx, program, { orgId, memberId, ...client, ...proof });
  });
}

/** The highest role among all invitations to a proven address, whichever link they use. */
async function roleOf({ clock }: Pick<Program, 'clock'>, db: Database, row: KnownInvitation): Promise<Role> {
  const { orgId, email, isMailed, role } = row;
  if (!isMailed || email === null) return role;
  return (await findInvitationOf(db, orgId, { email, now: clock.now() }))?.role ?? role;
}

/** Says why a link stopped working only if the caller has the whole link. */
export async function readInvitation(
  { clock }: Pick<Program, 'clock'>,
  db: Database,
  text: string,
): Promise<KnownInvitation> {
  const parts = readSecret('invitation', text);
  const row = parts && (await findInvitation(db, parts.orgId, parts.id));
  if (!row || !secretMatches(parts.secret, row.secretHash)) {
    throw refused(
      'invalid_invitation',
      'This invitation link is incomplete, or a newer one has replaced it.',
    );
  }
  if (row.acceptedAt) throw usedInvitation();
  if (row.revokedAt && row.email !== null && (await findMemberByEmail(db, row.orgId, row.email))) {
    const why = `This invitation ended, because ${row.email} belongs to a member now.`;
    throw new PublicError('unauthenticated', 'invitation_revoked', `${why} Sign in with that address.`);
  }
  if (row.revokedAt || !isBacked(row)) throw refused('invitation_revoked', 'This invitation was revoked.');
  if (row.expiresAt <= clock.now()) throw refused('invitation_expired', 'This invitation has expired.');
  return row;
}

function usedInvitation(): PublicError {
  return refused('invitation_used', 'This invitation was already used.');
}

function refused(code: string, why: string): PublicError {
  return new PublicError('unauthenticated', code, `${why} Ask the person who invited you for a new one.`);
}
