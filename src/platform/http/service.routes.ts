import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Health } from '../db/health.ts';
import { Problem, words } from './schemas.ts';

const Ok = Type.Object({ status: Type.Literal('ok') });
const Ready = Type.Object({
  status: Type.Literal('ok'),
  hold: Type.Optional(
    words(['restored', 'copied', 'moved', 'moving'], {
      description: 'why Runcost sends nothing by itself; absent without a hold',
    }),
  ),
});
const tags = ['Service'];
const config = { access: 'public' } as const;

export function healthRoutes(health: Health): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/healthz',
      { config, schema: { tags, summary: 'Check liveness', security: [], response: { 200: Ok } } },
      async () => ({ status: 'ok' as const }),
    );
    server.get(
      '/readyz',
      {
        config,
        schema: {
          tags,
          summary: 'Check readiness',
          description: 'A 503 says why not: the database cannot be used, or the server stops.',
          security: [],
          response: { 200: Ready, 503: { content: { 'application/problem+json': { schema: Problem } } } },
        },
      },
      async () => {
        await health.check();
        const hold = await health.findHold();
        return { status: 'ok' as const, ...(hold ? { hold: hold.reason } : {}) };
      },
    );
    done();
  };
}

/** The OpenAPI document. */
export const descriptionRoute: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/openapi.json',
    {
      config,
      schema: { tags, summary: 'Get the OpenAPI document', security: [], response: { 200: Type.Unknown() } },
    },
    async () => server.swagger(),
  );
  done();
};
