import { setTimeout as sleep } from 'node:timers/promises';
import { loadVariedHistory } from './costs.ts';
import { isQuick } from './quick.ts';
import { logProgress, rounded, type Report } from './report.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 5;

const questions = [
  { title: 'waste', path: '/api/v1/waste?days=90' },
  { title: 'waste/fixes', path: '/api/v1/waste/fixes?days=90' },
  { title: 'waste/trend', path: '/api/v1/waste/trend' },
];

/**
 * Measures questions about the waste of 90 of 365 days: of the jobs themselves, as before they are summed up, and of the
 * sums. Before each answer a run is recorded, so that its day must be summed up again.
 */
export async function benchWaste(
  storage: Storage,
  nodeOptions: string[],
  { runs = isQuick ? 20_000 : 1_000_000 }: { runs?: number | undefined } = {},
): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  logProgress(`Loading ${rounded(runs)} runs …`);
  await loadVariedHistory(service, runs);
  logProgress('Reading jobs …');
  const before: { seconds: number; days: number }[] = [];
  for (const { path } of questions) before.push(await ask(service, path));
  logProgress('Summing up …');
  const made = await sumUp(service);
  const rows: string[][] = [];
  for (const [index, { title, path }] of questions.entries()) {
    logProgress(`Asking ${title} …`);
    await ask(service, path);
    const quiet: number[] = [];
    const recording: number[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push((await ask(service, path)).seconds);
      await record(service, round);
      recording.push((await ask(service, path)).seconds);
    }
    const { seconds, days } = before[index]!;
    const [now, after] = [median(quiet), median(recording)].map((each) => Math.round(each * 1_000));
    rows.push([
      title,
      rounded(seconds * 1_000),
      String(days),
      rounded(now!),
      rounded(after!),
      (now! / 1_000 / seconds).toFixed(3),
    ]);
  }
  const [size] = (await service.db.query(sizesSql)).rows as { sums: string; facts: string }[];
  await service.stop();
  return {
    headings: ['90 DAYS', 'JOBS MS', 'DAYS READ', 'SUMS MS', 'AFTER A RUN MS', 'RATIO'],
    rows,
    notes: [
      `${rounded(runs)} runs of 2 jobs over 365 days and 2,000 workflows. The aim is 1,000 ms.`,
      `Summing up all of it took ${made.toFixed(0)} s. The sums take ${size!.sums}; runs and jobs ${size!.facts}.`,
    ],
  };
}

const sizesSql = `
  select pg_size_pretty(pg_total_relation_size('waste_units') + pg_total_relation_size('waste_days')
      + pg_total_relation_size('waste_jobs')) as sums,
    pg_size_pretty(pg_total_relation_size('runs') + pg_total_relation_size('jobs')) as facts`;

async function ask(service: Service, path: string): Promise<{ seconds: number; days: number }> {
  const started = performance.now();
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${service.token}` } });
  const { data } = (await response.json()) as { data: { period: { days: number } } };
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return { seconds: (performance.now() - started) / 1_000, days: data.period.days };
}

/** Seconds until background work has summed up all days. It runs once an hour, so the benchmark starts it as a task. */
async function sumUp({ db, orgId }: Service): Promise<number> {
  const started = performance.now();
  await db.query(`
    insert into tasks (org_id, id, kind, status, input, state, total, created_at, due_at)
    values ('${orgId}', 'waste_bench', 'waste rollup', 'queued',
      jsonb_build_object('until', (now() at time zone 'UTC')::date), '{"from": null}', 0, now(), now())`);
  for (;;) {
    await sleep(500);
    const { rows } = await db.query<{ status: string }>(`select status from tasks where id = 'waste_bench'`);
    if (rows[0]!.status === 'done') return (performance.now() - started) / 1_000;
    if (rows[0]!.status === 'failed') throw new Error('the task failed');
  }
}

async function record({ url, token }: Service, round: number): Promise<void> {
  const now = new Date().toISOString();
  const started_at = new Date(Date.now() - 300_000).toISOString();
  const response = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      runs: [
        {
          run_id: `bench-${now}-${round}`,
          workflow_name: 'workflow',
          repo_name: 'acme/service-1',
          status: 'completed',
          conclusion: 'success',
          created_at: started_at,
          started_at,
          jobs: [
            { job_id: '1', runner: 'linux_2_core', conclusion: 'success', started_at, completed_at: now },
          ],
        },
      ],
    }),
  });
  if (!response.ok) throw new Error(`recording answered ${response.status}`);
}
