import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { DashboardContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { cachedRoute, type SendCached } from '../../platform/http/cachedAnswers.ts';

export const config = { access: { scope: 'costs:read', role: 'viewer' } } as const;
export const tags = ['Dashboard'];

/** Lets equal requests that come at once share one answer. */
export type AnswerShared = <T>(
  request: FastifyRequest,
  answer: (ctx: DashboardContext) => Promise<T>,
) => Promise<T>;

export function answerSharedWith(program: Program): AnswerShared {
  const share = createSharedReads<unknown>();
  return ({ actor, plan, url }, answer) =>
    share(`${actor.orgId} ${plan} ${url}`, () => answer({ ...program, actor, plan })) as ReturnType<
      typeof answer
    >;
}

/** Caches answers that depend only on the costs, the plan and the day. */
export type AnswerCached = <T>(
  to: { request: FastifyRequest; reply: FastifyReply },
  answer: (ctx: DashboardContext) => Promise<T>,
) => Promise<T>;

export const cachedConfig = { config: { ...config, cached: true }, ...cachedRoute } as const;

export function answerCachedWith(program: Program, send: SendCached): AnswerCached {
  return (to, answer) => {
    const { actor, plan } = to.request;
    return send(to, () => answer({ ...program, actor, plan }));
  };
}
