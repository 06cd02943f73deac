import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import { startOfDay, type Day } from '../../platform/lib/days.ts';
import type { StorageItem } from './sumUp.ts';
import type { StorageItemsTable, StorageRepositoriesTable, StorageTables } from './tables.ts';

/** The workflows of recorded runs, by the id of the run. */
export async function findWorkflowsOfRuns(
  db: Database,
  orgId: string,
  runIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; workflowId: string }>`
    select id, workflow_id from runs where org_id = ${orgId} and id = any(${runIds}::text[])
  `.execute(db);
  return new Map(rows.map(({ id, workflowId }) => [id, workflowId]));
}

const itemColumns: Columns = {
  repository: 'text',
  kind: 'text',
  workflowId: 'text',
  name: 'text',
  ref: 'text',
  items: 'integer',
  bytes: 'bigint',
  staleBytes: 'bigint',
  staleItems: 'integer',
  weekItems: 'integer',
  byteHours: 'bigint',
  retentionDays: 'integer',
  firstExpiresAt: 'timestamptz',
  lastExpiresAt: 'timestamptz',
  expiringBytes: 'bigint',
};

export async function replaceItems(
  tx: Transaction,
  row: StorageRepositoriesTable,
  items: readonly StorageItem[],
): Promise<void> {
  const { orgId, repository, ...changes } = row;
  await tx
    .insertInto('storageRepositories')
    .values(row)
    .onConflict((conflict) => conflict.columns(['orgId', 'repository']).doUpdateSet(changes))
    .execute();
  await tx
    .deleteFrom('storageItems')
    .where((all) => all.and({ orgId, repository }))
    .execute();
  const rows = items.map((item) => ({ ...item, repository }));
  const names = ['orgId', ...Object.keys(itemColumns)].map((name) => sql.ref(name));
  await sql`
    insert into storage_items (${sql.join(names)}) ${unnestRows(orgId, rows, itemColumns)}
  `.execute(tx);
}

export async function saveDay(tx: Transaction, row: StorageTables['storageDays']): Promise<void> {
  const { artifactBytes, cacheBytes } = row;
  await tx
    .insertInto('storageDays')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['orgId', 'day', 'repository']).doUpdateSet({ artifactBytes, cacheBytes }),
    )
    .execute();
}

/** Also of repositories that nobody reads any more. */
export async function removeBefore(tx: Transaction, orgId: string, day: Day): Promise<void> {
  await tx.deleteFrom('storageDays').where('orgId', '=', orgId).where('day', '<', day).execute();
  const old = await tx
    .selectFrom('storageRepositories')
    .select('repository')
    .where('orgId', '=', orgId)
    .where('readAt', '<', startOfDay(day))
    .execute();
  if (old.length === 0) return;
  const repositories = old.map(({ repository }) => repository);
  await tx
    .deleteFrom('storageItems')
    .where('orgId', '=', orgId)
    .where('repository', 'in', repositories)
    .execute();
  await tx
    .deleteFrom('storageRepositories')
    .where('orgId', '=', orgId)
    .where('repository', 'in', repositories)
    .execute();
}

export function findRepositories(
  db: Database,
  orgId: string,
  { readSince }: { readSince: Date },
): Promise<StorageRepositoriesTable[]> {
  return db
    .selectFrom('storageRepositories')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('readAt', '>=', readSince)
    .orderBy('repository')
    .execute();
}

export type NamedItem = StorageItemsTable & { workflow: string | null };

export async function findItems(
  db: Database,
  orgId: string,
  { repositories, workflowId }: { repositories: readonly string[]; workflowId?: string | undefined },
): Promise<NamedItem[]> {
  const ofWorkflow = workflowId === undefined ? sql`true` : sql`i.workflow_id = ${workflowId}`;
  const { rows } = await sql<NamedItem>`
    select i.*, w.name as workflow
    from storage_items i
    left join workflows w on w.org_id = i.org_id and w.id = i.workflow_id
    where i.org_id = ${orgId} and i.repository = any(${repositories}::text[]) and ${ofWorkflow}
  `.execute(db);
  return rows;
}

export type StorageDay = Omit<StorageTables['storageDays'], 'orgId'>;

export function findDays(
  db: Database,
  orgId: string,
  { since, repositories }: { since: Day; repositories: readonly string[] },
): Promise<StorageDay[]> {
  return db
    .selectFrom('storageDays')
    .select(['day', 'repository', 'artifactBytes', 'cacheBytes'])
    .where('orgId', '=', orgId)
    .where('day', '>=', since)
    .where('repository', 'in', repositories.length > 0 ? repositories : [''])
    .orderBy('day')
    .execute();
}
