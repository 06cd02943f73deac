import type { FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { LoggingContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';

export const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
export const tags = ['Dashboard'];

export type Ask = <T>(request: FastifyRequest, question: (ctx: LoggingContext) => Promise<T>) => Promise<T>;

export type LoggingProgram = Program & Pick<LoggingContext, 'log'>;

export function sharedQuestions(program: LoggingProgram): Ask {
  const share = createSharedReads<unknown>();
  return ({ actor, plan, url }, question) =>
    share(`${actor.orgId} ${plan} ${url}`, () => question({ ...program, actor, plan })) as ReturnType<
      typeof question
    >;
}
