import type { FastifyInstance } from 'fastify';
import { Type, type TObject } from 'typebox';
import { Uuid } from './schemas.ts';

/** All but those in `ignoring` refuse unknown names: providers do not send a refused event again. */
export function checkQueryNames(server: FastifyInstance, ignoring: readonly string[]): void {
  server.addHook('onRoute', (route) => {
    const { access } = route.config ?? {};
    // Browsers, mail programs and probes call public routes outside the API, with parameters of their own.
    if (!access || (access === 'public' && !route.url.startsWith('/api/'))) return;
    const method = String(route.method).replace('HEAD', 'GET');
    const { properties } = (route.schema?.querystring ?? Type.Object({})) as TObject;
    const querystring = Type.Object(
      { ...properties, org_id: properties.org_id ?? Type.Optional(Uuid) },
      { additionalProperties: ignoring.includes(`${method} ${route.url}`) },
    );
    route.schema = { ...route.schema, querystring };
  });
}
