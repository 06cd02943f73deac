import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { budget, checkAlert, createAlert, eventsOf, newAlert, spend } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp({ SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'alerts@runcost.test' });
const { clock } = testApp;
const noMail = await startTestApp();

describe('an alert', () => {
  test('is created with defaults, and shown with its organization', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const created = await createAlert(organization);
    assert.equal(created.status, 201, created.text);
    const { id, warnings, ...rest } = created.body;
    assert.match(warnings[0], /no owner or admin/);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      ...budget,
      measure: 'list_cost',
      check_frequency: 'daily',
      period: 'month',
      notify_email: true,
      scope: { type: 'organization' },
      notify_chat: true,
      channel_ids: [],
      recipients: [],
      reaches: [],
      snoozed_until: null,
      enabled: true,
      state: 'ok',
      reached_shares: [],
      last_triggered_at: null,
      created_at: '2026-03-18T12:00:00.000Z',
      updated_at: '2026-03-18T12:00:00.000Z',
      org_id: organization.orgId,
    });
    assert.deepEqual((await organization.get(`/api/v1/alerts/${id}`)).body, created.body);
  });

  test('is listed newest first, without its organization', async () => {
    const organization = await testApp.newOrganization();
    const first = await newAlert(organization);
    clock.forward(1);
    const second = await newAlert(organization);
    const { alerts } = (await organization.get('/api/v1/alerts')).body;
    assert.deepEqual(
      alerts.map(({ id }: { id: string }) => id),
      [second, first],
    );
    assert.ok(!('org_id' in alerts[0]));
  });

  test('changes only the given fields, and accepts its own representation back', async () => {
    const organization = await testApp.newOrganization();
    const { body: created } = await createAlert(organization);
    clock.forward(60);
    const path = `/api/v1/alerts/${created.id}`;
    const changed = await organization.send('PUT', path, { threshold_amount: 12.3456789012 });
    assert.equal(changed.status, 400);
    assert.equal(changed.body.errors[0].path, 'body.threshold_amount');
    const good = await organization.send('PUT', path, { threshold_amount: 12.34567891 });
    assert.deepEqual(good.body, {
      ...created,
      threshold_amount: 12.34567891,
      updated_at: clock.now().toISOString(),
    });
    const same = await organization.send('PUT', path, good.body);
    assert.deepEqual(same.body, good.body);
  });

  test('is deleted with a message, and is then unknown', async () => {
    const organization = await testApp.newOrganization();
    const id = await newAlert(organization);
    const deleted = await organization.send('DELETE', `/api/v1/alerts/${id}`);
    assert.equal(deleted.status, 200);
    assert.equal(typeof deleted.body.message, 'string');
    for (const path of ['', '/triggers', '/triggers/trg_x'])
      assertProblem(await organization.get(`/api/v1/alerts/${id}${path}`), 404, 'alert_not_found');
    assertProblem(await organization.send('DELETE', `/api/v1/alerts/${id}`), 404, 'alert_not_found');
    assertProblem(await organization.send('POST', `/api/v1/alerts/none/check`), 404, 'alert_not_found');
  });

  const refused: [what: string, fields: object, path: string][] = [
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a name of 256 letters', { name: 'x'.repeat(256) }, 'body.name'],
    ['an unknown type', { alert_type: 'spike' }, 'body.alert_type'],
    ['no threshold', { threshold_amount: undefined }, 'body.threshold_amount'],
    ['a threshold of 0', { threshold_amount: 0 }, 'body.threshold_amount'],
    ['a negative threshold', { threshold_amount: -1 }, 'body.threshold_amount'],
    ['a threshold above a billion', { threshold_amount: 1_000_000_001 }, 'body.threshold_amount'],
    ['a threshold of ten decimals', { threshold_amount: 0.0000000001 }, 'body.threshold_amount'],
    [
      'a percentage above a million',
      { alert_type: 'anomaly', threshold_amount: 1_000_001 },
      'body.threshold_amount',
    ],
    ['text for a threshold', { threshold_amount: '10' }, 'body.threshold_amount'],
    ['an unknown frequency', { check_frequency: 'hourly' }, 'body.check_frequency'],
    ['a word for a boolean', { notify_email: 'yes' }, 'body.notify_email'],
    ['an unknown field', { treshold: 1 }, 'body.treshold'],
    ['a word for notify_chat', { notify_chat: 'slack' }, 'body.notify_chat'],
    ['a recipient without an address', { recipients: ['mona@acme.test', 'mona'] }, 'body.recipients[1]'],
    [
      '21 recipients',
      { recipients: Array.from({ length: 21 }, (_, index) => `r${index}@acme.test`) },
      'body.recipients',
    ],
    ['a snooze without a date', { snoozed_until: 'tomorrow' }, 'body.snoozed_until'],
    ['a snooze of years', { snoozed_until: '2036-03-18T12:00:00Z' }, 'body.snoozed_until'],
  ];
  for (const [what, fields, path] of refused) {
    test(`is refused with ${what}`, async () => {
      const organization = await testApp.newOrganization();
      const answer = await createAlert(organization, fields);
      assertProblem(answer, 400, 'invalid_request');
      assert.equal(answer.body.errors[0].path, path);
      assert.deepEqual((await organization.get('/api/v1/alerts')).body, { alerts: [] });
    });
  }

  test('needs the organization where the spec requires it', async () => {
    const organization = await testApp.newOrganization();
    assertProblem(await organization.send('POST', '/api/v1/alerts', budget), 400, 'invalid_request');
    assertProblem(await organization.send('GET' as 'PUT', '/api/v1/alerts'), 400, 'invalid_request');
  });

  test('is limited to 500', async () => {
    const organization = await testApp.newOrganization();
    for (let index = 0; index < 500; index++) await newAlert(organization);
    assertProblem(await createAlert(organization), 409, 'too_many_alerts');
  });

  test('gives every reason why it sends no email, the mail server first', async () => {
    const organization = await noMail.newOrganization();
    const created = await createAlert(organization);
    const { warnings } = created.body;
    assert.equal(warnings.length, 2);
    assert.match(warnings[0], /SMTP_URL/);
    assert.match(warnings[1], /no owner or admin/);
    await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
    assert.deepEqual((await createAlert(organization)).body.warnings, [warnings[0]]);
    assert.deepEqual((await createAlert(organization, { notify_email: false })).body.warnings, []);
    const channel = { name: 'default', kind: 'email', settings: { addresses: ['ops@acme.test'] } };
    assert.equal((await organization.send('POST', '/api/v1/channels', channel)).status, 201);
    const toChannel = await createAlert(organization, { notify_email: false });
    assert.deepEqual(toChannel.body.warnings, [warnings[0]]);
  });
});

