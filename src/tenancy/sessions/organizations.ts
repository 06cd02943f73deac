import type { Context, Program } from '../../context.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { namesInAddresses } from '../organizations/organizations.ts';
import { findMemberships, lockSession, type MembershipRow } from './organizations.queries.ts';
import { findSession } from './queries.ts';
import { rightsOf } from './sessions.ts';
import { signInMember, type Client } from './signIn.ts';

export type OwnOrganization = {
  id: string;
  name: string;
  login: string | null;
  /** Its name in the URLs of pages. */
  addressName: string;
  role: Role;
  /** Whether requests can name it, because the browser has entered it. */
  isEntered: boolean;
  /** Whether only its own identity provider lets people enter. */
  isProviderRequired: boolean;
};

/** The session that the browser's cookie names. */
export type Cookie = { orgId: string; id: string };

/** Its own first, then those of the session's proven address. A token proves no address. */
export async function listOwnOrganizations(
  { db, clock, actor }: Pick<Context, 'db' | 'clock' | 'actor'>,
  cookie: Cookie | null,
): Promise<OwnOrganization[]> {
  const session = cookie && (await findSession(db, cookie.orgId, cookie.id));
  const home = session
    ? { orgId: session.orgId, role: rightsOf(session).role }
    : { orgId: actor.orgId, role: actor.role };
  const others = session ? once(await findMemberships(db, session, clock.now())) : [];
  const names = await namesInAddresses(
    db,
    [home, ...others].map(({ orgId }) => orgId),
  );
  const ownOf = ({ orgId, role, enteredId, isRequired }: Omit<MembershipRow, 'memberId'>) => {
    const named = names.get(orgId);
    const state = { role, isEntered: enteredId !== null, isProviderRequired: isRequired };
    return named ? [{ ...named, ...state }] : [];
  };
  return [{ ...home, enteredId: session?.id ?? '', isRequired: false }, ...others].flatMap(ownOf);
}

/** Of two members of one organization, the one who signed in by a provider counts. */
function once(rows: readonly MembershipRow[]): MembershipRow[] {
  return rows.filter(({ orgId }, index) => rows.findIndex((each) => each.orgId === orgId) === index);
}

/** Unless there is one. It has the member's rights there, and ends with the session it came from. */
export async function enterOrganization(
  program: Program,
  cookie: Cookie,
  { organization, ...client }: { organization: string } & Client,
): Promise<void> {
  const { db, clock } = program;
  await db.transaction().execute(async (tx) => {
    const session = (await lockSession(tx, cookie)) && (await findSession(tx, cookie.orgId, cookie.id));
    if (!session)
      throw new PublicError('unauthenticated', 'session_ended', 'You are signed out. Sign in again.');
    if (organization === session.orgId) return;
    const own = once(await findMemberships(tx, session, clock.now()));
    const asked = own.find(({ orgId }) => orgId === organization);
    if (!asked) throw notFound('organization');
    if (asked.enteredId !== null) return;
    await signInMember(tx, program, {
      orgId: asked.orgId,
      memberId: asked.memberId,
      ...client,
      root: cookie,
      provenEmail: session.provenEmail,
      provenIssuer: session.provenIssuer,
      maxMilliseconds: session.expiresAt.getTime() - clock.now().getTime(),
      audited: { switched: true },
    });
  });
}
