import type { Socket } from 'node:net';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { asOutage, isDatabaseAway, isPoolBusy, isReadOnly, readOnly } from './outages.ts';
import { nameOf } from './prepared.ts';

/** The driver's own object for one client, for which it has no types. */
type Connection = {
  stream: Socket;
  on: (event: 'errorMessage', listener: (error: { code?: string }) => void) => void;
};

type Options = {
  /** Whether to use only servers that accept changes. */
  isForChanges: boolean;
  /** Milliseconds without an answer after which a connection is closed; 0 means never. */
  maxSilence: () => number;
  /** Called when no server can be reached. */
  onAway?: (() => void) | undefined;
  /** Called once for each connection that breaks, idle or in use. */
  onLost?: ((error: Error) => void) | undefined;
};

export type CountedPool = PostgresPool & Readonly<Record<Count, number>>;

type Count = 'totalCount' | 'idleCount' | 'waitingCount';

/** Connects to the first usable server. One that refuses a change as read-only may be a standby by now. */
export function openPool(servers: readonly pg.PoolConfig[], options: Options): CountedPool {
  const pools = servers.map((server) => openOne(server, options, servers.length > 1));
  const checked = new WeakSet<object>();
  let current = 0;

  async function connectTo({ pool, givenUp }: ServerPool): Promise<pg.PoolClient> {
    const client = await asOutage(pool.connect());
    const release = client.release.bind(client);
    client.release = (isBroken) => release(isBroken || givenUp.has(client));
    if (checked.has(client)) return client;
    try {
      const { isReadOnly: refusesChanges, isDirect } = await sessionOf(client);
      if (options.isForChanges && refusesChanges) throw readOnly();
      if (isDirect) prepareByName(client, givenUp);
    } catch (error) {
      client.release(true);
      throw error;
    }
    checked.add(client);
    return client;
  }

  const sum = (count: Count) => pools.reduce((total, { pool }) => total + pool[count], 0);

  return {
    get totalCount() {
      return sum('totalCount');
    },
    get idleCount() {
      return sum('idleCount');
    },
    get waitingCount() {
      return sum('waitingCount');
    },
    connect: async () => {
      const failures: unknown[] = [];
      const first = current;
      for (const offset of pools.keys()) {
        const index = (first + offset) % pools.length;
        try {
          const client = await connectTo(pools[index]!);
          current = index;
          return client;
        } catch (error) {
          // A busy server is no reason to try another one.
          if (!isReadOnly(error) && (!isDatabaseAway(error) || isPoolBusy(error))) throw error;
          failures.push(error);
        }
      }
      options.onAway?.();
      throw failures.find(isReadOnly) ?? failures[0];
    },
    end: async () => void (await Promise.all(pools.map(({ pool }) => pool.end()))),
    options: servers[0]!,
  };
}

type ServerPool = { pool: pg.Pool; givenUp: WeakSet<object> };

const maxWaitMilliseconds = 10_000;
/** How long a host that does not answer delays trying the next one. */
const maxConnectMilliseconds = 3_000;

/** A role can have others. PgBouncer passes them on, see its `ignore_startup_parameters`. */
const readable = { DateStyle: 'ISO', standard_conforming_strings: 'on' };

class OwnClient extends pg.Client {
  /** The driver has this method but no type for it. */
  getStartupConf(): Record<string, string> {
    return { ...(pg.Client.prototype as unknown as OwnClient).getStartupConf.call(this), ...readable };
  }
}

class ImpatientClient extends OwnClient {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: maxConnectMilliseconds });
  }
}

function openOne(server: pg.PoolConfig, { maxSilence, onLost }: Options, hasOthers: boolean): ServerPool {
  const givenUp = new WeakSet<object>();
  const pool = new pg.Pool({
    ...server,
    connectionTimeoutMillis: maxWaitMilliseconds,
    Client: hasOthers ? ImpatientClient : OwnClient,
  });
  // Without these listeners, an error would end the process. The pool repeats those of its idle connections.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.once('error', (error) => onLost?.(error));
    client.on('error', () => {});
    writeTogether(client);
    connectionOf(client).on('errorMessage', (error) => isReadOnly(error) && givenUp.add(client));
  });
  pool.on('acquire', (client) => {
    const { stream } = connectionOf(client);
    stream.removeAllListeners('timeout');
    stream.setTimeout(maxSilence(), () => stream.destroy(new Error('Connection terminated: no answer')));
  });
  // An idle connection may be silent.
  pool.on('release', (_error, client) => connectionOf(client).stream.setTimeout(0));
  return { pool, givenUp };
}

/** `isDirect` is false behind a pooler, where transactions of one client share no connection. */
async function sessionOf(client: pg.PoolClient): Promise<{ isReadOnly: boolean; isDirect: boolean }> {
  const { rows } = await client.query<{ setting: string; pid: number }>(
    "select current_setting('transaction_read_only') as setting, pg_backend_pid() as pid",
  );
  const { setting, pid } = rows[0]!;
  return {
    isReadOnly: setting === 'on',
    isDirect: pid === (client as unknown as { processID: number }).processID,
  };
}

function prepareByName(client: pg.PoolClient, givenUp: WeakSet<object>): void {
  const query = client.query.bind(client) as (...statement: unknown[]) => Promise<unknown>;
  const named = (text: unknown, values: unknown): Promise<unknown> => {
    const name = typeof text === 'string' ? nameOf(text) : undefined;
    if (name === undefined) return query(text, values);
    const answer = query({ name, text, values });
    // If the driver refuses a value, it deletes the statement from the server but not from its own list.
    answer.catch((error: unknown) => error instanceof pg.DatabaseError || givenUp.add(client));
    return answer;
  };
  client.query = named as pg.PoolClient['query'];
}

/** Writes all statements of one tick at once. */
function writeTogether(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...statement: unknown[]) => unknown;
  const together = (...statement: unknown[]): unknown => {
    const { stream } = connectionOf(client);
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return query(...statement);
  };
  client.query = together as pg.PoolClient['query'];
}

function connectionOf(client: pg.PoolClient): Connection {
  return (client as unknown as { connection: Connection }).connection;
}
