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
