import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';

export type ReadSource = { orgId: string; sourceId: string; readAt: Date | null };

type Asked = { kind: string; credentials: readonly string[]; orgId: string | null };

/** Sources with such credentials, and when the latest task of this kind began. */
export async function findReadSources(
  db: Database | Transaction,
  { kind, credentials, orgId }: Asked,
): Promise<ReadSource[]> {
  const { rows } = await sql<ReadSource>`
    select c.org_id, c.source_id, (
      select max(t.created_at) from tasks t
      where t.org_id = c.org_id and t.kind = ${kind} and t.input ->> 'sourceId' = c.source_id
    ) as read_at
    from source_credentials c
    where c.kind = any(${credentials}::text[]) and c.org_id = coalesce(${orgId}, c.org_id)
  `.execute(db);
  return rows;
}
