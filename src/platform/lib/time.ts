import { Temporal } from 'temporal-polyfill';
import { invalid } from './errors.ts';

export type Clock = { now: () => Date };

export const systemClock: Clock = { now: () => new Date() };

export function parseInstant(text: string): Date | null {
  const date = new Date(text);
  const iso = date.toJSON() as string | null;
  // Temporal takes ten times as long, and a batch has thousands of timestamps.
  if (iso === text || iso === text.replace(/Z$/, '.000Z')) return date;
  try {
    // `Date` alone accepts February 30 and times without a zone.
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return null;
  }
}

export function readInstant(field: string, text: string): Date {
  const instant = parseInstant(text);
  if (!instant) throw invalid(field, 'must be an ISO 8601 date-time such as 2026-01-31T09:30:00Z');
  return instant;
}

export function earliest(instants: (Date | null)[]): Date | null {
  return instants.reduce((first, at) => (at && (!first || at < first) ? at : first), null);
}

export function latest(instants: (Date | null)[]): Date | null {
  return instants.reduce((last, at) => (at && (!last || at > last) ? at : last), null);
}

/** Allows clocks of processes to differ by five minutes, so that they do not correct each other's times. */
export function tolerated(now: Date): Date {
  return new Date(now.getTime() + 300_000);
}
