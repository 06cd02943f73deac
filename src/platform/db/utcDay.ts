import { sql, type RawBuilder } from 'kysely';

export function utcDay(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${instant} at time zone 'UTC')::date`;
}
