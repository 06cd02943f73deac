import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '../test/server/findPostgres.ts';
import { userToRunAs } from '../test/server/startPostgres.ts';

/** A primary and a synchronous standby. */
export type Cluster = {
  name: string;
  /** Names both servers; a client connects to the primary. */
  url: string;
  primaryUrl: string;
  standbyUrl: string;
  killPrimary: () => void;
  /** Promotes the standby of a cluster that does not do so itself. */
  promote: () => Promise<void>;
  stop: () => Promise<void>;
};

export const hasPatroni = ['patroni', 'etcd'].every(
  (name) => spawnSync(name, ['--version']).error === undefined,
);

/** The shortest time-outs that Patroni accepts: it replaces a leader that is silent for `ttl` seconds. */
const times = { ttl: 20, loop_wait: 1, retry_timeout: 3 };

type Node = { patroni: ChildProcess; data: string; postgres: number; rest: number };

/** Two servers under Patroni with their own etcd. One of them is a synchronous standby. */
export async function startPatroni({ bin }: Postgres): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-patroni-'));
  const user = userToRunAs();
  if (user) chownSync(folder, user.uid, user.gid);
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const child = spawn(program, args, { ...user, cwd: folder, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  const etcd = ['--data-dir', join(folder, 'etcd'), '--listen-client-urls', client!];
  start(
    'etcd',
    ...etcd,
    '--advertise-client-urls',
    client!,
    '--listen-peer-urls',
    peer!,
    '--initial-advertise-peer-urls',
    peer!,
    '--initial-cluster',
    `default=${peer}`,
  );
  const binDir = dirname(realpathSync(join(bin, 'postgres')));
  const startNode = async (name: string): Promise<Node> => {
    const [postgres, rest] = [await freePort(), await freePort()];
    const data = join(folder, name);
    mkdirSync(data, { mode: 0o700 });
    if (user) chownSync(data, user.uid, user.gid);
    const config = configOf({ name, data, postgres, rest, etcd: client!, binDir, folder });
    writeFileSync(`${data}.yml`, JSON.stringify(config));
    return { patroni: start('patroni', `${data}.yml`), data, postgres, rest };
  };
  const primary = await startNode('one');
  await untilOk(`http://127.0.0.1:${primary.rest}/primary`);
  const standby = await startNode('two');
  await untilOk(`http://127.0.0.1:${standby.rest}/synchronous`);
  const host = ({ postgres }: Node) => `127.0.0.1:${postgres}`;
  const url = (hosts: string) => `postgres://postgres:bench@${hosts}/postgres`;
  const kill = ({ patroni, data }: Node) => {
    const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    patroni.kill('SIGKILL');
    process.kill(Number(pid), 'SIGKILL');
  };
  return {
    name: `Patroni, ttl ${times.ttl} s: both the primary and its Patroni killed`,
    url: url(`${host(primary)},${host(standby)}`),
    primaryUrl: url(host(primary)),
    standbyUrl: url(host(standby)),
    killPrimary: () => kill(primary),
    promote: async () => {},
    stop: async () => {
      kill(standby);
      for (const child of children) child.kill('SIGKILL');
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await sleep(500); // the rest of PostgreSQL notices that its first process is gone
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Names = {
  name: string;
  data: string;
  postgres: number;
  rest: number;
  etcd: string;
  binDir: string;
  folder: string;
};

function configOf({ name, data, postgres, rest, etcd, binDir, folder }: Names): object {
  const at = (port: number) => ({ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` });
  const trust = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 trust`);
  return {
    scope: 'runcost',
    name,
    restapi: at(rest),
    etcd3: { url: etcd },
    bootstrap: {
      dcs: { ...times, synchronous_mode: true },
      initdb: [{ encoding: 'UTF8' }, { 'auth-host': 'trust' }],
    },
    postgresql: {
      ...at(postgres),
      data_dir: data,
      pgpass: `${data}.pgpass`,
      bin_dir: binDir,
      pg_hba: ['local all all trust', ...trust],
      authentication: {
        superuser: { username: 'postgres', password: 'bench' },
        replication: { username: 'replicator', password: 'bench' },
      },
      parameters: { unix_socket_directories: folder },
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOk(url: string): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await sleep(500);
  }
  throw new Error(`${url} was not ready in a minute`);
}
