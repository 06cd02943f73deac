import { setTimeout as delay } from 'node:timers/promises';
import {
  Kysely,
  PostgresDialect,
  sql,
  type PostgresPool,
  type Transaction as KyselyTransaction,
} from 'kysely';
import pg from 'pg';
import type { Tables } from '../../tables.ts';
import { readDatabaseUrl } from '../lib/databaseUrl.ts';
import { PublicError } from '../lib/errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { DirectoryInUse, type Holder } from './directoryLock.ts';
import { openEmbedded } from './embedded.ts';
import { ownApplication } from './embeddedServer.ts';
import { standby } from './outages.ts';
import { camelCase } from './prepared.ts';
import { openPool, type CountedPool } from './serverPool.ts';
import type { CountCommits } from './sharedReads.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

export type OpenDatabase = {
  db: Database;
  /**
   * For background work and for probes, so that a busy API does not delay them. The embedded database has one
   * connection for all.
   */
  background: Database;
  spare: Database;
  /** From now on, a connection is closed if it is silent for longer than any query may take. */
  limitSilence: () => void;
  countCommits: CountCommits;
  /** Rejects when the database fails for good; never resolves. */
  failed: Promise<never>;
  /** Whether a pooler in front of the server has refused our time-outs. */
  lacksTimeouts: boolean;
  /** Address of the server whose database this process has joined; null if it has not joined one. */
  serverUrl: string | null;
  /** Whether another process has the data folder, and this one is its client. */
  isJoined: boolean;
  announce: (publicUrl: string) => void;
  close: () => Promise<void>;
};

export type DatabaseAddress = { databaseUrl: string | null; dataDir: string; databasePool?: number };

type OpenOptions = {
  /** Shown to the next process that finds the data folder in use: `server`, `demo` … */
  command: string;
  mayJoin: boolean;
  mayCreate: boolean;
  /** Name of the setting with the database's address, for errors; `DATABASE_URL` by default. */
  addressFrom?: string;
  metrics?: Metrics | undefined;
  /** For the embedded database only; a server has its own amcheck. */
  hasAmcheck?: boolean;
};

export async function openDatabase(
  { databaseUrl, dataDir, databasePool = 10 }: DatabaseAddress,
  options: OpenOptions,
): Promise<OpenDatabase> {
  if (databaseUrl) return openServer(databaseUrl, databasePool, options);
  const lastTry = Date.now() + maxStartMilliseconds;
  for (;;) {
    try {
      return await openHere(dataDir, options);
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || !options.mayJoin) throw error;
      const joined = await join(error.holder, options);
      if (joined) return joined;
      if (Date.now() > lastTry) throw error;
      await delay(100);
    }
  }
}

async function pingDatabase(db: Database): Promise<void> {
  await db.selectNoFrom((row) => row.lit(1).as('one')).execute();
}

async function openServer(
  databaseUrl: string,
  connections: number,
  options: OpenOptions,
  session: pg.PoolConfig = sessionSettings,
): Promise<OpenDatabase> {
  const { urls, isForChanges } = readDatabaseUrl(databaseUrl)!;
  const open = (name: string, max: number) => {
    const servers = urls.map((connectionString) => ({
      connectionString,
      keepAlive: true,
      application_name: ownApplication,
      max,
      ...session,
    }));
    return connect(servers, { name, metrics: options.metrics }, { isForChanges });
  };
  const database = open('requests', connections);
  const background = open('background', backgroundConnections);
  const spare = open('probes', 1);
  const parts = [database, background, spare];
  try {
    await requirePrimary(database.db);
    return {
      ...database,
      background: background.db,
      spare: spare.db,
      lacksTimeouts: session !== sessionSettings && !(await hasTimeouts(database.db)),
      limitSilence: () => parts.forEach((part) => part.limitSilence()),
      close: async () => void (await Promise.all(parts.map((part) => part.close()))),
    };
  } catch (error) {
    await database.close();
    if (session === sessionSettings && isRefusedBySetting(error))
      return openServer(databaseUrl, connections, options, {});
    const { addressFrom = 'DATABASE_URL' } = options;
    const message = `The database at ${addressFrom} cannot be used: ${(error as Error).message}`;
    throw new PublicError('unavailable', 'database_unusable', message);
  }
}

async function requirePrimary(db: Database): Promise<void> {
  const { rows } = await sql<{ isStandby: boolean }>`select pg_is_in_recovery() as is_standby`.execute(db);
  if (rows[0]!.isStandby) throw standby();
}

async function hasTimeouts(db: Database): Promise<boolean> {
  const { rows } = await sql<{ lockTimeout: string }>`show lock_timeout`.execute(db);
  return rows[0]!.lockTimeout !== '0';
}

/** PgBouncer shares a connection among clients, so it accepts settings only in its own configuration. */
function isRefusedBySetting(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}

