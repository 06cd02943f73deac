import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Holder } from '../src/platform/db/directoryLock.ts';
import { ownApplication } from '../src/platform/db/embeddedServer.ts';
import { findPostgres } from '../test/server/findPostgres.ts';
import { durable, startPostgres } from '../test/server/startPostgres.ts';

export type Storage = {
  name: string;
  /** The folder of PostgreSQL's programs; null with the embedded database. */
  bin: string | null;
  newDatabase: () => Promise<StoredDatabase>;
  /** Crashes the server and lets it recover; null with the embedded database. */
  crash: (() => Promise<void>) | null;
  /** Deletes all databases. Also runs at exit. */
  close: () => void;
};

/** A new database for one service. Other clients can connect once the service has opened it. */
export type StoredDatabase = { environment: Record<string, string>; address: () => pg.ClientConfig };

/** A new PostgreSQL server if its programs are installed, else the embedded database. */
export function openStorage(embedded: boolean, parent = tmpdir()): Storage {
  const postgres = embedded ? null : findPostgres();
  if (!postgres) return embeddedStorage(parent);
  const server = startPostgres(postgres, parent, durable);
  process.once('exit', server.stop);
  return {
    name: `PostgreSQL ${postgres.version} server`,
    bin: postgres.bin,
    newDatabase: () => newServerDatabase(server.url),
    crash: () => server.restart('immediate'),
    close: () => {
      process.off('exit', server.stop);
      server.stop();
    },
  };
}

async function newServerDatabase(adminUrl: string): Promise<StoredDatabase> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const environment = { DATABASE_URL: url.href, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  return { environment, address: () => ({ connectionString: url.href }) };
}

function embeddedStorage(parent: string): Storage {
  const folder = mkdtempSync(join(parent, 'runcost-bench-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', close);
  return {
    name: 'embedded PostgreSQL',
    bin: null,
    newDatabase: async () => {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      // The database's socket is in the temporary folder, so it is removed with ours.
      return { environment: { DATA_DIR: dataDir, TMPDIR: folder }, address: () => socketOf(dataDir) };
    },
    crash: null,
    close,
  };
}

/** The embedded database has one session, which all clients share. */
function socketOf(dataDir: string): pg.ClientConfig {
  const { socketDirectory } = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as Holder;
  return { host: socketDirectory, user: 'postgres', database: 'postgres', application_name: ownApplication };
}
