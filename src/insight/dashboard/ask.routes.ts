import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { DashboardContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { keptRoute, type SendKept } from '../../platform/http/keptAnswers.ts';

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

/** For answers that depend only on the costs, the plan and the day. */
export type Keep = <T>(
  to: { request: FastifyRequest; reply: FastifyReply },
  question: (ctx: DashboardContext) => Promise<T>,
) => Promise<T>;

export const keptConfig = { config: { ...config, kept: true }, ...keptRoute } as const;

export function keptQuestions(program: Program, send: SendKept): Keep {
  return (to, question) => {
    const { actor, plan } = to.request;
    return send(to, () => question({ ...program, actor, plan }));
  };
}
