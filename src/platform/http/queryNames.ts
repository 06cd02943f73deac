import type { FastifyInstance } from 'fastify';
import { Type, type TObject } from 'typebox';
import { Uuid } from './schemas.ts';

/** Providers and exporters do not send a refused event again. */
const receptionRoutes = ['POST /api/v1/ingest/:source_id', 'POST /v1/traces'];

/**
 * Makes every route accept `org_id`, which `authenticate` compares with the caller's, and makes all routes but
 * those in `ignoring` refuse unknown query parameters. Register it before the routes.
 */
export function checkQueryNames(server: FastifyInstance, ignoring: readonly string[]): void {
  const lenient = new Set([...ignoring, ...receptionRoutes]);
  server.addHook('onRoute', (route) => {
    const { access } = route.config ?? {};
    // Browsers, mail programs and probes call public routes outside the API, with parameters of their own.
    if (!access || (access === 'public' && !route.url.startsWith('/api/'))) return;
    const method = String(route.method).replace('HEAD', 'GET');
    const { properties } = (route.schema?.querystring ?? Type.Object({})) as TObject;
    const querystring = Type.Object(
      { ...properties, org_id: properties.org_id ?? Type.Optional(Uuid) },
      { additionalProperties: lenient.has(`${method} ${route.url}`) },
    );
    route.schema = { ...route.schema, querystring };
  });
}
