import { sql } from 'kysely';
import type { Logger } from 'pino';
import { PublicError } from '../lib/errors.ts';
import type { Database } from './database.ts';
import { describeUndistributed, findHalfDistributed } from './distribution.ts';
import { findHold, type Hold } from './installation.ts';
import { outageOf, readOnly, standby, type Outage } from './outages.ts';

export type Health = {
  /** Records the error of a query. Returns the outage that it shows, or null. */
  noteError: (error: unknown) => Outage | null;
  /** Throws if the database cannot be used now, or if this process is stopping. */
  check: () => Promise<void>;
  /** Makes all later checks fail, so that proxies send requests elsewhere. */
  drain: () => void;
  isDraining: () => boolean;
  findHold: () => Promise<Hold | null>;
  close: () => void;
};

const maxProbeMilliseconds = 5_000;
const probeAgainMilliseconds = 5_000;

/** Logs one line as an outage begins and one as it ends. `db` needs a connection of its own. */
export function createHealth(db: Database, log: Pick<Logger, 'error' | 'info'>): Health {
  let outage: Outage | null = null;
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | null = null;
  let probed: Outage | null = null;
  let isDraining = false;

  function noteError(error: unknown): Outage | null {
    const shown = outageOf(error);
    if (!shown?.isForAll) return shown;
    if (outage?.code !== shown.code) log.error({ err: error, outage: shown.code }, shown.detail);
    outage = shown;
    timer ??= setInterval(probeAgain, probeAgainMilliseconds).unref();
    return shown;
  }

  function probeAgain(): void {
    probe().catch(() => {}); // `probe` records the error, and the timer tries again.
  }

  async function probe(): Promise<void> {
    if (!probing) {
      probed = outage;
      probing = inTime(use(db, outage !== null)).finally(() => (probing = null));
    }
    try {
      await probing;
    } catch (error) {
      noteError(error);
      throw error;
    }
    // The probe did not try a change if the outage began after the probe had started.
    if (outage && !probed) return;
    if (outage) log.info({ outage: outage.code }, 'the database can be used again');
    outage = null;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    noteError,
    check: async () => {
      if (isDraining)
        throw new PublicError('unavailable', 'stopping', 'This server is stopping. Use another one.');
      try {
        await probe();
      } catch (error) {
        if (error instanceof PublicError) throw error;
        const { code, detail } = outageOf(error) ?? unusable(error);
        throw new PublicError('unavailable', code, detail);
      }
    },
    drain: () => void (isDraining = true),
    isDraining: () => isDraining,
    findHold: () => findHold(db),
    close: () => clearInterval(timer),
  };
}

/** `select 1` works even without any table. Writes only during an outage. */
async function use(db: Database, writes: boolean): Promise<void> {
  const { rows } = await sql<{ isReadOnly: boolean; isStandby: boolean }>`
    select current_setting('transaction_read_only')::boolean as is_read_only, pg_is_in_recovery() as is_standby
    from migration_lock`.execute(db);
  const { isReadOnly, isStandby } = rows[0]!;
  if (isReadOnly) throw isStandby ? standby() : readOnly();
  const half = await findHalfDistributed(db);
  if (half) throw new PublicError('unavailable', 'not_distributed', describeUndistributed(half));
  if (writes) await sql`update migration_lock set only_row = only_row`.execute(db);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const error = new PublicError(
      'unavailable',
      'database_slow',
      'The database has not answered for 5 seconds.',
    );
    timer = setTimeout(() => reject(error), maxProbeMilliseconds);
  });
  work.catch(() => {});
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

function unusable(error: unknown): Outage {
  const detail = `The database answers, but its tables cannot be used: ${(error as Error).message}.`;
  return { code: 'database_unusable', detail, isForAll: true };
}
