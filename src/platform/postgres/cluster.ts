import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programEnvironment } from '../../config.ts';
import { startLine } from '../../platform/lib/commandLine.ts';
import { PublicError } from '../lib/errors.ts';
import type { Programs } from './programs.ts';
import { handOver, type RunAs } from './runAs.ts';

/** The name contains the major version, because other versions cannot read the folder. */
function clusterFolder(dataDir: string, major: number): string {
  return join(dataDir, `postgres-${major}`);
}

/** Returns the folder of the database. Refuses one that these programs cannot read. */
export function findCluster(dataDir: string, { bin, major }: Programs, mayCreate: boolean): string {
  const folder = clusterFolder(dataDir, major);
  if (existsSync(folder)) {
    refuseEarlierFormat(dataDir, folder);
    return folder;
  }
  const others = namesIn(dataDir).filter((name) => /^postgres-\d+$/.test(name));
  if (others.length > 0) {
    throw new PublicError(
      'conflict',
      'other_postgres',
      `DATA_DIR ${dataDir} has the database of another PostgreSQL (${others.join(', ')}), and ${bin} has ${major}. Use the ` +
        `programs of that version, or back up with them and restore into a new DATA_DIR (docs/how-to/upgrade.md).`,
    );
  }
  // Does not fill a mistyped folder.
  if (!mayCreate) throw findUnfinished(folder).some(isBeingMade) ? beingMade(dataDir) : noDatabase(dataDir);
  return folder;
}

function beingMade(dataDir: string): PublicError {
  const message = `A server is starting and creates the database in DATA_DIR ${dataDir}. Run this again when it has printed its address.`;
  return new PublicError('unavailable', 'database_starting', message);
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Who creates it says so if a part of the path is no folder.
    if (code === 'ENOENT') return [];
    throw new PublicError('unavailable', 'data_folder', `DATA_DIR ${dataDir} cannot be used: ${message}`);
  }
}

function noDatabase(dataDir: string): PublicError {
  const message =
    `There is no database in DATA_DIR ${dataDir}. Set DATA_DIR to the folder of your server. To create a database ` +
    `there: ${startLine(dataDir)}`;
  return new PublicError('not_found', 'no_database', message);
}

/** Until November 2026, Runcost had another build of PostgreSQL, whose `initdb` wrote this line. */
function refuseEarlierFormat(dataDir: string, folder: string): void {
  const settings = join(folder, 'postgresql.conf');
  if (!existsSync(settings) || !/^log_file_mode = 0640/m.test(readFileSync(settings, 'utf8'))) return;
  throw new PublicError(
    'conflict',
    'earlier_format',
    `The database in DATA_DIR ${dataDir} was made by an earlier Runcost, in a format that this one cannot read. Nothing was ` +
      'changed. In the earlier checkout, run `npm run -s runcost -- backup --with-key --output runcost.tar`; then, in this ' +
      'one, with DATA_DIR set to a new folder, `npm run -s runcost -- restore runcost.tar` (docs/how-to/upgrade.md).',
  );
}

/** Creates a new database under a temporary name first, so that nobody opens a half-made one. */
export async function createCluster(folder: string, programs: Programs, runAs: RunAs): Promise<void> {
  removeAbandoned(folder);
  if (existsSync(folder)) return;
  const unfinished = mkdtempSync(`${folder}${unfinishedMark}`);
  handOver(unfinished, runAs);
  const [program, ...args] = [
    ...runAs.prefix,
    join(programs.bin, 'initdb'),
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--no-instructions',
    ...localeOptions(programs),
  ];
  try {
    await promisify(execFile)(program!, args, { cwd: '/', env: programEnvironment() });
    rename(unfinished, folder);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = (stderr?.trim() || message).replace(/^initdb: (error: )?/, '');
    throw new PublicError(
      'unavailable',
      'database_failed',
      `The database in ${folder} cannot be created: ${reason}`,
    );
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export const superuser = 'postgres';

/** The same order and case rules on every system. */
function localeOptions({ major }: Programs): string[] {
  const ofSystem = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  return major >= 17
    ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    : [`--locale=${ofSystem}`];
}

const unfinishedMark = '.unfinished-';
/** Longer than it takes to create a database. */
const abandonedAfterMilliseconds = 600_000;

/** Removes what killed first starts left. */
function removeAbandoned(folder: string): void {
  for (const path of findUnfinished(folder))
    if (!isBeingMade(path)) rmSync(path, { recursive: true, force: true });
}

function findUnfinished(folder: string): string[] {
  const paths = namesIn(dirname(folder)).map((name) => join(dirname(folder), name));
  return paths.filter((path) => path.startsWith(folder + unfinishedMark));
}

function isBeingMade(path: string): boolean {
  const ageMilliseconds = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return ageMilliseconds <= abandonedAfterMilliseconds;
}

/** Another process may have been first. */
function rename(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  const parent = openSync(dirname(folder), 'r');
  fsyncSync(parent);
  closeSync(parent);
}
