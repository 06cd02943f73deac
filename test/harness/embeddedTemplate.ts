import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';

const root = join(import.meta.dirname, '../..');
const template = join(tmpdir(), `runcost-test-template-${inputsDigest()}`);

declare const WebAssembly: { Module: new (code: Buffer) => object };

/** V8 caches the compiled code of a live module, so each further database opens in half the time. */
let compiledDatabase: object | undefined;

function compileDatabase(): object {
  const folder = new URL('.', import.meta.resolve('@electric-sql/pglite'));
  return new WebAssembly.Module(readFileSync(new URL('pglite.wasm', folder)));
}

/** Digest of the inputs. It is part of the template's name, so that a change creates a new template. */
function inputsDigest(): string {
  const files = [
    'node_modules/@electric-sql/pglite/package.json',
    ...globSync('migrations/*.sql', { cwd: root }),
  ];
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * A closed data folder with empty tables. Creating one takes seconds, so the machine has one to copy. If several processes
 * create it at once, the first one wins.
 */
export async function embeddedTemplate(): Promise<string> {
  compiledDatabase ??= compileDatabase();
  if (existsSync(template)) return template;
  const draft = mkdtempSync(`${template}-`);
  await fill(draft);
  try {
    renameSync(draft, template);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

async function fill(dataDir: string): Promise<void> {
  const { db, close } = await openDatabase(
    { databaseUrl: null, dataDir },
    { command: 'test', mayJoin: false, mayCreate: true },
  );
  await migrate(db);
  // These databases are two thirds of the files, and tests do not use them.
  await sql`update pg_database set datistemplate = false`.execute(db);
  for (const name of ['template0', 'template1']) await sql`drop database ${sql.id(name)}`.execute(db);
  await close();
}
