import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Postgres = { bin: string; version: string };

const oldestVersion = 15;
const programs = ['initdb', 'pg_ctl', 'postgres'];
const usualFolders = [
  '/usr/lib/postgresql/*/bin', // Debian, Ubuntu
  '/usr/pgsql-*/bin', // Red Hat
  '/opt/homebrew/opt/postgresql*/bin', // Homebrew on Apple silicon
  '/usr/local/opt/postgresql*/bin', // Homebrew on Intel
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/** The PostgreSQL server programs: on the PATH, else the newest installed ones. Null if there are none. */
export function findPostgres(): Postgres | null {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const elsewhere = globSync(usualFolders).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const bin of [...onPath, ...elsewhere]) {
    if (!programs.every((program) => existsSync(join(bin, program)))) continue;
    const version = /\d+(\.\d+)?/.exec(
      execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }),
    )?.[0];
    if (version && Number.parseInt(version, 10) >= oldestVersion) return { bin, version };
  }
  return null;
}
