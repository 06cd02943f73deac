import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Postgres } from '../test/server/findPostgres.ts';
import { startPostgres, type PostgresServer } from '../test/server/startPostgres.ts';

/**
 * The PostgreSQL server of the tests, restarted with production settings: every commit reaches the disk, and nothing is
 * tuned.
 */
export function startDurablePostgres(postgres: Postgres): PostgresServer {
  const server = startPostgres(postgres);
  try {
    const folder = new URL(server.url).searchParams.get('host')!;
    const data = join(folder, 'data');
    const options = `-k '${folder}' -c listen_addresses=''`;
    const { uid, gid } = statSync(data);
    execFileSync(
      join(postgres.bin, 'pg_ctl'),
      ['restart', '-D', data, '-m', 'fast', '-w', '-l', join(folder, 'log'), '-o', options],
      { uid, gid, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    return server;
  } catch (error) {
    server.stop();
    throw error;
  }
}
