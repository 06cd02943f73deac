import type { Context } from '../../context.ts';
import { addDays, dayOf, windowBetween, type Window } from '../../platform/lib/days.ts';
import { getPriceSettings } from '../../tenancy/organizations/organizations.ts';
import { findIncludedDays } from './included.queries.ts';
import { consume, includedKinds, startOfNextMonth, type Consumption } from './includedMinutes.ts';
import { includedOf, type Included } from './settings.ts';

export type IncludedMinutes = Consumption & { included: Included | null; month: Window };

/** What this UTC month has used of the included minutes so far. */
export async function getIncludedMinutes({
  db,
  actor,
  clock,
}: Pick<Context, 'db' | 'actor' | 'clock'>): Promise<IncludedMinutes> {
  const now = clock.now();
  const today = dayOf(now);
  const month = windowBetween(`${today.slice(0, 7)}-01`, addDays(dayOf(startOfNextMonth(now)), -1));
  const included = includedOf(await getPriceSettings(db, actor.orgId));
  const days = await findIncludedDays(db, actor.orgId, { start: month.start, end: today }, includedKinds);
  const usage = days.map((entry) => ({ ...entry, minutes: Number(entry.minutes) }));
  return { included, month, ...consume(usage, included?.minutes ?? null, now) };
}
