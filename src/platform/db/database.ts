import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type Transaction as KyselyTransaction,
} from 'kysely';
import pg from 'pg';
import type { Tables } from '../../tables.ts';
import { PublicError } from '../lib/errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { DirectoryInUse, type Holder } from './directoryLock.ts';
import { openEmbedded } from './embedded.ts';
import { ownApplication } from './embeddedServer.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

export type OpenDatabase = {
  db: Database;
  /** For background work and for probes, which a busy API must not keep waiting. The embedded database has one for all. */
  background: Database;
  spare: Database;
  /** From now on, a connection that says nothing for longer than any query may take is given up. */
  limitSilence: () => void;
  /** Rejects when the database fails for good; never resolves. */
  failed: Promise<never>;
  /** Address of the server whose database this process has joined; null where it has joined none. */
  serverUrl: string | null;
  announce: (publicUrl: string) => void;
  close: () => Promise<void>;
};

type DatabaseAddress = { databaseUrl: string | null; dataDir: string; databasePool?: number };

type OpenOptions = {
  /** Named in the error of the next process that finds the data folder taken: `server`, `demo` … */
  command: string;
  mayJoin: boolean;
  mayCreate: boolean;
  metrics?: Metrics | undefined;
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
  { metrics }: OpenOptions,
): Promise<OpenDatabase> {
  const address = {
    connectionString: databaseUrl,
    keepAlive: true,
    application_name: ownApplication,
    // Compiling a query of ours takes longer than it saves.
    options: '-c jit=off',
    statement_timeout: maxQueryMilliseconds,
    lock_timeout: maxLockMilliseconds,
  };
  const database = connect({ ...address, max: connections }, { name: 'requests', metrics });
  const background = connect({ ...address, max: backgroundConnections }, { name: 'background', metrics });
  const spare = connect({ ...address, max: 1 }, { name: 'probes', metrics });
  const parts = [database, background, spare];
  try {
    await pingDatabase(database.db);
    return {
      ...database,
      background: background.db,
      spare: spare.db,
      limitSilence: () => parts.forEach((part) => part.limitSilence()),
      close: async () => void (await Promise.all(parts.map((part) => part.close()))),
    };
  } catch (error) {
    await database.close();
    const message = `The database at DATABASE_URL cannot be used: ${(error as Error).message}`;
    throw new PublicError('unavailable', 'database_unusable', message);
  }
}

async function openHere(
  dataDir: string,
  { command, mayCreate, metrics }: OpenOptions,
): Promise<OpenDatabase> {
  const embedded = await openEmbedded(dataDir, command, mayCreate);
  const database = connect(
    embeddedAddress(embedded.socketDirectory),
    { name: 'embedded', metrics },
    embedded.failed,
  );
  const close = async (): Promise<void> => {
    try {
      await database.close();
    } finally {
      await embedded.close();
    }
  };
  return { ...database, limitSilence: () => {}, announce: embedded.announce, close };
}

/** Connects to the database of the process that holds the folder; null while that process is starting or stopping. */
async function join(holder: Holder | null, { metrics }: OpenOptions): Promise<OpenDatabase | null> {
  if (!holder) return null;
  const database = connect(embeddedAddress(holder.socketDirectory), { name: 'embedded', metrics });
  try {
    await pingDatabase(database.db);
    return { ...database, limitSilence: () => {}, serverUrl: holder.publicUrl ?? null };
  } catch {
    await database.close();
    return null;
  }
}

const maxQueryMilliseconds = 30_000;
const maxLockMilliseconds = 10_000;
const maxWaitMilliseconds = 10_000;
/** A machine that has vanished, or a COMMIT that waits for a standby, would hold a connection for hours. */
const maxSilenceMilliseconds = maxQueryMilliseconds + 10_000;
const backgroundConnections = 4;
// The first start creates the database, which takes this long on slow machines.
const maxStartMilliseconds = 30_000;
const never = new Promise<never>(() => {});

/** The embedded database has one session for all clients: so one connection and no named statements. */
function embeddedAddress(socketDirectory: string): pg.PoolConfig {
  return {
    host: socketDirectory,
    user: 'postgres',
    database: 'postgres',
    application_name: ownApplication,
    max: 1,
  };
}

type Watched = { name: string; metrics: Metrics | undefined };

function connect(
  address: pg.PoolConfig,
  { name, metrics }: Watched,
  failed: Promise<never> = never,
): OpenDatabase {
  const pool = new pg.Pool({ ...address, types, connectionTimeoutMillis: maxWaitMilliseconds });
  // The pool replaces a connection that dies while idle; without a listener the error would end the process.
  pool.on('error', () => {});
  // A connection that dies in use fails its query and emits the error here again.
  pool.on('connect', (client) => client.on('error', () => {}));
  let maxSilence = 0;
  pool.on('acquire', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('timeout');
    stream.setTimeout(maxSilence, () => stream.destroy(new Error('Connection terminated: no answer')));
  });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: metrics ? watched(pool, name, metrics) : pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return {
    db,
    background: db,
    spare: db,
    limitSilence: () => void (maxSilence = maxSilenceMilliseconds),
    failed,
    serverUrl: null,
    announce: () => {},
    close: () => db.destroy(),
  };
}

/** Measures how long callers wait for a connection. */
function watched(pool: pg.Pool, name: string, metrics: Metrics): PostgresPool {
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
  // The driver's parsers would return a float and a local midnight.
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
