import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

/** The newest pull requests of each repository that ended after newer runs, and of which nothing says what they changed. */
export async function findUnreadChanges(
  db: Database,
  orgId: string,
  {
    provider,
    since,
    limit,
    perRepository,
  }: { provider: string; since: Date; limit: number; perRepository: number },
): Promise<{ repository: string; numbers: number[] }[]> {
  const { rows } = await sql<{ repository: string; numbers: number[] }>`
    select repository, array_agg(number order by number desc) as numbers
    from (
      select r.repository, p.number, max(r.created_at) as ran_at,
        row_number() over (partition by r.repository order by max(r.created_at) desc, p.number) as place
      from runs r
      join pull_requests p on p.org_id = r.org_id and p.provider = r.provider
        and p.repository = lower(r.repository) and p.number = r.pull_request
      where r.org_id = ${orgId} and r.provider = ${provider} and r.created_at >= ${since}
        and r.event = 'pull_request' and p.state in ('merged', 'closed') and p.changes is null
      group by r.repository, p.number
    ) unread
    where place <= ${perRepository}
    group by 1
    order by max(ran_at) desc
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Repositories with newer runs of pull requests that are not known to have ended, and the numbers. */
export async function findUnended(
  db: Database,
  orgId: string,
  { provider, since, limit }: { provider: string; since: Date; limit: number },
): Promise<{ repository: string; numbers: number[] }[]> {
  const { rows } = await sql<{ repository: string; numbers: number[] }>`
    select r.repository, array_agg(distinct r.pull_request) as numbers
    from runs r
    left join pull_requests p on p.org_id = r.org_id and p.provider = r.provider
      and p.repository = lower(r.repository) and p.number = r.pull_request
    where r.org_id = ${orgId} and r.provider = ${provider} and r.created_at >= ${since}
      and r.pull_request is not null and (p.number is null or p.state in ('open', 'draft'))
    group by 1
    order by max(r.created_at) desc
    limit ${limit}
  `.execute(db);
  return rows;
}
