import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { describeHold, findHold } from '../../platform/db/installation.ts';
import { clearSessionCookie, setSessionCookie } from '../../platform/http/authenticate.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import { dataOf, idParams, pageOf, responses, sampleText } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { hasRole, type Scope } from '../../platform/lib/actor.ts';
import { commandPrefix } from '../../platform/lib/commandLine.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { limitFailures, type Attempt } from '../../platform/lib/limitFailures.ts';
import { isPublicAddress } from '../../platform/lib/publicAddress.ts';
import { namesInAddresses } from '../organizations/organizations.ts';
import { readSecret } from '../tokens/tokens.ts';
import { createFailureNotes, unnoted } from './failedSignIns.ts';
import { cookieOf, ownOrganizationRoutes } from './organizations.routes.ts';
import { listOwnOrganizations, type Cookie, type OwnOrganization } from './organizations.ts';
import {
  SessionsAsked,
  SessionSchema,
  SessionsQuery,
  SignedInSchema,
  SignedOutSchema,
  SignInBody,
} from './schema.ts';
import { endSession, endSessions, hasEnded, listSessions, signOut, type Session } from './sessions.ts';
import { getSignedIn, signInWithCode, signInWithToken, type Client, type SignedIn } from './signIn.ts';

const tags = ['Session'];
const params = idParams('ses_0e4b8d1c6a9f2753d8e1');

const anybody = { access: { scope: null, role: 'viewer' } } as const;
const maxFailures = 20;

type SessionProgram = Program & { log: Pick<Logger, 'warn'>; publicUrl: () => string };

type Settings = {
  commandLine: string;
  findSignOutAddress: (session: Cookie | null) => Promise<string | null>;
};

export function sessionRoutes(program: SessionProgram, settings: Settings): FastifyPluginCallbackTypebox {
  const [attempt, noteFailure] = [limitFailures(program.clock, maxFailures), createFailureNotes(program)];

  return (server, _options, done) => {
    server.addHook('onSend', (_request, reply, _payload, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });

    server.post(
      '/session',
      {
        config: { access: 'public', startsSession: true },
        schema: {
          tags,
          summary: 'Sign in',
          description:
            'Takes a token or a one-time code and sets the cookie `runcost_session`. The cookie lasts 30 days and ends with the token. After 20 failures in a minute for one address, token or code, more failures get 429. If they continue, the wait becomes 2, 4, 8 and then 15 minutes. A valid token or code always signs in. A page of another origin gets 403 `origin_refused`.',
          security: [],
          body: SignInBody,
          response: responses(201, dataOf(SignedInSchema)),
        },
      },
      async (request, reply) => {
        const client = clientOf(request);
        const signIn = signInOf(program, request.body, client);
        try {
          const { text, signedIn } = await attempt(attemptOf(request, request.body), signIn);
          setSessionCookie(reply, program.publicUrl(), { text, seconds: secondsOf(program, signedIn) });
          return await reply
            .status(201)
            .send({ data: await signedInView(program, signedIn, { ...settings, own: [] }) });
        } catch (error) {
          await noteFailure(secretIn(request.body), client.from).catch((err: unknown) =>
            request.log.error({ err }, unnoted),
          );
          throw error;
        }
      },
    );

    server.register(currentRoutes(program, settings));
    server.register(listRoutes(program));
    server.register(ownOrganizationRoutes(program));
    done();
  };
}

function currentRoutes(program: SessionProgram, settings: Settings): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/session',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'Get who is signed in',
          description:
            'Returns the owner of the session or token and their current rights. If a browser has entered several organizations, choose one with `org_id`.',
          response: responses(200, dataOf(SignedInSchema)),
        },
      },
      async (request) => ({
        data: await signedInView(program, await getSignedIn(program, request.actor), {
          ...settings,
          own: await listOwnOrganizations(request.ctx, cookieOf(request)),
        }),
      }),
    );

    server.delete(
      '/session',
      {
        config: { ...anybody, needsSession: true },
        schema: {
          tags,
          summary: 'Sign out',
          description: 'Ends the session and clears its cookie. A token has no session to end: 409.',
          response: responses(200, dataOf(SignedOutSchema), [409]),
        },
      },
      async (request, reply) => {
        const provider_address = await settings.findSignOutAddress(cookieOf(request));
        await signOut(request.ctx, cookieOf(request));
        clearSessionCookie(reply, program.publicUrl());
        return { data: { signed_out: true as const, provider_address } };
      },
    );
    done();
  };
}