describe('a preview', () => {
  test("goes back as far as the organization's plan", async () => {
    const organization = await testApp.newOrganization({ plan: 'free' });
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-01-10');
    const { firings, series } = (await organization.send('POST', '/api/v1/alerts/preview', budget)).body.data;
    assert.deepEqual(firings, []);
    assert.equal(series[0].at, '2026-02-17T00:00:00.000Z');
  });

  test('includes today, and suggests a budget that does not trigger at once', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const preview = async (fields: object = {}) =>
      (await organization.send('POST', '/api/v1/alerts/preview', { ...budget, ...fields })).body.data;
    assert.deepEqual([(await preview()).suggested_threshold, (await preview()).suggestion], [null, null]);
    for (const day of ['2026-01-01', '2026-01-20', '2026-02-10']) await spend(organization, 4, day);
    await spend(organization, 15, '2026-03-18');
    const { firings, series, suggested_threshold, suggestion } = await preview();
    const now = { at: '2026-03-18T12:00:00.000Z', so_far: true };
    assert.deepEqual(
      [series.at(-1), firings.at(-1)].map(({ at, so_far }: Record<string, unknown>) => ({ at, so_far })),
      [now, now],
    );
    assert.deepEqual(
      [series.at(-1).observed, firings.at(-1).resolved_at, series.at(-2).so_far],
      [15, null, false],
    );
    assert.deepEqual([suggestion.highest_usual, suggestion.raised_for_current_period], [8, true]);
    assert.ok(suggested_threshold > 15, String(suggested_threshold));
    const id = await newAlert(organization, { threshold_amount: suggested_threshold });
    assert.equal((await checkAlert(organization, id)).triggered, false);
  });

  test('says when an alert would have triggered, and stores nothing', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 1, '2026-01-01');
    await spend(organization, 6, '2026-02-10');
    await spend(organization, 6, '2026-02-20');
    await spend(organization, 4, '2026-03-10');
    const answer = await organization.send('POST', '/api/v1/alerts/preview', { ...budget });
    assert.equal(answer.status, 200, answer.text);
    const { firings, series, suggested_threshold, suggestion } = answer.body.data;
    assert.deepEqual(
      firings.map(({ at, current_value, resolved_at }: Record<string, unknown>) => [
        at,
        current_value,
        resolved_at,
      ]),
      [['2026-02-21T00:00:00.000Z', 12, '2026-03-02T00:00:00.000Z']],
    );
    assert.ok(series.length >= 30);
    assert.equal(suggested_threshold, 14);
    assert.deepEqual(suggestion, {
      highest_usual: 12,
      outliers: 0,
      raised_for_current_period: false,
      left_out_days: [],
      exceeded_in_current_period: false,
    });
    assert.deepEqual((await organization.get('/api/v1/alerts')).body, { alerts: [] });
  });
});

test('an alert resolves a reopened trigger with a second event', async () => {
  const organization = await testApp.newOrganization();
  clock.set('2026-06-03T12:00:00Z');
  await spend(organization, 12, '2026-06-02');
  const id = await newAlert(organization);
  for (const threshold of [20, 10, 20]) {
    await checkAlert(organization, id);
    clock.forward(3_600);
    const change = { threshold_amount: threshold };
    await organization.send('PUT', `/api/v1/alerts/${id}`, change);
  }
  assert.equal((await eventsOf(testApp, organization, 'alert.triggered')).length, 1);
  const resolved = await eventsOf(testApp, organization, 'alert.resolved');
  assert.deepEqual(
    resolved.map(({ data: { resolution } }) => [resolution.triggered_at, resolution.resolved_at]),
    ['13', '15'].map((hour) => ['2026-06-03T12:00:00.000Z', `2026-06-03T${hour}:00:00.000Z`]),
  );
});
