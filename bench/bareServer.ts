/**
 * The limit for HTTP: Fastify without plugins, which sends fixed bytes, compressed once. Reads `{path: body}` as JSON from standard
 * input and prints its address.
 */
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';

const bodies = JSON.parse(await text(process.stdin)) as Record<string, string>;
const server = Fastify();
const answers = new Map(
  Object.entries(bodies).map(([path, body]) => {
    const isLong = body.length >= 1024;
    return [path, { isLong, bytes: isLong ? gzipSync(body) : Buffer.from(body) }];
  }),
);
server.get('*', ({ url }, reply) => {
  const { isLong, bytes } = answers.get(url)!;
  if (isLong) reply.header('content-encoding', 'gzip');
  return reply.type('application/json; charset=utf-8').send(bytes);
});
console.log(await server.listen({ port: 0, host: '127.0.0.1' }));
