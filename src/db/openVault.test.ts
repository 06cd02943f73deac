import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../test/harness/app.ts';
import { openVault } from './openVault.ts';

const { app } = await startTestApp();
const { db } = app;

test('of several starts at once all find one key, which is for its owner only', async () => {
  await db.deleteFrom('installation').execute();
  const dataDir = mkdtempSync(join(tmpdir(), 'runcost-data-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const config = { ...app.config, dataDir, databaseUrl: null, encryptionKey: null };
  const [first, second] = await Promise.all([openVault(config, db), openVault(config, db)]);
  assert.equal(first.fingerprint, second.fingerprint);
  assert.equal(second.open(first.seal('secret')), 'secret');
  assert.deepEqual(readdirSync(dataDir), ['encryption.key']);
  assert.equal(statSync(join(dataDir, 'encryption.key')).mode & 0o777, 0o600);
  assert.equal((await openVault(config, db)).fingerprint, first.fingerprint);
});
