import { sql, type RawBuilder } from 'kysely';

/** SQL: the UTC day of an instant. */
export function utcDay(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${instant} at time zone 'UTC')::date`;
}
