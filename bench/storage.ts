import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Holder } from '../src/platform/db/directoryLock.ts';
import { ownApplication } from '../src/platform/db/embeddedServer.ts';
import { findPostgres } from '../test/server/findPostgres.ts';
import { startDurablePostgres } from './durablePostgres.ts';

export type Storage = {
  name: string;
  /** The folder of PostgreSQL's programs. Null with the embedded database. */
  bin: string | null;
  newDatabase: () => Promise<StoredDatabase>;
};

/** A new database for one service. Other clients can connect once the service has opened it. */
export type StoredDatabase = { environment: Record<string, string>; address: () => pg.ClientConfig };

/** A new PostgreSQL server if its programs are installed, else the embedded database. */
export function openStorage(embedded: boolean): Storage {
  const postgres = embedded ? null : findPostgres();
  if (!postgres) return embeddedStorage();
  const server = startDurablePostgres(postgres);
  process.once('exit', server.stop);
  return {
    name: `PostgreSQL ${postgres.version} server`,
    bin: postgres.bin,
    newDatabase: () => newServerDatabase(server.url),
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

function embeddedStorage(): Storage {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return {
    name: 'embedded PostgreSQL',
    bin: null,
    newDatabase: async () => {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      // The database's socket is in the temporary folder, so it is removed with ours.
      return { environment: { DATA_DIR: dataDir, TMPDIR: folder }, address: () => socketOf(dataDir) };
    },
  };
}

/** The embedded database has one session, which all clients share. */
function socketOf(dataDir: string): pg.ClientConfig {
  const { socketDirectory } = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as Holder;
  return { host: socketDirectory, user: 'postgres', database: 'postgres', application_name: ownApplication };
}
