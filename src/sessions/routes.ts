import { isIP, SocketAddress } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { dataOf, responses } from '../http/schemas.ts';
import { clearSessionCookie, setSessionCookie } from '../http/sessionCookie.ts';
import type { Scope } from '../lib/actor.ts';
import { invalid } from '../lib/errors.ts';
import type { Program } from '../organizations/context.ts';
import { readToken } from '../tokens/tokenText.ts';
import { signInWithCode, signInWithToken } from './createSession.ts';
import { endSession } from './endSession.ts';
import { limitFailures, TooManyFailures, type Attempt } from './failureLimit.ts';
import type { SignedIn } from './holder.ts';
import { SignedInSchema, SignInBody } from './schema.ts';
import { readSecret } from './secretText.ts';
import { getSignedIn } from './verifySession.ts';

const anybody = { access: { scope: null, role: 'viewer' } } as const;
const maxFailures = 20;

/** Signing a browser in and out, and who is signed in. */
export function sessionRoutes(program: Program & { publicUrl: () => string }): FastifyPluginCallbackTypebox {
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
        const signIn = signInOf(program, request.body);
        try {
          const { text, signedIn } = await attempt(attemptOf(request, request.body), signIn);
          const seconds = Math.ceil((signedIn.expiresAt.getTime() - program.clock.now().getTime()) / 1_000);
          setSessionCookie(reply, program.publicUrl(), { text, seconds });
          return await reply.status(201).send({ data: signedInView(signedIn) });
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
      async (request) => ({ data: signedInView(await getSignedIn(program, request.credential.text)) }),
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
        await endSession({ ...program, actor: request.actor }, request.credential.text);
        clearSessionCookie(reply, program.publicUrl());
        return { data: { signed_out: true as const } };
      },
    );
    done();
  };
}

/** The way to sign in that the body asks for. */
function signInOf(program: Program, { token, code }: Type.Static<typeof SignInBody>) {
  if (token !== undefined && code === undefined) return () => signInWithToken(program, token);
  if (code !== undefined && token === undefined) return () => signInWithCode(program, code);
  throw invalid('body', 'must hold either a token or a code');
}

function attemptOf(request: FastifyRequest, { token, code }: Type.Static<typeof SignInBody>): Attempt {
  const parts = token === undefined ? readSecret('code', code ?? '') : readToken(token);
  return { address: addressOf(request), credential: parts && `${parts.orgId} ${parts.id}` };
}

/** The caller's address, of version 6 its /64. Some proxies name the port too; what is no address is the proxy's own. */
function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) ? ip : (SocketAddress.parse(ip)?.address ?? socket.remoteAddress ?? '');
  return normalizeIP(address);
}

function signedInView({ organization, member, role, scopes, expiresAt }: SignedIn) {
  return { organization, member, role, scopes: scopes as Scope[], expires_at: expiresAt };
}
