import type { Transaction } from '../../platform/db/database.ts';
import { hasRole, scopes, type Actor, type Role } from '../../platform/lib/actor.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { firstWithin } from '../../platform/lib/firstWithin.ts';
import { recordAudit } from '../audit/audit.ts';
import { readInvitation } from '../invitations/accept.ts';
import {
  endInvitationsTo,
  findInvitationOf,
  markAccepted,
  type Invitation,
} from '../invitations/invitations.ts';
import { addMemberIn, findMemberByEmail, getMember, giveRole } from '../members/members.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { endMemberSessions, noteCheck, type Proof } from '../sessions/sessions.ts';
import { signInMember, type Client, type NewSession } from '../sessions/signIn.ts';
import { revokeMemberTokens } from '../tokens/tokens.ts';
import { decideSignIn, ownPath, type Decision, type Person, type Refusal } from './decide.ts';
import { beginAt, finishAt, type Answered, type Proofs } from './issuer.ts';
import { findProvider, organizationAsked, type Provider, type SignInProgram } from './providers.ts';
import { findMemberOfIdentity, hasIdentity, identitySessionRows, insertIdentity } from './queries.ts';

/** How long people have to sign in at the provider. */
export const attemptSeconds = 600;
/** The life of a session whose provider we cannot ask again. */
const unaskedMilliseconds = 8 * 3_600_000;
const refusalMilliseconds = 60_000;

/** Kept in the browser's sealed cookie from the start to the callback. */
type Attempt = Proofs & {
  orgId: string;
  providerId: string;
  to: string;
  endsAt: number;
  /** The secret of the invitation link that the person follows. Cookies of the former version have none. */
  invitation?: string | null;
};

export type Started = { address: string; sealed: string };

/** Such an organization accepts the invitation when the person signs in with the invited address. */
export async function startInvited(
  program: SignInProgram,
  { invitation, provider }: { invitation: string; provider: string },
): Promise<Started> {
  const { orgId } = await readInvitation(program, program.db, invitation);
  return startSignIn(program, { org: orgId, provider }, invitation);
}

export async function startSignIn(
  program: SignInProgram,
  asked: { org?: string | undefined; provider: string; to?: string | undefined },
  invitation: string | null = null,
): Promise<Started> {
  const organization = await organizationAsked(program, asked.org);
  const provider = organization && (await findProvider(program, organization.orgId, asked.provider));
  if (!provider)
    throw new PublicError('not_found', 'provider_not_found', 'This way to sign in does not exist.');
  const { address, proofs } = await reached(program, provider, () =>
    beginAt(program, provider, redirectUri(program, provider.orgId)),
  );
  const endsAt = program.clock.now().getTime() + attemptSeconds * 1_000;
  const attempt: Attempt = {
    ...proofs,
    orgId: provider.orgId,
    providerId: provider.id,
    to: ownPath(asked.to),
    endsAt,
    invitation,
  };
  return { address, sealed: program.vault.seal(JSON.stringify(attempt)).toString('base64url') };
}

/** So that the admin finds a mistyped issuer, and not the first person who signs in. */
export async function refuseBadProvider(program: SignInProgram, provider: Provider): Promise<void> {
  try {
    await beginAt(program, provider, redirectUri(program, provider.orgId));
  } catch (error) {
    throw invalid('issuer', `does not answer as an OpenID Connect issuer: ${messagesOf(error)}`);
  }
}

/** So that no provider gets a code that was meant for another's (RFC 9700, 4.4: mix-up). */
export function redirectUri({ publicUrl }: Pick<SignInProgram, 'publicUrl'>, orgId: string): string {
  return `${publicUrl()}/sign-in/callback/${orgId}`;
}

/** Sign-ins that have come back from a provider, as far as this process remembers them. */
type EndedSignIns = {
  isFirstAnswer: (state: string) => boolean;
  isNewRefusal: (who: string) => boolean;
};

export function rememberSignIns({ clock }: Pick<SignInProgram, 'clock'>): EndedSignIns {
  return {
    isFirstAnswer: firstWithin(clock, attemptSeconds * 1_000),
    isNewRefusal: firstWithin(clock, refusalMilliseconds),
  };
}

/** `orgId` and `query` are from the URL to which the provider sent the browser. */
export async function finishSignIn(
  program: SignInProgram,
  ended: EndedSignIns,
  { orgId, sealed, query, ...client }: { orgId: string; sealed: string | null; query: string } & Client,
): Promise<{ session: NewSession; to: string }> {
  const attempt = readAttempt(program, sealed);
  if (attempt.orgId !== orgId) throw unknownAttempt();
  const callback = new URL(`${redirectUri(program, orgId)}${query}`);
  const provider = await findProvider(program, attempt.orgId, attempt.providerId);
  if (callback.searchParams.get('state') !== attempt.state || !provider) throw unknownAttempt();
  const error = callback.searchParams.get('error');
  // Otherwise one start would let a person send any number of codes to the provider.
  if (!ended.isFirstAnswer(attempt.state)) throw unknownAttempt();
  if (error !== null) throw refusedThere(provider, error);
  const answered = await reached(program, provider, () => finishAt(program, provider, callback, attempt));
  const entered = await program.db
    .transaction()
    .execute((tx) =>
      enter(tx, program, { provider, invitation: attempt.invitation ?? null, client, ended }, answered),
    );
  if (entered.kind === 'refused') throw refusal(entered.why, provider, answered.person);
  return { session: entered.session, to: attempt.to };
}

