import type { Context } from '../../context.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import { onPage, type Page } from '../../platform/lib/page.ts';
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
  { days, ...page }: { days: number } & Page,
): Promise<UnpricedRunners> {
  const runners = await findUnpricedRunners(db, actor.orgId, addDays(dayOf(clock.now()), 1 - days));
  return {
    runners: onPage(runners, page),
    total: runners.length,
    jobs: Number(runners.reduce((sum, { jobs }) => sum + jobs, 0n)),
    minutes: Number(runners.reduce((sum, { minutes }) => sum + minutes, 0n)),
  };
}
