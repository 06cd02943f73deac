import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerDatabase } from '../server/createServerDatabase.ts';
import { embeddedTemplate } from './embeddedTemplate.ts';

/** The settings of a program: its data folder, and its database if a server has it. */
export type Settings = Record<string, string> & { DATA_DIR: string };

type Storage = { settings: Settings; remove: () => Promise<void> };

/** A program that has no tables yet: an empty data folder, and an empty database on the server. */
export async function createTarget(): Promise<Storage> {
  const folder = newFolder();
  if (process.env.TEST_DATABASE !== 'server')
    return { settings: { DATA_DIR: folder }, remove: async () => removeFolder(folder) };
  return serverStorage(folder, await createServerDatabase(process.env.TEST_DATABASE_URL ?? ''));
}

/** A new database of the kind that the runner chose: with empty tables, or like the template, which nobody has open. */
export function createStorage(template?: Settings): Promise<Storage> {
  return process.env.TEST_DATABASE === 'server' ? onServer(template) : embedded(template);
}

async function embedded(template?: Settings): Promise<Storage> {
  const folder = newFolder();
  cpSync(template?.DATA_DIR ?? (await embeddedTemplate()), folder, { recursive: true });
  return { settings: { DATA_DIR: folder }, remove: async () => removeFolder(folder) };
}

async function onServer(template?: Settings): Promise<Storage> {
  const { TEST_DATABASE_URL: adminUrl = '', TEST_DATABASE_TEMPLATE: emptyTables } = process.env;
  const copied = template ? new URL(template['DATABASE_URL']!).pathname.slice(1) : emptyTables;
  const database = await createServerDatabase(adminUrl, copied);
  return serverStorage(newFolder(), database, template?.['ENCRYPTION_KEY']);
}

function serverStorage(
  folder: string,
  { url, remove }: { url: string; remove: () => Promise<void> },
  key = randomBytes(32).toString('base64'),
): Storage {
  return {
    settings: { DATA_DIR: folder, DATABASE_URL: url, ENCRYPTION_KEY: key },
    remove: async () => {
      await remove();
      removeFolder(folder);
    },
  };
}

export function newFolder(): string {
  return mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'runcost-data-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
