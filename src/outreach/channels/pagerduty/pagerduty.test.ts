import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, newAlert, spend, triggersOf } from '../../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { assertProblem } from '../../../../test/harness/problem.ts';
import { openChat } from '../../../../test/harness/receivers.ts';
import { pruneNotifications } from '../../notifications/notifications.ts';
import { createPagerDuty } from './pagerduty.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;
const [us, eu] = [await openChat(), await openChat()];
app.channelKinds.pagerduty = createPagerDuty({ us: us.url, eu: eu.url });
const routing_key = 'R0UT1NGKEYR0UT1NGKEYR0UT1NGK1234';

type Event = { event_action: string; dedup_key: string; payload: Record<string, unknown> };

/** What arrived since the last call. */
function taken(receiver = us): Event[] {
  return receiver.bodies.splice(0) as Event[];
}

async function newService(settings: object = {}): Promise<{ organization: TestOrganization; id: string }> {
  clock.set('2026-03-18T12:00:00Z');
  for (const receiver of [us, eu]) receiver.status = 202;
  const organization = await testApp.newOrganization();
  await spend(organization, 12, '2026-03-17');
  const body = { name: 'on call', kind: 'pagerduty', settings: { routing_key, ...settings } };
  const answer = await organization.send('POST', '/api/v1/channels', body);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.data.settings.routing_key, '…1234');
  return { organization, id: answer.body.data.id };
}

test('opens an incident when an alert triggers, and resolves the same one', async () => {
  const { organization, id } = await newService();
  const alert = await newAlert(organization, { channel_ids: [id] });
  const check = await checkAlert(organization, alert);
  assert.equal(check.notification_sent, true);
  const [trigger] = await triggersOf(organization, alert);
  const [event] = taken();
  assert.partialDeepStrictEqual(event, {
    routing_key,
    event_action: 'trigger',
    dedup_key: `runcost-${trigger.id}`,
    client: 'Runcost',
    payload: { source: 'acme', severity: 'warning', custom_details: { event: 'alert.triggered' } },
  });
  assert.match(event!.payload.summary as string, /^Budget exceeded: CI budget\. /);
  await organization.send('DELETE', `/api/v1/alerts/${alert}`);
  await worker.processAll();
  const [resolved, ...more] = taken();
  assert.deepEqual(
    [resolved!.event_action, resolved!.dedup_key, more],
    ['resolve', `runcost-${trigger.id}`, []],
  );
});

test('lists the resolution as such', async () => {
  const { organization, id } = await newService();
  const alert = await newAlert(organization, { channel_ids: [id] });
  await checkAlert(organization, alert);
  const [trigger] = await triggersOf(organization, alert);
  await organization.send('PUT', `/api/v1/alerts/${alert}`, { threshold_amount: 500 });
  const { data } = (await organization.get(`/api/v1/alerts/${alert}/triggers/${trigger.id}`)).body;
  const are = data.notifications.map((each: { is_resolution: boolean }) => each.is_resolution);
  assert.deepEqual(are, [false, true]);
  await worker.processAll();
  taken();
});

test('resolves an incident that was open for months', async () => {
  const { organization, id } = await newService();
  const alert = await newAlert(organization, { channel_ids: [id] });
  await checkAlert(organization, alert);
  const [trigger] = await triggersOf(organization, alert);
  clock.set('2026-06-18T12:00:00Z');
  await pruneNotifications(app);
  taken();
  await organization.send('PUT', `/api/v1/alerts/${alert}`, { threshold_amount: 500 });
  await worker.processAll();
  assert.deepEqual(
    taken()
      .filter(({ dedup_key }) => dedup_key === `runcost-${trigger.id}`)
      .map(({ event_action }) => event_action),
    ['resolve'],
  );
  clock.set('2026-09-18T12:00:00Z');
  await pruneNotifications(app);
  const left = app.db.selectFrom('notifications').select('id').where('orgId', '=', organization.orgId);
  assert.deepEqual(await left.execute(), []);
});

test('resolves only after the incident is open', async () => {
  const { organization, id } = await newService();
  us.status = 503;
  const alert = await newAlert(organization, { channel_ids: [id] });
  await checkAlert(organization, alert);
  await organization.send('PUT', `/api/v1/alerts/${alert}`, { threshold_amount: 500 });
  await worker.processAll();
  taken();
  us.status = 202;
  clock.set('2026-03-18T12:02:00Z');
  await worker.processAll();
  clock.set('2026-03-18T12:10:00Z');
  await worker.processAll();
  assert.deepEqual(
    taken().map(({ event_action }) => event_action),
    ['trigger', 'resolve'],
  );
});

test('gets nothing of an alert that was snoozed and resolved before', async () => {
  const { organization, id } = await newService();
  const snoozed_until = '2026-03-19T12:00:00Z';
  const alert = await newAlert(organization, { channel_ids: [id], snoozed_until });
  await checkAlert(organization, alert);
  await organization.send('PUT', `/api/v1/alerts/${alert}`, { threshold_amount: 500 });
  clock.set('2026-03-20T12:00:00Z');
  await worker.processAll();
  assert.deepEqual(taken(), []);
});

test('a test opens an incident and resolves it, in the region of the service', async () => {
  const { organization, id } = await newService({ region: 'eu' });
  const send = () => organization.send('POST', '/api/v1/channels/test', { channel_id: id });
  assert.deepEqual((await send()).body.data, { delivered: true, status_code: 202, error: null });
  const [first, second] = taken(eu);
  assert.deepEqual([first!.event_action, second!.event_action], ['trigger', 'resolve']);
  assert.equal(first!.dedup_key, second!.dedup_key);
  assert.equal(first!.payload.severity, 'info');
  for (const [status, error] of [
    [400, /PagerDuty answered 400: it does not know this integration key/],
    [429, /PagerDuty answered 429: it received too many messages/],
  ] as const) {
    eu.status = status;
    const { delivered, error: text } = (await send()).body.data;
    assert.equal(delivered, false);
    assert.match(text, error);
    assert.doesNotMatch(text, /R0UT1NG/);
  }
  assert.doesNotMatch(testApp.logged(), /R0UT1NG/);
});

test('a key that PagerDuty refuses is not tried again, and too many events are', async () => {
  for (const [status, expected] of [
    [400, 'failed'],
    [429, 'pending'],
  ] as const) {
    const { organization, id } = await newService();
    us.status = status;
    const alert = await newAlert(organization, { channel_ids: [id] });
    await checkAlert(organization, alert);
    const [trigger] = await triggersOf(organization, alert);
    const { data } = (await organization.get(`/api/v1/alerts/${alert}/triggers/${trigger.id}`)).body;
    assert.deepEqual(
      data.notifications.map((each: { status: string }) => each.status),
      [expected],
    );
  }
});

test('gets no digests', async () => {
  const { organization, id } = await newService();
  const digest = { frequency: 'weekly', is_personal: false, channel_ids: [id] };
  const answer = await organization.send('POST', '/api/v1/digests', digest);
  assertProblem(answer, 400, 'invalid_request', ['body.channel_ids[0]']);
});

for (const [title, settings, field] of [
  ['a short key', { routing_key: 'abc' }, 'body.settings.routing_key'],
  ['an unknown region', { routing_key, region: 'mars' }, 'body.settings.region'],
] as const) {
  test(`is refused with ${title}`, async () => {
    const organization = await testApp.newOrganization();
    const body = { name: 'on call', kind: 'pagerduty', settings };
    const answer = await organization.send('POST', '/api/v1/channels', body);
    assertProblem(answer, 400, 'invalid_request', [field]);
  });
}
