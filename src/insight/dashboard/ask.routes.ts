import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import type { DashboardContext } from '../../ledger/costs/overview.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { createKeptAnswers, keptRoute } from '../../platform/http/keptAnswers.ts';
import { dayOf } from '../../platform/lib/days.ts';

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

/** For answers that depend on the address, the plan, the day, and what is changed under the lock of the costs alone. */
export type Keep = <T>(
  to: { request: FastifyRequest; reply: FastifyReply },
  question: (ctx: DashboardContext) => Promise<T>,
) => Promise<T>;

export const keptConfig = { config, ...keptRoute };

export function keptQuestions(program: Program): Keep {
  const send = createKeptAnswers();
  return (to, question) => {
    const { actor, plan, costsVersion, url } = to.request;
    const asked = {
      question: `${actor.orgId} ${plan} ${url}`,
      version: `${costsVersion} ${dayOf(program.clock.now())}`,
    };
    // The bytes are those of the answer, by the schema of the route.
    return send(to, asked, () => question({ ...program, actor, plan })) as Promise<never>;
  };
}
