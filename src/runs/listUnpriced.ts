import { addDays, dayOf } from '../lib/days.ts';
import type { Context } from '../organizations/context.ts';
import { findUnpricedRunners, type UnpricedRunner } from './queries.ts';

/** Runners whose labels no price is known for, by minutes, over today and the `days - 1` days before. */
export async function listUnpriced(
  { db, actor, clock }: Context,
  asked: { days: number; page: number; perPage: number },
): Promise<{ runners: UnpricedRunner[]; total: number }> {
  const runners = await findUnpricedRunners(db, actor.orgId, addDays(dayOf(clock.now()), 1 - asked.days));
  const start = (asked.page - 1) * asked.perPage;
  return { runners: runners.slice(start, start + asked.perPage), total: runners.length };
}
