import type { FastifyInstance } from 'fastify';
import { invalid, PublicError } from '../lib/errors.ts';
import { isStorable } from '../lib/storable.ts';

/** Refuses text that the database cannot keep, with the path of the field; in a path it names nothing. */
export function refuseUnstorableText(server: FastifyInstance): void {
  server.addHook('preValidation', async (request) => {
    if (findUnstorable(request.params, 'params')) {
      throw new PublicError('not_found', 'not_found', 'No id has such characters.');
    }
    const path = findUnstorable(request.query, 'query') ?? findUnstorable(request.body, 'body');
    if (path) throw invalid(path, 'must hold neither a null character nor half of a surrogate pair');
  });
}

/** Path of a text below `root` that cannot be kept, keys included. No recursion: a body is as deep as JSON allows. */
function findUnstorable(root: unknown, rootPath: string): string | null {
  const pending = [{ value: root, path: rootPath }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !isStorable(value)) return path;
    if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) continue;
    for (const [key, item] of Object.entries(value)) {
      if (!isStorable(key)) return path;
      pending.push({ value: item, path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}` });
    }
  }
  return null;
}