async function openHere(dataDir: string, options: OpenOptions): Promise<OpenDatabase> {
  const embedded = await openEmbedded(dataDir, options);
  const database = connect(
    [embeddedAddress(embedded.socketDirectory)],
    { name: 'embedded', metrics: options.metrics },
    { isShared: true, failed: embedded.failed },
  );
  const close = async (): Promise<void> => {
    try {
      await database.close();
    } finally {
      await embedded.close();
    }
  };
  // Each commit of a change waits for an fsync, and all clients use this thread's one session, so fsyncs
  // count commits.
  const countCommits = embedded.countFsyncs;
  return { ...database, limitSilence: () => {}, countCommits, announce: embedded.announce, close };
}

/**
 * Connects to the database of the process that has the folder; null while that process is starting or
 * stopping.
 */
async function join(holder: Holder | null, { metrics }: OpenOptions): Promise<OpenDatabase | null> {
  if (!holder) return null;
  const address = embeddedAddress(holder.socketDirectory);
  const database = connect([address], { name: 'embedded', metrics }, { isShared: true });
  try {
    await pingDatabase(database.db);
    return { ...database, limitSilence: () => {}, serverUrl: holder.publicUrl ?? null, isJoined: true };
  } catch {
    await database.close();
    return null;
  }
}

const maxQueryMilliseconds = 30_000;
const sessionSettings: pg.PoolConfig = {
  // Compiling our queries takes longer than it saves. A cached plan would still scan a table that has grown
  // since.
  options: '-c jit=off -c plan_cache_mode=force_custom_plan',
  statement_timeout: maxQueryMilliseconds,
  lock_timeout: 10_000,
};
/**
 * Without this limit, a vanished machine or a COMMIT that waits for a standby would hold a connection for
 * hours.
 */
const maxSilenceMilliseconds = maxQueryMilliseconds + 10_000;
const backgroundConnections = 4;
// The first start creates the database, which can take this long on slow machines.
const maxStartMilliseconds = 30_000;
const never = new Promise<never>(() => {});

/**
 * All clients share the one session of the embedded database, so we use one connection and no named
 * statements.
 */
function embeddedAddress(socketDirectory: string): pg.PoolConfig {
  return {
    host: socketDirectory,
    user: 'postgres',
    database: 'postgres',
    application_name: ownApplication,
    max: 1,
  };
}

type Pool = { isForChanges: boolean; isShared: boolean; failed: Promise<never> };

type Watched = { name: string; metrics: Metrics | undefined };

function connect(
  servers: readonly pg.PoolConfig[],
  { name, metrics }: Watched,
  { isForChanges = false, isShared = false, failed = never }: Partial<Pool> = {},
): OpenDatabase {
  let maxSilence = 0;
  const typed = servers.map((server) => ({ ...server, types, pipeline: true }));
  const pool = openPool(typed, { isForChanges, isShared, maxSilence: () => maxSilence });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: metrics ? watched(pool, name, metrics) : pool }),
    plugins: [camelCase],
  });
  return {
    db,
    background: db,
    spare: db,
    limitSilence: () => void (maxSilence = maxSilenceMilliseconds),
    lacksTimeouts: false,
    countCommits: null,
    failed,
    serverUrl: null,
    isJoined: false,
    announce: () => {},
    close: () => db.destroy(),
  };
}

/** Measures how long callers wait for a connection. */
function watched(pool: CountedPool, name: string, metrics: Metrics): PostgresPool {
  const { poolConnections, poolWaiting, poolWaitSeconds } = metrics;
  metrics.beforeScrape.push(() => {
    poolConnections.set({ pool: name, state: 'idle' }, pool.idleCount);
    poolConnections.set({ pool: name, state: 'in_use' }, pool.totalCount - pool.idleCount);
    poolWaiting.set({ pool: name }, pool.waitingCount);
  });
  return {
    options: pool.options,
    connect: async () => {
      const startedAt = performance.now();
      try {
        return await pool.connect();
      } finally {
        poolWaitSeconds.observe({ pool: name }, (performance.now() - startedAt) / 1_000);
      }
    },
    end: () => pool.end(),
  };
}

const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: BigInt,
  // The driver's own parsers would return a float and a local midnight.
  [pg.types.builtins.NUMERIC]: String,
  [pg.types.builtins.DATE]: String,
};

const types = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    parsers[id] ?? pg.types.getTypeParser(id as number as never, format as 'text'),
} as pg.CustomTypesConfig;

const maxTries = 5;

/**
 * Runs `work` in a transaction that sees one snapshot of the database. Repeats it after a conflict with a concurrent
 * write, so `work` must have no effect outside the transaction.
 */
export async function inSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().setIsolationLevel('repeatable read').execute(work);
    } catch (error) {
      if (tries === maxTries || !isSerializationFailure(error)) throw error;
    }
  }
}

function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40001';
}
