import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { chatWebhook } from './chatWebhook.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

function channelOf({ orgId }: TestOrganization) {
  return testApp.app.db
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow();
}

async function storeFormerChat({ orgId }: TestOrganization, url: string): Promise<void> {
  const { vault, db } = testApp.app;
  await sql`
    update organizations set
      chat_webhook_url = ${vault.seal(url)}, chat_webhook_host = 'hooks.chat.example', chat_webhook_format = 'json'
    where org_id = ${orgId}
  `.execute(db);
}

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
    const row = await channelOf(organization);
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

  test('keeps a new address beside a change of the format that was planned before it', async () => {
    const organization = await testApp.newOrganization();
    const { app } = testApp;
    await organization.send('PUT', path, { chat_webhook: { url } });
    const ctx = { ...app, actor: cliActor(organization.orgId) };
    const { save } = await chatWebhook.plan(ctx, { format: 'json' });
    await organization.send('PUT', path, { chat_webhook: { url: `${url}2` } });
    await app.db.transaction().execute(save);
    const row = await channelOf(organization);
    assert.equal(row.kind, 'webhook');
    assert.equal(app.vault.open(Buffer.from(row.secrets.url!, 'hex')), `${url}2`);
  });

  test('replaces no default channel of another kind', async () => {
    const organization = await testApp.newOrganization();
    const settings = { addresses: ['ops@acme.test'] };
    await organization.send('POST', '/api/v1/channels', { name: 'Default', kind: 'email', settings });
    for (const chat_webhook of [{ url }, { format: 'json' }]) {
      const answer = await organization.send('PUT', path, { chat_webhook, name: 'other' });
      assertProblem(answer, 409, 'default_is_no_chat');
      assert.match(answer.body.detail, /The channel named Default is of the kind Email\./);
    }
    const row = await channelOf(organization);
    assert.deepEqual([row.kind, row.settings], ['email', settings]);
    assert.notEqual((await organization.get(path)).body.data.name, 'other');
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
    for (const [asked, field] of [
      [{ url, format: 'irc' }, 'body.chat_webhook.format'],
      [{ url: 5 }, 'body.chat_webhook.url'],
      [{ url, secret: 'x' }, 'body.chat_webhook.secret'],
      ['https://chat.example', 'body.chat_webhook'],
    ] as const) {
      const answer = await organization.send('PUT', path, { chat_webhook: asked });
      assertProblem(answer, 400, 'invalid_request', [field]);
    }
    assert.equal((await organization.get(path)).body.data.chat_webhook, null);
  });
});

describe('the chat webhook', () => {
  const url = 'https://hooks.chat.example/services/T0/B0/HUSH';

  test('is the channel named default, in both directions', async () => {
    const organization = await testApp.newOrganization();
    const chat = { url, format: 'json' };
    await organization.send('PUT', path, { chat_webhook: chat });
    const [channel] = (await organization.get('/api/v1/channels')).body.data;
    assert.partialDeepStrictEqual(channel, {
      name: 'default',
      kind: 'webhook',
      settings: { url: 'hooks.chat.example/…' },
    });
    await organization.send('PUT', `/api/v1/channels/${channel.id}`, { name: 'general' });
    assert.equal((await organization.get(path)).body.data.chat_webhook, null);
    await organization.send('POST', '/api/v1/channels', {
      name: 'Default',
      kind: 'discord',
      settings: { url },
    });
    const { chat_webhook } = (await organization.get(path)).body.data;
    assert.deepEqual(chat_webhook, { host: 'hooks.chat.example', format: 'discord' });
  });

  test('sent back as null leaves a default channel that is no chat', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('POST', '/api/v1/channels', {
      name: 'default',
      kind: 'email',
      settings: { addresses: 'a@acme.test' },
    });
    const { data } = (await organization.get(path)).body;
    assert.equal(data.chat_webhook, null);
    assert.equal((await organization.send('PUT', path, data)).status, 200);
    assert.equal((await organization.get('/api/v1/channels')).body.data.length, 1);
  });
});

test('the chat webhook of an older program becomes the default channel', async () => {
  const organization = await testApp.newOrganization();
  const url = 'https://hooks.chat.example/services/FORMER';
  const { app } = testApp;
  await storeFormerChat(organization, url);
  const migration = readFileSync(new URL('../../../migrations/0006_channels.sql', import.meta.url), 'utf8');
  const [insertion] = /^insert into channels[^;]*;/m.exec(migration)!;
  await sql.raw(insertion).execute(app.db);
  const { chat_webhook } = (await organization.get(path)).body.data;
  assert.deepEqual(chat_webhook, { host: 'hooks.chat.example', format: 'json' });
  const [channel] = (await organization.get('/api/v1/channels')).body.data;
  assert.partialDeepStrictEqual(channel, { name: 'default', kind: 'webhook' });
  const row = await channelOf(organization);
  assert.equal(app.vault.open(Buffer.from(row.secrets.url!, 'hex')), url);
});

test('the secret that an older program stored goes when its channel changes or goes, or its organization', async () => {
  const chat = { url: 'https://hooks.chat.example/services/NEW' };
  const settings = { url: chat.url };
  for (const [title, change] of [
    ['a new address', ({ send }) => send('PUT', path, { chat_webhook: chat })],
    ['no chat webhook', ({ send }) => send('PUT', path, { chat_webhook: null })],
    ['a new name', ({ send }, id) => send('PUT', `/api/v1/channels/${id}`, { name: 'general' })],
    ['other settings', ({ send }, id) => send('PUT', `/api/v1/channels/${id}`, { settings })],
    ['no channel', ({ send }, id) => send('DELETE', `/api/v1/channels/${id}`)],
    ['no organization', ({ send }) => send('DELETE', `${path}?confirm=Acme`)],
  ] satisfies [string, (organization: TestOrganization, id: string) => Promise<Answer>][]) {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', path, {
      chat_webhook: { url: 'https://hooks.chat.example/services/OLD' },
    });
    await storeFormerChat(organization, 'https://hooks.chat.example/services/OLD');
    const answer = await change(organization, (await channelOf(organization)).id);
    assert.ok(answer.status < 300, `${title}: ${answer.text}`);
    const { rows } = await sql<{ url: Buffer | null; host: string | null }>`
      select chat_webhook_url as url, chat_webhook_host as host from organizations
      where org_id = ${organization.orgId}
    `.execute(testApp.app.db);
    assert.deepEqual(rows, [{ url: null, host: null }], title);
  }
});
