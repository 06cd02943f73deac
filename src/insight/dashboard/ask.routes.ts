import type { FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { DashboardContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';

export const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
export const tags = ['Dashboard'];

/** Answers a question for whoever sent the request. */
export type Ask = <T>(request: FastifyRequest, question: (ctx: DashboardContext) => Promise<T>) => Promise<T>;

/** Many people look at one dashboard: those who ask for the same address at the same time share the answer's work. */
export function sharedQuestions(program: Program): Ask {
  const share = createSharedReads<unknown>();
  return ({ actor, plan, url }, question) =>
    share(`${actor.orgId} ${plan} ${url}`, () => question({ ...program, actor, plan })) as ReturnType<
      typeof question
    >;
}
