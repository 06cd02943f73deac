import { loadRollups } from './rollups.ts';
import type { Service } from './service.ts';

/** Equal for every size of history, so that the rollups have the same number of rows. */
export const workflows = 50;
export const days = 100;

const runsPerStatement = 100_000;

/**
 * Inserts `runs` completed runs of one job each directly into the tables, evenly over the workflows and the last days.
 * Then it computes the rollups.
 */
export async function loadHistory({ db, orgId }: Service, runs: number): Promise<void> {
  await db.query(`
    insert into workflows
    select '${orgId}', 'wf_' || w, 'acme/service-' || w % 20, 'workflow ' || w, now()
    from generate_series(0, ${workflows - 1}) w`);
  for (let first = 0; first < runs; first += runsPerStatement) {
    const last = Math.min(first + runsPerStatement, runs) - 1;
    await db.query(runsOf(orgId, first, last, runs));
    await db.query(jobsOf(orgId, first, last));
  }
  await loadRollups(db);
  await db.query('vacuum (analyze)');
  await db.query('checkpoint');
}

/** Run n belongs to workflow n mod workflows. The runs are spread evenly from `days` days ago until now. */
function runsOf(orgId: string, first: number, last: number, runs: number): string {
  return `
    insert into runs
    select
      '${orgId}', 'run_github_' || n, 'wf_' || w, 'github', 'acme/service-' || w % 20, true, 'workflow ' || w,
      '.github/workflows/' || w || '.yml', 'push', 'main', 'mona',
      1, 'completed', word, at, at + seconds * interval '1 second', at, 1, 'completed', word, word,
      at, at, at + seconds * interval '1 second', seconds, ceil(seconds / 60.0) * 8000000
    from (
      select
        n, n % ${workflows} as w, 30 + n % 600 as seconds,
        case when n % 10 = 3 then 'failure' when n % 50 = 7 then 'cancelled' else 'success' end as word,
        date_trunc('second', now()) - (${runs} - n) * interval '1 second' * ${(days * 86_400) / runs} as at
      from generate_series(${first}, ${last}) n
    ) run`;
}

function jobsOf(orgId: string, first: number, last: number): string {
  return `
    insert into jobs
    select
      org_id, id, 1, id, 'test', '{ubuntu-latest}', 'GitHub Actions 5', 'GitHub Actions', 'completed', conclusion,
      created_at, started_at, completed_at, true, completed_at, false, 'linux_2_core', 'github_hosted_label',
      ceil(duration_seconds / 60.0), 8000000, cost_nanos, false, '{}'
    from runs
    where org_id = '${orgId}' and id in (select 'run_github_' || n from generate_series(${first}, ${last}) n)`;
}
