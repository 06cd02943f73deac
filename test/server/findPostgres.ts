import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { oldestMajor } from '../../src/platform/postgres/programs.ts';

export type Postgres = { bin: string; version: string };

const programs = ['initdb', 'pg_ctl', 'postgres'];
const usualFolders = [
  '/usr/lib/postgresql/*/bin', // Debian, Ubuntu
  '/usr/pgsql-*/bin', // Red Hat
  '/opt/homebrew/opt/postgresql*/bin', // Homebrew on Apple silicon
  '/usr/local/opt/postgresql*/bin', // Homebrew on Intel
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/**
 * The programs of an installed PostgreSQL server: on the PATH, else the newest ones, or those of the given version. Null if
 * there are none.
 */
export function findPostgres(major?: number): Postgres | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const elsewhere = globSync(usualFolders).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const bin of [...onPath, ...elsewhere]) {
    if (!programs.every((program) => existsSync(join(bin, program)))) continue;
    const version = /\d+(\.\d+)?/.exec(
      execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }),
    )?.[0];
    const found = Number.parseInt(version ?? '', 10);
    if (major === undefined ? found >= oldestMajor : found === major) return { bin, version: version! };
  }
  return null;
}
