import { sql, type Selectable } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import type { Reseal } from '../../platform/db/openVault.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const appRows = rowsIn('githubApps', 'sourceId');

export type GitHubAppRow = Selectable<Tables['githubApps']>;

/** Deletes Apps without a source: they were never created at GitHub, or their source was deleted. */
export async function deleteAbandoned(tx: Transaction, orgId: string, before: Date): Promise<void> {
  await sql`
    delete from github_apps a
    where a.org_id = ${orgId} and a.started_at < ${before}
      and not exists (select from sources s where s.org_id = ${orgId} and s.id = a.source_id)
  `.execute(tx);
}

export const removeGitHubAppsOf = (tx: Transaction, orgId: string): Promise<void> =>
  appRows.removeAll(tx, { orgId });

export const resealGitHubApps: Reseal = (tx, reseal) => appRows.reseal(tx, reseal, 'privateKey');
