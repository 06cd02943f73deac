import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that routes take at this path; none where there is no such path. */
    methodsAt: (path: string) => string[];
  }
}

/** Notes all routes that are registered from now on, since the router does not say which methods a path has. */
export function noteRouteMethods(server: FastifyInstance): void {
  const routes: { segments: string[]; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    // `*` alone is no path of ours: it takes in every preflight request.
    if (url !== '*') routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  server.decorate('methodsAt', (path) => {
    const segments = path.split('/').map(decoded);
    const methods = routes.filter((route) => matches(route.segments, segments));
    return [...new Set(methods.flatMap((route) => route.methods))].toSorted();
  });
}

function matches(pattern: string[], segments: string[]): boolean {
  const hasRest = pattern.at(-1) === '*';
  const named = hasRest ? pattern.slice(0, -1) : pattern;
  return (
    (hasRest ? segments.length >= pattern.length : segments.length === pattern.length) &&
    named.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
