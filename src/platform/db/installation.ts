import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sql, type Selectable } from 'kysely';
import type { Tables } from '../../tables.ts';
import { PublicError } from '../lib/errors.ts';
import type { Clock } from '../lib/time.ts';
import type { Database, Transaction } from './database.ts';
import type { HoldReason } from './tables.ts';

/** Why this installation sends nothing by itself, and since when. */
export type Hold = { reason: HoldReason; detail: string | null; since: Date };

export async function findHold(db: Database | Transaction): Promise<Hold | null> {
  const row = await db.selectFrom('installation').selectAll().executeTakeFirst();
  return row?.hold ? { reason: row.hold, detail: row.holdDetail, since: row.heldSince! } : null;
}

export async function setHold(db: Database | Transaction, hold: Hold | null): Promise<void> {
  const values = {
    hold: hold?.reason ?? null,
    holdDetail: hold?.detail ?? null,
    heldSince: hold?.since ?? null,
  };
  await setInstallation(db, values);
}

/** The next start gives the folder a new identity. */
export async function clearFolder(db: Database | Transaction): Promise<void> {
  await setInstallation(db, { folderId: null });
}

type Values = Partial<Omit<Selectable<Tables['installation']>, 'onlyRow'>>;

async function setInstallation(db: Database | Transaction, values: Values): Promise<void> {
  await db
    .insertInto('installation')
    .values({ onlyRow: true, ...values })
    .onConflict((conflict) => conflict.column('onlyRow').doUpdateSet(values))
    .execute();
}

type Place = { inode: string; born: string };
type Identity = Place & { id: string };

/** A copied folder's `identity.json` has another inode or birth time, which renames and restarts keep. */
export async function recognizeFolder(db: Database, dataDir: string, clock: Clock): Promise<void> {
  if (await isKnown(db, dataDir)) return;
  await db.transaction().execute(async (tx) => {
    // Two starts at once would each give the folder an identity.
    await sql`select 1 from migration_lock for update`.execute(tx);
    if (await isKnown(tx, dataDir)) return;
    const id = randomUUID();
    if ((await findFolderId(tx)) !== null && !(await findHold(tx))) {
      await setInstallation(tx, { hold: 'copied', holdDetail: null, heldSince: clock.now() });
    }
    // After a crash before the commit, the folder counts as a copy only if the tables already have an id.
    writeIdentity(dataDir, id);
    await setInstallation(tx, { folderId: id });
  });
}

async function isKnown(db: Database | Transaction, dataDir: string): Promise<boolean> {
  const id = await findFolderId(db);
  return id !== null && isOriginal(dataDir, id);
}

const identityName = 'identity.json';

function isOriginal(dataDir: string, id: string): boolean {
  const path = join(dataDir, identityName);
  try {
    const identity = JSON.parse(readFileSync(path, 'utf8')) as Identity;
    return identity.id === id && isSamePlace(identity, placeOf(path));
  } catch {
    return false;
  }
}

export function isSamePlace(one: Place, other: Place): boolean {
  // Node reports 0 if the file system has no birth time.
  return one.inode === other.inode || (other.born !== '0' && one.born === other.born);
}

function writeIdentity(dataDir: string, id: string): void {
  const path = join(dataDir, identityName);
  const file = openSync(path, 'w', 0o600);
  writeSync(file, JSON.stringify({ id, ...placeOf(path) } satisfies Identity));
  fsyncSync(file);
  closeSync(file);
}

function placeOf(path: string): Place {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return { inode: String(ino), born: String(birthtimeNs) };
}

/** A server that started on half of the data would record into it. */
export async function refuseUnfinishedMove(db: Database): Promise<void> {
  if ((await findHold(db))?.reason === 'moving') throw moveUnfinished();
}

export function moveUnfinished(): PublicError {
  const message =
    'Data is being moved into this database. Wait for `runcost move` to end, or run it again if it was stopped.';
  return new PublicError('unavailable', 'move_unfinished', message);
}

export async function findKeyFingerprint(db: Database | Transaction): Promise<string | null> {
  const { rows } = await sql<{ fingerprint: string }>`
    select encryption_key_fingerprint as fingerprint from installation`.execute(db);
  return rows[0]?.fingerprint ?? null;
}

export async function setKeyFingerprint(tx: Transaction, fingerprint: string | null): Promise<void> {
  await setInstallation(tx, { encryptionKeyFingerprint: fingerprint });
}

/** Names a database that has no folder, so that a move into another one can continue. */
export async function nameInstallation(db: Database): Promise<void> {
  if ((await findFolderId(db)) === null) await setInstallation(db, { folderId: randomUUID() });
}

export async function findFolderId(db: Database | Transaction): Promise<string | null> {
  const row = await db.selectFrom('installation').select('folderId').executeTakeFirst();
  return row?.folderId ?? null;
}

export function describeHold({ reason, detail, since }: Hold): string {
  const day = since.toISOString().slice(0, 10);
  const reasons: Record<HoldReason, string> = {
    restored: `This Runcost was restored on ${day} from a backup of ${detail}.`,
    copied:
      `This data folder is a copy, found on ${day}. If a server ran while it was copied, ` +
      'its data can be wrong: `runcost verify` checks it.',
    moved: `The data of this Runcost was moved to ${detail} on ${day}.`,
    moving: 'Data is being moved into this database.',
  };
  return reasons[reason];
}
