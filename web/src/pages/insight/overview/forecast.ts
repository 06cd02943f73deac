import { dollars, roundedDollars } from '../../../ui/figures.ts';
import type { Forecast } from './queries.ts';

export function partsOf({ projected, spent, usual_pace, daily, days_elapsed, days_in_month }: Forecast) {
  const today = daily[days_elapsed - 1];
  const restOfToday = Math.max(0, (today?.projected ?? 0) - (today?.cost ?? 0));
  return {
    restOfToday,
    daysToCome: days_in_month - days_elapsed,
    ofDaysToCome: Math.max(0, projected - spent - restOfToday),
    /** The forecast minus the usual pace. */
    correction: projected - usual_pace,
  };
}

/** `$6,400`, or to the cent if it is that certain. Fewer digits could lie outside the likely range. */
export function headlineOf({ confidence, projected, rounded }: Forecast): string {
  if (confidence === 'none') return '–';
  if (rounded === projected) return dollars(projected);
  const isRound = rounded % 10 ** (Math.floor(Math.log10(rounded)) - 2) === 0;
  return isRound ? roundedDollars(rounded) : dollars(rounded).replace(/\.00$/, '');
}
