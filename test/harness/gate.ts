import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Config } from '../../src/config.ts';

/** A proxy for a test app's database. Shutting it simulates an unreachable database. */
export type Gate = { databaseUrl: string; shut: () => void; open: () => void };

/** An open gate to the database of a running app with this configuration. */
export async function gateTo(config: Config): Promise<Gate> {
  const { address, user, database } = databaseOf(config);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) return client.destroy();
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
  /** Keeps the port, which another server could take. */
  const shut = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  after(() => {
    server.close();
    shut();
  });
  return {
    databaseUrl: `postgres://${user}@127.0.0.1:${port}/${database}?application_name=runcost`,
    shut,
    open: () => void (isOpen = true),
  };
}

function databaseOf({ databaseUrl }: Config): { address: NetConnectOpts; user: string; database: string } {
  const url = new URL(databaseUrl!);
  const folder = url.searchParams.get('host');
  const port = url.port || '5432';
  return {
    address: folder ? { path: join(folder, `.s.PGSQL.${port}`) } : { host: url.hostname, port: Number(port) },
    user: url.password ? `${url.username}:${url.password}` : url.username,
    database: url.pathname.slice(1),
  };
}
