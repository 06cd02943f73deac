import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';

/** A span of creation times, in whole seconds of the Unix epoch, both ends included. */
export type Slice = { from: number; to: number };

const secondsADay = 86_400;

/** GitHub lists no more of one query, however many there are. */
export const mostListed = 1_000;

/** The slice of the runs created from `since` up to but without `until`. */
export function sliceBetween(since: Date, until: Date): Slice {
  const from = Math.floor(since.getTime() / 1_000);
  return { from, to: Math.max(from, Math.ceil(until.getTime() / 1_000) - 1) };
}

/** The days all of whose seconds are in the slice; null where there is none. */
export function daysWithin({ from, to }: Slice): { start: Day; end: Day } | null {
  const start = dayOf(new Date((from + secondsADay - 1) * 1_000));
  const end = addDays(dayOf(new Date((to + 1) * 1_000)), -1);
  return start <= end ? { start, end } : null;
}

/** The later and the earlier half of a slice that has too many runs; null for a single second. */
export function halve({ from, to }: Slice): [Slice, Slice] | null {
  if (from === to) return null;
  const middle = Math.floor((from + to) / 2);
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ];
}

/** How GitHub's search wants it: `2026-03-01T00:00:00Z..2026-03-31T23:59:59Z`. */
export function createdQuery({ from, to }: Slice): string {
  return `${instantOf(from)}..${instantOf(to)}`;
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
