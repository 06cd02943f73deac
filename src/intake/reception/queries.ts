import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { arraysOf, unnestedArrays } from '../../platform/db/unnestRows.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export const sourceRows = rowsIn('sources');

export type SourceRow = Selectable<Tables['sources']>;

/** Includes the GitHub App that was created for the source, and the kind of its credentials. */
export function findSources(db: Database, orgId: string) {
  return db
    .selectFrom('sources')
    .leftJoin('githubApps', (join) =>
      join
        .onRef('githubApps.orgId', '=', 'sources.orgId')
        .onRef('githubApps.sourceId', '=', 'sources.id')
        .on('githubApps.pageUrl', 'is not', null),
    )
    .leftJoin('sourceCredentials', (join) =>
      join
        .onRef('sourceCredentials.orgId', '=', 'sources.orgId')
        .onRef('sourceCredentials.sourceId', '=', 'sources.id'),
    )
    .selectAll('sources')
    .select([
      'githubApps.pageUrl as appPageUrl',
      'githubApps.startedBy as appStartedBy',
      'sourceCredentials.kind as credentialsKind',
    ])
    .where('sources.orgId', '=', orgId)
    .orderBy('sources.createdAt', 'desc')
    .orderBy('sources.id')
    .execute();
}

export async function findSource(db: Database, orgId: string, id: string): Promise<SourceRow | undefined> {
  const { rows } = await db.executeQuery(sourceById(orgId, id));
  return rows[0];
}

const sourceById = prepared(
  (orgId: string, id: string) => sql<SourceRow>`
    select org_id, id, kind, name, secret, created_at, last_event_at from sources
    where org_id = ${orgId} and id = ${id}
  `,
);

type SourceKey = Pick<SourceRow, 'orgId' | 'id'>;

/** For several organizations, because concurrent requests share one read. */
export async function findSourcesByKey(db: Database, keys: readonly SourceKey[]): Promise<SourceRow[]> {
  const { rows } = await db.executeQuery(sourcesByKey(...arraysOf(keys, keyColumns)));
  return rows;
}

const keyColumns = { orgId: 'uuid', id: 'text' } as const;

const sourcesByKey = prepared(
  (...keys: unknown[][]) => sql<SourceRow>`
    select s.org_id, s.id, s.kind, s.name, s.secret, s.created_at, s.last_event_at
    from ${unnestedArrays(keys, keyColumns)}
    join sources s on s.org_id = row.org_id and s.id = row.id
  `,
);

export async function deleteSourceRow(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<Pick<SourceRow, 'kind' | 'name'> | undefined> {
  return tx
    .deleteFrom('sources')
    .where((all) => all.and({ orgId, id }))
    .returning(['kind', 'name'])
    .executeTakeFirst();
}

export function findLatestEvents(
  tx: Transaction,
  limit: number,
): Promise<{ orgId: string; id: string; kind: string; at: Date }[]> {
  return findInAll(
    tx,
    sql`
      select org_id, id, kind, last_event_at as at from sources
      where last_event_at is not null order by last_event_at desc limit ${limit}
    `,
  );
}

export const removeSourcesOf = (tx: Transaction, orgId: string): Promise<void> =>
  sourceRows.removeAll(tx, { orgId });

export const resealSources: Reseal = (tx, reseal) => sourceRows.reseal(tx, reseal, 'secret');
