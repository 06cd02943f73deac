import scalarReference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import type { Plugin } from 'vite';

/** Adds Scalar's browser script to the page of the API docs. Its package ships that script inside a Fastify plugin. */
export function scalar(): Plugin {
  let href = '';
  return {
    name: 'scalar',
    apply: 'build',
    async generateBundle() {
      const asset = this.emitFile({ type: 'asset', name: 'scalar.js', source: await readScript() });
      href = `/${this.getFileName(asset)}`;
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { path }) =>
        path === '/docs.html'
          ? [{ tag: 'link', attrs: { rel: 'preload', as: 'script', id: 'scalar', href } }]
          : [],
    },
  };
}

async function readScript(): Promise<string> {
  const server = Fastify();
  await server.register(scalarReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await server.inject('/docs/js/scalar.js');
  if (statusCode !== 200)
    throw new Error(`The plugin of Scalar answers ${statusCode} in place of its script`);
  return body;
}
