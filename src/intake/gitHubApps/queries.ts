import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type GitHubAppRow = Selectable<Tables['githubApps']>;

export async function insertGitHubApp(tx: Transaction, row: Insertable<Tables['githubApps']>): Promise<void> {
  await tx.insertInto('githubApps').values(row).execute();
}

export function findGitHubApp(
  db: Database,
  orgId: string,
  sourceId: string,
): Promise<GitHubAppRow | undefined> {
  return db
    .selectFrom('githubApps')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('sourceId', '=', sourceId)
    .executeTakeFirst();
}

/** Returns false if `found` has changed since, because another request was first. */
export async function updateGitHubApp(
  tx: Transaction,
  found: Pick<GitHubAppRow, 'orgId' | 'sourceId' | 'stateHash'>,
  changes: Updateable<Tables['githubApps']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('githubApps')
    .set(changes)
    .where('orgId', '=', found.orgId)
    .where('sourceId', '=', found.sourceId)
    .where('stateHash', 'is not distinct from', found.stateHash)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deletes Apps without a source: they were never created at GitHub, or their source was deleted. */
export async function deleteAbandoned(tx: Transaction, orgId: string, before: Date): Promise<void> {
  await sql`
    delete from github_apps a
    where a.org_id = ${orgId} and a.started_at < ${before}
      and not exists (select from sources s where s.org_id = a.org_id and s.id = a.source_id)
  `.execute(tx);
}

export async function removeGitHubAppsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('githubApps').where('orgId', '=', orgId).execute();
}

export async function resealGitHubApps(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const rows = await tx
    .selectFrom('githubApps')
    .select(['orgId', 'sourceId', 'privateKey'])
    .where('privateKey', 'is not', null)
    .forUpdate()
    .execute();
  for (const { orgId, sourceId, privateKey } of rows) {
    await tx
      .updateTable('githubApps')
      .set({ privateKey: reseal(privateKey!) })
      .where('orgId', '=', orgId)
      .where('sourceId', '=', sourceId)
      .execute();
  }
}
