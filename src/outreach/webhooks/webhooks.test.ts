import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import {
  auditOf,
  createWebhook,
  deliveryRows,
  hookUrl,
  newWebhook,
  insertDeliveries,
  readWebhook,
} from '../../../test/harness/webhooks.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const path = (id: string) => `/api/v1/webhooks/${id}`;

describe('a webhook', () => {
  test('is created active, with a random secret that only this response shows', async () => {
    const organization = await testApp.newOrganization();
    const created = await createWebhook(organization);
    assert.equal(created.status, 201, created.text);
    const { id, secret, secret_prefix: prefix, ...rest } = created.body.data;
    assert.match(id, /^wh_[0-9a-f]{20}$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(prefix, `${secret.slice(0, 10)}…`);
    assert.deepEqual(rest, {
      name: null,
      url: hookUrl,
      events: ['alert.triggered', 'cost.threshold'],
      status: 'active',
      created_at: clock.now().toISOString(),
      warnings: [],
    });
    const listed = await organization.get('/api/v1/webhooks');
    assert.deepEqual(listed.body.data.webhooks, [
      {
        id,
        name: null,
        url: hookUrl,
        events: ['alert.triggered', 'cost.threshold'],
        status: 'active',
        secret_prefix: prefix,
        last_delivery_at: null,
        last_delivery_status: null,
        last_response_code: null,
        latest_deliveries: [],
        next_attempt_at: null,
        failing_since: null,
        created_at: clock.now().toISOString(),
        updated_at: clock.now().toISOString(),
      },
    ]);
    const changed = await organization.send('PUT', path(id), { events: ['alert.resolved'] });
    for (const answer of [listed, changed, await organization.get(path(id))]) {
      assert.ok(!answer.text.includes(secret), answer.text);
    }
    assert.equal((await newWebhook(organization)).secret === secret, false);
  });

  test('can have a name, which can change and is in the audit log', async () => {
    const organization = await testApp.newOrganization();
    const { id, name } = await newWebhook(organization, { name: ' Chargeback ' });
    assert.equal(name, 'Chargeback');
    await organization.send('POST', `${path(id)}/ping`);
    for (const [next, kept] of [
      ['Chargeback ', 'Chargeback'],
      ['Finance', 'Finance'],
      [null, null],
    ]) {
      const changed = await organization.send('PUT', path(id), { name: next });
      assert.deepEqual([changed.status, changed.body.data.name], [200, kept]);
    }
    const audit = await auditOf(organization, id);
    assert.deepEqual(
      audit.map(({ action, details }) => [action, details.name, details.before]),
      [
        ['webhook.create', 'Chargeback', undefined],
        ['webhook.ping', 'Chargeback', undefined],
        ['webhook.update', 'Finance', { name: 'Chargeback' }],
        ['webhook.update', null, { name: 'Finance' }],
      ],
    );
    for (const wrong of ['', ' ', 'a\nb', 'x'.repeat(256)]) {
      const refused = await createWebhook(organization, { name: wrong });
      assertProblem(refused, 400, 'invalid_request', ['body.name']);
    }
  });

  test('keeps secrets and the path and query of its URL out of the log, the audit log and the database', async () => {
    const organization = await testApp.newOrganization();
    const given = 'a given secret of some length';
    const { id } = await newWebhook(organization, { secret: given });
    await organization.send('PUT', path(id), { url: 'https://other.example.com/p-8812?key=k-7731' });
    await organization.send('POST', `${path(id)}/rotate-secret`, { secret: `${given}, the next` });
    await organization.send('DELETE', path(id));
    const audit = await auditOf(organization, id);
    assert.deepEqual(
      audit.map(({ action, details }) => [action, details]),
      [
        [
          'webhook.create',
          { host: 'hooks.example.com', events: ['alert.triggered', 'cost.threshold'], status: 'active' },
        ],
        ['webhook.update', { host: 'other.example.com' }],
        [
          'webhook.rotate_secret',
          {
            host: 'other.example.com',
            promote_at: new Date(clock.now().getTime() + 86_400_000).toISOString(),
          },
        ],
        ['webhook.delete', { host: 'other.example.com', events: ['alert.triggered', 'cost.threshold'] }],
      ],
    );
    for (const secret of [given, 'k-7731', 'p-8812']) {
      assert.ok(!testApp.logged().includes(secret), secret);
    }
    const row = await app.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    for (const sealed of [row.secret, row.nextSecret]) {
      assert.ok(sealed && !sealed.toString('latin1').includes('given secret'));
    }
  });

  test('uses a given secret unchanged, and warns of a short one and of a paused webhook', async () => {
    const organization = await testApp.newOrganization();
    const spaced = await newWebhook(organization, { secret: ' pässword\n ', status: 'paused' });
    assert.equal(spaced.secret, ' pässword\n ');
    assert.equal(spaced.secret_prefix, ' pä…');
    assert.equal(spaced.status, 'paused');
    assert.match(spaced.warnings[0], /16 characters/);
    assert.match(spaced.warnings[1], /paused/);
    const one = await newWebhook(organization, { secret: 'x' });
    assert.equal(one.secret_prefix, '…');
    const long = await newWebhook(organization, { secret: 'y'.repeat(256) });
    assert.equal(long.secret_prefix, `${'y'.repeat(10)}…`);
    assert.deepEqual(long.warnings, []);
    for (const secret of ['', 'y'.repeat(257)]) {
      assertProblem(await createWebhook(organization, { secret }), 400, 'invalid_request', ['body.secret']);
    }
  });

  test('is refused with a forbidden URL, and names the setting that would allow it', async () => {
    const organization = await testApp.newOrganization();
    const faults: [string, RegExp][] = [
      ['http://hooks.example.com/', /EGRESS_ALLOW_HTTP/],
      ['https://10.1.2.3/', /EGRESS_ALLOWED_CIDRS/],
      ['ftp://hooks.example.com/', /https/],
      ['https://user:word@hooks.example.com/', /user name/],
      ['https://hooks.example.com/a\nb', /spaces/],
      ['https://METADATA.google.internal./', /metadata\.google\.internal serves cloud credentials/],
      ['nonsense', /must be a URL/],
      [`https://hooks.example.com/${'a'.repeat(2_048)}`, /2,048/],
    ];
    const { id } = await newWebhook(organization);
    for (const [url, fault] of faults) {
      for (const answer of [
        await createWebhook(organization, { url }),
        await organization.send('PUT', path(id), { url }),
      ]) {
        assertProblem(answer, 400, 'invalid_request', ['body.url']);
        assert.match(answer.body.errors[0].message, fault);
      }
    }
  });

  test('is refused without a URL, without events, and with unknown or repeated ones', async () => {
    const organization = await testApp.newOrganization();
    const events = ['body.events'];
    assertProblem(await organization.send('POST', '/api/v1/webhooks', {}), 400, 'invalid_request', [
      'body.url',
      ...events,
    ]);
    assertProblem(await createWebhook(organization, { events: [] }), 400, 'invalid_request', events);
    const twice = ['alert.resolved', 'alert.resolved'];
    assertProblem(await createWebhook(organization, { events: twice }), 400, 'invalid_request', events);
    const unknown = await createWebhook(organization, { events: ['run.completed'] });
    assertProblem(unknown, 400, 'invalid_request', ['body.events[0]']);
    assert.match(unknown.body.errors[0].message, /workflow\.completed/);
    const ping = await createWebhook(organization, { events: ['webhook.ping'] });
    assertProblem(ping, 400, 'invalid_request', ['body.events[0]']);
    const failing = await createWebhook(organization, { status: 'failing' });
    assertProblem(failing, 400, 'invalid_request', ['body.status']);
    const misspelt = await createWebhook(organization, { event: 'x' });
    assert.match(misspelt.body.detail, /did you mean events\?/);
  });

  test('is limited to fifty, even if requests race, and a deleted one makes room', async () => {
    const organization = await testApp.newOrganization();
    const answers = await Promise.all(Array.from({ length: 53 }, () => createWebhook(organization)));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 3);
    for (const answer of refused) assertProblem(answer, 409, 'too_many_webhooks');
    const { webhooks } = (await organization.get('/api/v1/webhooks')).body.data;
    assert.equal(webhooks.length, 50);
    await organization.send('DELETE', path(webhooks[0].id));
    assert.equal((await createWebhook(organization)).status, 201);
    assertProblem(await createWebhook(organization), 409, 'too_many_webhooks');
  });

  test('is listed newest first', async () => {
    const organization = await testApp.newOrganization();
    const first = await newWebhook(organization);
    clock.forward(1);
    const second = await newWebhook(organization);
    const { webhooks } = (await organization.get('/api/v1/webhooks')).body.data;
    assert.deepEqual(
      webhooks.map(({ id }: { id: string }) => id),
      [second.id, first.id],
    );
  });
});

