import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { findInAll } from '../../platform/work/claims.ts';

export type ReadSource = { orgId: string; sourceId: string; readAt: Date | null };

type Asked = { kind: string; credentials: readonly string[] };

/** Sources with such credentials, and when the latest task of this kind began. */
export function findReadSources(db: Database, asked: Asked): Promise<ReadSource[]> {
  return findInAll(db, readSources(asked, sql`c.org_id`));
}

export async function findReadSourcesOf(tx: Transaction, orgId: string, asked: Asked): Promise<ReadSource[]> {
  return (await readSources(asked, sql`${orgId}`).execute(tx)).rows;
}

function readSources({ kind, credentials }: Asked, orgId: RawBuilder<unknown>): RawBuilder<ReadSource> {
  return sql`
    select c.org_id, c.source_id, (
      select max(t.created_at) from tasks t
      where t.org_id = ${orgId} and t.kind = ${kind} and t.input ->> 'sourceId' = c.source_id
    ) as read_at
    from source_credentials c
    where c.kind = any(${credentials}::text[]) and c.org_id = ${orgId}
  `;
}
