import type pg from 'pg';

export const measures = [
  'cost_nanos',
  'jobs',
  'billed_minutes',
  'unpriced_minutes',
  'runs',
  'completed_runs',
  'skipped_runs',
  'successful_runs',
  'duration_seconds',
];
const sums = measures.map((measure) => `sum(${measure})::int8 as ${measure}`).join(', ');

/** The rows of workflow_days for the runs `r` that `condition` selects. */
export function workflowDaysOf(condition: string): string {
  return `
    select org_id, day, workflow_id, ${sums} from (
      select
        org_id, (created_at at time zone 'UTC')::date as day, workflow_id,
        0 as cost_nanos, 0 as jobs, 0 as billed_minutes, 0 as unpriced_minutes,
        1 as runs, (status = 'completed')::int as completed_runs, coalesce(conclusion = 'skipped', false)::int as skipped_runs,
        coalesce(conclusion = 'success', false)::int as successful_runs, duration_seconds
      from public.runs r where ${condition}
      union all
      select
        j.org_id, (j.completed_at at time zone 'UTC')::date, r.workflow_id,
        j.cost_nanos, 1, j.billed_minutes, case when j.is_unpriced then j.billed_minutes else 0 end,
        0, 0, 0, 0, 0
      from public.recorded_jobs j join public.runs r on r.org_id = j.org_id and r.id = j.run_id
      where j.status = 'completed' and j.completed_at is not null and not j.is_carried_over and ${condition}
    ) contributions
    group by org_id, day, workflow_id`;
}

/** The same for the organization's days. */
export function organizationDaysOf(condition: string): string {
  return `select org_id, day, ${sums} from (${workflowDaysOf(condition)}) days group by org_id, day`;
}

const amounts = ['jobs', 'minutes', 'cost_nanos'];
const isFree = `split_part(r.provider, '.', 1) = 'github'
  and (r.is_private is false or coalesce(r.workflow_path, '') ~ '^dynamic/(dependabot|pages)/')`;

/** The rows of runner_days for the runs `r` that `condition` selects. */
export function runnerDaysOf(condition: string): string {
  return `
    select
      j.org_id, (j.completed_at at time zone 'UTC')::date as day, r.workflow_id, r.provider,
      coalesce(j.runner_kind, 'unpriced') as runner_kind, ${isFree} as is_free,
      count(*) as jobs, sum(j.billed_minutes)::int8 as minutes, sum(j.cost_nanos)::int8 as cost_nanos
    from public.recorded_jobs j join public.runs r on r.org_id = j.org_id and r.id = j.run_id
    where j.status = 'completed' and j.completed_at is not null and not j.is_carried_over and ${condition}
    group by 1, 2, 3, 4, 5, 6`;
}

/** The same without workflows. */
export function chargeDaysOf(condition: string): string {
  return `
    select org_id, day, provider, runner_kind, is_free,
      sum(jobs)::int8 as jobs, sum(minutes)::int8 as minutes, sum(cost_nanos)::int8 as cost_nanos
    from (${runnerDaysOf(condition)}) days
    group by org_id, day, provider, runner_kind, is_free`;
}

/** For history inserted directly into the tables. */
export async function loadRollups(db: pg.Client): Promise<void> {
  for (const { table, key, columns, rows } of rollups) {
    await db.query(
      `insert into ${table} (${key}, ${columns.join(', ')}) select ${key}, ${columns.join(', ')} from (${rows}) r`,
    );
  }
}

const rollups = [
  {
    table: 'workflow_days',
    key: 'org_id, day, workflow_id',
    columns: measures,
    rows: workflowDaysOf('true'),
  },
  { table: 'organization_days', key: 'org_id, day', columns: measures, rows: organizationDaysOf('true') },
  {
    table: 'runner_days',
    key: 'org_id, day, workflow_id, provider, runner_kind, is_free',
    columns: amounts,
    rows: runnerDaysOf('true'),
  },
  {
    table: 'charge_days',
    key: 'org_id, day, provider, runner_kind, is_free',
    columns: amounts,
    rows: chargeDaysOf('true'),
  },
];

/**
 * Throws unless the stored rollups equal the sums of all stored runs and jobs. A day may keep a row of zeros after its
 * run moved to another workflow.
 */
export async function checkRollups(db: pg.Client): Promise<void> {
  for (const { table, key, columns, rows: expected } of rollups) {
    const { rows } = await db.query<{ differences: string }>(`
      with expected as (select ${key}, ${columns.join(', ')} from (${expected}) r), stored as (
        select ${key}, ${columns.join(', ')} from ${table}
        where ${columns.map((name) => `${name} <> 0`).join(' or ')}
      )
      select count(*) as differences from (
        (select * from expected except select * from stored) union all
        (select * from stored except select * from expected)
      ) difference`);
    if (rows[0]!.differences !== '0') {
      throw new Error(`${table} differs from the sums of the runs and jobs in ${rows[0]!.differences} rows`);
    }
  }
}
