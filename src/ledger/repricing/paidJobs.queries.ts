import { sql } from 'kysely';
import type { Providers } from '../pricing/provider.ts';
import type { TimeSlice } from '../runs/slices.ts';
import type { SecondsCount } from './priceGroups.ts';

/** Of the jobs `j`: those of the organization that are paid, and completed in the slice. */
export function paidJobsOf(orgId: string, { from, until }: TimeSlice) {
  return sql`j.org_id = ${orgId} and j.completed_at >= ${from} and j.completed_at < ${until}
    and j.status = 'completed' and not j.is_carried_over`;
}

/** Of the runner's name of a job `j` only what may decide its kind: whether it is one of a provider's own. */
export function runnerName({ hostedNames }: Providers) {
  const hosted = hostedNames.map(
    ({ pattern, example }) => sql`when lower(j.runner_name) ~ ${pattern} then ${example}`,
  );
  return sql`case
    when coalesce(j.runner_name, '') = '' then null
    ${sql.join(hosted, sql` `)}
    else 'another'
  end`;
}

/** Whether each second of the job `j` of the run `r` may count; minutes do otherwise. */
export function countsSeconds({ always, providers, kinds }: SecondsCount) {
  return sql`(${always}::boolean or split_part(r.provider, '.', 1) = any(${providers}::text[])
    or lower(j.labels[1]) = any(${kinds}::text[]))`;
}
