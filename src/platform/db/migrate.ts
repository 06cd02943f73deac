import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { PublicError } from '../lib/errors.ts';
import type { Database, Transaction } from './database.ts';
import { prepareDistributedChanges } from './distribution.ts';

type Migration = { name: string; text: string; hash: string };

/** A program must know migration `needs` to work with the tables after this migration. */
type Done = { name: string; hash: string; needs: string | null };

const defaultFolder = new URL('../../../migrations/', import.meta.url);

/** Waits for another process that is migrating. Refuses changes by a newer program that it does not know. */
export async function migrate(db: Database, folder: URL = defaultFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await createLock(db);
  return db.transaction().execute(async (tx) => {
    // Large tables take long, and so does waiting for another process.
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`set local lock_timeout = 0`.execute(tx);
    await prepareDistributedChanges(tx);
    await sql`select 1 from migration_lock for update`.execute(tx);
    const done = await sql<Done>`select name, hash, needs from migrations`.execute(tx);
    const today = asToday(done.rows, migrations);
    if (today !== done.rows) await replaceDone(tx, today);
    const pending = pendingMigrations(migrations, today);
    for (const migration of pending) await runMigration(tx, migration);
    return pending.map((migration) => migration.name);
  });
}

/** Locks out other starts until the transaction ends. Returns whether no migration has run. */
export async function lockEmpty(tx: Transaction): Promise<boolean> {
  await createLock(tx);
  await sql`select 1 from migration_lock for update`.execute(tx);
  return (await listRun(tx)).length === 0;
}

export type RanMigration = { name: string; hash: string };

/** Returns none for a database without tables. */
export async function listRun(db: Database | Transaction): Promise<RanMigration[]> {
  const found = await sql<{ name: string | null }>`select to_regclass('migrations') as name`.execute(db);
  if (found.rows[0]!.name === null) return [];
  const { rows } = await sql<RanMigration>`select name, hash from migrations order by name`.execute(db);
  return rows;
}

/** Returns this program's migrations that `done` lacks. Refuses the list of a newer program. */
export async function findPending(done: readonly RanMigration[]): Promise<string[]> {
  const known = await readMigrations(defaultFolder);
  const today = asToday(done, known);
  // This program must create the same tables, so it refuses any migration that it does not know.
  return pendingMigrations(
    known,
    today.map((each) => ({ ...each, needs: null })),
  ).map(({ name }) => name);
}

/** For commands that work on the tables as they are. */
export async function refuseUnmigrated(db: Database): Promise<void> {
  if ((await findPending(await listRun(db))).length === 0) return;
  throw new PublicError(
    'conflict',
    'not_migrated',
    'The database has no tables, or is on an older schema version. Run `runcost migrate` first.',
  );
}

/** Runs these migrations in an empty database, or after those that it already has. */
export async function runMigrations(tx: Transaction, names: readonly string[]): Promise<void> {
  await createLock(tx);
  const known = await readMigrations(defaultFolder);
  const today = asToday(
    names.map((name) => ({ name, hash: '' })),
    known,
  ).map(({ name }) => name);
  for (const migration of known) if (today.includes(migration.name)) await runMigration(tx, migration);
}

/** Before 0.1.0, several migrations made the tables that the first one makes now. */
const former = { first: '0001_foundation.sql', last: '0068_members_seen.sql' };

/** Databases and backups of the former migrations count as those of the first one. */
function asToday<Ran extends RanMigration>(
  done: readonly Ran[],
  [first]: readonly Migration[],
): readonly Ran[] {
  if (!first || !done.some(({ name }) => name === former.first)) return done;
  const last = done.find(({ name }) => name === former.last);
  if (last) return [{ ...last, name: first.name, hash: first.hash, needs: needsOf(first) }];
  throw new PublicError(
    'unavailable',
    'database_too_old',
    `The tables are of an early Runcost, from before ${former.last}. Start or restore them with the version of November 28, 2026 first.`,
  );
}

async function replaceDone(tx: Transaction, today: readonly Done[]): Promise<void> {
  await sql`delete from migrations`.execute(tx);
  for (const { name, hash, needs } of today)
    await sql`insert into migrations (name, hash, needs) values (${name}, ${hash}, ${needs})`.execute(tx);
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** Two programs may create the tables at the same moment; the one that fails tries again. */
async function createLock(db: Database | Transaction): Promise<void> {
  const create = sql`
    create table if not exists migration_lock (only_row boolean primary key check (only_row));
    create table if not exists migrations (
      name text primary key, hash text not null, ran_at timestamptz not null default now(), needs text
    );
    insert into migration_lock values (true) on conflict do nothing;
  `;
  await create.execute(db).catch(() => create.execute(db));
}

function pendingMigrations(migrations: Migration[], done: readonly Done[]): Migration[] {
  const hashes = new Map(migrations.map((migration) => [migration.name, migration.hash]));
  const newest = migrations.at(-1)?.name ?? '';
  for (const { name, hash, needs } of done) {
    if (!hashes.has(name)) {
      // During a rolling upgrade, the newer program has only added what this one does not use.
      if (needs !== null && needs <= newest) continue;
      throw new PublicError(
        'unavailable',
        'database_too_new',
        `The database has been migrated by a newer Runcost (${name}). Start that version, or restore a backup.`,
      );
    }
    if (hashes.get(name) !== hash) {
      throw new PublicError(
        'unavailable',
        'migration_changed',
        `Migration ${name} was edited after it ran on this database. Restore its file.`,
      );
    }
  }
  const ran = new Set(done.map((migration) => migration.name));
  return migrations.filter((migration) => !ran.has(migration.name));
}

async function runMigration(tx: Transaction, migration: Migration): Promise<void> {
  for (const statement of statementsOf(migration.text)) await sql.raw(statement).execute(tx);
  const { name, hash } = migration;
  const needs = needsOf(migration);
  await sql`insert into migrations (name, hash, needs) values (${name}, ${hash}, ${needs})`.execute(tx);
}

/** Citus sends a statement to its servers as the whole text that came, so each comes alone. */
export function statementsOf(text: string): string[] {
  const pieces =
    text.match(/(?:--.*|\/\*[^]*?\*\/|'[^']*'|"[^"]*"|(?<tag>\$\w*\$)[^]*?\k<tag>|[^;])+/g) ?? [];
  return pieces.filter((piece) => piece.replaceAll(/--.*|\/\*[^]*?\*\//g, '').trim() !== '');
}

/** Locks out programs from before an old migration: they cannot read its rows. Returns whether it did. */
export async function retireOlderPrograms(db: Database, name: string, before: Date): Promise<boolean> {
  const { rows } = await sql`
    with retired as (update migrations set needs = name where name = ${name} and needs < name and ran_at < ${before})
    select from migrations where name = ${name} and ran_at < ${before}
  `.execute(db);
  return rows.length > 0;
}

/** `-- Needs programs from 0041: they no longer read runs.label.` Else programs of any version work. */
export function needsOf({ text }: Pick<Migration, 'text'>): string {
  return /^-- Needs programs from (\d{4})\b/m.exec(text)?.[1] ?? '0000';
}
