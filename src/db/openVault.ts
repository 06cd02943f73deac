import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { createVault, type Vault } from '../lib/encryption.ts';
import { PublicError } from '../lib/errors.ts';
import type { Database } from './database.ts';

/**
 * The vault under the configured key, or under one that the first start makes in the data folder. Refuses a key that is
 * not the one this database's secrets were sealed with: it would fail on the first of them.
 */
export async function openVault(config: Config, db: Database): Promise<Vault> {
  const path = join(config.dataDir, 'encryption.key');
  const key = config.encryptionKey ?? (config.databaseUrl ? null : await keyInFile(path, db));
  if (!key) return lockedVault;
  const vault = createVault(key);
  if ((await claimEncryptionKey(db, vault.fingerprint)) === vault.fingerprint) return vault;
  const source = config.encryptionKey ? 'ENCRYPTION_KEY' : path;
  const message = `${source} is not the key that the secrets in this database were encrypted with.`;
  throw new PublicError('unavailable', 'wrong_encryption_key', message);
}

/** Several processes may share a server's database, so a key of one machine's own would be wrong on the others. */
const lockedVault: Vault = { seal: refuse, open: refuse, fingerprint: '' };

function refuse(): never {
  throw new PublicError(
    'unavailable',
    'encryption_key_missing',
    'Set ENCRYPTION_KEY (openssl rand -base64 32) to keep secrets in the database that DATABASE_URL names.',
  );
}

async function keyInFile(path: string, db: Database): Promise<Buffer> {
  if (!existsSync(path)) {
    // A new key in place of a lost one would hide the loss, and end up in the next backup.
    if (await findFingerprint(db)) {
      const message = `${path} is missing, and with it the key to the secrets in this database. Put it back from a backup.`;
      throw new PublicError('unavailable', 'encryption_key_lost', message);
    }
    await writeNewKey(path);
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64');
  if (key.length === 32) return key;
  throw new PublicError('unavailable', 'bad_encryption_key', `${path} does not hold 32 bytes in base64.`);
}

/** Whole and lasting before the database names it; of two processes at once, both find the first one's. */
async function writeNewKey(path: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(unfinished);
  const folder = await open(dirname(path));
  await folder.sync();
  await folder.close();
}

/**
 * The fingerprint of the master key that this database's secrets were sealed with. The first key to ask becomes
 * that one.
 */
async function claimEncryptionKey(db: Database, fingerprint: string): Promise<string> {
  await db
    .insertInto('installation')
    .values({ encryptionKeyFingerprint: fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findFingerprint(db)) ?? fingerprint;
}

async function findFingerprint(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('installation').selectAll().executeTakeFirst();
  return row?.encryptionKeyFingerprint;
}