describe('changing a webhook', () => {
  test('changes only the given fields, and accepts its own representation back', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const [{ latest_deliveries: none, ...before }] = (await organization.get('/api/v1/webhooks')).body.data
      .webhooks;
    assert.deepEqual(none, []);
    clock.forward(60);
    const same = await organization.send('PUT', path(id), { ...(await readWebhook(organization, id)) });
    assert.equal(same.status, 200, same.text);
    assert.deepEqual(same.body.data, before);
    const changed = await organization.send('PUT', path(id), { url: 'https://new.example.com' });
    const after = { ...before, url: 'https://new.example.com', updated_at: clock.now().toISOString() };
    assert.deepEqual(changed.body.data, after);
    const [listed] = (await organization.get('/api/v1/webhooks')).body.data.webhooks;
    assert.deepEqual(listed, { ...after, latest_deliveries: [] });
    const again = await organization.send('PUT', path(id), listed);
    assert.deepEqual(again.body.data, after);
  });

  test('pauses and resumes; only deliveries make it failing', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const put = (status: string) => organization.send('PUT', path(id), { status });
    assertProblem(await put('failing'), 400, 'invalid_request', ['body.status']);
    assert.equal((await put('paused')).body.data.status, 'paused');
    assertProblem(await put('failing'), 400, 'invalid_request', ['body.status']);
    assertProblem(await put('asleep'), 400, 'invalid_request', ['body.status']);
    const failingSince = clock.now();
    await app.db
      .updateTable('webhooks')
      .set({ status: 'failing', failingSince })
      .where('id', '=', id)
      .execute();
    clock.forward(60);
    const repeated = await put('failing');
    assert.equal(repeated.status, 200, repeated.text);
    assert.equal(repeated.body.data.failing_since, failingSince.toISOString());
    assert.equal(repeated.body.data.updated_at < clock.now().toISOString(), true, 'nothing has changed');
    const active = (await put('active')).body.data;
    assert.deepEqual([active.status, active.failing_since], ['active', null]);
    const actions = (await auditOf(organization, id)).map(({ action }) => action);
    assert.deepEqual(actions, ['webhook.create', 'webhook.update', 'webhook.update']);
  });

  test('cannot change the secret, and names the call that can', async () => {
    const organization = await testApp.newOrganization();
    const { id, ...created } = await newWebhook(organization);
    for (const secret of [created.secret, null]) {
      const answer = await organization.send('PUT', path(id), { secret, status: 'paused' });
      assertProblem(answer, 400, 'invalid_request', ['body.secret']);
      assert.match(answer.body.detail, /rotate-secret/);
    }
    assert.equal((await readWebhook(organization, id)).status, 'active');
  });

  test('to the URL that it already has does not check that URL', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const url = 'https://10.0.0.7/'; // allowed when it was set
    await app.db.updateTable('webhooks').set({ url }).where('id', '=', id).execute();
    assert.equal((await organization.send('PUT', path(id), { url, status: 'paused' })).status, 200);
  });
});

