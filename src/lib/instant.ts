import { invalid } from './errors.ts';

/** The instant that an ISO 8601 date-time with a zone names; `path` names the field in the error. */
export function readInstant(path: string, text: string): Date {
  try {
    // Date.parse would take February 30 and times without a zone.
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    throw invalid(path, 'must be an ISO 8601 date-time such as 2026-01-31T09:30:00Z');
  }
}

/** The first of the instants that are known; null where none is. */
export function earliest(instants: (Date | null)[]): Date | null {
  return instants.reduce((first, at) => (at && (!first || at < first) ? at : first), null);
}

/** The last of the instants that are known; null where none is. */
export function latest(instants: (Date | null)[]): Date | null {
  return instants.reduce((last, at) => (at && (!last || at > last) ? at : last), null);
}
