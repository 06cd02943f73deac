import type { Database, Transaction } from '../db/database.ts';
import {
  describeHold,
  findFolderId,
  findHold,
  findKeyFingerprint,
  type Hold,
  nameInstallation,
  recognizeFolder,
  setHold,
  setKeyFingerprint,
} from '../db/installation.ts';
import { listTables, type Table } from '../db/listTables.ts';
import { findPending, listRun, lockEmpty, runMigrations } from '../db/migrate.ts';
import { PublicError } from '../lib/errors.ts';
import type { Clock } from '../lib/time.ts';
import {
  dropMoved,
  findFormerHold,
  listMoved,
  noteFormerHold,
  noteMoved,
  refuseWhileUsed,
  startMoved,
} from './moved.queries.ts';
import {
  addToDigest,
  clearTable,
  countRows,
  type Digest,
  digestOf,
  emptyDigest,
  inReading,
  isEmptyDatabase,
  loadLines,
  prepareLongWork,
  readLines,
} from './rows.queries.ts';
import { counted, ownTables } from './writeBackup.ts';

type MoveOptions = {
  derived: readonly string[];
  /** Name of the target in messages. */
  target: string;
  clock: Clock;
  signal: AbortSignal;
  report: (rows: number, total: number) => void;
};

type Moved = { tables: number; rows: number };

type SourceOptions = Pick<MoveOptions, 'target' | 'clock'> & {
  /** The data folder of the source; null if a server that DATABASE_URL names has it. */
  sourceFolder: string | null;
};

/** The identity of a database to move, and the hold that it has. */
type Origin = { folderId: string; former: Hold | null };

/** Refuses a source that cannot be moved now, before a target is created. */
export async function prepareSource(
  source: Database,
  { sourceFolder, target, clock }: SourceOptions,
): Promise<Origin> {
  await refuseWhileUsed(source);
  if ((await findPending(await listRun(source))).length > 0) {
    throw new PublicError(
      'conflict',
      'not_migrated',
      'The database to move is on an older schema version. Run `runcost migrate` first.',
    );
  }
  // A copied folder that was never started is not recognized as a copy yet.
  if (sourceFolder === null) await nameInstallation(source);
  else await recognizeFolder(source, sourceFolder, clock);
  const former = await findHold(source);
  if (former?.reason === 'moved' && former.detail !== target) throw alreadyMoved(former);
  return { folderId: (await findFolderId(source))!, former };
}

/** A stopped move can continue. Target and source are on hold in turn, so that the two never both send. */
export async function moveData(
  source: Database,
  target: Database,
  { folderId, former, ...options }: MoveOptions & Origin,
): Promise<Moved> {
  // An earlier move can have put the source on hold, but stopped before it released the target.
  if (former?.reason === 'moved' && !(await isMovingFrom(target, folderId))) throw alreadyMoved(former);
  const now = options.clock.now();
  await prepareTarget(target, folderId, now);
  const moved = await inReading(source, (tx) => copyTables(tx, target, options));
  // A supervisor may have started a server meanwhile.
  await refuseWhileUsed(source);
  // If the move crashes after this point, only the target knows the hold that the source had.
  if (former?.reason !== 'moved') await noteFormerHold(target, former);
  await setHold(source, { reason: 'moved', detail: options.target, since: now });
  await target.transaction().execute(async (tx) => {
    await setHold(tx, await findFormerHold(tx));
    await dropMoved(tx);
    await setKeyFingerprint(tx, await findKeyFingerprint(source));
  });
  return moved;
}

async function isMovingFrom(target: Database, folderId: string): Promise<boolean> {
  const hold = await findHold(target).catch(() => null);
  return hold?.reason === 'moving' && hold.detail === folderId;
}

/** Two targets of one move would send everything twice. */
function alreadyMoved(hold: Hold): PublicError {
  const message = `${describeHold(hold)} Use that one. To move this data again, start it and end its hold with \`runcost resume\` first.`;
  return new PublicError('conflict', 'already_moved', message);
}

/** The mark is committed together with the empty tables, before any row. */
async function prepareTarget(target: Database, folderId: string, now: Date): Promise<void> {
  if (await isEmptyDatabase(target)) {
    await target.transaction().execute(async (tx) => {
      await prepareLongWork(tx);
      // A server that starts meanwhile waits for this lock, or has made its tables by now.
      if (!(await lockEmpty(tx))) throw notEmpty();
      await runMigrations(tx, await findPending([]));
      await startMoved(tx);
      await setHold(tx, { reason: 'moving', detail: folderId, since: now });
    });
    return;
  }
  if (!(await isMovingFrom(target, folderId))) throw notEmpty();
}

function notEmpty(): PublicError {
  const message = 'The target has tables already. Move into an empty database; nothing was changed.';
  return new PublicError('conflict', 'not_empty', message);
}

async function copyTables(from: Transaction, target: Database, options: MoveOptions): Promise<Moved> {
  const tables = await listTables(from, [...ownTables, ...options.derived, 'installation']);
  const done = new Set(await listMoved(target));
  const sizes = new Map<string, number>();
  for (const table of tables) sizes.set(table.name, await countRows(from, table));
  const total = [...sizes.values()].reduce((sum, rows) => sum + rows, 0);
  let rows = 0;
  for (const table of tables) {
    if (done.has(table.name)) {
      await refuseChanged(from, target, table);
    } else {
      const report = (count: number): void => options.report(rows + count, total);
      await target.transaction().execute((to) => copyTable(from, to, table, { ...options, report }));
    }
    options.report((rows += sizes.get(table.name)!), total);
  }
  return { tables: tables.length, rows };
}

async function refuseChanged(from: Transaction, target: Database, table: Table): Promise<void> {
  const [now, moved] = [await digestOf(from, table), await inReading(target, (to) => digestOf(to, table))];
  if (isSame(now, moved)) return;
  const message = 'The data changed since the move was stopped: empty the target and start again.';
  throw new PublicError('conflict', 'changed_since', message);
}

function isSame(one: Digest, other: Digest): boolean {
  return one.rows === other.rows && one.sum === other.sum;
}

async function copyTable(
  from: Transaction,
  to: Transaction,
  table: Table,
  { signal, report }: { signal: AbortSignal; report: (rows: number) => void },
): Promise<void> {
  await prepareLongWork(to);
  await clearTable(to, table);
  let digest = emptyDigest;
  for await (const lines of counted(readLines(from, table), () => {}, signal)) {
    await loadLines(to, table, lines);
    digest = addToDigest(digest, lines);
    report(digest.rows);
  }
  if (!isSame(await digestOf(to, table), digest)) {
    throw new Error(`table ${table.name} reads back with other rows`);
  }
  await noteMoved(to, table.name);
}
