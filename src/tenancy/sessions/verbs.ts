import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { describeHold, findHold } from '../../platform/db/installation.ts';
import { clearSessionCookie, setSessionCookie } from '../../platform/http/authenticate.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import { idParams, pageOf } from '../../platform/http/schemas.ts';
import { verbsWith, type Http, type VerbContext } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { hasRole, type Scope } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { commandPrefix } from '../../platform/lib/commandLine.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { limitFailures, type Attempt } from '../../platform/lib/limitFailures.ts';
import { isPublicAddress } from '../../platform/lib/publicAddress.ts';
import { namesInAddresses } from '../organizations/organizations.ts';
import { readSecret } from '../tokens/tokens.ts';
import { createFailureNotes, unnoted } from './failedSignIns.ts';
import { listOwnOrganizations, type Cookie, type OwnOrganization } from './organizations.ts';
import { anybody, cookieOf, ownOrganizationVerbs } from './organizations.verbs.ts';
import {
  SessionsAsked,
  SessionSchema,
  SessionsQuery,
  SignedInSchema,
  SignedOutSchema,
  SignInBody,
} from './schema.ts';
import { endSession, endSessions, hasEnded, listSessions, signOut } from './sessions.ts';
import { getSignedIn, signInWithCode, signInWithToken, type Client, type SignedIn } from './signIn.ts';

const params = idParams('ses_0e4b8d1c6a9f2753d8e1');
const maxFailures = 20;

type SessionProgram = Program &
  ReturnType<typeof sessionProgram> & {
    log: Pick<Logger, 'warn'>;
    publicUrl: () => string;
    commandLine: string;
    findSignOutAddress: (session: Cookie | null) => Promise<string | null>;
  };

export function sessionProgram(program: Program) {
  return {
    trySignIn: limitFailures(program.clock, maxFailures),
    noteFailure: createFailureNotes(program),
  };
}

const verb = verbsWith<VerbContext & SessionProgram>();

export const sessionVerbs = [
  verb({
    ...anybody,
    name: 'session sign-in',
    at: 'POST /session',
    access: 'public',
    config: { startsSession: true },
    title: 'Sign in',
    description:
      'Takes a token or a one-time code and sets the cookie `runcost_session`. The cookie lasts 30 days and ends with the token. After 20 failures in a minute for one address, token or code, more failures get 429. If they continue, the wait becomes 2, 4, 8 and then 15 minutes. A valid token or code always signs in. A page of another origin gets 403 `origin_refused`.',
    body: SignInBody,
    status: 201,
    answer: SignedInSchema,
    run: async (ctx, { body }, { request, reply }) => {
      const client = clientOf(request);
      const signIn = signInOf(ctx, body, client);
      try {
        const { text, signedIn } = await ctx.trySignIn(attemptOf(request, body), signIn);
        setSessionCookie(reply, ctx.publicUrl(), { text, seconds: secondsOf(ctx, signedIn) });
        return await signedInView(ctx, 'session', signedIn, []);
      } catch (error) {
        await ctx
          .noteFailure(secretIn(body), client.from)
          .catch((err: unknown) => request.log.error({ err }, unnoted));
        throw error;
      }
    },
  }),
  verb({
    ...anybody,
    name: 'session get',
    at: 'GET /session',
    title: 'Get who is signed in',
    description:
      'Returns the owner of the session or token and their current rights. If a browser has entered several organizations, choose one with `org_id`.',
    answer: SignedInSchema,
    run: async (ctx, _input, { request }) =>
      signedInView(
        ctx,
        request.credential.kind,
        await getSignedIn(ctx, ctx.actor),
        await listOwnOrganizations(ctx, cookieOf(request)),
      ),
  }),
  verb({
    ...anybody,
    name: 'session sign-out',
    at: 'DELETE /session',
    config: { needsSession: true },
    title: 'Sign out',
    description: 'Ends the session and clears its cookie. A token has no session to end: 409.',
    answer: SignedOutSchema,
    faults: [409],
    run: async (ctx, _input, { request, reply }) => {
      const provider_address = await ctx.findSignOutAddress(cookieOf(request));
      await signOut(ctx, cookieOf(request));
      clearSessionCookie(reply, ctx.publicUrl());
      return { signed_out: true as const, provider_address };
    },
  }),
  verb({
    ...anybody,
    name: 'session list',
    at: 'GET /sessions',
    title: 'List sessions',
    page: '/settings/sessions',
    description:
      "Lists signed-in browsers, last used first unless you sort them. By default these are the sessions of all your tokens. Admins can list a member's sessions or all.",
    query: SessionsQuery,
    answer: pageOf(SessionSchema),
    columns: [
      'id',
      ['member.email', 'member'],
      ['token.name', 'token'],
      'role',
      'address',
      'browser',
      ['last_seen_at', 'last used'],
    ],
    isWhole: true,
    faults: [404],
    run: (ctx, { query }) => {
      const order = { by: query.sort_by, direction: query.sort_order };
      return answerPage(query, (page) => listSessions(ctx, askedOf(query), page, order), apiFields);
    },
  }),
  verb({
    ...anybody,
    name: 'session revoke-all',
    at: 'DELETE /sessions',
    title: 'Sign out everywhere',
    description:
      "Ends all your sessions, including this one, and your unused sign-in links. Admins can end a member's sessions, owners can end all. Tokens stay valid.",
    query: SessionsAsked,
    answer: Type.Object({ ended: Type.Integer() }),
    faults: [404],
    run: async (ctx, { query }, http) => {
      const ended = await endSessions(ctx, askedOf(query));
      await clearIfEnded(ctx, http);
      return { ended };
    },
  }),
  verb({
    ...anybody,
    name: 'session revoke',
    at: 'DELETE /sessions/:id',
    title: 'End a session',
    description: 'Ends one of your own sessions. Admins can end any session whose role is not above theirs.',
    params,
    answer: Type.Object({ ...params.properties, ended: Type.Literal(true) }),
    faults: [404],
    run: async (ctx, { params: { id } }, http) => {
      await endSession(ctx, id);
      await clearIfEnded(ctx, http);
      return { id, ended: true as const };
    },
  }),
  ...ownOrganizationVerbs,
];

