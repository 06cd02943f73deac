import { sql } from 'kysely';
import { isAtGitLab } from '../../platform/db/isAtGitLab.ts';
import type { TimeSlice } from '../runs/slices.ts';

/** Of the jobs `j`: those of the organization that are paid, and completed in the slice. */
export function paidJobsOf(orgId: string, { from, until }: TimeSlice) {
  return sql`j.org_id = ${orgId} and j.completed_at >= ${from} and j.completed_at < ${until}
    and j.status = 'completed' and not j.is_carried_over`;
}

/** Of the runner’s name of a job `j` only what tells runners of GitHub's from others. */
export const runnerName = sql`case
  when coalesce(j.runner_name, '') = '' then null
  when lower(j.runner_name) ~ '^(github actions |github-hosted|hosted agent)' then 'GitHub Actions 1'
  else 'another'
end`;

/** Whether each second of the job `j` of the run `r` may count; minutes do otherwise. */
export function countsSeconds(always: boolean) {
  return sql`(${always}::boolean or ${isAtGitLab(sql`r.provider`)} or j.labels::text ilike '%gitlab\\_%')`;
}