function readAttempt({ vault, clock }: SignInProgram, sealed: string | null): Attempt {
  if (sealed === null) throw unknownAttempt();
  try {
    const attempt = JSON.parse(vault.open(Buffer.from(sealed, 'base64url'))) as Attempt;
    if (attempt.endsAt > clock.now().getTime()) return attempt;
  } catch {
    // The cookie is not ours, or a former key sealed it.
  }
  throw unknownAttempt();
}

type Entered = { kind: 'refused'; why: Refusal } | { kind: 'in'; session: NewSession };

type Entering = { provider: Provider; invitation: string | null; client: Client; ended: EndedSignIns };

/** So that the audit log keeps them: once a minute, or strangers could fill it. */
async function enter(
  tx: Transaction,
  program: SignInProgram,
  { provider, invitation, client, ended }: Entering,
  { person, refreshToken, idToken }: Answered,
): Promise<Entered> {
  const { orgId } = provider;
  await lockOrganization(tx, orgId);
  const ctx = { ...program, actor: providerActor(orgId) };
  const invited = await invitationOf(tx, program, { orgId, invitation, email: person.email });
  const decision: Decided =
    invited === 'other'
      ? { kind: 'refused', why: 'other_invitation' }
      : await decide(tx, provider, person, invited);
  if (decision.kind === 'refused') {
    const { issuer, subject, email } = person;
    const details = {
      provider: provider.name,
      why: decision.why,
      email,
      issuer,
      subject,
      address: client.from,
    };
    const who = JSON.stringify([orgId, provider.id, issuer, subject, decision.why]);
    if (ended.isNewRefusal(who)) await recordAudit(tx, ctx, 'sign_in.refuse', provider.id, details);
    return decision;
  }
  const memberId = decision.memberId ?? (await addMemberIn(tx, ctx, newMember(person, decision.role))).id;
  const identity = { orgId, issuer: person.issuer, subject: person.subject };
  if (decision.kind === 'bound' || decision.kind === 'bind') await giveRole(tx, ctx, memberId, decision.role);
  if (decision.kind === 'bind') await endEarlierAccess(tx, ctx, memberId);
  // A link works once, also for a member. An invitation that was only found by the address gave a member
  // nothing, so it stays.
  if (decision.invitation && (decision.kind === 'new' || invitation !== null)) {
    const { email } = await getMember({ db: tx, actor: ctx.actor }, memberId);
    await markAccepted(tx, ctx, decision.invitation.id, { email, memberId });
  }
  const proof = proofOf(provider, person);
  if (proof.provenEmail !== null) await endInvitationsTo(tx, ctx, proof.provenEmail);
  if (decision.kind !== 'bound') {
    await insertIdentity(tx, { ...identity, memberId, createdAt: program.clock.now() });
  }
  const session = await signInMember(tx, program, {
    orgId,
    memberId,
    ...client,
    isByProvider: true,
    ...proof,
    audited: { provider: provider.name },
    ...(refreshToken === null && { maxMilliseconds: unaskedMilliseconds }),
  });
  const seal = (text: string | null) => (text === null ? null : program.vault.seal(text));
  await identitySessionRows.insert(tx, {
    ...identity,
    sessionId: session.id,
    providerId: provider.id,
    refreshToken: seal(refreshToken),
    idToken: seal(idToken),
  });
  if (refreshToken !== null) await noteCheck(tx, { orgId, id: session.id }, nextCheck(program));
  return { kind: 'in', session };
}

/** Others may have got in under the address, with a token that was passed on. */
async function endEarlierAccess(
  tx: Transaction,
  ctx: SignInProgram & { actor: Actor },
  memberId: string,
): Promise<void> {
  await endMemberSessions(tx, ctx, memberId);
  const isProven = await hasIdentity(tx, { orgId: ctx.actor.orgId, memberId });
  if (!isProven) await revokeMemberTokens(tx, ctx, { memberId, why: 'address_proven' });
}

/** A claim of an organization's own provider counts only in organizations that trust the same issuer. */
export function proofOf({ isFixed, issuer }: Provider, { email, isEmailVerified }: Person): Proof {
  if (!isEmailVerified || email === null) return { provenEmail: null, provenIssuer: null };
  return { provenEmail: email.toLowerCase(), provenIssuer: isFixed ? null : issuer };
}