test('removes a deleted webhook everywhere', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization);
  const [delivery] = await insertDeliveries(testApp, organization, id, [{ status: 'failed' }]);
  const resend = { since: '2026-01-01T00:00:00Z' };
  clock.forward(1);
  const resends = `${path(id)}/resends`;
  const started = (await organization.send('POST', resends, resend)).body.data.id;
  const deleted = await organization.send('DELETE', path(id));
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body, { data: { id, deleted: true } });
  assert.deepEqual((await organization.get('/api/v1/webhooks')).body.data.webhooks, []);
  for (const answer of [
    await organization.get(path(id)),
    await organization.get(`${path(id)}/deliveries`),
    await organization.get(`${path(id)}/deliveries/${delivery}`),
    await organization.get(resends),
    await organization.get(`${resends}/${started}`),
    await organization.send('PUT', path(id), { status: 'paused' }),
    await organization.send('DELETE', path(id)),
    await organization.send('POST', `${path(id)}/ping`),
    await organization.send('POST', `${path(id)}/rotate-secret`),
    await organization.send('POST', `${path(id)}/deliveries/${delivery}/resend`),
    await organization.send('POST', resends, resend),
    await organization.send('POST', `${resends}/${started}/cancel`),
  ]) {
    assertProblem(answer, 404, 'webhook_not_found');
  }
  const row = await app.db.selectFrom('resends').selectAll().where('id', '=', started).executeTakeFirst();
  assert.equal(row?.status, 'cancelled');
});

