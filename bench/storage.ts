import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeRunFolder } from '../src/platform/postgres/runFolder.ts';
import { findPostgres } from '../test/server/findPostgres.ts';

export type Storage = {
  name: string;
  /** The folder of an installed PostgreSQL, whose psql and pgbench are baselines; null if none is installed. */
  tools: string | null;
  newDatabase: () => Promise<StoredDatabase>;
  /** Kills each PostgreSQL, which its program starts again. */
  crash: () => void;
  /** Deletes all databases. Also runs at exit. */
  close: () => void;
};

/** The settings of one service, with a new data folder. Other clients can connect to the URL while the service runs. */
export type StoredDatabase = { environment: Record<string, string>; databaseUrl: string };

export function openStorage(parent = tmpdir()): Storage {
  const folder = mkdtempSync(join(parent, 'runcost-bench-'));
  // PostgreSQL ends within a second after its last user.
  const close = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.once('exit', close);
  const installed = findPostgres();
  return {
    name: "Runcost's own PostgreSQL",
    tools: installed && dirname(realpathSync(join(installed.bin, 'postgres'))),
    newDatabase: async () => {
      const dataDir = mkdtempSync(join(folder, 'data-'));
      const host = encodeURIComponent(makeRunFolder(dataDir));
      return {
        environment: { DATA_DIR: dataDir, DATABASE_URL: '', RUNCOST_URL: '', XDG_CONFIG_HOME: dataDir },
        databaseUrl: `postgres://postgres@localhost/postgres?host=${host}&port=5432&sslmode=disable`,
      };
    },
    crash: () => {
      for (const file of globSync(join(folder, '*/postgres-*/postmaster.pid')))
        process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
    },
    close,
  };
}
