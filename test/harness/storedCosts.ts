import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';

const tables = [
  'runs',
  'recorded_jobs',
  'workflow_days',
  'organization_days',
  'runner_days',
  'charge_days',
  'unpriced_days',
];

export type StoredCosts = Record<string, Record<string, unknown>[]>;

/** All rows that store an organization's costs, without the `omitted` columns and without rollups of zero. */
export async function storedCosts(
  db: Database,
  orgId: string,
  omitted: readonly string[] = [],
): Promise<StoredCosts> {
  const stored: StoredCosts = {};
  for (const table of tables) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select row from (select to_jsonb(t) - ${['version', ...omitted]}::text[] as row from ${sql.table(table)} t where org_id = ${orgId}) t
      order by row::text collate "C"
    `.execute(db);
    stored[table === 'recorded_jobs' ? 'jobs' : table] = rows
      .map(({ row }) => row)
      .filter((row) => !isEmptySum(table, row));
  }
  return stored;
}

function isEmptySum(table: string, row: Record<string, unknown>): boolean {
  return table.endsWith('_days') && Number(row['jobs']) === 0 && Number(row['runs'] ?? 0) === 0;
}
