import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PublicError } from '../lib/errors.ts';

/** The socket's name is fixed, and its whole path may have 103 bytes on macOS and 107 on Linux. */
const longestFolder = 103 - '/.s.PGSQL.5432'.length;

/** `DATA_DIR/run`, or a temporary folder if that path is too long or PostgreSQL would have to quote it. */
export function makeRunFolder(dataDir: string, owner: number | null = null): string {
  const real = realpathSync(dataDir);
  const inside = join(real, 'run');
  if (/^[\w./-]+$/.test(inside) && inside.length <= longestFolder) return makePrivate(inside, owner);
  const name = `runcost-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`;
  const usual = join(tmpdir(), name);
  // The temporary folder of macOS is long.
  return makePrivate(usual.length <= longestFolder ? usual : join('/tmp', name), owner);
}

/** Others may have made a folder of this name in the temporary folder. `owner` runs PostgreSQL for us. */
function makePrivate(folder: string, owner: number | null): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(folder, (error as Error).message);
  }
  const status = lstatSync(folder);
  const isOurs = status.uid === process.getuid?.() || status.uid === owner;
  if (status.isDirectory() && isOurs && (status.mode & 0o077) === 0) return folder;
  throw unusable(folder, 'it must be a folder that only its owner can open');
}

function unusable(folder: string, reason: string): PublicError {
  return new PublicError(
    'unavailable',
    'run_folder',
    `${folder} cannot be used for the database's socket: ${reason}.`,
  );
}

/** Creates the folder if needed. Node's recursive `mkdir` never returns where the system allows no folders, as below /proc. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    const message = `DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`;
    throw new PublicError('unavailable', 'data_folder', message);
  }
}

function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