function listRoutes(program: SessionProgram): FastifyPluginCallbackTypebox {
  const askedOf = (query: Type.Static<typeof SessionsAsked>) => ({
    memberId: query.member_id,
    all: query.all,
  });
  const clearIfEnded = async (request: FastifyRequest, reply: FastifyReply) => {
    const cookie = cookieOf(request);
    if (cookie && (await hasEnded(program, cookie))) clearSessionCookie(reply, program.publicUrl());
  };

  return (server, _options, done) => {
    server.get(
      '/sessions',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'List sessions',
          description:
            "Lists signed-in browsers, last used first unless you sort them. By default these are the sessions of all your tokens. Admins can list a member's sessions or all.",
          querystring: SessionsQuery,
          response: responses(200, pageOf(SessionSchema), [404]),
        },
      },
      async (request) => {
        const { query } = request;
        const page = readPagination(query);
        const order = { by: query.sort_by, direction: query.sort_order };
        const { sessions, total } = await listSessions(request.ctx, askedOf(query), page, order);
        return { data: sessions.map(sessionView), pagination: paginationView(page, total) };
      },
    );

    server.delete(
      '/sessions',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'Sign out everywhere',
          description:
            "Ends all your sessions, including this one, and your unused sign-in links. Admins can end a member's sessions, owners can end all. Tokens stay valid.",
          querystring: SessionsAsked,
          response: responses(200, dataOf(Type.Object({ ended: Type.Integer() })), [404]),
        },
      },
      async (request, reply) => {
        const ended = await endSessions(request.ctx, askedOf(request.query));
        await clearIfEnded(request, reply);
        return { data: { ended } };
      },
    );

    server.delete(
      '/sessions/:id',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'End a session',
          description:
            'Ends one of your own sessions. Admins can end any session whose role is not above theirs.',
          params,
          response: responses(
            200,
            dataOf(Type.Object({ id: sampleText('ses_0e4b8d1c6a9f2753d8e1'), ended: Type.Literal(true) })),
            [404],
          ),
        },
      },
      async (request, reply) => {
        const { id } = request.params;
        await endSession(request.ctx, id);
        await clearIfEnded(request, reply);
        return { data: { id, ended: true as const } };
      },
    );
    done();
  };
}

function signInOf(program: SessionProgram, { token, code }: Type.Static<typeof SignInBody>, client: Client) {
  if (token !== undefined && code === undefined) return () => signInWithToken(program, token, client);
  if (code !== undefined && token === undefined) return () => signInWithCode(program, code, client);
  throw invalid('body', 'must hold either a token or a code');
}

function secondsOf({ clock }: Program, { expiresAt }: { expiresAt: Date }): number {
  return Math.ceil((expiresAt.getTime() - clock.now().getTime()) / 1_000);
}

function secretIn({ token, code }: Type.Static<typeof SignInBody>) {
  const kind = token === undefined ? 'code' : 'token';
  const parts = readSecret(kind, token ?? code ?? '');
  return parts && ({ kind, orgId: parts.orgId, id: parts.id } as const);
}

function attemptOf(request: FastifyRequest, body: Type.Static<typeof SignInBody>): Attempt {
  const parts = secretIn(body);
  return { address: networkOf(request), credential: parts && `${parts.orgId} ${parts.id}` };
}

function sessionView({ id, createdAt, lastSeenAt, expiresAt, isCurrent, ...session }: Session) {
  const { address, browser, token, member, role } = session;
  return {
    id,
    member,
    token,
    role,
    address,
    browser,
    is_current: isCurrent,
    created_at: createdAt,
    last_seen_at: lastSeenAt,
    expires_at: expiresAt,
  };
}

async function signedInView(
  { db, publicUrl }: Program & { publicUrl: () => string },
  { organization, member, role, scopes, expiresAt }: SignedIn,
  { own, ...settings }: { commandLine: string; own: readonly OwnOrganization[] },
) {
  const { id } = organization;
  const { addressName } = own.find((each) => each.id === id) ?? (await namesInAddresses(db, [id])).get(id)!;
  const commandLine = hasRole(role, 'admin') ? settings.commandLine : commandPrefix;
  const rights = { role, scopes: scopes as Scope[], expires_at: expiresAt };
  const hold = await findHold(db);
  const heldText = hold && describeHold(hold);
  return {
    organization: { ...organization, address_name: addressName },
    member,
    ...rights,
    command_line: commandLine,
    hold: heldText,
    other_organizations: Math.max(own.length - 1, 0),
    public_url: publicUrl(),
    is_public: isPublicAddress(publicUrl()),
  };
}
