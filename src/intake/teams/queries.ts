import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

/** Repositories with a recorded GitHub workflow, sorted. */
export async function findGitHubRepositories(db: Database, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ repository: string }>`
    select distinct w.repository from workflows w
    where w.org_id = ${orgId} and exists (
      select from runs r where r.org_id = ${orgId} and r.workflow_id = w.id and r.provider = 'github'
    )
    order by 1
  `.execute(db);
  return rows.map(({ repository }) => repository);
}
