import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { gitHubKinds } from '../backfills/credentials.ts';

export type ReadSource = { orgId: string; sourceId: string; readAt: Date | null };

/** Sources with credentials for GitHub, and when the latest task of this kind began. */
export async function findReadSources(db: Database, kind: string): Promise<ReadSource[]> {
  const { rows } = await sql<ReadSource>`
    select c.org_id, c.source_id, (
      select max(t.created_at) from tasks t
      where t.org_id = c.org_id and t.kind = ${kind} and t.input ->> 'sourceId' = c.source_id
    ) as read_at
    from source_credentials c
    where c.kind = any(${gitHubKinds}::text[])
  `.execute(db);
  return rows;
}