export function nextCheck({ clock, signIn }: SignInProgram): Date {
  return new Date(clock.now().getTime() + signIn.checkMinutes * 60_000);
}

type Decided =
  | Extract<Decision, { kind: 'refused' }>
  | { kind: 'bound' | 'bind' | 'new'; role: Role; memberId: string | null; invitation: InvitedBy | null };

/** Or else one to their address; 'other' if the link is for another address. */
async function invitationOf(
  tx: Transaction,
  program: SignInProgram,
  { orgId, invitation, email }: { orgId: string; invitation: string | null; email: string | null },
): Promise<InvitedBy | null | 'other'> {
  const best = email === null ? null : await findInvitationOf(tx, orgId, { email, now: program.clock.now() });
  if (invitation === null) return best;
  const { id, role, email: invited } = await readInvitation(program, tx, invitation);
  if (invited !== null && invited.toLowerCase() !== email?.toLowerCase()) return 'other';
  return { id, role: best && hasRole(best.role, role) ? best.role : role };
}

type InvitedBy = Pick<Invitation, 'id' | 'role'>;

async function decide(
  tx: Transaction,
  provider: Provider,
  person: Person,
  invitation: InvitedBy | null,
): Promise<Decided> {
  const { orgId } = provider;
  const { issuer, subject, email } = person;
  const boundId = await findMemberOfIdentity(tx, { orgId, issuer, subject });
  const byEmail = email === null ? undefined : await findMemberByEmail(tx, orgId, email);
  const member = (id: string) => getMember({ db: tx, actor: providerActor(orgId) }, id);
  const decision = decideSignIn(person, provider, {
    bound: boundId === null ? null : { role: (await member(boundId)).role },
    byEmail: byEmail
      ? {
          role: (await member(byEmail.id)).role,
          hasOtherSubject: await hasIdentity(tx, { orgId, issuer, memberId: byEmail.id }),
        }
      : null,
    invited: invitation?.role ?? null,
  });
  if (decision.kind === 'refused') return decision;
  const memberId = boundId ?? (decision.kind === 'bind' ? byEmail!.id : null);
  return { ...decision, memberId, invitation };
}

function newMember({ email, name }: Person, role: Role) {
  return { email: email!, name, role };
}

/** The provider acts for the owners, who configured it. */
export function providerActor(orgId: string): Actor {
  const identity = { memberId: null, tokenId: null, sessionId: null };
  return { orgId, role: 'owner', scopes, name: 'single sign-on', identity };
}

/** Reports a failure of the provider, or of the way to it. The log has the details. */
async function reached<T>(program: SignInProgram, provider: Provider, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PublicError) throw error;
    program.log.warn({ provider: provider.id, problem: messagesOf(error) }, 'a sign-in failed');
    throw new PublicError(
      'unavailable',
      'provider_failed',
      `${provider.name} did not answer correctly. Try again. If it keeps failing, ask an admin: the server's log has the reason.`,
    );
  }
}

/** Messages of the error and its causes. None of them contains a token or a secret. */
export function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error; each instanceof Error && messages.length < 5; each = each.cause) {
    const { code } = each as { code?: unknown };
    messages.push(typeof code === 'string' ? `${each.message} (${code})` : each.message);
  }
  return messages.join(': ');
}

function unknownAttempt(): PublicError {
  const message =
    'This sign-in took too long, was used already, or was started in another browser. Start again.';
  return new PublicError('invalid', 'sign_in_unknown', message);
}

function refusedThere({ name }: Provider, error: string): PublicError {
  const why =
    error === 'access_denied' ? 'You did not sign in there, or you may not use Runcost.' : 'Try again.';
  return new PublicError('forbidden', 'refused_by_provider', `${name} refused the sign-in. ${why}`);
}

function refusal(why: Refusal, { name }: Provider, { email }: Person): PublicError {
  const texts: Record<Refusal, string> = {
    email_missing: `${name} did not share your email address. Ask an admin to let Runcost read it.`,
    email_unverified: `${name} has not verified your email address ${email}. Verify it there, then sign in again.`,
    domain_not_allowed: `${email} is not a member of this organization. Ask an admin to add you.`,
    not_a_member: `${email} is not a member of this organization. Ask an admin to add you.`,
    groups_unknown: `${name} left out your groups, because you have too many, so your role is unknown. Ask an admin to send only the groups assigned to the application (Microsoft Entra: App registrations, Token configuration).`,
    no_group: `None of your groups at ${name} may use Runcost. Ask an admin to add you to one.`,
    other_invitation: `This invitation is not for ${email ?? 'your address'}. Sign in at ${name} with the invited address.`,
    other_identity: `The member ${email} signs in with another account at ${name}. Ask an admin to remove and add the member.`,
  };
  return new PublicError('forbidden', why, texts[why]);
}
