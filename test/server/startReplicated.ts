import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Postgres } from './findPostgres.ts';
import { startPostgres, userToRunAs } from './startPostgres.ts';

export type Replicated = {
  /** Lists both servers for one database, the standby first. */
  url: string;
  primaryUrl: string;
  standbyUrl: string;
  killPrimary: () => void;
  promoteStandby: () => void;
  stop: () => void;
};

/** A primary whose commits wait for its standby. Both with production settings: commits reach the disk. */
export function startReplicated(postgres: Postgres, parent = tmpdir()): Replicated {
  const synchronous = ["listen_addresses=''", "synchronous_standby_names='*'"];
  const primary = startPostgres(postgres, parent, synchronous);
  const from = new URL(primary.url).searchParams.get('host')!;
  const to = mkdtempSync(join(parent, 'runcost-pg-'));
  const data = join(to, 'data');
  const user = userToRunAs();
  if (user) chownSync(to, user.uid, user.gid);
  // The programs on the PATH may be links to only some of a version's programs.
  const bin = dirname(realpathSync(join(postgres.bin, 'postgres')));
  const call = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), args, {
      ...user,
      cwd: to,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const stop = (folder: string) => {
    try {
      call('pg_ctl', 'stop', '-D', join(folder, 'data'), '-m', 'immediate', '-w');
    } catch {
      // The server was killed.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  call('pg_basebackup', '-h', from, '-U', 'postgres', '-D', data, '-R', '-X', 'stream', '-c', 'fast');
  const options = `-k '${to}' -c listen_addresses=''`;
  call('pg_ctl', 'start', '-D', data, '-l', join(to, 'log'), '-o', options, '-w');
  const [primaryHost, standbyHost] = [from, to].map(encodeURIComponent);
  return {
    url: `postgres://postgres@${standbyHost},${primaryHost}/postgres?target_session_attrs=read-write`,
    primaryUrl: `postgres://postgres@${primaryHost}/postgres`,
    standbyUrl: `postgres://postgres@${standbyHost}/postgres`,
    killPrimary: () => {
      const [pid] = readFileSync(join(from, 'data', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    promoteStandby: () => call('pg_ctl', 'promote', '-D', data, '-w'),
    stop: () => [to, from].forEach(stop),
  };
}
