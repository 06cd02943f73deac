import type { Projection } from './queries.ts';

/** What the projection is added up of, in US dollars, and whether it is an end of its own band. */
export function partsOf({ projected, spent, low, high, daily, days_elapsed, days_in_month }: Projection) {
  const today = daily[days_elapsed - 1];
  const restOfToday = Math.max(0, (today?.projected ?? 0) - (today?.cost ?? 0));
  const isEndOf = (end: number | null) => low !== high && projected === end && projected > spent;
  return {
    restOfToday,
    daysToCome: days_in_month - days_elapsed,
    // What is left, so that the parts add up to what is shown.
    ofDaysToCome: Math.max(0, projected - spent - restOfToday),
    place: isEndOf(low) ? ('lower' as const) : isEndOf(high) ? ('upper' as const) : null,
  };
}
