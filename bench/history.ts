import { loadRollups } from './rollups.ts';
import type { Service } from './service.ts';

/** The same for every size of history, so that the rollups have equally many rows. */
export const workflows = 50;
export const days = 100;

const outcomes = `array['success', 'failure', 'cancelled']`;

const runsPerStatement = 100_000;

/**
 * Inserts `runs` completed runs of one job each directly into the tables, evenly over the organizations, the workflows and
 * the last days. Then it computes the rollups. The organizations are copies of the service's, which is the first.
 */
export async function loadHistory({ db, orgId }: Service, runs: number, organizations = 1): Promise<void> {
  await db.query(`
    create temp table numbered (number int primary key, org_id uuid);
    insert into numbered select n, case when n = 0 then '${orgId}'::uuid else gen_random_uuid() end
    from generate_series(0, ${organizations - 1}) n;
    analyze numbered;
    insert into organizations
    select (jsonb_populate_record(o, jsonb_build_object('org_id', n.org_id))).*
    from organizations o, numbered n where o.org_id = '${orgId}' and n.number > 0;
    insert into workflows
    select org_id, 'wf_' || w, 'acme/service-' || w % 20, 'workflow ' || w, now()
    from numbered, generate_series(0, ${workflows - 1}) w;
    insert into job_facts
    select
      org_id, place, '{ubuntu-latest}', 'GitHub Actions', word, true, 'linux_2_core', 'github_hosted_label', 8000000,
      'minute', 'github_2025', null, false, '{}'
    from numbered, unnest(${outcomes}) with ordinality as outcome (word, place)`);
  for (let first = 0; first < runs; first += runsPerStatement) {
    const last = Math.min(first + runsPerStatement, runs) - 1;
    await db.query(runsOf(first, last, { runs, organizations }));
    await db.query(jobsOf(first, last, organizations));
  }
  await loadRollups(db);
  await db.query('vacuum (analyze)');
  await db.query('checkpoint');
}

/** Run n belongs to organization n mod organizations. The runs are spread evenly from `days` days ago until now. */
function runsOf(
  first: number,
  last: number,
  { runs, organizations }: { runs: number; organizations: number },
): string {
  return `
    insert into runs
    select
      org_id, 'run_github_' || n, 'wf_' || w, 'github', 'acme/service-' || w % 20, true, 'workflow ' || w,
      '.github/workflows/' || w || '.yml', 'push', 'main', 'mona',
      1, 'completed', word, at, at + seconds * interval '1 second', at, 1, 'completed', word, word,
      at, at, at + seconds * interval '1 second', seconds, ceil(seconds / 60.0) * 8000000
    from (
      select
        n, n / ${organizations} % ${workflows} as w, 30 + n % 600 as seconds,
        case when n % 10 = 3 then 'failure' when n % 50 = 7 then 'cancelled' else 'success' end as word,
        date_trunc('second', now()) - (${runs} - n) * interval '1 second' * ${(days * 86_400) / runs} as at
      from generate_series(${first}, ${last}) n
    ) run
    join numbered on number = n % ${organizations}`;
}

function jobsOf(first: number, last: number, organizations: number): string {
  return `
    insert into jobs (
      org_id, run_id, attempt, job_id, name, runner_name, status, created_at, started_at, completed_at, observed_at,
      is_carried_over, billed_minutes, cost_nanos, rounding, price_book_id, facts_id
    )
    select
      r.org_id, id, 1, id, 'test', 'GitHub Actions 5', 'completed', created_at, started_at, completed_at, completed_at,
      false, ceil(duration_seconds / 60.0), cost_nanos, null, null, array_position(${outcomes}, conclusion)
    from generate_series(${first}, ${last}) n
    join numbered on number = n % ${organizations}
    join runs r on r.org_id = numbered.org_id and r.id = 'run_github_' || n`;
}
