import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Postgres } from './findPostgres.ts';

/** `url` connects as the superuser. `stop` also deletes all data. */
export type PostgresServer = {
  url: string;
  stop: () => void;
};

/** As in production: every commit reaches the disk, and nothing is tuned. */
const durable = ["listen_addresses=''"];
const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** Starts an installed PostgreSQL with a new cluster in a new folder under `parent`, with a socket there. Throws with its log. */
export function startPostgres(
  { bin }: Postgres,
  parent = tmpdir(),
  settings: readonly string[] = durable,
): PostgresServer {
  const folder = mkdtempSync(join(parent, 'runcost-pg-'));
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const user = userToRunAs();
  if (user) chownSync(folder, user.uid, user.gid);
  const call = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const options = [`-k '${folder}'`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
  const stop = () => {
    try {
      call('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    call(
      'initdb',
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      `--locale=${locale}`,
      '--no-sync',
    );
    call('pg_ctl', 'start', '-D', data, '-l', log, '-o', options, '-w');
  } catch (error) {
    const reason = `${String((error as { stderr?: Buffer }).stderr ?? '')}${readLog(log)}`.trim();
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL in ${bin} does not start: ${reason}`, { cause: error });
  }
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    stop,
  };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function userToRunAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((which) =>
        Number(execFileSync('id', [which, name], { stdio: 'pipe' })),
      );
      if (uid && gid) return { uid, gid };
    } catch {
      continue; // The user does not exist.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
