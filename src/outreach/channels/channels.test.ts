import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAlert, createAlert, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.test>' });
const { app, clock, worker } = testApp;
const path = '/api/v1/channels';
const secretUrl = 'https://hooks.chat.example/services/T0/B0/HUSH';

async function newChannel(organization: TestOrganization, fields: object = {}): Promise<string> {
  const body = { name: 'platform', kind: 'slack', settings: { url: secretUrl }, ...fields };
  const answer = await organization.send('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

/** A channel of plain JSON, and what arrives there. */
async function newReceiver(organization: TestOrganization, name: string, fields: object = {}) {
  const chat = await openChat();
  const id = await newChannel(organization, {
    name,
    kind: 'webhook',
    settings: { url: chat.url },
    ...fields,
  });
  return { id, chat };
}

async function newSpender(): Promise<TestOrganization> {
  clock.set('2026-03-18T12:00:00Z');
  const organization = await testApp.newOrganization();
  await spend(organization, 12, '2026-03-17');
  return organization;
}

async function ownTeam(organization: TestOrganization, team: string): Promise<string> {
  const rule = { kind: 'team', owner: team, repository: '*' };
  const answer = await organization.send('POST', '/api/v1/ownership/rules', rule);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

describe('a channel', () => {
  test('says how its last message went', async () => {
    const organization = await newSpender();
    const { id, chat } = await newReceiver(organization, 'default');
    const lastOf = async () => (await organization.get(`${path}/${id}`)).body.data.last_message;
    assert.equal(await lastOf(), null);
    chat.status = 404;
    await checkAlert(organization, await newAlert(organization));
    const failed = await lastOf();
    assert.equal(failed.status, 'failed');
    assert.match(failed.error, /404/);
    clock.forward(60);
    chat.status = 200;
    await checkAlert(organization, await newAlert(organization));
    const [listed] = (await organization.get(path)).body.data;
    const at = clock.now().toISOString();
    assert.deepEqual(listed.last_message, { status: 'sent', at, error: null });
  });

  test('is created, listed, changed and deleted, and never shows its secret', async () => {
    const organization = await testApp.newOrganization();
    const id = await newChannel(organization);
    const created = await organization.get(`${path}/${id}`);
    assert.partialDeepStrictEqual(created.body.data, {
      id,
      name: 'platform',
      kind: 'slack',
      settings: { url: 'hooks.chat.example/…' },
      teams: [],
    });
    await newChannel(organization, { name: 'API' });
    const listed = await organization.get(path);
    assert.deepEqual(
      listed.body.data.map(({ name }: { name: string }) => name),
      ['API', 'platform'],
    );
    // What was read can be sent back: the shown part of the secret keeps it.
    const same = await organization.send('PUT', `${path}/${id}`, created.body.data);
    assert.deepEqual(same.body, created.body);
    const renamed = await organization.send('PUT', `${path}/${id}`, { name: 'Platform team' });
    assert.equal(renamed.body.data.name, 'Platform team');
    const moved = await organization.send('PUT', `${path}/${id}`, { settings: { url: `${secretUrl}2` } });
    assert.equal(moved.status, 200, moved.text);
    const row = await app.db
      .selectFrom('channels')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(app.vault.open(Buffer.from(row.secrets.url!, 'hex')), `${secretUrl}2`);
    const deleted = await organization.send('DELETE', `${path}/${id}`);
    assert.deepEqual([deleted.status, deleted.body.data], [200, { id, deleted: true }]);
    assertProblem(await organization.get(`${path}/${id}`), 404, 'channel_not_found');
    const audit = await organization.get('/api/v1/audit-log');
    for (const text of [created, listed, moved, audit].map((answer) => answer.text)) {
      assert.doesNotMatch(text, /HUSH/);
    }
    assert.doesNotMatch(testApp.logged() + JSON.stringify(row), /HUSH/);
    assert.deepEqual(
      audit.body.data
        .filter(({ target }: { target: string }) => target === id)
        .map(({ action }: { action: string }) => action),
      ['channel.delete', 'channel.update', 'channel.update', 'channel.create'],
    );
  });

  const settings = { url: secretUrl };
  for (const [title, body, field] of [
    ['an unknown kind', { kind: 'slak', settings }, 'body.kind'],
    ['an unknown field', { kind: 'slack', settings: { uri: secretUrl } }, 'body.settings.uri'],
    ['a missing field', { kind: 'slack' }, 'body.settings.url'],
    ['a forbidden address', { kind: 'slack', settings: { url: 'https://10.1.2.3/x' } }, 'body.settings.url'],
    ['a list for a text', { kind: 'slack', settings: { url: ['x'] } }, 'body.settings.url'],
    [
      'a wrong address',
      { kind: 'email', settings: { addresses: ['a@b.example', 'x'] } },
      'body.settings.addresses[1]',
    ],
    ['no addresses', { kind: 'email', settings: { addresses: [] } }, 'body.settings.addresses'],
    ['a name without characters', { name: ' ', kind: 'slack', settings }, 'body.name'],
    ['an unknown team', { kind: 'slack', settings, teams: ['Nobody'] }, 'body.teams[0]'],
  ] as const) {
    test(`is refused with ${title}`, async () => {
      const organization = await testApp.newOrganization();
      const answer = await organization.send('POST', path, { name: 'platform', ...body });
      assertProblem(answer, 400, 'invalid_request', [field]);
    });
  }

  test('keeps a team that has lost its rules, and takes no other unknown one', async () => {
    const organization = await testApp.newOrganization();
    const rule = await ownTeam(organization, 'Platform');
    const id = await newChannel(organization, { teams: ['Platform'] });
    await organization.send('DELETE', `/api/v1/ownership/rules/${rule}`);
    const { data } = (await organization.get(`${path}/${id}`)).body;
    const same = await organization.send('PUT', `${path}/${id}`, { ...data, name: 'ops' });
    assert.deepEqual([same.status, same.body.data.teams], [200, ['Platform']], same.text);
    const teams = ['Platform', 'Nobody'];
    const refused = await organization.send('PUT', `${path}/${id}`, { teams });
    assertProblem(refused, 400, 'invalid_request', ['body.teams[1]']);
    const other = { name: 'other', kind: 'slack', settings, teams: ['Platform'] };
    assertProblem(await organization.send('POST', path, other), 400, 'invalid_request', ['body.teams[0]']);
  });

  test('has a name of its own, and an organization has at most 50', async () => {
    const organization = await testApp.newOrganization();
    const id = await newChannel(organization);
    const same = { name: 'PLATFORM', kind: 'slack', settings };
    assertProblem(await organization.send('POST', path, same), 409, 'channel_name_taken', ['body.name']);
    await newChannel(organization, { name: 'other' });
    assertProblem(
      await organization.send('PUT', `${path}/${id}`, { name: 'Other' }),
      409,
      'channel_name_taken',
    );
    for (const name of ['platform\u200B', ' platform', 'pl\uFF41tform']) {
      assertProblem(await organization.send('POST', path, { ...same, name }), 409, 'channel_name_taken');
    }
    for (let index = 2; index < 50; index++) await newChannel(organization, { name: `channel ${index}` });
    assertProblem(
      await organization.send('POST', path, { ...same, name: 'one more' }),
      409,
      'too_many_channels',
    );
  });

  test('belongs to its organization, and only admins change or test it', async () => {
    const [organization, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
    const id = await newChannel(organization);
    assert.deepEqual((await stranger.get(path)).body.data, []);
    const of = `${path}/${id}`;
    for (const answer of [
      await stranger.get(of),
      await stranger.send('PUT', of, { name: 'mine' }),
      await stranger.send('DELETE', of),
      await stranger.send('POST', `${path}/test`, { channel_id: id }),
    ]) {
      assertProblem(answer, 404, 'channel_not_found');
    }
    assertProblem(await createAlert(stranger, { channel_ids: [id] }), 400, 'invalid_request', [
      'body.channel_ids[0]',
    ]);
    const [member, alerts] = [
      await organization.newToken('member'),
      await organization.newToken('owner', ['alerts:read', 'alerts:write']),
    ];
    for (const [method, at, body] of [
      ['POST', path, { name: 'x', kind: 'slack', settings }],
      ['PUT', of, { name: 'x' }],
      ['DELETE', of, undefined],
      ['POST', `${path}/test`, { channel_id: id }],
    ] as const) {
      assertProblem(await organization.send(method, at, body, 'nonsense'), 401, 'invalid_token');
      assertProblem(await organization.send(method, at, body, member), 403, 'role_too_low');
      assertProblem(await organization.send(method, at, body, alerts), 403, 'scope_missing');
    }
    assert.equal((await organization.get(path)).body.data.length, 1);
  });

  test('is tested as saved, with other settings, and before it is saved', async () => {
    const organization = await testApp.newOrganization();
    const { id, chat } = await newReceiver(organization, 'platform');
    const send = (body: object) => organization.send('POST', `${path}/test`, body);
    const other = await openChat();
    for (const body of [
      { channel_id: id },
      { channel_id: id, settings: { url: other.url } },
      { kind: 'slack', settings: { url: other.url } },
    ]) {
      const { data } = (await send(body)).body;
      assert.deepEqual(data, { delivered: true, status_code: 200, error: null });
    }
    assert.deepEqual([chat.bodies.length, other.bodies.length], [1, 2]);
    assert.match(JSON.stringify(other.bodies[1]), /Test message/);
    other.status = 404;
    const refused = (await send({ kind: 'teams', settings: { url: other.url } })).body.data;
    assert.deepEqual([refused.delivered, refused.status_code], [false, 404]);
    assert.match(refused.error, /^Microsoft Teams answered 404: it does not take messages at this address/);
    assertProblem(await send({}), 409, 'no_channel');
    const addresses = ['ops@acme.test', 'nobody@refused.test'];
    const mail = (await send({ kind: 'email', settings: { addresses } })).body.data;
    assert.match(mail.error, /Could not send the email: .*550/);
    assert.ok(mailbox.mails.some(({ to }) => to === 'ops@acme.test'));
  });

  test('is tested at all its addresses at once', async () => {
    const organization = await testApp.newOrganization();
    const addresses = ['a@acme.test', 'b@acme.test', 'c@acme.test'];
    const begun: string[] = [];
    const all = Promise.withResolvers<void>();
    const fields = { lofts: { title: 'Lofts', type: 'emails' as const, help: 'Ask the keeper.' } };
    app.channelKinds.pigeon = {
      title: 'Carrier pigeon',
      description: 'Sends a pigeon to each loft.',
      fields,
      addresses: ({ lofts }) => lofts as string[],
      deliver: async (_outlet, _message, { address }) => {
        if (begun.push(address) === addresses.length) all.resolve();
        await all.promise;
        return { isDelivered: true, statusCode: null };
      },
    };
    const body = { kind: 'pigeon', settings: { lofts: addresses } };
    const { data } = (await organization.send('POST', `${path}/test`, body)).body;
    assert.deepEqual([data.delivered, begun.toSorted()], [true, addresses]);
  });

  test('names the field that was meant, or all', async () => {
    const organization = await testApp.newOrganization();
    for (const [field, message] of [
      ['addreses', 'is not a field of Email; did you mean addresses?'],
      ['subject', 'is not a field of Email; its fields are addresses'],
    ] as const) {
      const body = { name: 'mail', kind: 'email', settings: { [field]: 'x' } };
      const answer = await organization.send('POST', path, body);
      assert.equal(answer.body.errors[0].message, message);
    }
  });
});

describe('an alert', () => {
  test('goes to the channels that it chooses, and only to them', async () => {
    const organization = await newSpender();
    const usual = await newReceiver(organization, 'Default');
    const chosen = await newReceiver(organization, 'platform');
    await checkAlert(organization, await newAlert(organization));
    assert.deepEqual([usual.chat.bodies.length, chosen.chat.bodies.length], [1, 0]);
    const id = await newAlert(organization, {
      name: 'Budget 2',
      channel_ids: [chosen.id],
      notify_chat: false,
    });
    await checkAlert(organization, id);
    assert.deepEqual([usual.chat.bodies.length, chosen.chat.bodies.length], [1, 1]);
    const [trigger] = await triggersOf(organization, id);
    const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
    assert.partialDeepStrictEqual(data.notifications, [
      { channel: 'chat', channel_id: chosen.id, recipient: null, status: 'sent' },
    ]);
  });

  test('of a team goes to its channels, unless it chooses others', async () => {
    const organization = await newSpender();
    await ownTeam(organization, 'Platform');
    const usual = await newReceiver(organization, 'Default\u200B');
    const ofTeam = await newReceiver(organization, 'platform', { teams: ['Platform'] });
    const scope = { type: 'team', value: 'Platform' };
    await checkAlert(organization, await newAlert(organization, { scope }));
    assert.deepEqual([usual.chat.bodies.length, ofTeam.chat.bodies.length], [0, 1]);
    await checkAlert(organization, await newAlert(organization, { scope, channel_ids: [usual.id] }));
    await checkAlert(organization, await newAlert(organization, { scope, notify_chat: false }));
    assert.deepEqual([usual.chat.bodies.length, ofTeam.chat.bodies.length], [1, 1]);
    await checkAlert(organization, await newAlert(organization));
    assert.deepEqual([usual.chat.bodies.length, ofTeam.chat.bodies.length], [2, 1]);
  });

  test('mails each address of a channel, but no member who wants no alert emails', async () => {
    const organization = await newSpender();
    const member = { email: 'quiet@acme.test', role: 'viewer', alert_emails: false };
    await organization.send('POST', '/api/v1/members', member);
    const addresses = 'ops@partner.test, OPS@partner.test dev@partner.test;quiet@acme.test';
    const channel_ids = [await newChannel(organization, { kind: 'email', settings: { addresses } })];
    mailbox.mails.length = 0;
    await checkAlert(organization, await newAlert(organization, { channel_ids, notify_email: false }));
    assert.deepEqual(mailbox.mails.map(({ to }) => to).toSorted(), ['OPS@partner.test', 'dev@partner.test']);
    assert.match(mailbox.mails[0]!.email.text!, /added your address to the\s+channel\s+platform/);
  });

  test('keeps its channel: one in use cannot be deleted, and names what uses it', async () => {
    const organization = await testApp.newOrganization();
    const id = await newChannel(organization, { name: 'default' });
    const alert = await newAlert(organization, { channel_ids: [id] });
    const digest = await organization.send('POST', '/api/v1/digests', {
      frequency: 'weekly',
      is_personal: false,
      channel_ids: [id],
    });
    assert.equal(digest.status, 201, digest.text);
    const refused = await organization.send('DELETE', `${path}/${id}`);
    assertProblem(refused, 409, 'channel_in_use');
    assert.match(refused.body.detail, /used by the alert "CI budget", the weekly digest dig_\w+\. Choose/);
    const noChat = { chat_webhook: null };
    assertProblem(await organization.send('PUT', '/api/v1/organization', noChat), 409, 'channel_in_use');
    await organization.send('PUT', `/api/v1/alerts/${alert}`, { channel_ids: [] });
    await organization.send('DELETE', `/api/v1/digests/${digest.body.data.id}`);
    assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 200);
  });

  test('chooses at most ten channels that are there', async () => {
    const organization = await testApp.newOrganization();
    const ids = Array.from({ length: 11 }, (_, index) => `chn_${index}`);
    for (const [channel_ids, field] of [
      [ids, 'body.channel_ids'],
      [['chn_none'], 'body.channel_ids[0]'],
    ] as const) {
      assertProblem(await createAlert(organization, { channel_ids }), 400, 'invalid_request', [field]);
    }
  });
});

test('a digest for the chat goes to each address of a default channel of emails', async () => {
  const organization = await newSpender();
  const addresses = ['cto@partner.test', 'cfo@partner.test'];
  await newChannel(organization, { name: 'default', kind: 'email', settings: { addresses } });
  const digest = { frequency: 'weekly', is_personal: false, chat: true };
  assert.equal((await organization.send('POST', '/api/v1/digests', digest)).status, 201);
  mailbox.mails.length = 0;
  clock.set('2026-03-23T08:01:00Z');
  await worker.processAll();
  assert.deepEqual(mailbox.mails.map(({ to }) => to).toSorted(), addresses.toSorted());
});

test('a digest goes to the channels that it chooses, once to each', async () => {
  const organization = await newSpender();
  const usual = await newReceiver(organization, 'default');
  const other = await newReceiver(organization, 'other');
  const addresses = ['cto@partner.test'];
  const mails = await newChannel(organization, { name: 'mail', kind: 'email', settings: { addresses } });
  const channel_ids = [usual.id, other.id, mails];
  const digest = { frequency: 'weekly', is_personal: false, chat: true, channel_ids };
  const created = await organization.send('POST', '/api/v1/digests', digest);
  assert.deepEqual(created.body.data.channel_ids, channel_ids);
  mailbox.mails.length = 0;
  clock.set('2026-03-23T08:01:00Z');
  await worker.processAll();
  const events = [usual, other].map(({ chat }) =>
    chat.bodies.map((body) => (body as { event: string }).event),
  );
  assert.deepEqual(events, [['digest'], ['digest']]);
  assert.deepEqual(
    mailbox.mails.map(({ to, email }) => [to, email.attachments.length]),
    [['cto@partner.test', 1]],
  );
  const id = created.body.data.id;
  await organization.send('PUT', `/api/v1/digests/${id}`, { channel_ids: [other.id] });
  const entries: Answer['body'][] = (await organization.get('/api/v1/audit-log')).body.data;
  assert.deepEqual(
    entries.filter(({ target }) => target === id).map(({ summary }) => summary),
    [
      'changed the channel ids of a digest from default, other, mail to other',
      'created the weekly digest of all costs for the default channel, default, other, and mail',
    ],
  );
  const personal = { frequency: 'weekly', channel_ids };
  const refused = await organization.send('POST', '/api/v1/digests', personal);
  const fields = refused.body.errors.map((error: Answer['body']) => error.path);
  assert.deepEqual([refused.status, fields], [400, ['body.channel_ids']]);
});
