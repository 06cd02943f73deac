import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerDatabase } from '../server/createServerDatabase.ts';
import { embeddedTemplate } from './embeddedTemplate.ts';

/** The settings of a program: its data folder, and its database if a server has it. */
export type Settings = Record<string, string> & { DATA_DIR: string };

type Storage = { settings: Settings; remove: () => Promise<void> };

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
  const { url, remove } = await createServerDatabase(adminUrl, copied);
  const folder = newFolder();
  const key = template?.['ENCRYPTION_KEY'] ?? randomBytes(32).toString('base64');
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
