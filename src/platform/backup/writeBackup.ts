import type { Database } from '../db/database.ts';
import { findKeyFingerprint } from '../db/installation.ts';
import { listTables, type Table } from '../db/listTables.ts';
import { listRun } from '../db/migrate.ts';
import { PublicError } from '../lib/errors.ts';
import { endArchive, sha256, type Sink, writeEntry } from './archive.ts';
import {
  compress,
  keyName,
  type Manifest,
  manifestHashName,
  manifestName,
  partName,
  type StoredTable,
} from './format.ts';
import {
  addToDigest,
  countOrganizations,
  countRows,
  emptyDigest,
  inReading,
  isEmptyDatabase,
  readLines,
} from './rows.queries.ts';

/** Tables that the program fills itself: migrations from its files, the lock at every start. */
export const ownTables = ['migrations', 'migration_lock'];

export type BackupOptions = {
  program: string;
  now: Date;
  /** Tables that the program can compute from the others. */
  derived: readonly string[];
  /** Null leaves the key out. */
  key: string | null;
  signal: AbortSignal;
  report: (rows: number, total: number) => void;
};

const partCharacters = 4_000_000;

/** Writes all tables as of this moment, however long it takes. */
export async function writeBackup(db: Database, sink: Sink, options: BackupOptions): Promise<Manifest> {
  if (await isEmptyDatabase(db)) {
    throw new PublicError('conflict', 'nothing_to_back_up', 'This database has no Runcost tables yet.');
  }
  return inReading(db, async (tx) => {
    const { program, now, key, report } = options;
    const tables = await listTables(tx, [...ownTables, ...options.derived]);
    let total = 0;
    for (const table of tables) total += await countRows(tx, table);
    report(0, total);
    const stored: StoredTable[] = [];
    let rows = 0;
    for (const table of tables) {
      const pieces = counted(readLines(tx, table), (count) => report((rows += count), total), options.signal);
      stored.push(await writeTable(sink, table, pieces, now));
    }
    if (key !== null) await writeEntry(sink, keyName, Buffer.from(`${key}\n`), now);
    const manifest: Manifest = {
      format: 1,
      program,
      createdAt: now.toISOString(),
      organizations: await countOrganizations(tx),
      migrations: await listRun(tx),
      keyFingerprint: await findKeyFingerprint(tx),
      hasKey: key !== null,
      tables: stored,
    };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await writeEntry(sink, manifestName, bytes, now);
    await writeEntry(sink, manifestHashName, Buffer.from(`${sha256(bytes)}  ${manifestName}\n`), now);
    await endArchive(sink);
    return manifest;
  });
}

/** Passes on pieces of rows and reports their number. Throws if the signal is aborted. */
export async function* counted(
  pieces: AsyncIterable<string[]>,
  report: (count: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  for await (const lines of pieces) {
    signal.throwIfAborted();
    yield lines;
    report(lines.length);
  }
}

async function writeTable(
  sink: Sink,
  table: Table,
  pieces: AsyncIterable<string[]>,
  now: Date,
): Promise<StoredTable> {
  const parts: StoredTable['parts'] = [];
  let digest = emptyDigest;
  let text = '';
  const writePart = async (): Promise<void> => {
    const name = partName(table.name, parts.length);
    const bytes = await compress(text);
    text = '';
    await writeEntry(sink, name, bytes, now);
    parts.push({ name, sha256: sha256(bytes) });
  };
  for await (const lines of pieces) {
    digest = addToDigest(digest, lines);
    for (const line of lines) text += `${line}\n`;
    if (text.length >= partCharacters) await writePart();
  }
  if (text !== '') await writePart();
  return { ...table, ...digest, parts };
}
