import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { parseUsd } from '../../src/platform/lib/money.ts';
import { buildWorker } from '../../src/worker.ts';
import {
  newDataDir,
  ownerOf,
  serveHere,
  startServer,
  type Owner,
  type RunningServer,
} from '../harness/program.ts';
import { newJob, newRun } from '../harness/submission.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const runCount = 12;
const jobsPerRun = 1_000;
const jobs = runCount * jobsPerRun;
const formats = ['csv', 'parquet'] as const;

function ask(server: { address: string }, { token }: Owner, method: string, path: string, body?: object) {
  return fetch(`${server.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts the shape of its responses
async function dataOf(answer: Promise<Response>): Promise<any> {
  const response = await answer;
  const text = await response.text();
  assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

/** Jobs of several kinds and lengths that completed within the last days. */
async function recordJobs(server: RunningServer, owner: Owner): Promise<void> {
  for (let run = 0; run < runCount; run++) {
    const end = Date.now() - day - run * 60 * minute;
    const times = (job: number) => ({
      started_at: new Date(end - (20 + (job % 50)) * minute).toISOString(),
      completed_at: new Date(end - (job % 900) * 1_000).toISOString(),
    });
    const runner = (job: number) => ['linux_2_core', 'linux_slim', 'macos_12_core'][job % 3];
    const made = Array.from({ length: jobsPerRun }, (_, job) =>
      newJob({ job_id: String(job), runner: runner(job), ...times(job) }),
    );
    const created_at = new Date(end - 80 * minute).toISOString();
    const body = { runs: [newRun({ run_id: String(run), created_at, started_at: created_at, jobs: made })] };
    const { rejected } = await dataOf(ask(server, owner, 'POST', '/runs', body));
    assert.equal(rejected, 0);
  }
}

/** Waits until every export has some of its rows, and none has all. */
async function waitUntilAllRunning(server: RunningServer, owner: Owner): Promise<void> {
  for (;;) {
    const exports: { progress: { done: number }; status: string }[] = await dataOf(
      ask(server, owner, 'GET', '/exports'),
    );
    for (const { progress } of exports) assert.ok(progress.done < jobs, 'too late: all rows are written');
    if (exports.every(({ progress }) => progress.done > 0)) return;
    await turn();
  }
}

type Row = { run: string; job: string; costNanos: bigint };

async function rowsOf(format: (typeof formats)[number], file: Buffer): Promise<Row[]> {
  const rows: Record<string, unknown>[] =
    format === 'csv'
      ? parse(file, { columns: true })
      : await parquetReadObjects({ file: new Uint8Array(file).buffer });
  return rows.map(({ run_id, job_id, cost }) => ({
    run: String(run_id),
    job: String(job_id),
    costNanos: parseUsd(Number(cost).toFixed(9)),
  }));
}

async function openLater(dataDir: string, milliseconds: number): Promise<App> {
  return createApp(readConfig({ DATA_DIR: dataDir }), {
    mayCreate: true,
    log: pino({ level: 'silent' }),
    clock: { now: () => new Date(Date.now() + milliseconds) },
  });
}

test('exports continue to whole files after the server is killed, with one event each', async () => {
  const dataDir = newDataDir();
  const first = await startServer({ DATA_DIR: dataDir });
  const owner = ownerOf(first);
  await recordJobs(first, owner);
  const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const window = { from: dayOf(Date.now() - 29 * day), to: dayOf(Date.now()) };
  const created: { id: string; format: (typeof formats)[number] }[] = [];
  for (const format of formats) {
    created.push(await dataOf(ask(first, owner, 'POST', '/exports', { dataset: 'jobs', format, ...window })));
  }
  await waitUntilAllRunning(first, owner);
  first.process.kill('SIGKILL');
  await first.ended;

  // The same folder minutes later, after the killed workers' leases have expired.
  const app = await openLater(dataDir, 5 * minute);
  try {
    const left = await app.db.selectFrom('tasks').select(['status', 'done']).execute();
    for (const { status, done } of left) {
      assert.equal(status, 'running');
      assert.ok(done > 0n && done < BigInt(jobs), `it died between the rows: ${done}`);
    }
    await buildWorker(app).processAll();
    const events = await app.db
      .selectFrom('events')
      .select('body')
      .where('kind', '=', 'export.ready')
      .execute();
    assert.deepEqual(
      events.map(({ body }): string => JSON.parse(body!).data.export.id).toSorted(),
      created.map(({ id }) => id).toSorted(),
    );
  } finally {
    await app.close();
  }

  const second = await serveHere({ DATA_DIR: dataDir });
  const summary = await (await ask(second, owner, 'GET', `/dashboard/summary?org_id=${owner.orgId}`)).text();
  const total = parseUsd(/"total_cost":([\d.]+)/.exec(summary)![1]!);
  assert.ok(total > 0n);
  for (const { id, format } of created) {
    const { status, rows, bytes, sha256 } = await dataOf(ask(second, owner, 'GET', `/exports/${id}`));
    assert.deepEqual([status, rows], ['done', jobs]);
    const download = await ask(second, owner, 'GET', `/exports/${id}/download`);
    const file = Buffer.from(await download.arrayBuffer());
    assert.equal(file.length, bytes);
    assert.equal(createHash('sha256').update(file).digest('hex'), sha256);
    const found = await rowsOf(format, file);
    assert.equal(
      new Set(found.map(({ run, job }) => `${run} ${job}`)).size,
      jobs,
      `${format}: each job once`,
    );
    assert.equal(found.length, jobs);
    assert.equal(
      found.reduce((sum, { costNanos }) => sum + costNanos, 0n),
      total,
    );
  }
  await second.stop();
  await assertFilesDeleted(dataDir);
});

/** A day later, neither the database nor the folder has parts of files. */
async function assertFilesDeleted(dataDir: string): Promise<void> {
  const before = readdirSync(dataDir);
  const app = await openLater(dataDir, day + 10 * minute);
  try {
    await buildWorker(app).processAll();
    assert.deepEqual(await app.db.selectFrom('exportChunks').select('number').execute(), []);
  } finally {
    await app.close();
  }
  assert.deepEqual(readdirSync(dataDir), before);
  assert.deepEqual(
    before.filter((name) => /export|part|tmp/i.test(name)),
    [],
  );
}
