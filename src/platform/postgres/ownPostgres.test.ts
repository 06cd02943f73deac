import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newFolder, removeFolder } from '../../../test/harness/storage.ts';
import { openOwnPostgres, type OwnPostgres, type OwnPostgresOptions } from './ownPostgres.ts';

function open(dataDir: string, options: Partial<OwnPostgresOptions> = {}): Promise<OwnPostgres> {
  return openOwnPostgres({
    dataDir,
    postgresBin: null,
    memoryMegabytes: 16,
    maxConnections: 20,
    mayCreate: true,
    settings: { fsync: 'off' },
    ...options,
  });
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return Object.values((await client.query<Record<string, unknown>>(text)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

const clusterOf = (dataDir: string) =>
  join(
    dataDir,
    readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name))!,
  );
const pidFile = (dataDir: string) => join(clusterOf(dataDir), 'postmaster.pid');
const pidOf = (dataDir: string) => Number(readFileSync(pidFile(dataDir), 'utf8').split('\n')[0]);

async function untilGone(path: string): Promise<void> {
  while (existsSync(path)) await delay(10);
}

test('two first starts at once share one database, which ends with its last user', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const [first, second] = await Promise.all([open(dataDir), open(dataDir)]);
  assert.equal(first.url, second.url);
  await ask(first.url, 'create table kept as select 7 as number');
  await first.close();
  assert.equal(await ask(second.url, 'select number from kept'), 7);
  assert.equal(await ask(second.url, 'show listen_addresses'), '');
  await second.close();
  await untilGone(pidFile(dataDir));
  const again = await open(dataDir);
  assert.equal(await ask(again.url, 'select number from kept'), 7);
  await again.close();
  assert.ok(!existsSync(pidFile(dataDir)));
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('unfinished')),
    [],
  );
});

test('a PostgreSQL that was killed is started again', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const own = await open(dataDir);
  const before = pidOf(dataDir);
  await own.revive();
  assert.equal(pidOf(dataDir), before);
  process.kill(before, 'SIGKILL');
  while ((await ask(own.url, 'select 1').catch(() => null)) !== null) await delay(10);
  await Promise.all([own.revive(), own.revive()]);
  assert.equal(await ask(own.url, 'select 1'), 1);
  assert.notEqual(pidOf(dataDir), before);
  await own.close();
});

test('after a restart that failed, the next one works', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const own = await open(dataDir);
  const config = join(clusterOf(dataDir), 'postgresql.conf');
  const settings = readFileSync(config, 'utf8');
  writeFileSync(config, 'no_such_setting = on');
  process.kill(pidOf(dataDir), 'SIGKILL');
  while ((await ask(own.url, 'select 1').catch(() => null)) !== null) await delay(10);
  for (let times = 0; times < 2; times++) await assert.rejects(own.revive(), { code: 'database_failed' });
  writeFileSync(config, settings);
  await own.revive();
  assert.equal(await ask(own.url, 'select 1'), 1);
  await own.close();
});

const hasProc = existsSync('/proc/self');

test('a PostgreSQL whose guard was killed is replaced', { skip: !hasProc }, async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const own = await open(dataDir);
  const orphan = pidOf(dataDir);
  const guard = childrenOf(process.pid).find((pid) => childrenOf(pid).includes(orphan))!;
  const shells = [guard, ...childrenOf(guard)];
  const all = new Set(shells.flatMap((shell) => [shell, ...childrenOf(shell)]));
  const others = [...all].filter((pid) => !['postgres', null].includes(nameOf(pid)));
  for (const pid of others) process.kill(pid, 'SIGKILL');
  while (others.some((pid) => nameOf(pid) !== null)) await delay(10);
  await own.revive();
  assert.equal(await ask(own.url, 'select 1'), 1);
  assert.notEqual(pidOf(dataDir), orphan);
  await own.close();
});

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const texts = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'));
  return texts.join(' ').split(' ').filter(Boolean).map(Number);
}

/** Null if it has ended. */
function nameOf(pid: number): string | null {
  try {
    const [, name, state] = /\((.*)\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    return state === 'Z' ? null : name!;
  } catch {
    return null;
  }
}

test('a process with the id of a killed PostgreSQL does not keep it from starting', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const own = await open(dataDir);
  const lines = readFileSync(pidFile(dataDir), 'utf8');
  await own.close();
  // In a container, each start gives the same ids.
  writeFileSync(pidFile(dataDir), lines.replace(/^\d+/, String(process.ppid)));
  const again = await open(dataDir);
  assert.equal(await ask(again.url, 'select 1'), 1);
  await again.close();
});

test('a folder with a long or strange name works', async (context) => {
  const parent = newFolder();
  context.after(() => removeFolder(parent));
  const dataDir = join(parent, `it's "new", ${'very '.repeat(20)}long ü`);
  const own = await open(dataDir);
  assert.equal(await ask(own.url, 'select 1'), 1);
  assert.equal(new URL(own.url).searchParams.get('host')!.startsWith(parent), false);
  await own.close();
});

test('folders of other formats and programs that are none are refused, and nothing is changed', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  const refused = async (code: string, message: RegExp, options: Partial<OwnPostgresOptions> = {}) => {
    const before = readdirSync(dataDir, { recursive: true });
    await assert.rejects(open(dataDir, options), { code, message });
    assert.deepEqual(readdirSync(dataDir, { recursive: true }), before);
  };
  await refused('no_postgres', /POSTGRES_BIN \/nowhere must be the folder/, { postgresBin: '/nowhere' });
  await refused('no_database', /There is no database in DATA_DIR/, { mayCreate: false });
  const unfinished = join(dataDir, 'postgres-18.unfinished-x');
  mkdirSync(unfinished);
  await refused('database_starting', /A server is starting and creates the database/, { mayCreate: false });
  utimesSync(unfinished, 0, 0);
  await refused('no_database', /There is no database in DATA_DIR/, { mayCreate: false });
  mkdirSync(join(dataDir, 'postgres-14'));
  await refused('other_postgres', /has the database of another PostgreSQL \(postgres-14\)/);
  mkdirSync(join(dataDir, 'postgres-18'));
  writeFileSync(join(dataDir, 'postgres-18/postgresql.conf'), 'log_file_mode = 0640\t# comment\n');
  await refused('earlier_format', /backup --with-key.*restore runcost\.tar/s);
});

test('a database that does not start says why', async (context) => {
  const dataDir = newFolder();
  context.after(() => removeFolder(dataDir));
  await assert.rejects(open(dataDir, { settings: { shared_buffers: 'lots' } }), {
    code: 'database_failed',
    message: /invalid value for parameter "shared_buffers"/,
  });
  assert.ok(!existsSync(pidFile(dataDir)));
});
