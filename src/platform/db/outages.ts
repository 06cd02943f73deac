export type Outage = {
  code: string;
  detail: string;
  /** Whether everybody is affected, not just this request. */
  isForAll: boolean;
};

const again = 'A change may have been recorded or not: send it again.';

const busyWith = (reason: string): Outage => ({ code: 'database_busy', detail: reason, isForAll: false });

const standbyText =
  'this is a standby, which takes no changes. Use the primary, or name all hosts: postgres://one,two/runcost';

/** Outages by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const outages: Record<string, Outage> = {
  '25006': {
    code: 'database_read_only',
    detail: 'The database takes no changes: it is a standby, or set to read only. Connect to the primary.',
    isForAll: true,
  },
  // Our own code, because a probe knows more than PostgreSQL's error says.
  standby: {
    code: 'database_read_only',
    detail: `The database at DATABASE_URL cannot be used: ${standbyText}.`,
    isForAll: true,
  },
  '53100': {
    code: 'disk_full',
    detail: 'The disk of the database is full, so this was not recorded. Free space, and send it again.',
    isForAll: true,
  },
  '57014': { code: 'database_slow', detail: 'The database took too long. Try again later.', isForAll: false },
  '55P03': busyWith('Another change has locked this for too long. Send it again.'),
  '40001': busyWith('The change conflicted with another one. Send it again.'),
  '40P01': busyWith('The change conflicted with another one. Send it again.'),
  '53300': busyWith('The database has too many connections. Try again soon.'),
};

const busy = busyWith('All connections to the database are in use. Try again soon.');
const away: Outage = {
  code: 'database_away',
  detail: `The database cannot be reached. ${again}`,
  isForAll: true,
};

/** Why the database cannot answer anybody now, or this request in time. Null for other errors. */
export function outageOf(error: unknown): Outage | null {
  if (!(error instanceof Error)) return null;
  const sqlState = 'code' in error ? String(error.code) : '';
  if (outages[sqlState]) return outages[sqlState];
  if (isPoolBusy(error)) return busy;
  return isDatabaseAway(error) ? away : null;
}

export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect');
}

/** The error with which PostgreSQL refuses a change on a read-only server. */
export function readOnly(): Error {
  return Object.assign(new Error('The server takes no changes.'), { code: '25006' });
}

export function standby(): Error {
  return Object.assign(new Error(standbyText), { code: 'standby' });
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006';
}

/** Of PostgreSQL about connections, load and shutdown, of the socket, and the pool's time-out. */
const awayCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // The name of a machine that is gone may be gone, too.
  'ENOTFOUND',
  'EAI_AGAIN',
];

/** PostgreSQL also refuses connections with codes of other meanings: no such database, a wrong password. */
const whileConnecting = new WeakSet<Error>();

/** Makes any error of `connecting` count as an outage. */
export async function asOutage<T>(connecting: Promise<T>): Promise<T> {
  try {
    return await connecting;
  } catch (error) {
    whileConnecting.add(error as Error);
    throw error;
  }
}

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (whileConnecting.has(error)) return true;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(08|53|57)/.test(code) ||
    awayCodes.includes(code) ||
    // The socket of a stopped server, not a file that a command reads.
    (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') ||
    /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection)/.test(
      error.message,
    )
  );
}
