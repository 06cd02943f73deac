import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { readConfig } from '../src/config.ts';
import { openDatabase, type OpenDatabase } from '../src/platform/db/database.ts';
import { startProgram } from './program.ts';
import type { Storage, StoredDatabase } from './storage.ts';

/** The program as `npm start` runs it, with the same options of Node, in a separate process on a new database. */
export type Service = StoredDatabase & {
  url: string;
  orgId: string;
  /** An owner's token. */
  token: string;
  /** A separate connection to its database. */
  db: pg.Client;
  stop: () => Promise<void>;
};

export const main = join(import.meta.dirname, '../src/main.ts');

/** `nodeOptions` are passed to the service's Node, such as `--cpu-prof`. */
export async function startService(
  storage: Pick<Storage, 'newDatabase'>,
  nodeOptions: string[],
): Promise<Service> {
  const database = await storage.newDatabase();
  const settings = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', RATE_LIMIT: '0' };
  const program = await startProgram(
    [...process.execArgv, ...nodeOptions, main, 'serve'],
    { ...database.environment, ...settings },
    /#code=.*\n/,
  );
  const db = new pg.Client({ connectionString: database.databaseUrl });
  await db.connect();
  return {
    ...database,
    url: found(/Runcost is at (\S+)/, program.output),
    orgId: found(/Organization +(\S+)/, program.output),
    token: await createOwnerToken(database.environment),
    db,
    stop: async () => {
      await db.end();
      await program.stop();
    },
  };
}

/** Opens its database as the program does. While it is open, the database runs without the service. */
export function openStored({ environment }: StoredDatabase): Promise<OpenDatabase> {
  return openDatabase(readConfig({ ...process.env, ...environment }), { mayCreate: false });
}

/** The service prints a token only to a terminal. */
export async function createOwnerToken(environment: Record<string, string>): Promise<string> {
  const command = [main, 'token', 'create', '--name', 'bench', '--role', 'owner'];
  const env = { ...process.env, ...environment };
  return (await promisify(execFile)(process.execPath, command, { env })).stdout.trim();
}

export async function createSource({ url, token }: Service): Promise<{ id: string; secret: string }> {
  const response = await fetch(`${url}/api/v1/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'github' }),
  });
  const { data } = (await response.json()) as { data: { id: string; secret: string } };
  return data;
}

export async function createWebhook(
  { url: ours, token }: Service,
  url: string,
  events: string[],
): Promise<{ id: string; secret: string }> {
  const response = await fetch(`${ours}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events }),
  });
  const { data } = (await response.json()) as { data: { id: string; secret: string } };
  return data;
}

export function found(form: RegExp, text: string): string {
  const match = form.exec(text)?.[1];
  if (!match) throw new Error(`The service did not print ${String(form)}:\n${text}`);
  return match;
}