test('lets only admins with the scope change webhooks, and shows them to every reader', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization);
  const write = (token: string) => organization.send('PUT', path(id), { status: 'paused' }, token);
  for (const role of ['viewer', 'member'] as const) {
    assertProblem(await write(await organization.newToken(role)), 403, 'role_too_low');
  }
  assertProblem(await write(await organization.newToken('admin', ['webhooks:read'])), 403, 'scope_missing');
  assert.equal((await write(await organization.newToken('admin', ['webhooks:write']))).status, 200);
});

test('hides webhooks, deliveries and ids of other organizations', async () => {
  const [organization, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const theirs = await newWebhook(organization);
  const own = await newWebhook(stranger);
  const [delivery] = await insertDeliveries(testApp, organization, theirs.id, [{ status: 'failed' }]);
  assertProblem(await stranger.get(path(theirs.id)), 404, 'webhook_not_found');
  assertProblem(await stranger.get(path('no such\u{1F4A9}')), 404, 'webhook_not_found');
  const otherPath = `${path(own.id)}/deliveries/${delivery}`;
  assertProblem(await stranger.get(otherPath), 404, 'delivery_not_found');
  assertProblem(await stranger.send('POST', `${otherPath}/resend`), 404, 'delivery_not_found');
  assertProblem(await stranger.get(`${path(own.id)}/resends/x`), 404, 'resend_not_found');
  const { webhooks } = (await stranger.get('/api/v1/webhooks')).body.data;
  assert.deepEqual(
    webhooks.map(({ id }: { id: string }) => id),
    [own.id],
  );
});

test('sends a ping as one delivery with one attempt, even if the webhook is paused', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization, { status: 'paused' });
  await newWebhook(organization);
  const pinged = await organization.send('POST', `${path(id)}/ping`);
  assert.equal(pinged.status, 202, pinged.text);
  const now = clock.now().toISOString();
  const { id: deliveryId, event_id: eventId, ...rest } = pinged.body.data;
  assert.match(deliveryId, /^del_/);
  assert.deepEqual(rest, {
    event: 'webhook.ping',
    status: 'pending',
    response_code: null,
    response_time_ms: null,
    delivered_at: null,
    attempts: 0,
    next_attempt_at: now,
    error_class: null,
    created_at: now,
  });
  assert.deepEqual(await eventsOf(testApp, organization, 'webhook.ping'), [
    { id: eventId, event: 'webhook.ping', timestamp: now, data: { webhook_id: id } },
  ]);
  const [row, ...others] = await deliveryRows(testApp, id);
  assert.deepEqual([row?.id, row?.dueAt, row?.resendAt?.toISOString()], [deliveryId, null, now]);
  assert.deepEqual(others, []);
  const { action, details } = (await auditOf(organization, id)).at(-1);
  assert.deepEqual(
    [action, details],
    ['webhook.ping', { host: 'hooks.example.com', delivery_id: deliveryId }],
  );
});
