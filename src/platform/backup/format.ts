import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Table } from '../db/listTables.ts';
import type { RanMigration } from '../db/migrate.ts';
import { PublicError } from '../lib/errors.ts';
import { BrokenArchive, type Entry, listEntries, sha256 } from './archive.ts';
import { addToDigest, type Digest, emptyDigest } from './rows.queries.ts';

/**
 * A backup contains `data/<table>/<number>.jsonl.gz` for each part of a table (one row per line),
 * `encryption.key` if included, `manifest.json` with hashes of these files, and last the manifest's own hash.
 */
export type Manifest = {
  format: 1;
  program: string;
  createdAt: string;
  organizations: number;
  migrations: RanMigration[];
  /** Fingerprint of the key that decrypts the secrets; null if nothing is encrypted. */
  keyFingerprint: string | null;
  hasKey: boolean;
  tables: StoredTable[];
};

export type StoredTable = Table & Digest & { parts: { name: string; sha256: string }[] };

export const manifestName = 'manifest.json';
export const manifestHashName = 'manifest.json.sha256';
export const keyName = 'encryption.key';

export function partName(table: string, index: number): string {
  return `data/${table}/${String(index + 1).padStart(6, '0')}.jsonl.gz`;
}

export const compress: (text: string) => Promise<Buffer> = promisify(gzip);
const decompress: (bytes: Buffer) => Promise<Buffer> = promisify(gunzip);

export type Archive = { manifest: Manifest; entries: Map<string, Entry> };

/** Refuses a file that is no backup, is cut off, or has a damaged manifest. */
export async function openArchive(file: FileHandle): Promise<Archive> {
  const list = await listEntries(file).catch((error: unknown) => {
    if (!(error instanceof BrokenArchive)) throw error;
    throw error.after === null
      ? noBackup()
      : damaged(`it is cut off or broken after ${placeOf(error.after)}`);
  });
  const entries = new Map(list.map((entry) => [entry.name, entry]));
  const [manifest, hash] = [entries.get(manifestName), entries.get(manifestHashName)];
  if (!manifest && !list.some(({ name }) => name.startsWith('data/'))) throw noBackup();
  if (!manifest || !hash) throw damaged('it ends before its manifest, so tables may be missing');
  const bytes = await manifest.read();
  if (!(await hash.read()).toString().startsWith(sha256(bytes))) throw damaged('its manifest has changed');
  const read = JSON.parse(bytes.toString()) as Omit<Manifest, 'format'> & { format: number };
  if (read.format !== 1) throw tooNew(`has format ${read.format}, which this version does not know`);
  return { manifest: read as Manifest, entries };
}

/** Yields the rows of a table, part by part. Refuses a part that differs from the manifest. */
export async function* readParts({ entries }: Archive, table: StoredTable): AsyncGenerator<string[]> {
  for (const part of table.parts) {
    const bytes = await entries.get(part.name)?.read();
    if (!bytes || sha256(bytes) !== part.sha256)
      throw damaged(`table ${table.name} has changed (${part.name})`);
    const text = (await decompress(bytes)).toString();
    yield text.split('\n').slice(0, -1);
  }
}

/** Reads a whole backup without changing anything. Throws at the first difference from its manifest. */
export async function checkArchive(
  archive: Archive,
  { signal, report }: { signal: AbortSignal; report: (rows: number) => void },
): Promise<void> {
  let rows = 0;
  for (const table of archive.manifest.tables) {
    let digest = emptyDigest;
    for await (const lines of readParts(archive, table)) {
      signal.throwIfAborted();
      digest = addToDigest(digest, lines);
      report((rows += lines.length));
    }
    if (digest.rows !== table.rows || digest.sum !== table.sum)
      throw damaged(`table ${table.name} has other rows`);
  }
}

function placeOf(name: string): string {
  const table = /^data\/([^/]+)\//.exec(name)?.[1];
  return table ? `table ${table}` : name;
}

function noBackup(): PublicError {
  return new PublicError('invalid', 'no_backup', 'This file is not a backup of Runcost.');
}

export function damaged(how: string): PublicError {
  return new PublicError('invalid', 'backup_damaged', `The backup is damaged: ${how}. Use another one.`);
}

export function tooNew(how: string): PublicError {
  const message = `The backup ${how}. Restore it with the version of Runcost that wrote it, or a newer one.`;
  return new PublicError('conflict', 'backup_too_new', message);
}
