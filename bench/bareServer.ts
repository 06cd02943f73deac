/**
 * The limit for HTTP: Fastify without plugins, which sends fixed bytes. Reads `{path: body}` as JSON from standard
 * input and prints its address.
 */
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';

const bodies = JSON.parse(await text(process.stdin)) as Record<string, string>;
const server = Fastify();
for (const [path, body] of Object.entries(bodies)) {
  const bytes = Buffer.from(body);
  server.get(path, (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
}
console.log(await server.listen({ port: 0, host: '127.0.0.1' }));
