import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { resealers } from '../../app.ts';
import { openVault } from './openVault.ts';

const { app } = await startTestApp();
const { db } = app;

test('simultaneous starts find one key, which only its owner can read', async () => {
  await db.deleteFrom('installation').execute();
  const dataDir = mkdtempSync(join(tmpdir(), 'runcost-data-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const config = { ...app.config, dataDir, databaseUrl: null, encryptionKeys: [] };
  const [first, second] = await Promise.all([
    openVault(config, db, resealers),
    openVault(config, db, resealers),
  ]);
  assert.equal(first.fingerprint, second.fingerprint);
  assert.equal(second.open(first.seal('secret')), 'secret');
  assert.deepEqual(readdirSync(dataDir), ['encryption.key']);
  assert.equal(statSync(join(dataDir, 'encryption.key')).mode & 0o777, 0o600);
  assert.equal((await openVault(config, db, resealers)).fingerprint, first.fingerprint);
});

test('a new key in front of the old one replaces it: every secret is encrypted again', async () => {
  const testApp = await startTestApp({ GITHUB_API_URL: 'http://127.0.0.1:9' });
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
  const config = { ...testApp.app.config, encryptionKeys: [keys[0]] };
  await testApp.app.db.deleteFrom('installation').execute();
  const vault = await openVault(config, testApp.app.db, resealers);
  const organization = await testApp.newOrganization();
  const { orgId } = organization;
  Object.assign(testApp.app.vault, vault);
  await organization.send('PUT', '/api/v1/organization', { chat_webhook: { url: 'https://chat.example/x' } });
  const created = await organization.send('POST', '/api/v1/sources', { kind: 'github' });
  const read = { kind: 'token', token: 'github_pat_kept' };
  await organization.send('PUT', `/api/v1/sources/${created.body.data.id}/credentials`, read);
  const hook = {
    url: 'https://hooks.example.com',
    events: ['alert.triggered'],
    secret: 'known to both sides',
  };
  const { id } = (await organization.send('POST', '/api/v1/webhooks', hook)).body.data;
  await organization.send('POST', `/api/v1/webhooks/${id}/rotate-secret`, {
    secret: 'known to both sides next',
  });

  const replaced = await openVault(
    { ...config, encryptionKeys: [keys[1], keys[0]] },
    testApp.app.db,
    resealers,
  );
  const only = await openVault({ ...config, encryptionKeys: [keys[1]] }, testApp.app.db, resealers);
  assert.equal(replaced.fingerprint, only.fingerprint);
  const { db: fresh } = testApp.app;
  const webhook = await fresh
    .selectFrom('webhooks')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(
    [only.open(webhook.secret), only.open(webhook.nextSecret!)],
    ['known to both sides', 'known to both sides next'],
  );
  const source = await fresh
    .selectFrom('sources')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  assert.ok(only.open(source.secret).length > 20);
  const credentials = await fresh
    .selectFrom('sourceCredentials')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(JSON.parse(only.open(credentials.secret)), read);
  const chat = await fresh
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  assert.equal(only.open(Buffer.from(chat.secrets.url!, 'hex')), 'https://chat.example/x');
  await assert.rejects(openVault(config, fresh, resealers), /is not the key/);
});
