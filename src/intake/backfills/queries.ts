import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export type CredentialsRow = Selectable<Tables['sourceCredentials']>;
export type ListedRun = Omit<Selectable<Tables['listedRuns']>, 'orgId'>;
type SourceKey = { orgId: string; sourceId: string };

export async function saveCredentials(
  tx: Transaction,
  row: Insertable<Tables['sourceCredentials']>,
): Promise<CredentialsRow> {
  const { orgId: _, sourceId: __, ...changes } = row;
  return tx
    .insertInto('sourceCredentials')
    .values(row)
    .onConflict((conflict) => conflict.columns(['orgId', 'sourceId']).doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteCredentialsRow(
  tx: Transaction,
  { orgId, sourceId }: SourceKey,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sourceCredentials')
    .where('orgId', '=', orgId)
    .where('sourceId', '=', sourceId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function findCredentials(
  db: Database,
  { orgId, sourceId }: SourceKey,
): Promise<CredentialsRow | undefined> {
  return db
    .selectFrom('sourceCredentials')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('sourceId', '=', sourceId)
    .executeTakeFirst();
}

export function findOrganizationCredentials(db: Database, orgId: string): Promise<CredentialsRow[]> {
  return db
    .selectFrom('sourceCredentials')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('setAt', 'desc')
    .orderBy('sourceId')
    .execute();
}

/** When each source with credentials was last checked, over all organizations. */
export function findChecks(
  db: Database,
): Promise<Pick<CredentialsRow, 'orgId' | 'sourceId' | 'checkedAt'>[]> {
  return db.selectFrom('sourceCredentials').select(['orgId', 'sourceId', 'checkedAt']).execute();
}

/** Notes that a check begins, unless another process has begun it: whether this one may. */
export async function claimCheck(
  tx: Transaction,
  { orgId, sourceId, checkedAt }: Pick<CredentialsRow, 'orgId' | 'sourceId' | 'checkedAt'>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sourceCredentials')
    .set({ checkedAt: now })
    .where('orgId', '=', orgId)
    .where('sourceId', '=', sourceId)
    .where('checkedAt', 'is not distinct from', checkedAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Seals the credentials again, with the key that seals now. */
export async function resealCredentials(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const rows = await tx
    .selectFrom('sourceCredentials')
    .select(['orgId', 'sourceId', 'secret'])
    .forUpdate()
    .execute();
  for (const { orgId, sourceId, secret } of rows) {
    await tx
      .updateTable('sourceCredentials')
      .set({ secret: reseal(secret) })
      .where('orgId', '=', orgId)
      .where('sourceId', '=', sourceId)
      .execute();
  }
}

/**
 * Up to when the source's nightly checks have seen everything: the end of the latest that came to its end; before there
 * was one, the start of the first. Null where there was none.
 */
export async function findCheckedUntil(
  db: Database,
  { orgId, sourceId }: SourceKey,
  kind: string,
): Promise<Date | null> {
  const { rows } = await sql<{ until: string | null }>`
    select coalesce(max(input ->> 'until') filter (where status = 'done'), min(input ->> 'since')) as until
    from tasks
    where org_id = ${orgId} and kind = ${kind} and input @> ${JSON.stringify({ sourceId, isNightly: true })}
  `.execute(db);
  const until = rows[0]?.until ?? null;
  return until === null ? null : new Date(until);
}

/** The repositories that the source's nightly checks since then were refused, where another source may have access. */
export async function findOthersRepositories(
  db: Database,
  { orgId, sourceId }: SourceKey,
  { kind, since }: { kind: string; since: Date },
): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select distinct problem ->> 'repository' as repository
    from source_credentials own
    join tasks t on t.org_id = own.org_id and t.created_at >= greatest(own.set_at, ${since})
    cross join jsonb_array_elements(t.state -> 'problems') problem
    where own.org_id = ${orgId} and own.source_id = ${sourceId} and t.kind = ${kind}
      and t.input @> ${JSON.stringify({ sourceId, isNightly: true })} and (problem ->> 'isRefused')::boolean
      and exists (select from source_credentials c where c.org_id = t.org_id and c.source_id <> ${sourceId})
  `.execute(db);
  return rows.map(({ repository }) => repository);
}

/** The repositories at GitHub that had a run since then, those of the latest runs first. */
export async function findActiveRepositories(
  db: Database,
  orgId: string,
  { since, limit, except }: { since: Date; limit: number; except: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select w.repository
    from workflows w
    where w.org_id = ${orgId} and w.named_at >= ${since} and w.repository <> all(${except}::text[])
      and exists (
        select from runs r
        where r.org_id = w.org_id and r.workflow_id = w.id and (r.provider = 'github' or r.provider like 'github.%')
      )
    group by w.repository
    order by max(w.named_at) desc, w.repository
    limit ${limit}
  `.execute(db);
  return rows.map(({ repository }) => repository);
}

export type KnownRun = { id: string; reportedAttempt: number; reportedStatus: string };
export type KnownJob = { runId: string; attempt: number; jobId: string; status: string };

/** What is stored of these runs and of their jobs. */
export async function findKnown(
  db: Database,
  orgId: string,
  runIds: string[],
): Promise<{ runs: KnownRun[]; jobs: KnownJob[]; etags: Map<string, string> }> {
  if (runIds.length === 0) return { runs: [], jobs: [], etags: new Map() };
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'reportedAttempt', 'reportedStatus'])
    .where('orgId', '=', orgId)
    .where('id', '=', sql<string>`any(${runIds})`)
    .execute();
  const jobs = await db
    .selectFrom('jobs')
    .select(['runId', 'attempt', 'jobId', 'status'])
    .where('orgId', '=', orgId)
    .where('runId', '=', sql<string>`any(${runIds})`)
    .execute();
  const listed = await db
    .selectFrom('listedRuns')
    .select(['runId', 'jobsEtag'])
    .where('orgId', '=', orgId)
    .where('runId', '=', sql<string>`any(${runIds})`)
    .where('jobsEtag', 'is not', null)
    .execute();
  return { runs, jobs, etags: new Map(listed.map(({ runId, jobsEtag }) => [runId, jobsEtag!])) };
}

/** Notes what the provider has listed. Of several looks at a run that read it the one counts that found the least. */
export async function saveListedRuns(db: Database, orgId: string, rows: readonly ListedRun[]): Promise<void> {
  if (rows.length === 0) return;
  const selected = unnestRows(orgId, rows, {
    runId: 'text',
    repository: 'text',
    day: 'date',
    found: 'text',
    jobsEtag: 'text',
    listedAt: 'timestamptz',
  });
  await sql`
    insert into listed_runs as l (org_id, run_id, repository, day, found, jobs_etag, listed_at)
    ${selected}
    on conflict (org_id, run_id) do update set
      repository = excluded.repository, jobs_etag = excluded.jobs_etag, listed_at = excluded.listed_at,
      found = case
        when l.found = 'unread' then excluded.found
        when 'missing' in (l.found, excluded.found) then 'missing'
        when 'lacking' in (l.found, excluded.found) then 'lacking'
        else 'whole'
      end
  `.execute(db);
}

/** Days of those given, without the last, with runs that could not be read yet, those not looked at for longest first. */
export async function findUnreadDays(
  db: Database,
  orgId: string,
  { start, end, limit }: { start: Day; end: Day; limit: number },
): Promise<{ repository: string; day: Day }[]> {
  return db
    .selectFrom('listedRuns')
    .select(['repository', 'day'])
    .where('orgId', '=', orgId)
    .where('found', '=', 'unread')
    .where('day', '>=', start)
    .where('day', '<', end)
    .groupBy(['repository', 'day'])
    .orderBy(({ fn }) => fn.min('listedAt'))
    .orderBy('day', 'desc')
    .orderBy('repository')
    .limit(limit)
    .execute();
}

/** Forgets runs of these days that could not be read and that have not been listed since then: they are there no more. */
export async function removeGoneRuns(
  db: Database,
  orgId: string,
  { repository, days, before }: { repository: string; days: { start: Day; end: Day }; before: Date },
): Promise<void> {
  await db
    .deleteFrom('listedRuns')
    .where('orgId', '=', orgId)
    .where('found', '=', 'unread')
    .where('day', '>=', days.start)
    .where('day', '<=', days.end)
    .where(({ fn }) => fn('lower', ['repository']), '=', repository.toLowerCase())
    .where('listedAt', '<', before)
    .execute();
}

/** Forgets that these runs were listed. */
export async function removeListed(tx: Transaction, orgId: string, runIds: string[]): Promise<void> {
  await tx.deleteFrom('listedRuns').where('orgId', '=', orgId).where('runId', 'in', runIds).execute();
}

/** Forgets what was listed long ago, some at a time: how many. */
export async function removeListedRuns(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from listed_runs l
    using (
      select org_id, run_id from listed_runs where listed_at < ${before} order by listed_at limit ${limit}
    ) old
    where l.org_id = old.org_id and l.run_id = old.run_id
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}

type Counts = { listed: number; had: number; completed: number; added: number; unread: number };
export type RepositoryDay = { repository: string; day: Day } & Counts;

const counts = sql`
  count(*)::integer as listed, (count(*) filter (where found in ('whole', 'lacking')))::integer as had,
  (count(*) filter (where found = 'lacking'))::integer as completed,
  (count(*) filter (where found = 'missing'))::integer as added,
  (count(*) filter (where found = 'unread'))::integer as unread
`;

/** A page of the repositories with listed runs since that day, those with most to mend first, and how many there are. */
export async function findCompleteness(
  db: Database,
  orgId: string,
  { since, limit, offset }: { since: Day; limit: number; offset: number },
): Promise<{ repositories: ({ repository: string } & Counts)[]; total: number }> {
  const { rows } = await sql<{ repository: string; total: number } & Counts>`
    select repository, ${counts}, (count(*) over ())::integer as total
    from listed_runs
    where org_id = ${orgId} and day >= ${since}
    group by repository
    order by count(*) filter (where found <> 'whole') desc, repository
    limit ${limit} offset ${offset}
  `.execute(db);
  if (rows.length === 0 && offset > 0) {
    const { total } = await findCompleteness(db, orgId, { since, limit: 1, offset: 0 });
    return { repositories: [], total };
  }
  return { repositories: rows, total: rows[0]?.total ?? 0 };
}

/** Those repositories by day. */
export async function findCompletenessDays(
  db: Database,
  orgId: string,
  { since, repositories }: { since: Day; repositories: string[] },
): Promise<RepositoryDay[]> {
  if (repositories.length === 0) return [];
  const { rows } = await sql<RepositoryDay>`
    select repository, day, ${counts}
    from listed_runs
    where org_id = ${orgId} and day >= ${since} and repository = any(${repositories})
    group by repository, day
    order by repository, day
  `.execute(db);
  return rows;
}
