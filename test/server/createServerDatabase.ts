import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';

type ServerDatabase = { name: string; url: string; remove: () => Promise<void> };

/** A new database on the server, empty or like the template. */
export async function createServerDatabase(
  adminUrl: string,
  template = 'template1',
): Promise<ServerDatabase> {
  const name = `runcost_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const remove = () => administer(adminUrl, `drop database ${name} with (force)`);
  return { name, url: url.href, remove };
}

/** A database with empty tables, to copy: migrations take three times as long. */
export async function createServerTemplate(adminUrl: string): Promise<ServerDatabase> {
  const template = await createServerDatabase(adminUrl);
  const options = { mayCreate: false };
  const { db, close } = await openDatabase({ databaseUrl: template.url, dataDir: '' }, options);
  await migrate(db);
  await close();
  return template;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
