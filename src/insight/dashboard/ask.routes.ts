import type { FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { DashboardContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';

export const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
export const tags = ['Dashboard'];

export type Ask = <T>(request: FastifyRequest, question: (ctx: DashboardContext) => Promise<T>) => Promise<T>;

export function sharedQuestions(program: Program): Ask {
  const share = createSharedReads<unknown>();
  return ({ actor, plan, url }, question) =>
    share(`${actor.orgId} ${plan} ${url}`, () => question({ ...program, actor, plan })) as ReturnType<
      typeof question
    >;
}
