import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programEnvironment } from '../../config.ts';
import { PublicError } from '../lib/errors.ts';
import { createCluster, findCluster, superuser } from './cluster.ts';
import { findPrograms, type Programs } from './programs.ts';
import { chooseUser, giveTo, handOver, type RunAs } from './runAs.ts';
import { makeDataDir, makeRunFolder } from './runFolder.ts';
import { hasLastLeft, joinUsers, makePipe, type Users } from './sharedPipe.ts';

export type OwnPostgres = {
  url: string;
  /** What the operator should know of how it runs; null if there is nothing unusual. */
  note: string | null;
  /** Starts it again if it has ended. */
  revive: () => Promise<void>;
  /** Stops it if no other process uses it. */
  close: () => Promise<void>;
};

export type OwnPostgresOptions = {
  dataDir: string;
  /** Folder of PostgreSQL's programs; null for those that Runcost brings. */
  postgresBin: string | null;
  /** Megabytes of pages that PostgreSQL keeps in memory. */
  memoryMegabytes: number;
  maxConnections: number;
  mayCreate: boolean;
  /** Other settings, for tests. */
  settings?: Readonly<Record<string, string>>;
};

/** Only names the socket. */
const port = '5432';

type Place = {
  dataDir: string;
  run: string;
  cluster: string;
  pipe: string;
  log: string;
  url: string;
  command: readonly string[];
};

/** Joins the one that runs in the data folder, or starts one. It ends with its last process. */
export async function openOwnPostgres(options: OwnPostgresOptions): Promise<OwnPostgres> {
  const programs = await findPrograms(options.postgresBin);
  const { dataDir } = options;
  const cluster = findCluster(dataDir, programs, options.mayCreate);
  makeDataDir(dataDir);
  const runAs = await chooseUser(existsSync(cluster) ? cluster : dataDir);
  await createCluster(cluster, programs, runAs);
  const real = realpathSync(cluster);
  const running = findRunning(real);
  const run = running?.folder ?? makeRunFolder(dataDir, runAs.owner?.uid);
  const settings = { ...settingsFor(options, run, programs), ...options.settings };
  const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const place: Place = {
    dataDir,
    run,
    cluster: real,
    pipe: join(run, pipeName),
    log: join(dataDir, 'postgres.log'),
    url: urlOf(run),
    command: [...runAs.prefix, join(programs.bin, 'postgres'), '-D', cluster, ...values],
  };
  let { users, guard } = await joinOrStart(place, runAs).finally(running?.users.release);
  let reviving: Promise<void> | null = null;

  async function revive(): Promise<void> {
    // Its guard ends a moment after it.
    for (let tries = 0; users.isServed(); tries++) {
      if (tries === maxProbes || (await probe(place.url)) !== 'away') return;
      await delay(lookAgainMilliseconds);
    }
    users.release();
    ({ users, guard } = await joinOrStart(place, runAs));
  }

  return {
    url: place.url,
    note: runAs.note,
    revive: () => (reviving ??= revive().finally(() => (reviving = null))),
    close: async () => {
      await reviving?.catch(() => {});
      users.release();
      // Whoever started it waits, so that a container does not end while it stops.
      if (guard && (await hasLastLeft(place.pipe))) await guard.hasEnded();
    },
  };
}

/**
 * The run folder of a PostgreSQL that runs here: a process with another temporary folder may have started it. Who looks stays
 * a user until it has joined, because a PostgreSQL that nobody has joined yet ends with its first user.
 */
function findRunning(cluster: string): { folder: string; users: Users } | null {
  const folder = readLock(cluster)?.socketFolder;
  const users = folder ? joinUsers(join(folder, pipeName)) : null;
  return users && { folder: folder!, users };
}

const pipeName = 'users';

/** Names the port and TLS, which the driver would else take from PGPORT and PGSSLMODE. */
function urlOf(runFolder: string): string {
  return `postgres://${superuser}@localhost/${superuser}?host=${encodeURIComponent(runFolder)}&port=${port}&sslmode=disable`;
}

