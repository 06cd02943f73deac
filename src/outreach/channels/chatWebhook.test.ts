import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

describe("the chat webhook's address", () => {
  const secret = 'T024BE7LD/B0VERYSECRET';
  const url = `https://hooks.chat.example/services/${secret}`;

  test('is stored encrypted and never shown again', async () => {
    const organization = await testApp.newOrganization();
    const set = await organization.send('PUT', path, { chat_webhook: { url } });
    assert.equal(set.status, 200);
    assert.deepEqual(set.body.data.chat_webhook, { host: 'hooks.chat.example', format: 'slack' });
    const refused = await organization.send('PUT', path, {
      chat_webhook: { url: url.replace('https', 'http') },
    });
    const audit = await organization.get('/api/v1/audit-log');
    for (const text of [
      set.text,
      (await organization.get(path)).text,
      refused.text,
      audit.text,
      testApp.logged(),
    ]) {
      assert.ok(!text.includes(secret), text);
    }
    const row = await testApp.app.db
      .selectFrom('channels')
      .selectAll()
      .where('orgId', '=', organization.orgId)
      .executeTakeFirstOrThrow();
    assert.doesNotMatch(JSON.stringify(row), /VERYSECRET/);
    assert.equal(testApp.app.vault.open(Buffer.from(row.secrets.url!, 'hex')), url);
  });

  test('can be removed, and its format changes without it', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', path, { chat_webhook: { url, format: 'discord' } });
    const changed = await organization.send('PUT', path, { chat_webhook: { format: 'json' } });
    assert.deepEqual(changed.body.data.chat_webhook, { host: 'hooks.chat.example', format: 'json' });
    const unset = await organization.send('PUT', path, { chat_webhook: null });
    assert.equal(unset.body.data.chat_webhook, null);
    assertProblem(
      await organization.send('PUT', path, { chat_webhook: { format: 'json' } }),
      400,
      'invalid_request',
      ['body.chat_webhook.url'],
    );
  });

  test('must be a plain https:// address', async () => {
    const organization = await testApp.newOrganization();
    for (const bad of [
      'http://chat.example/x',
      'chat.example',
      'https://',
      'ftp://chat.example',
      'https://u:p@chat.example',
    ]) {
      const answer = await organization.send('PUT', path, { chat_webhook: { url: bad } });
      assertProblem(answer, 400, 'invalid_request', ['body.chat_webhook.url']);
    }
    for (const [chatWebhook, field] of [
      [{ url, format: 'irc' }, 'body.chat_webhook.format'],
      [{ url: 5 }, 'body.chat_webhook.url'],
      [{ url, secret: 'x' }, 'body.chat_webhook.secret'],
      ['https://chat.example', 'body.chat_webhook'],
    ] as const) {
      const answer = await organization.send('PUT', path, { chat_webhook: chatWebhook });
      assertProblem(answer, 400, 'invalid_request', [field]);
    }
    assert.equal((await organization.get(path)).body.data.chat_webhook, null);
  });
});

test('the chat webhook of an older program becomes the default channel', async () => {
  const organization = await testApp.newOrganization();
  const { orgId } = organization;
  const url = 'https://hooks.chat.example/services/FORMER';
  const { app } = testApp;
  await sql`
    update organizations set
      chat_webhook_url = ${app.vault.seal(url)}, chat_webhook_host = 'hooks.chat.example', chat_webhook_format = 'json'
    where org_id = ${orgId}
  `.execute(app.db);
  const migration = readFileSync(new URL('../../../migrations/0006_channels.sql', import.meta.url), 'utf8');
  const [insertion] = /^insert into channels[^;]*;/m.exec(migration)!;
  await sql.raw(insertion).execute(app.db);
  const { chat_webhook } = (await organization.get(path)).body.data;
  assert.deepEqual(chat_webhook, { host: 'hooks.chat.example', format: 'json' });
  const [channel] = (await organization.get('/api/v1/channels')).body.data;
  assert.partialDeepStrictEqual(channel, { name: 'default', kind: 'webhook' });
  const row = await app.db
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
  assert.equal(app.vault.open(Buffer.from(row.secrets.url!, 'hex')), url);
});
