import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import { sessionCookieName, type Access } from './authenticate.ts';

/** At the first request, because only then the server knows its port. */
export function describeApi(publicUrl: () => string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Runcost',
        version: '1',
        description:
          'What CI/CD costs, to the last job. Errors are RFC 9457 problems with a stable `code`. An unsupported method answers 405 with `Allow`.',
        license: { name: 'MIT' },
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'an access token: `runcost_…`' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName,
            description: 'a signed-in browser; changes also need the `Origin` of this server',
          },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    hideUntagged: true,
    transformObject: (document) =>
      'openapiObject' in document ? { ...document.openapiObject, servers: [{ url: publicUrl() }] } : {},
    transform: ({ schema, url, route }) => {
      const access = route.config?.access as Access | undefined;
      const rights =
        access && access !== 'public'
          ? { ...(access.scope && { 'x-scope': access.scope }), 'x-role': access.role }
          : { security: [] };
      return { schema: { ...schema, ...rights }, url };
    },
  };
}

// Globals of the page that runs the function below.
declare const window: { location: { hash: string; pathname: string } };
declare const history: { replaceState: (state: null, title: string, url: string) => void };
declare const ui: { preauthorizeApiKey: (scheme: string, token: string) => void };

/** `/docs#token=…` opens the page signed in, and the address drops the token. */
function signInByLink(): void {
  // The page may already have turned the hash into a link to a section.
  const token = /^#\/?token(?:=|%3D)([\w-]+)$/.exec(window.location.hash)?.[1];
  if (!token) return;
  history.replaceState(null, '', window.location.pathname);
  ui.preauthorizeApiKey('token', token);
}

export const docsPage: FastifySwaggerUiOptions = {
  routePrefix: '/docs',
  theme: { title: 'Runcost API' },
  uiConfig: { docExpansion: 'list', persistAuthorization: false, onComplete: signInByLink },
};
