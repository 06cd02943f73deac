import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { ReadProblem } from './tables.ts';

type LastRead = { enterprise: string | null; triedAt: Date | null; problems: ReadProblem[] };

export async function findLastRead(db: Database, orgId: string): Promise<LastRead | undefined> {
  const row = await db
    .selectFrom('hostedRunnerReads')
    .select(['enterprise', 'triedAt', 'problems'])
    .where('orgId', '=', orgId)
    .executeTakeFirst();
  return row as LastRead | undefined;
}

export async function saveRead(tx: Transaction, orgId: string, read: LastRead): Promise<void> {
  const row = { ...read, problems: JSON.stringify(read.problems), claimedUntil: null };
  await tx
    .insertInto('hostedRunnerReads')
    .values({ orgId, ...row })
    .onConflict((conflict) => conflict.column('orgId').doUpdateSet(row))
    .execute();
}

/** Owners of recorded GitHub repositories, and organizations whose bill is fetched, in lower case, sorted. */
export async function findOwners(db: Database, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`
    select distinct lower(split_part(w.repository, '/', 1)) as owner from workflows w
    where w.org_id = ${orgId} and exists (
      select from runs r where r.org_id = ${orgId} and r.workflow_id = w.id and split_part(r.provider, '.', 1) = 'github'
    )
    union
    select lower(login) from bill_accounts where org_id = ${orgId} and kind = 'organization'
    order by 1
  `.execute(db);
  return rows.map(({ owner }) => owner);
}
