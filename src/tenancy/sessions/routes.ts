import { isIP, SocketAddress } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { clearSessionCookie, setSessionCookie } from '../../platform/http/authenticate.ts';
import { dataOf, IdParams, pageOf, PageQuery, responses } from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { hasRole, type Scope } from '../../platform/lib/actor.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { readSecret } from '../tokens/secretText.ts';
import { SessionsAsked, SessionSchema, SignedInSchema, SignInBody } from './schema.ts';
import { endSession, endSessions, hasEnded, listSessions, signOut, type Session } from './sessions.ts';
import {
  getSignedIn,
  limitFailures,
  signInWithCode,
  signInWithToken,
  TooManyFailures,
  type Attempt,
  type SignedIn,
} from './signIn.ts';

const anybody = { access: { scope: null, role: 'viewer' } } as const;
const maxFailures = 20;

/** Signing a browser in and out, and who is signed in. */
export function sessionRoutes(
  program: Program & { publicUrl: () => string },
  settings: { commandLine: string },
): FastifyPluginCallbackTypebox {
  const attempt = limitFailures(program.clock, maxFailures);

  return (server, _options, done) => {
    const tags = ['Session'];
    server.addHook('onSend', (_request, reply, _payload, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });

    server.post(
      '/session',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Sign in',
          description:
            'Takes a token or a one-time code and sets the cookie `runcost_session`, which is good for 30 days and ends with the token. After 20 failures a minute, of one address or about one token or code, further ones answer 429; a valid token or code always signs in.',
          security: [],
          body: SignInBody,
          response: responses(201, dataOf(SignedInSchema)),
        },
      },
      async (request, reply) => {
        const from = addressOf(request);
        const signIn = signInOf(program, request.body, from);
        try {
          const { text, signedIn } = await attempt(attemptOf(request.body, from), signIn);
          const seconds = Math.ceil((signedIn.expiresAt.getTime() - program.clock.now().getTime()) / 1_000);
          setSessionCookie(reply, program.publicUrl(), { text, seconds });
          return await reply.status(201).send({ data: signedInView(signedIn, settings) });
        } catch (error) {
          if (error instanceof TooManyFailures) reply.header('retry-after', error.secondsLeft);
          throw error;
        }
      },
    );

    server.get(
      '/session',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'Who is signed in?',
          description: 'Whoever the session or the token belongs to, with the rights they have now.',
          response: responses(200, dataOf(SignedInSchema)),
        },
      },
      async (request) => ({
        data: signedInView(await getSignedIn(program, request.credential.text), settings),
      }),
    );

    server.delete(
      '/session',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'Sign out',
          description: 'Ends the session and clears its cookie. A token is not ended by this: 409.',
          response: responses(200, dataOf(Type.Object({ signed_out: Type.Literal(true) })), [409]),
        },
      },
      async (request, reply) => {
        await signOut(request.ctx);
        clearSessionCookie(reply, program.publicUrl());
        return { data: { signed_out: true as const } };
      },
    );
    server.register(listRoutes(program));
    done();
  };
}

/** The sessions there are, and ending them. */
function listRoutes(program: Program & { publicUrl: () => string }): FastifyPluginCallbackTypebox {
  const askedOf = (query: Type.Static<typeof SessionsAsked>) => ({
    memberId: query.member_id,
    all: query.all,
  });
  const clearIfEnded = async (request: FastifyRequest, reply: FastifyReply) => {
    if (await hasEnded(request.ctx)) clearSessionCookie(reply, program.publicUrl());
  };

  return (server, _options, done) => {
    const tags = ['Session'];
    server.get(
      '/sessions',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'List sessions',
          description:
            "The browsers that are signed in, last used first: your own, which are those of all your tokens. Admins can ask for a member's or for all.",
          querystring: Type.Object({ ...SessionsAsked.properties, ...PageQuery.properties }),
          response: responses(200, pageOf(SessionSchema), [404]),
        },
      },
      async (request) => {
        const page = pageAsked(request.query);
        const { sessions, total } = await listSessions(request.ctx, askedOf(request.query), page);
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
            "Ends all your sessions, this one too, and your links that are not used yet. Admins can end a member's, owners all. Tokens stay valid.",
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
          description: 'One of your own, or as an admin one whose role is not above yours.',
          params: IdParams,
          response: responses(
            200,
            dataOf(Type.Object({ id: Type.String(), ended: Type.Literal(true) })),
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

/** The way to sign in that the body asks for. */
function signInOf(program: Program, { token, code }: Type.Static<typeof SignInBody>, from: string) {
  if (token !== undefined && code === undefined) return () => signInWithToken(program, token, from);
  if (code !== undefined && token === undefined) return () => signInWithCode(program, code, from);
  throw invalid('body', 'must hold either a token or a code');
}

/** An address of version 6 counts as its /64, which one person has. */
function attemptOf({ token, code }: Type.Static<typeof SignInBody>, from: string): Attempt {
  const parts = token === undefined ? readSecret('code', code ?? '') : readSecret('token', token);
  return { address: normalizeIP(from), credential: parts && `${parts.orgId} ${parts.id}` };
}

/** The caller's address. Some proxies name the port too; what is no address counts as the proxy's own. */
function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) ? ip : (SocketAddress.parse(ip)?.address ?? socket.remoteAddress ?? '');
  return normalizeIP(address, 128);
}

function sessionView({ id, createdAt, lastSeenAt, expiresAt, isCurrent, ...session }: Session) {
  const { address, token, member, role } = session;
  return {
    id,
    member,
    token,
    role,
    address,
    is_current: isCurrent,
    created_at: createdAt,
    last_seen_at: lastSeenAt,
    expires_at: expiresAt,
  };
}

function signedInView(
  { organization, member, role, scopes, expiresAt }: SignedIn,
  settings: { commandLine: string },
) {
  const commandLine = hasRole(role, 'admin') ? settings.commandLine : 'npm run -s runcost --';
  const rights = { role, scopes: scopes as Scope[], expires_at: expiresAt };
  return { organization, member, ...rights, command_line: commandLine };
}
