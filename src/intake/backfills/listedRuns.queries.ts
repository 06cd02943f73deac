import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows } from '../../platform/db/unnestRows.ts';
import type { Day } from '../../platform/lib/days.ts';
import { removeOld } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export type ListedRun = Omit<Selectable<Tables['listedRuns']>, 'orgId'>;

export type KnownRun = {
  id: string;
  reportedAttempt: number;
  reportedStatus: string;
  startedBy: string | null;
};

export type KnownJob = { runId: string; attempt: number; jobId: string; status: string };

export async function findKnown(
  db: Database,
  orgId: string,
  runIds: string[],
): Promise<{ runs: KnownRun[]; jobs: KnownJob[]; etags: Map<string, string> }> {
  if (runIds.length === 0) return { runs: [], jobs: [], etags: new Map() };
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'reportedAttempt', 'reportedStatus', 'startedBy'])
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

/** If a run was read several times, the first result counts, because it shows the largest gap. */
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

export async function findUnreadDays(
  db: Database,
  orgId: string,
  { start, end, limit }: { start: Day; end: Day; limit: number },
): Promise<{ repository: string; day: Day }[]> {
  return db
    .selectFrom('listedRuns')
    .select(['repository', 'day'])
    .where((all) => all.and({ orgId, found: 'unread' }))
    .where('day', '>=', start)
    .where('day', '<', end)
    .groupBy(['repository', 'day'])
    .orderBy(({ fn }) => fn.min('listedAt'))
    .orderBy('day', 'desc')
    .orderBy('repository')
    .limit(limit)
    .execute();
}

export async function removeGoneRuns(
  db: Database,
  orgId: string,
  { repository, days, before }: { repository: string; days: { start: Day; end: Day }; before: Date },
): Promise<void> {
  await db
    .deleteFrom('listedRuns')
    .where((all) => all.and({ orgId, found: 'unread' }))
    .where('day', '>=', days.start)
    .where('day', '<=', days.end)
    .where(({ fn }) => fn('lower', ['repository']), '=', repository.toLowerCase())
    .where('listedAt', '<', before)
    .execute();
}

/** For runs that were deleted here: a later backfill must read all their jobs again. */
export async function deleteListed(tx: Transaction, orgId: string, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return;
  await tx.deleteFrom('listedRuns').where('orgId', '=', orgId).where('runId', 'in', runIds).execute();
}

export function removeListedRuns(db: Database, before: Date): Promise<number> {
  return removeOld(db, 'listedRuns', { key: 'runId', age: 'listedAt', before });
}

type Counts = { listed: number; had: number; completed: number; added: number; unread: number };

export type RepositoryDay = { repository: string; day: Day } & Counts;

const counts = sql`
  count(*)::integer as listed, (count(*) filter (where found in ('whole', 'lacking')))::integer as had,
  (count(*) filter (where found = 'lacking'))::integer as completed,
  (count(*) filter (where found = 'missing'))::integer as added,
  (count(*) filter (where found = 'unread'))::integer as unread
`;

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
