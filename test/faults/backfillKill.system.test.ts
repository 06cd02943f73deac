import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { buildWorker } from '../../src/worker.ts';
import { startFakeGitHub } from '../harness/gitHubApi.ts';
import { newStorage, ownerOf, startServer, type RunningServer } from '../harness/program.ts';
import { widenRecordedRuns } from '../harness/recordedRuns.ts';

const hour = 3_600_000;

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts the shape of its responses
async function send(server: RunningServer, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${server.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ownerOf(server).token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return ((await response.json()) as { data: unknown }).data;
}

test('a killed server continues a backfill, and every run is recorded once with its cost', async () => {
  const fake = await startFakeGitHub();
  const end = new Date(Date.now() - 2 * hour);
  const runs = widenRecordedRuns('acme/app', { count: 90, gapSeconds: 3_600, end });
  fake.repositories.set('acme/app', { runs });
  const settings = { ...(await newStorage()), GITHUB_API_URL: fake.url };
  const server = await startServer(settings);
  const source = await send(server, 'POST', '/sources', { kind: 'github' });
  await send(server, 'PUT', `/sources/${source.id}/credentials`, { kind: 'token', token: fake.token });
  // GitHub does not respond to the second page of runs, and the server is killed.
  const asked = fake.requests.length;
  fake.interruptions.push(...Array.from({ length: 40 }, () => null), { hold: true });
  const started = await send(server, 'POST', '/backfills', { repositories: ['acme/app'], since: '90d' });
  await fake.asked(asked + 41);
  server.process.kill('SIGKILL');
  await server.ended;
  const before = fake.requests.length;
  fake.release();

  // The same database minutes later, after the killed server's lease has expired.
  const clock = { now: () => new Date(Date.now() + hour / 12) };
  const app = await createApp(readConfig(settings), {
    mayCreate: true,
    clock,
    log: pino({ level: 'silent' }),
  });
  try {
    // The nightly check would also read some of the runs.
    await app.db.updateTable('sourceCredentials').set({ checkedAt: clock.now() }).execute();
    await buildWorker(app).processAll();
    const tasks = await app.db.selectFrom('tasks').selectAll().where('id', '=', started.id).execute();
    assert.deepEqual(
      tasks.map(({ status, done, total }) => [status, done, total]),
      [['done', 90n, 90n]],
    );
    const stored = await app.db.selectFrom('runs').select(['id', 'costNanos']).execute();
    assert.deepEqual(
      stored.map(({ id }) => id).toSorted(),
      runs.map(({ run }) => `run_github_${run.id}`).toSorted(),
    );
    const jobs = await app.db.selectFrom('jobs').select('jobId').execute();
    assert.equal(jobs.length, runs.flatMap((run) => run.jobs).length);
    const days = await app.db.selectFrom('organizationDays').select('costNanos').execute();
    const sum = (rows: { costNanos: bigint }[]) => rows.reduce((total, row) => total + row.costNanos, 0n);
    assert.equal(sum(days), sum(stored));
    const readAgain = fake.requests.slice(before).filter(({ path }) => path.includes('/jobs'));
    assert.equal(readAgain.length, 90 - 25, 'the first page is not read again');
  } finally {
    await app.close();
  }
});
