import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Config } from '../../src/config.ts';

/** A proxy for a test app's database. Shutting it simulates an unreachable database. */
export type Gate = { databaseUrl: string; shut: () => Promise<void>; open: () => Promise<void> };

/** An open gate to the database of a running app with this configuration. */
export async function gateTo(config: Config): Promise<Gate> {
  const { address, user, database } = databaseOf(config);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(address);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const shut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  after(() => void (server.listening && shut()));
  return {
    databaseUrl: `postgres://${user}@127.0.0.1:${port}/${database}?application_name=runcost`,
    shut,
    open: async () => void (await once(server.listen(port, '127.0.0.1'), 'listening')),
  };
}

function databaseOf({ databaseUrl, dataDir }: Config): {
  address: NetConnectOpts;
  user: string;
  database: string;
} {
  if (!databaseUrl) {
    const { socketDirectory } = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as {
      socketDirectory: string;
    };
    return { address: socketIn(socketDirectory, '5432'), user: 'postgres', database: 'postgres' };
  }
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const port = url.port || '5432';
  return {
    address: folder ? socketIn(folder, port) : { host: url.hostname, port: Number(port) },
    user: url.password ? `${url.username}:${url.password}` : url.username,
    database: url.pathname.slice(1),
  };
}

function socketIn(folder: string, port: string): NetConnectOpts {
  return { path: join(folder, `.s.PGSQL.${port}`) };
}
