import { setTimeout as sleep } from 'node:timers/promises';
import { runBare } from './bareInserts.ts';
import { loadHistory } from './history.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { checkRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const jobs = isQuick ? 2_000 : 100_000;
const rounds = isQuick ? 1 : 3;
const jobsPerStatement = 1_000;
const books = ['github_2026', 'github_2025'];

/** Measures how many recorded jobs per second are repriced, compared with PostgreSQL updating and logging the rows. */
export async function benchReprice(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  logProgress(`Loading ${rounded(jobs)} jobs …`);
  await loadHistory(service, jobs);
  await service.db.query(`
    create schema twins;
    create table twins.jobs (like public.jobs including all);
    create table twins.reprice_changes (like public.reprice_changes including all);
    insert into twins.jobs select * from public.jobs;
    analyze twins.jobs`);
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    logProgress(`Round ${round + 1} of ${rounds} …`);
    rates.ours.push(jobs / (await reprice(service, books[round % books.length]!)));
    rates.bare.push(jobs / (await runBare(service.databaseUrl, bareUpdates(service.orgId, round), 1)));
  }
  await checkRollups(service.db);
  await service.stop();
  return {
    headings: ['JOBS/S', 'RUNCOST', 'BARE', 'RATIO (ROUNDS)'],
    rows: [
      ['reprice', rounded(median(rates.ours)), rounded(median(rates.bare)), ratioOf(rates.ours, rates.bare)],
    ],
    notes: [
      `Each round prices all ${rounded(jobs)} jobs with another price list, without other requests. Bare: ` +
        `transactions of ${rounded(jobsPerStatement)} jobs on 1 connection, which UPDATE and log each job, without runs and rollups.`,
      'At the end the rollups were the exact sums of the recorded runs and jobs.',
    ],
  };
}

/** Seconds from the request for a reprice to its end. */
async function reprice(service: Service, book: string): Promise<number> {
  await ask(service, 'PUT', '/pricing', { book_id: book });
  const startedAt = performance.now();
  const { id } = await ask(service, 'POST', '/reprices', { from: '2000-01-01', to: '2999-12-31' });
  for (;;) {
    await sleep(200);
    const { status, changed_jobs } = await ask(service, 'GET', `/reprices/${String(id)}`);
    if (status === 'done' && changed_jobs === jobs) return (performance.now() - startedAt) / 1_000;
    if (status !== 'queued' && status !== 'running') throw new Error(`the reprice was ${String(status)}`);
  }
}

async function ask(
  service: Service,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const { url, token } = service;
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // On a busy machine, the database can exceed a request's deadline.
  if (response.status === 503) return ask(service, method, path, body);
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

function bareUpdates(orgId: string, round: number): string[] {
  return Array.from({ length: jobs / jobsPerStatement }, (_, statement) => {
    const first = statement * jobsPerStatement;
    return `
      begin;
      with changed as (
        update twins.jobs set nanos_per_minute = nanos_per_minute + 1, cost_nanos = cost_nanos + billed_minutes
        where org_id = '${orgId}' and run_id in (
          select 'run_github_' || n from generate_series(${first}, ${first + jobsPerStatement - 1}) n)
        returning *
      )
      insert into twins.reprice_changes
      select org_id, 'reprice_${round}', run_id, attempt, job_id, md5(job_id), to_jsonb(cost_nanos), to_jsonb(cost_nanos)
      from changed;
      commit`;
  });
}
