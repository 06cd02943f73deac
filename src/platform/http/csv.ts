import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import type { Day } from '../lib/days.ts';
import { responses } from './schemas.ts';

export function responsesOrCsv<T extends TSchema>(description: string, schema: T, firstLine: string) {
  const content = {
    'application/json': { schema },
    'text/csv': { schema: Type.String({ examples: [firstLine] }) },
  };
  return { ...responses(200, schema), 200: { description, content } };
}

/** `text/csv;q=0` refuses it. Says that the answer varies by it, after what other parts vary by, such as the origin. */
export function wantsCsv({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('vary', [reply.getHeader('vary'), 'Accept'].filter(Boolean).join(', '));
  return /text\/csv\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.accept ?? '');
}

export function sendCsv(
  reply: FastifyReply,
  { name, start, end }: { name: string; start: Day; end: Day },
  text: string,
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="runcost-${name}-${start}-to-${end}.csv"`)
    .send(text);
}