function askedOf({ member_id: memberId, all }: Type.Static<typeof SessionsAsked>) {
  return { memberId, all };
}

async function clearIfEnded(program: SessionProgram, { request, reply }: Http): Promise<void> {
  const cookie = cookieOf(request);
  if (cookie && (await hasEnded(program, cookie))) clearSessionCookie(reply, program.publicUrl());
}

function signInOf(program: SessionProgram, { token, code }: Type.Static<typeof SignInBody>, client: Client) {
  if (token !== undefined && code === undefined) return () => signInWithToken(program, token, client);
  if (code !== undefined && token === undefined) return () => signInWithCode(program, code, client);
  throw invalid('', 'must hold either a token or a code');
}

function secondsOf({ clock }: Program, { expiresAt }: { expiresAt: Date }): number {
  return Math.ceil((expiresAt.getTime() - clock.now().getTime()) / 1_000);
}

function secretIn({ token, code }: Type.Static<typeof SignInBody>) {
  const kind = token === undefined ? 'code' : 'token';
  const parts = readSecret(kind, token ?? code ?? '');
  return parts && ({ kind, orgId: parts.orgId, id: parts.id } as const);
}

function attemptOf(request: Http['request'], body: Type.Static<typeof SignInBody>): Attempt {
  const parts = secretIn(body);
  return { address: networkOf(request), credential: parts && `${parts.orgId} ${parts.id}` };
}

async function signedInView(
  { db, publicUrl, commandLine }: SessionProgram,
  kind: Http['request']['credential']['kind'],
  { organization, member, token, role, scopes, expiresAt }: SignedIn,
  own: readonly OwnOrganization[],
) {
  const { id } = organization;
  const { addressName } = own.find((each) => each.id === id) ?? (await namesInAddresses(db, [id])).get(id)!;
  const rights = { role, scopes: scopes as Scope[], expires_at: expiresAt };
  const hold = await findHold(db);
  const heldText = hold && describeHold(hold);
  return {
    organization: { ...organization, address_name: addressName },
    kind,
    member,
    token,
    ...rights,
    command_line: hasRole(role, 'admin') ? commandLine : commandPrefix,
    hold: heldText,
    other_organizations: Math.max(own.length - 1, 0),
    public_url: publicUrl(),
    is_public: isPublicAddress(publicUrl()),
  };
}
