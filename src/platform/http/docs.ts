import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';

// Of the page, in which the function below runs.
declare const window: { location: { hash: string; pathname: string } };
declare const history: { replaceState: (state: null, title: string, url: string) => void };
declare const ui: { preauthorizeApiKey: (scheme: string, token: string) => void };

/** `/docs#token=…` opens the page signed in; the address does not keep the token. */
function signInByLink(): void {
  // By now the page may have rewritten the hash as a link to one of its sections.
  const token = /^#\/?token(?:=|%3D)([\w-]+)$/.exec(window.location.hash)?.[1];
  if (!token) return;
  history.replaceState(null, '', window.location.pathname);
  ui.preauthorizeApiKey('token', token);
}

/** The API as a page on which it can be tried; everything it needs comes from this server. */
export const docsPage: FastifySwaggerUiOptions = {
  routePrefix: '/docs',
  theme: { title: 'Runcost API' },
  uiConfig: { docExpansion: 'list', persistAuthorization: false, onComplete: signInByLink },
};
