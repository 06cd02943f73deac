import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { pingDatabase, type Database } from '../db/database.ts';
import { Problem } from './schemas.ts';

const Ok = Type.Object({ status: Type.Literal('ok') });
const tags = ['Service'];
const config = { access: 'public' } as const;

/** Whether the process is alive, whether it is ready, and its API document. */
export function healthRoutes(db: Database): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/healthz',
      { config, schema: { tags, summary: 'Is the process alive?', security: [], response: { 200: Ok } } },
      async () => ({ status: 'ok' as const }),
    );
    server.get(
      '/readyz',
      {
        config,
        schema: {
          tags,
          summary: 'Does the database answer?',
          security: [],
          response: { 200: Ok, 503: { content: { 'application/problem+json': { schema: Problem } } } },
        },
      },
      async () => {
        await pingDatabase(db);
        return { status: 'ok' as const };
      },
    );
    server.get(
      '/openapi.json',
      {
        config,
        schema: { tags, summary: 'This API as OpenAPI 3.1', security: [], response: { 200: Type.Unknown() } },
      },
      async () => server.swagger(),
    );
    done();
  };
}
