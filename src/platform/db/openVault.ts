import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { createVault, type Vault } from '../lib/encryption.ts';
import { PublicError } from '../lib/errors.ts';
import type { Database, Transaction } from './database.ts';
import { findKeyFingerprint } from './installation.ts';

export type Reseal = (tx: Transaction, reseal: (sealed: Buffer) => Buffer) => Promise<void>;

/** Refuses keys that cannot decrypt this database's secrets, and encrypts those of older keys again. */
export async function openVault(config: Config, db: Database, domains: readonly Reseal[]): Promise<Vault> {
  const path = join(config.dataDir, 'encryption.key');
  const [key, ...formerKeys] = config.encryptionKeys;
  const current = key ?? (config.databaseUrl ? null : await keyInFile(path, db));
  if (!current) return lockedVault;
  const vault = createVault([current, ...formerKeys]);
  const fingerprint = await claimEncryptionKey(db, vault.fingerprint);
  if (fingerprint === vault.fingerprint) return vault;
  if (!formerKeys.some((former) => createVault([former]).fingerprint === fingerprint)) {
    const source = key ? 'ENCRYPTION_KEY' : path;
    const message = `${source} is not the key that encrypted the secrets in this database.`;
    throw new PublicError('conflict', 'wrong_encryption_key', message);
  }
  await replaceKey(db, vault, domains);
  return vault;
}

async function replaceKey(db: Database, vault: Vault, domains: readonly Reseal[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirstOrThrow();
    // Another process may have done this already.
    if (row.encryptionKeyFingerprint === vault.fingerprint) return;
    for (const domain of domains) await domain(tx, (sealed) => vault.seal(vault.open(sealed)));
    await tx.updateTable('installation').set({ encryptionKeyFingerprint: vault.fingerprint }).execute();
  });
}

/** A key that one machine generates would be wrong on the others that share the database. */
const lockedVault: Vault = { seal: refuse, open: refuse, fingerprint: '' };

function refuse(): never {
  throw new PublicError(
    'unavailable',
    'encryption_key_missing',
    'Set ENCRYPTION_KEY (openssl rand -base64 32) to store secrets in the database at DATABASE_URL.',
  );
}

async function keyInFile(path: string, db: Database): Promise<Buffer> {
  if (!existsSync(path)) {
    // A new key in place of a lost one would hide the loss and get into the next backup. Another start may
    // have created both meanwhile, the file first.
    if ((await findKeyFingerprint(db)) && !existsSync(path)) {
      const message = `${path} is missing, and with it the key to the secrets in this database. Restore it from a backup.`;
      throw new PublicError('conflict', 'encryption_key_lost', message);
    }
    await writeNewKey(path);
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64');
  if (key.length === 32) return key;
  throw new PublicError('conflict', 'bad_encryption_key', `${path} does not hold 32 bytes in base64.`);
}

/** Synced before the database names it. If two processes race, both get the first one's key. */
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

/** The first key to be claimed becomes the database's key. */
async function claimEncryptionKey(db: Database, fingerprint: string): Promise<string> {
  const known = await findKeyFingerprint(db);
  if (known) return known;
  await db
    .insertInto('installation')
    .values({ encryptionKeyFingerprint: fingerprint })
    .onConflict((conflict) =>
      conflict
        .column('onlyRow')
        .doUpdateSet({ encryptionKeyFingerprint: fingerprint })
        .where('installation.encryptionKeyFingerprint', 'is', null),
    )
    .execute();
  return (await findKeyFingerprint(db)) ?? fingerprint;
}