function settingsFor(
  { memoryMegabytes, maxConnections }: OwnPostgresOptions,
  socketFolder: string,
  { major }: Programs,
): Record<string, string> {
  return {
    // Processes that read ahead are worth their memory on larger disks only.
    ...(major >= 18 && { io_method: 'sync' }),
    listen_addresses: '',
    port,
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    shared_buffers: `${memoryMegabytes}MB`,
    // Parallel work would take all processors, and more shared memory than slim containers have.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    // The log has starts, stops and failures, but no statements: their values are private.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
}

type Guard = { hasEnded: () => Promise<unknown> };

type Joined = {
  users: Users;
  /** Null if another process started the PostgreSQL. */
  guard: Guard | null;
};

/** The time for another start or stop in this folder to end. */
const maxStartMilliseconds = 30_000;
const lookAgainMilliseconds = 10;
const maxProbes = 100;

async function joinOrStart(place: Place, runAs: RunAs): Promise<Joined> {
  const lastTry = performance.now() + maxStartMilliseconds;
  for (;;) {
    const found = joinUsers(place.pipe);
    const joined: Joined | string = found ? { users: found, guard: null } : await start(place, runAs);
    if (typeof joined === 'object') {
      if (await becomesReady(place, joined.users)) return joined;
      joined.users.release();
    }
    const reason = typeof joined === 'string' ? joined : 'it ended while this process waited for it';
    // Another process has started or stopped it, or what is left of a killed one has not ended yet.
    const isTemporary =
      found || /lock file .* (?:already exists|is empty)|shared memory block|is shut down/.test(reason);
    if (!isTemporary || performance.now() > lastTry) throw failed(place, reason);
    await delay(lookAgainMilliseconds);
  }
}

/** Starts PostgreSQL with its guard. Returns why it ended, if it did so before it could be joined. */
async function start(place: Place, runAs: RunAs): Promise<Joined | string> {
  const environment = await endOrphan(place);
  handOver(place.cluster, runAs);
  makePipe(place.pipe);
  const log = openLog(place.log);
  // Where root runs it for another user, that user must be able to join.
  for (const path of [dirname(place.pipe), place.pipe, place.log]) giveTo(path, runAs);
  const { size } = fstatSync(log);
  // Its own session: signals from the terminal go to Runcost, which stops it.
  const child = spawn('sh', ['-c', guardScript, 'runcost-postgres', place.pipe, ...place.command], {
    cwd: '/',
    detached: true,
    env: programEnvironment(environment),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const ended = once(child, 'exit');
  ended.catch(() => {});
  while (child.exitCode === null && child.signalCode === null) {
    const users = joinUsers(place.pipe);
    if (users && (await becomesReady(place, users))) return { users, guard: guardOf(child, ended) };
    users?.release();
    await delay(lookAgainMilliseconds);
  }
  await ended;
  return readLog(place.log, size);
}

/** This process stays alive for its end only while somebody waits for that. */
function guardOf(child: ChildProcess, ended: Promise<unknown>): Guard {
  return {
    hasEnded: () => {
      child.ref();
      return ended;
    },
  };
}

/**
 * Runs PostgreSQL until the last user has left the pipe, and then stops it: the sessions end, and what is committed stays.
 * Reads before PostgreSQL starts, so nobody takes it for one without a guard. Repeats the signal, which a PostgreSQL that has
 * just started misses. Ignores signals that a service manager sends to all. The last line ends what still waits in this group.
 */
const guardScript = `
trap '' HUP INT TERM
pipe=$1
shift
postgres= gone=
trap 'gone=1; [ "$postgres" ] && kill -INT "$postgres"' USR1
{ cat "$pipe"; for pause in 1 5 30; do kill -USR1 $$; sleep $pause; done; } >/dev/null 2>&1 &
"$@" &
postgres=$!
[ "$gone" ] && kill -INT "$postgres"
while wait "$postgres"; [ $? -gt 128 ] && kill -0 "$postgres" 2>/dev/null; do :; done
kill -KILL 0
`;

const maxLogBytes = 1_000_000;

/** Appends, so that the reason of the last failure stays; starts over when the file is large. */
function openLog(path: string): number {
  const log = openSync(path, 'a', 0o600);
  if (fstatSync(log).size < maxLogBytes) return log;
  closeSync(log);
  return openSync(path, 'w', 0o600);
}

/**
 * The last failure that PostgreSQL or its start wrote after the offset. What it refuses to clients while it starts or stops is
 * none, and it stops without a failure if another process looked for users before this one had joined.
 */
function readLog(path: string, offset: number): string {
  const text = readFileSync(path).subarray(offset).toString().trim();
  const failures =
    /(?:(?:FATAL|PANIC): +(?!the database system is )|LOG: +(?=database system is shut down))(\S.*)/g;
  return [...text.matchAll(failures)].at(-1)?.[1] ?? text.split('\n').at(-1)!;
}

function failed({ cluster, log }: Place, reason: string): PublicError {
  const message = `The database in ${cluster} does not start: ${reason || 'no reason given'} (${log})`;
  return new PublicError('unavailable', 'database_failed', message);
}

/** Waits while PostgreSQL starts. False if it has ended meanwhile. */
async function becomesReady(place: Place, users: Users): Promise<boolean> {
  for (;;) {
    // It may have begun to stop before this process joined.
    if ((await probe(place.url)) === 'ready') return users.isServed();
    if (!users.isServed()) return false;
    await delay(lookAgainMilliseconds);
  }
}

type Probed = 'ready' | 'starting' | 'away';

const maxProbeMilliseconds = 2_000;
/** The SQLSTATE of a server that starts or stops. */
const cannotConnectNow = '57P03';

async function probe(url: string): Promise<Probed> {
  // Imported late, so that a command without a database starts faster.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: maxProbeMilliseconds,
    options: '-c jit=off', // else the driver takes PGOPTIONS
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'away';
    // Other answers, such as of a server without a free connection, come from one that runs.
    return code === undefined || code === cannotConnectNow ? 'starting' : 'ready';
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the environment of the next start: in a container, each start has the same process ids. */
async function endOrphan({ dataDir, cluster, run }: Place): Promise<Record<string, string>> {
  for (let tries = 0; tries < maxStartMilliseconds / lookAgainMilliseconds; tries++) {
    const lock = readLock(cluster);
    if (lock === null) return {};
    const folder = folderOf(lock.pid);
    const answers = await Promise.all([run, lock.socketFolder ?? run].map((each) => probe(urlOf(each))));
    if (folder === cluster) {
      if (tries % 100 === 0) interrupt(lock.pid);
    } else if (answers.every((answer) => answer === 'away')) {
      // A socket elsewhere may be out of sight, and so would be a PostgreSQL that runs in another container.
      const isInSight = run === (lock.socketFolder ?? run) && run.startsWith(`${realpathSync(dataDir)}/`);
      return folder !== null && isInSight ? { PG_GRANDPARENT_PID: String(lock.pid) } : {};
    }
    await delay(lookAgainMilliseconds);
  }
  return {};
}

type Lock = {
  pid: number;
  /** Null if the file came here with a copy of another folder, or is not complete yet. */
  socketFolder: string | null;
};

/** What PostgreSQL writes into its lock file. */
function readLock(cluster: string): Lock | null {
  try {
    const [pid, folder, , , socketFolder] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const isHere = existsSync(folder!) && realpathSync(folder!) === cluster;
    return { pid: Number(pid), socketFolder: (isHere && socketFolder) || null };
  } catch {
    return null;
  }
}

/** Where a process runs: PostgreSQL runs in the folder of its data. Null if there is no such process or no way to see it. */
function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** PostgreSQL ends its sessions and stops. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has just ended.
  }
}
