import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userToRunAs } from './startPostgres.ts';

const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (name) => spawnSync(name, ['--version']).error === undefined,
);

export const hasPgBouncer = program !== undefined;

/** Starts PgBouncer in transaction mode on a socket. `through` is the URL of the same database through it. */
export async function startPgBouncer(
  databaseUrl: string,
): Promise<{ through: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-bouncer-'));
  const user = userToRunAs();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users'), '"postgres" ""\n');
  writeFileSync(
    config,
    `[databases]
* = host=${new URL(databaseUrl).searchParams.get('host')} port=5432
[pgbouncer]
pool_mode = transaction
auth_type = trust
auth_file = ${folder}/users
unix_socket_dir = ${folder}
listen_port = 6432
default_pool_size = 4
`,
  );
  if (user) for (const name of [folder, config]) chownSync(name, user.uid, user.gid);
  const bouncer = spawn(program!, [config], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(bouncer, 'exit');
  let log = '';
  for await (const chunk of bouncer.stderr.iterator({ destroyOnReturn: false })) {
    log += String(chunk);
    if (log.includes('process up')) break;
  }
  if (!log.includes('process up')) throw new Error(`PgBouncer does not start: ${log}`);
  bouncer.stderr.resume();
  const through = new URL(databaseUrl);
  through.searchParams.set('host', folder);
  through.searchParams.set('port', '6432');
  return {
    through: through.href,
    stop: async () => {
      bouncer.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
