import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { madeOnce } from './madeOnce.ts';

const root = join(import.meta.dirname, '../..');
const template = join(tmpdir(), `runcost-test-template-${madeFrom()}`);

declare const WebAssembly: { Module: new (code: Buffer) => object };

/** While a module is alive, V8 keeps the code it has compiled for it: every further database opens with half of the work. */
let compiledDatabase: object | undefined;

function compileDatabase(): object {
  const folder = new URL('.', import.meta.resolve('@electric-sql/pglite'));
  return new WebAssembly.Module(readFileSync(new URL('pglite.wasm', folder)));
}

/** A digest of what the template depends on: another one is made where that is different. */
function madeFrom(): string {
  const files = [
    'node_modules/@electric-sql/pglite/package.json',
    ...globSync('migrations/*.sql', { cwd: root }),
  ];
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** A closed data folder with empty tables, made once per machine: making one takes seconds, copying it does not. */
export function embeddedTemplate(): Promise<string> {
  compiledDatabase ??= compileDatabase();
  return madeOnce(template, fill);
}

async function fill(dataDir: string): Promise<void> {
  const { db, close } = await openDatabase(
    { databaseUrl: null, dataDir },
    { command: 'test', mayJoin: false, mayCreate: true },
  );
  await migrate(db);
  // Two thirds of the files to copy, and of no use here.
  await sql`update pg_database set datistemplate = false`.execute(db);
  for (const name of ['template0', 'template1']) await sql`drop database ${sql.id(name)}`.execute(db);
  await close();
}
