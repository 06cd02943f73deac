import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setSessionCookie } from '../../platform/http/authenticate.ts';
import { problemAnswer } from '../../platform/http/problem.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import { limitCalls } from '../../platform/lib/limitFailures.ts';
import { attemptSeconds, finishSignIn, rememberSignIns, startSignIn } from './enter.ts';
import { problemPage } from './page.ts';
import type { SignInProgram } from './providers.ts';
import { CallbackParams, StartQuery } from './schema.ts';

const cookieName = 'runcost_sign_in';
/** Per address and minute. The people of a company can share one address. */
export const maxStarts = 120;

/** Pages and redirects for a browser that signs in at a provider; not for programs. */
export function signInRoutes(program: SignInProgram): FastifyPluginCallbackTypebox {
  const started = limitCalls(program.clock, maxStarts, 'sign-ins from your address');
  const ended = rememberSignIns(program);

  return (server, _options, done) => {
    server.setErrorHandler((error, request, reply) => {
      const { status, detail } = problemAnswer(error, request, reply);
      setAttemptCookie(reply, program, '');
      return reply
        .status(status)
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(problemPage(status, detail));
    });

    server.get(
      '/sign-in/start',
      {
        config: { access: 'public' },
        schema: { hide: true, querystring: StartQuery },
      },
      async (request, reply) => {
        started(networkOf(request));
        const { address, sealed } = await startSignIn(program, request.query);
        setAttemptCookie(reply, program, sealed);
        return reply.header('cache-control', 'no-store').redirect(address);
      },
    );

    server.get(
      '/sign-in/callback/:org_id',
      {
        config: { access: 'public' },
        schema: { hide: true, params: CallbackParams },
      },
      async (request, reply) => {
        const { search } = new URL(request.url, 'http://runcost.invalid');
        const sealed = attemptOf(request);
        const { session, to } = await finishSignIn(program, ended, {
          orgId: request.params.org_id,
          sealed,
          query: search,
          ...clientOf(request),
        });
        const { text, signedIn } = session;
        const seconds = Math.ceil((signedIn.expiresAt.getTime() - program.clock.now().getTime()) / 1_000);
        setAttemptCookie(reply, program, '');
        setSessionCookie(reply, program.publicUrl(), { text, seconds });
        return reply.header('cache-control', 'no-store').redirect(to);
      },
    );
    done();
  };
}

function attemptOf({ headers }: FastifyRequest): string | null {
  const pair = headers.cookie?.split(';').find((each) => each.trim().startsWith(`${cookieName}=`));
  return pair?.trim().slice(cookieName.length + 1) || null;
}

/** SameSite is Lax, because the provider's site leads the browser back. */
export function setAttemptCookie(reply: FastifyReply, { publicUrl }: SignInProgram, sealed: string): void {
  const age = sealed === '' ? 0 : attemptSeconds;
  const parts = [`${cookieName}=${sealed}`, 'Path=/sign-in', 'HttpOnly', 'SameSite=Lax', `Max-Age=${age}`];
  if (publicUrl().startsWith('https:')) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}
