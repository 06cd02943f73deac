import { dollars, roundedDollars } from '../../../ui/figures.ts';
import type { Projection } from './queries.ts';

/** What the forecast is added up of, in US dollars. */
export function partsOf({ projected, spent, usual_pace, daily, days_elapsed, days_in_month }: Projection) {
  const today = daily[days_elapsed - 1];
  const restOfToday = Math.max(0, (today?.projected ?? 0) - (today?.cost ?? 0));
  return {
    restOfToday,
    daysToCome: days_in_month - days_elapsed,
    // What is left, so that the parts add up to what is shown.
    ofDaysToCome: Math.max(0, projected - spent - restOfToday),
    /** How much more than the usual pace it is; below zero less. */
    correction: projected - usual_pace,
  };
}

/** `about $6.4K`; to the cent where that much is known. */
export function headlineOf({ confidence, projected, rounded }: Projection): string {
  if (confidence === 'none') return 'Too early';
  return rounded === projected ? dollars(projected) : `about ${roundedDollars(rounded)}`;
}
