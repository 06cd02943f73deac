import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { responses, type ProblemStatus } from './schemas.ts';

export const csvType = 'text/csv; charset=utf-8; header=present';

export function responsesOrCsv<T extends TSchema>(
  description: string,
  schema: T,
  firstLine: string,
  further: readonly ProblemStatus[] = [],
) {
  const content = {
    'application/json': { schema },
    'text/csv': { schema: Type.String({ examples: [firstLine] }) },
  };
  return { ...responses(200, schema, further), 200: { description, content } };
}

/** `text/csv;q=0` refuses CSV. Adds Accept to `Vary`, after what others have put there, such as Origin. */
export function wantsCsv({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('vary', [reply.getHeader('vary'), 'Accept'].filter(Boolean).join(', '));
  return /text\/csv\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.accept ?? '');
}

/** `name` has neither the product's name nor the file extension. */
export function sendCsv(reply: FastifyReply, name: string, text: string): FastifyReply {
  return reply
    .type(csvType)
    .header('content-disposition', `attachment; filename="runcost-${name}.csv"`)
    .send(text);
}
