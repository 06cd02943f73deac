import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { commandsOf } from '../harness/commands.ts';
import { newStorage, serveHere, startServer, type Owner, type RunningServer } from '../harness/program.ts';
import { newJob, newRun } from '../harness/submission.ts';

const settings = await newStorage();
const { json } = commandsOf('org', settings);
const jobsOfRun = 60;
const runCount = 100;
const jobCount = runCount * jobsOfRun;

function send({ address }: RunningServer, { token }: Owner, method: string, path: string, body?: object) {
  return fetch(`${address}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function newOwner(name: string): Promise<Owner> {
  const { org_id, token } = await json('org', 'create', '--name', name);
  return { orgId: org_id, token };
}

async function load(server: RunningServer, owner: Owner, count: number): Promise<void> {
  const jobs = () => Array.from({ length: jobsOfRun }, () => newJob());
  const runs = Array.from({ length: count }, () => newRun({ jobs: jobs() }));
  assert.equal((await send(server, owner, 'POST', 'runs', { runs })).status, 200);
}

/** Opens the database, through the running server if there is one. */
async function joined<T>(work: (app: App) => Promise<T>): Promise<T> {
  const log = pino({ level: 'silent' });
  const app = await createApp(readConfig(settings), { mayCreate: true, log });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** Tables that can be computed from the runs at any time, such as after a start. */
const derived = ['waste_days', 'waste_jobs', 'waste_units'];

function withoutDerived(stored: Record<string, unknown[]>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(stored).filter(([table]) => !derived.includes(table)));
}

async function rowsOf(db: Database, { orgId }: Owner): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where column_name = 'org_id' and table_schema = 'public' order by 1
  `.execute(db);
  const stored: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql`
      select t::text as row from ${sql.table(name)} t where org_id = ${orgId} order by t::text collate "C"
    `.execute(db);
    stored[name] = rows;
  }
  return stored;
}

async function countJobs(db: Database, { orgId }: Owner): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs where org_id = ${orgId}
  `.execute(db);
  return rows[0]!.count;
}

async function kill(server: RunningServer): Promise<void> {
  server.process.kill('SIGKILL');
  await server.ended;
}

const title =
  'an organization whose deletion is killed is complete or, after the next start, gone without a row';
// If the server fails, the removal never happens.
test(title, { timeout: 120_000 }, async () => {
  const first = await startServer(settings);
  const [early, doomed, other] = [await newOwner('Early'), await newOwner('Doomed'), await newOwner('Other')];
  await load(first, early, 3);
  await load(first, doomed, runCount);
  await load(first, other, 3);
  const [ofEarly, ofOther] = await joined(async ({ db }) => [
    await rowsOf(db, early),
    await rowsOf(db, other),
  ]);
  const answer = send(first, early, 'DELETE', 'organization?confirm=Early').catch(() => null);
  await kill(first);
  await answer;

  const second = await startServer(settings);
  const isThere = (await send(second, early, 'GET', 'organization')).status === 200;
  await joined(async ({ db }) => {
    assert.equal(await countJobs(db, doomed), jobCount);
    assert.equal((await send(second, doomed, 'DELETE', 'organization?confirm=Doomed')).status, 200);
    while ((await countJobs(db, doomed)) === jobCount);
    await kill(second);
  });
  const left = await joined(({ db }) => countJobs(db, doomed));
  assert.ok(left > 0 && left < jobCount, `${left} jobs were left: it was not killed in the middle`);

  await serveHere(settings);
  await joined(async ({ db }) => {
    for (const gone of isThere ? [doomed] : [doomed, early]) {
      while (Object.values(await rowsOf(db, gone)).some((rows) => rows.length > 0));
    }
    if (isThere) assert.deepEqual(withoutDerived(await rowsOf(db, early)), withoutDerived(ofEarly));
    assert.deepEqual(withoutDerived(await rowsOf(db, other)), withoutDerived(ofOther));
  });
});
