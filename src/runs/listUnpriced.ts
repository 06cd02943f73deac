import { addDays, dayOf } from '../lib/days.ts';
import type { Context } from '../organizations/context.ts';
import { findUnpricedRunners, type UnpricedRunner } from './queries.ts';

type UnpricedRunners = {
  /** The page asked for, those with the most minutes first. */
  runners: UnpricedRunner[];
  /** Of all of them. */
  total: number;
  jobs: number;
  minutes: number;
};

/** Runners whose labels no price is known for, by minutes, over today and the `days - 1` days before. */
export async function listUnpriced(
  { db, actor, clock }: Pick<Context, 'db' | 'actor' | 'clock'>,
  asked: { days: number; page: number; perPage: number },
): Promise<UnpricedRunners> {
  const runners = await findUnpricedRunners(db, actor.orgId, addDays(dayOf(clock.now()), 1 - asked.days));
  const start = (asked.page - 1) * asked.perPage;
  return {
    runners: runners.slice(start, start + asked.perPage),
    total: runners.length,
    jobs: Number(runners.reduce((sum, { jobs }) => sum + jobs, 0n)),
    minutes: Number(runners.reduce((sum, { minutes }) => sum + minutes, 0n)),
  };
}
