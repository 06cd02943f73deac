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
      select from runs r where r.org_id = w.org_id and r.workflow_id = w.id and split_part(r.provider, '.', 1) = 'github'
    )
    union
    select lower(login) from bill_accounts where org_id = ${orgId} and kind = 'organization'
    order by 1
  `.execute(db);
  return rows.map(({ owner }) => owner);
}

/** Organizations with such credentials, and since when nothing was read. */
export async function findReadTimes(
  db: Database,
  kinds: readonly string[],
): Promise<{ orgId: string; since: Date }[]> {
  const { rows } = await sql<{ orgId: string; since: Date }>`
    select c.org_id, coalesce(max(h.tried_at), min(c.set_at)) as since
    from source_credentials c left join hosted_runner_reads h on h.org_id = c.org_id
    where c.kind = any(${kinds}::text[])
    group by c.org_id
    order by c.org_id
  `.execute(db);
  return rows;
}

/** Whether this worker is the one that reads. Another one may have begun. If it is killed, the claim ends by itself. */
export async function claimRead(
  db: Database,
  orgId: string,
  { since, now, until }: { since: Date; now: Date; until: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: claimed } = await db
    .insertInto('hostedRunnerReads')
    .values({ orgId, enterprise: null, triedAt: null, problems: '[]', claimedUntil: until })
    .onConflict((conflict) =>
      conflict
        .column('orgId')
        .doUpdateSet({ claimedUntil: until })
        .where(
          sql<boolean>`coalesce(hosted_runner_reads.tried_at, ${since}) <= ${since}
            and coalesce(hosted_runner_reads.claimed_until, ${now}) <= ${now}`,
        ),
    )
    .executeTakeFirst();
  return (claimed ?? 0n) > 0n;
}

/** After a fault, so that the read waits for the next night. */
export async function noteFailedRead(db: Database, orgId: string, now: Date): Promise<void> {
  await db
    .updateTable('hostedRunnerReads')
    .set({ triedAt: now, claimedUntil: null })
    .where('orgId', '=', orgId)
    .execute();
}
