import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerDatabase, createServerTemplate } from '../server/createServerDatabase.ts';
import { startTestPostgres } from '../server/testPostgres.ts';
import { shared } from './shared.ts';

/** The settings of a program: its data folder, and its database if a server has it. */
export type Settings = Record<string, string> & { DATA_DIR: string };

type Storage = { settings: Settings; remove: () => Promise<void> };

/** Settings of a program without tables. */
export function createTarget(): Promise<Storage> {
  return newDatabase(undefined);
}

/** A new database with empty tables, or like the template, which nobody has open. */
export async function createStorage(template?: Settings): Promise<Storage> {
  if (!template) return newDatabase((await findServer()).template);
  return newDatabase(new URL(template['DATABASE_URL']!).pathname.slice(1), template['ENCRYPTION_KEY']);
}

async function newDatabase(
  copied: string | undefined,
  key = randomBytes(32).toString('base64'),
): Promise<Storage> {
  const { url, remove } = await createServerDatabase((await findServer()).url, copied);
  const folder = newFolder();
  return {
    settings: { DATA_DIR: folder, DATABASE_URL: url, ENCRYPTION_KEY: key },
    remove: async () => {
      await remove();
      removeFolder(folder);
    },
  };
}

type Server = { url: string; template: string | undefined };

/** The runner starts one server for all files. A file that runs without the runner starts its own. */
async function findServer(): Promise<Server> {
  const { TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template } = process.env;
  return url ? { url, template } : shared('server', startServer);
}

async function startServer() {
  const folder = newFolder();
  process.once('exit', () => removeFolder(folder)); // PostgreSQL ends within a second after its last user
  const server = await startTestPostgres(folder);
  const { name: template } = await createServerTemplate(server.url);
  const close = async () => {
    await server.close();
    removeFolder(folder);
  };
  return { url: server.url, template, close };
}

export function newFolder(): string {
  return mkdtempSync(join(process.env.TEST_FOLDER ?? temporaryFolder(), 'runcost-data-'));
}

/** In memory if there is room, because on a disk tests wait half of the time. */
export function temporaryFolder(): string {
  const mount = '/dev/shm'; // only on Linux, and almost empty in some containers
  if (!existsSync(mount)) return tmpdir();
  const { bavail, bsize } = statfsSync(mount);
  return Math.min(bavail * bsize, freemem()) > 4e9 ? mount : tmpdir();
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
