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
import { openOwnPostgres } from '../postgres/ownPostgres.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { standby } from './outages.ts';
import { camelCase } from './prepared.ts';
import { openPool, type CountedPool } from './serverPool.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

export type OpenDatabase = {
  db: Database;
  /** For background work and for probes, so that a busy API does not delay them. */
  background: Database;
  spare: Database;
  /** From now on, a connection is closed if it is silent for longer than any query may take. */
  limitSilence: () => void;
  /** Whether a pooler in front of the server has refused our time-outs. */
  lacksTimeouts: boolean;
  /** What the operator should know of how our own PostgreSQL runs; null if there is nothing unusual. */
  note: string | null;
  /** Where other programs connect, with the password that is in it. */
  url: string;
  close: () => Promise<void>;
};

export type DatabaseAddress = {
  /** Null means our own PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  databasePool?: number;
  postgresBin?: string | null;
  postgresMemoryMegabytes?: number;
};

type OpenOptions = {
  mayCreate: boolean;
  /** Name of the setting with the database's address, for errors; `DATABASE_URL` by default. */
  addressFrom?: string;
  metrics?: Metrics | undefined;
  onLost?: ((error: Error, pool: string) => void) | undefined;
  /** By default the name by which `move` recognizes servers and other commands. */
  applicationName?: string;
};

const defaultMemoryMegabytes = 64;

export async function openDatabase(
  { databaseUrl, dataDir, databasePool = 10, ...address }: DatabaseAddress,
  options: OpenOptions,
): Promise<OpenDatabase> {
  if (databaseUrl) return openServer(databaseUrl, { ...options, connections: databasePool });
  const { postgresBin = null, postgresMemoryMegabytes: memoryMegabytes = defaultMemoryMegabytes } = address;
  // A few commands may join a server.
  const maxConnections = Math.max(100, 3 * (databasePool + backgroundConnections + 1));
  const { mayCreate } = options;
  const own = await openOwnPostgres({ dataDir, postgresBin, memoryMegabytes, maxConnections, mayCreate });
  try {
    const onAway = () => void own.revive().catch(() => {}); // its reason is in its log, and the next caller tries again
    const opened = await openServer(own.url, {
      ...options,
      addressFrom: `DATA_DIR ${dataDir}`,
      connections: databasePool,
      onAway,
    });
    const close = async (): Promise<void> => {
      try {
        await opened.close();
      } finally {
        await own.close();
      }
    };
    return { ...opened, note: own.note, close };
  } catch (error) {
    await own.close();
    throw error;
  }
}

type ServerOptions = OpenOptions & { connections: number; onAway?: () => void };

async function openServer(
  databaseUrl: string,
  options: ServerOptions,
  session: pg.PoolConfig = sessionSettings,
): Promise<OpenDatabase> {
  const { urls, isForChanges } = readDatabaseUrl(databaseUrl)!;
  const { applicationName = ownApplication } = options;
  const open = (name: string, max: number, idleTimeoutMillis = 10_000) => {
    const servers = urls.map((connectionString) => ({
      connectionString,
      keepAlive: true,
      application_name: applicationName,
      idleTimeoutMillis,
      max,
      ...session,
    }));
    return connect(servers, { name, ...options, isForChanges });
  };
  const database = open('requests', options.connections);
  const background = open('background', backgroundConnections);
  // Stays connected, so that `move` sees a server that has nothing to do.
  const spare = open('probes', 1, 0);
  const parts = [database, background, spare];
  try {
    await requirePrimary(database.db);
    return {
      db: database.db,
      background: background.db,
      spare: spare.db,
      lacksTimeouts: session !== sessionSettings && !(await hasTimeouts(database.db)),
      note: null,
      url: databaseUrl,
      limitSilence: () => parts.forEach((part) => part.limitSilence()),
      close: async () => void (await Promise.all(parts.map((part) => part.close()))),
    };
  } catch (error) {
    await database.close();
    if (session === sessionSettings && isRefusedBySetting(error)) return openServer(databaseUrl, options, {});
    const { addressFrom = 'DATABASE_URL' } = options;
    const message = `The database at ${addressFrom} cannot be used: ${(error as Error).message}`;
    throw new PublicError('unavailable', 'database_unusable', message);
  }
}

export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
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

/** Our clients connect with this `application_name`. */
export const ownApplication = 'runcost';

const maxQueryMilliseconds = 30_000;
const sessionSettings: pg.PoolConfig = {
  // Compiling our queries takes longer than it saves. A cached plan would still scan a table that has grown
  // since.
  options: '-c jit=off -c plan_cache_mode=force_custom_plan',
  statement_timeout: maxQueryMilliseconds,
  lock_timeout: 10_000,
};
/** Else a vanished machine, or a COMMIT that waits for a standby, would hold a connection for hours. */
const maxSilenceMilliseconds = maxQueryMilliseconds + 10_000;
const backgroundConnections = 4;
type Connecting = {
  name: string;
  metrics?: Metrics | undefined;
  isForChanges: boolean;
  onAway?: () => void;
  onLost?: ((error: Error, pool: string) => void) | undefined;
};

type Pool = { db: Database; limitSilence: () => void; close: () => Promise<void> };

function connect(
  servers: readonly pg.PoolConfig[],
  { name, metrics, isForChanges, onAway, onLost }: Connecting,
): Pool {
  let maxSilence = 0;
  metrics?.lostConnections.inc({ pool: name }, 0);
  const typed = servers.map((server) => ({ ...server, types, pipeline: true }));
  const pool = openPool(typed, {
    isForChanges,
    maxSilence: () => maxSilence,
    onAway,
    onLost: (error) => {
      metrics?.lostConnections.inc({ pool: name });
      onLost?.(error, name);
    },
  });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: metrics ? watched(pool, name, metrics) : pool }),
    plugins: [camelCase],
  });
  return {
    db,
    limitSilence: () => void (maxSilence = maxSilenceMilliseconds),
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

/** Repeats `work` after a conflict with a write, so it must have no effect outside the transaction. */
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
