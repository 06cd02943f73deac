import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { priceJob } from '../../src/ledger/pricing/cost.ts';
import { findPriceList } from '../../src/ledger/pricing/priceList.ts';
import { buildWorker } from '../../src/worker.ts';
import { newDataDir, ownerOf, startServer, type Owner, type RunningServer } from '../harness/program.ts';
import { storedCosts } from '../harness/storedCosts.ts';
import { newJob, newRun } from '../harness/submission.ts';

const minute = 60_000;
const day = 1_440 * minute;
const log = pino({ level: 'silent' });

type Ask = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

function createAsk({ address }: { address: string }, { token }: Owner): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return ((await response.json()) as { data: Record<string, unknown> }).data;
  };
}

const labels = [
  'ubuntu-latest',
  'windows-latest',
  'macos-15',
  'mystery',
  'self-hosted',
  'gitlab_linux_small',
];
const firstDay = Date.now() - 8 * day;

/** Six jobs on all kinds of runners, with different lengths in each run. A second attempt copies one of them. */
function runOf(index: number): Record<string, unknown>[] {
  const runId = `run-${index}`;
  const jobs = labels.map((label, at) => {
    const start = firstDay + ((index * 7) % 7) * day + index * minute + at * 1_000;
    const length = 1_000 + ((index * 7_919 + at * 104_729) % 3_600_000);
    return newJob({
      job_id: `job-${at}`,
      name: label,
      labels: [label],
      started_at: new Date(start).toISOString(),
      completed_at: new Date(start + length).toISOString(),
    });
  });
  const run = newRun({ run_id: runId, workflow_name: `Workflow ${index % 5}`, jobs });
  if (index % 50 !== 0) return [run];
  return [run, newRun({ ...run, run_attempt: 2, jobs: [{ ...jobs[0], job_id: 'again' }] })];
}

const runCount = 700;
const jobCount = runCount * labels.length;

async function load(ask: Ask): Promise<void> {
  for (let first = 0; first < runCount; first += 100) {
    const runs = Array.from({ length: 100 }, (_, at) => runOf(first + at)).flat();
    assert.equal((await ask('POST', '/runs', { runs }))['rejected'], 0);
  }
  const own = {
    match: 'label',
    pattern: 'mystery',
    name: 'Own',
    usd_per_minute: 0.0000007,
    rounding: 'second',
  };
  await ask('POST', '/pricing/rules', own);
  await ask('PUT', '/pricing', { book_id: 'github_2026' });
}

/** Kills the server after a part of the work. */
async function killWhileRunning(server: RunningServer, ask: Ask, id: unknown): Promise<void> {
  for (;;) {
    const { status, progress } = await ask('GET', `/reprices/${String(id)}`);
    const { done, total } = progress as { done: number; total: number };
    assert.ok(done < total, `it was ${String(status)} before it could be killed`);
    if (done > 0) break;
  }
  server.process.kill('SIGKILL');
  await server.ended;
}

/** Opens the folder minutes later, after the killed server's leases have expired. */
async function opened<T>(dataDir: string, minutesLater: number, work: (app: App) => Promise<T>): Promise<T> {
  const clock = { now: () => new Date(Date.now() + minutesLater * minute) };
  const app = await createApp(readConfig({ DATA_DIR: dataDir }), { mayCreate: true, clock, log });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

async function assertTask({ db }: App, id: unknown): Promise<void> {
  const task = await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', String(id))
    .executeTakeFirstOrThrow();
  assert.deepEqual([task.status, Number(task.done)], ['done', jobCount]);
  assert.equal((task.state as { changedJobs: number }).changedJobs, jobCount);
}

/** Each job has the cost at its current price. Runs and days have the sums of their jobs. */
async function assertFresh({ db, providers }: App, orgId: string): Promise<void> {
  const list = await findPriceList({ db, providers }, orgId);
  const jobs = await db.selectFrom('recordedJobs').selectAll().execute();
  const [ofRuns, ofDays] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const add = (sums: Map<string, bigint>, key: string, nanos: bigint) =>
    sums.set(key, (sums.get(key) ?? 0n) + nanos);
  for (const job of jobs) {
    const provider = /^run_(.+)_run-/.exec(job.runId)![1]!;
    const { costNanos, nanosPerMinute } = priceJob({ ...job, provider }, list);
    if (!job.isCarriedOver) {
      assert.deepEqual([job.costNanos, job.nanosPerMinute], [costNanos, nanosPerMinute], job.jobId);
      assert.equal(job.priceBookId, 'github_2026');
      add(ofDays, job.completedAt!.toISOString().slice(0, 10), costNanos);
    }
    add(ofRuns, job.runId, job.isCarriedOver ? 0n : costNanos);
  }
  const runs = await db.selectFrom('runs').select(['id', 'costNanos']).execute();
  assert.deepEqual(new Map(runs.map(({ id, costNanos }) => [id, costNanos])), ofRuns);
  for (const table of ['organization_days', 'workflow_days', 'runner_days', 'charge_days']) {
    const { rows: days } = await sql<{ day: string; nanos: bigint }>`
      select day, sum(cost_nanos)::int8 as nanos from ${sql.table(table)} where jobs > 0 group by day
    `.execute(db);
    assert.deepEqual(new Map(days.map((row) => [row.day, row.nanos])), ofDays, table);
  }
}

test('a server killed during a reprice, and during its undo, continues, and every figure is right to the nano-dollar', async () => {
  const dataDir = newDataDir();
  const server = await startServer({ DATA_DIR: dataDir });
  const owner = ownerOf(server);
  const ask = createAsk(server, owner);
  await load(ask);
  const before = await opened(dataDir, 0, ({ db }) => storedCosts(db, owner.orgId));
  assert.equal(before['jobs']!.length, jobCount + runCount / 50);
  const days = {
    from: new Date(firstDay - day).toISOString().slice(0, 10),
    to: new Date().toISOString().slice(0, 10),
  };
  const { id } = await ask('POST', '/reprices', days);
  await killWhileRunning(server, ask, id);

  await opened(dataDir, 5, async (app) => {
    await buildWorker(app).processAll();
    await assertTask(app, id);
    await assertFresh(app, owner.orgId);
  });

  const next = await startServer({ DATA_DIR: dataDir });
  const askNext = createAsk(next, owner);
  const { id: revertId } = await askNext('POST', `/reprices/${String(id)}/revert`);
  await killWhileRunning(next, askNext, revertId);
  await opened(dataDir, 10, async (app) => {
    await buildWorker(app).processAll();
    await assertTask(app, revertId);
    assert.deepEqual(await storedCosts(app.db, owner.orgId), before);
  });
});
