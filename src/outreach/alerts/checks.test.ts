import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { checkAlert, eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.test>' });
const { app, clock, worker } = testApp;

describe('a budget', () => {
  test('triggers once a period when exceeded, and notifies by email', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
    await organization.send('POST', '/api/v1/members', {
      email: 'quiet@acme.test',
      role: 'admin',
      alert_emails: false,
    });
    await organization.send('POST', '/api/v1/members', { email: 'dev@acme.test', role: 'member' });
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 10, '2026-03-17');
    const id = await newAlert(organization);
    const equal = await checkAlert(organization, id);
    assert.deepEqual(
      [
        equal.checked,
        equal.triggered,
        equal.current_value,
        equal.threshold_value,
        'notification_sent' in equal,
      ],
      [true, false, 10, 10, false],
    );
    await spend(organization, 1, '2026-03-18', 'Deploy');
    const over = await checkAlert(organization, id);
    assert.deepEqual([over.triggered, over.current_value, over.notification_sent], [true, 11, true]);
    const again = await checkAlert(organization, id);
    assert.deepEqual([again.triggered, again.notification_sent], [true, false]);
    const [trigger, ...others] = await triggersOf(organization, id);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [trigger.alert_id, trigger.current_value, trigger.threshold_value, trigger.notified],
      [id, 11, 10, true],
    );
    const mails = mailbox.mails.splice(0);
    assert.deepEqual(
      mails.map(({ to }) => to),
      ['boss@acme.test'],
    );
    for (const part of [mails[0]!.email.text, mails[0]!.email.html])
      for (const text of ['CI budget', '$11.00', '$10.00', 'Deploy', 'http://127.0.0.1:8080/'])
        assert.ok(part?.includes(text), `${text} in ${part}`);
    const [event] = await eventsOf(testApp, organization, 'alert.triggered');
    assert.deepEqual(event.data, {
      alert: { id, name: 'CI budget', type: 'budget' },
      trigger: { current_value: 11, threshold_value: 10, metric: 'period_cost_usd' },
    });
    const { state, last_triggered_at } = (await organization.get(`/api/v1/alerts/${id}`)).body;
    assert.deepEqual([state, last_triggered_at], ['triggered', trigger.triggered_at]);
  });

  test('is checked at its tick for the period that ended, and resolves in the next', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-30T12:00:00Z');
    const id = await newAlert(organization, { check_frequency: 'monthly' });
    await spend(organization, 12, '2026-03-31');
    await worker.processAll();
    assert.deepEqual(await triggersOf(organization, id), []);
    clock.set('2026-04-01T00:06:00Z');
    await worker.processAll();
    assert.equal((await triggersOf(organization, id)).length, 1);
    await worker.processAll();
    assert.equal((await triggersOf(organization, id)).length, 1);
    clock.set('2026-05-01T00:06:00Z');
    await worker.processAll();
    const [trigger] = await triggersOf(organization, id);
    assert.equal(trigger.resolved_at, '2026-05-01T00:06:00.000Z');
    const [event] = await eventsOf(testApp, organization, 'alert.resolved');
    assert.deepEqual(event.data, {
      alert: { id, name: 'CI budget' },
      resolution: {
        triggered_at: '2026-04-01T00:06:00.000Z',
        resolved_at: '2026-05-01T00:06:00.000Z',
        duration_hours: 720,
        reason: 'period_ended',
      },
    });
  });

  test('judges a month that ends between two Mondays, or while the server is down', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-30T12:00:00Z'); // a Monday
    const weekly = await newAlert(organization, { check_frequency: 'weekly' });
    const daily = await newAlert(organization);
    await spend(organization, 12, '2026-03-31');
    clock.set('2026-04-06T00:06:00Z');
    await worker.processAll();
    for (const id of [weekly, daily]) {
      const [trigger, ...others] = await triggersOf(organization, id);
      assert.deepEqual(others, []);
      assert.equal(trigger.current_value, 12);
      assert.equal(trigger.resolved_at, '2026-04-06T00:06:00.000Z');
    }
  });

  test('ignores periods that ended before it was created', async () => {
    const organization = await testApp.newOrganization();
    await spend(organization, 12, '2026-03-31');
    clock.set('2026-04-01T12:00:00Z'); // a Wednesday
    const id = await newAlert(organization, { check_frequency: 'weekly' });
    clock.set('2026-04-06T00:06:00Z');
    await worker.processAll();
    assert.deepEqual(await triggersOf(organization, id), []);
  });

  test('covers missed ticks with one check', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-10T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 12, '2026-03-10');
    clock.set('2026-03-20T08:00:00Z');
    await worker.processAll();
    assert.equal((await triggersOf(organization, id)).length, 1);
  });

  for (const [what, changes, reason] of [
    ['changed', { threshold_amount: 50 }, 'alert_changed'],
    ['disabled', { enabled: false }, 'alert_disabled'],
    ['deleted', null, 'alert_deleted'],
  ] as const) {
    test(`resolves when it is ${what}`, async () => {
      const organization = await testApp.newOrganization();
      clock.set('2026-03-18T12:00:00Z');
      await spend(organization, 12, '2026-03-17');
      const id = await newAlert(organization);
      await checkAlert(organization, id);
      clock.forward(5_400);
      if (changes) await organization.send('PUT', `/api/v1/alerts/${id}`, changes);
      else await organization.send('DELETE', `/api/v1/alerts/${id}`);
      const [event, ...others] = await eventsOf(testApp, organization, 'alert.resolved');
      assert.deepEqual(others, []);
      const { resolution } = event.data;
      assert.deepEqual([resolution.reason, resolution.duration_hours], [reason, 1.5]);
    });
  }

  test('opens its trigger again after it was off, and notifies nobody twice', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization);
    const path = `/api/v1/alerts/${id}`;
    await checkAlert(organization, id);
    const [first] = await triggersOf(organization, id);
    mailbox.mails.splice(0);
    await organization.send('PUT', path, { enabled: false });
    await checkAlert(organization, id);
    assert.equal((await organization.get(path)).body.state, 'ok');
    await organization.send('PUT', path, { enabled: true });
    clock.forward(60);
    const { triggered, state, notification_sent } = await checkAlert(organization, id);
    assert.deepEqual([triggered, state, notification_sent], [true, 'triggered', false]);
    const { body: alert } = await organization.get(path);
    assert.deepEqual([alert.state, alert.last_triggered_at], ['triggered', first.triggered_at]);
    assert.deepEqual(await triggersOf(organization, id), [first]);
    assert.equal(first.resolved_at, null);
    assert.equal((await eventsOf(testApp, organization, 'alert.triggered')).length, 1);
    assert.deepEqual(mailbox.mails, []);
    clock.set('2026-04-02T00:06:00Z');
    await worker.processAll();
    const [ended, ...others] = await triggersOf(organization, id);
    assert.deepEqual([ended.id, ended.resolution, others], [first.id, 'period_ended', []]);
    const resolved = await eventsOf(testApp, organization, 'alert.resolved');
    assert.deepEqual(
      resolved.map(({ data }) => data.resolution.reason),
      ['alert_disabled', 'period_ended'],
    );
    assert.equal((await organization.get(path)).body.state, 'ok');
  });

  test('does nothing while it is disabled, and still says whether its condition holds', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization, { enabled: false });
    const { triggered, notification_sent, state, warnings } = await checkAlert(organization, id);
    assert.deepEqual([triggered, notification_sent], [true, false]);
    const { body } = await organization.get(`/api/v1/alerts/${id}`);
    assert.deepEqual([state, body.state], ['ok', 'ok']);
    assert.deepEqual(warnings, ['The alert is off, so nothing is recorded or sent.']);
    clock.set('2026-03-25T12:00:00Z');
    await worker.processAll();
    assert.deepEqual(await triggersOf(organization, id), []);
    assert.deepEqual(await eventsOf(testApp, organization, 'alert.triggered'), []);
  });
});

describe('a changed rule', () => {
  test('triggers for its own period even if the old rule has triggered', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-06-03T12:00:00Z');
    await spend(organization, 12, '2026-06-02');
    const id = await newAlert(organization);
    await checkAlert(organization, id);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { period: 'week' });
    await checkAlert(organization, id);
    assert.equal((await triggersOf(organization, id)).length, 2);
  });

  test('of another type triggers even if the old one triggered on the same day', async () => {
    const organization = await testApp.newOrganization();
    for (let day = 10; day <= 16; day++) await spend(organization, 1, `2026-03-${day}`);
    await spend(organization, 12, '2026-03-17');
    clock.set('2026-03-17T12:00:00Z');
    const id = await newAlert(organization, { alert_type: 'anomaly', threshold_amount: 50 });
    await checkAlert(organization, id);
    const changes = { alert_type: 'budget', threshold_amount: 10, period: 'day' };
    await organization.send('PUT', `/api/v1/alerts/${id}`, changes);
    clock.forward(60);
    await checkAlert(organization, id);
    const triggers = await triggersOf(organization, id);
    assert.deepEqual(
      triggers.map(({ alert_type }) => alert_type),
      ['budget', 'anomaly'],
    );
  });

  test('keeps the type of earlier triggers', async () => {
    const organization = await testApp.newOrganization();
    for (let day = 10; day <= 16; day++) await spend(organization, 1, `2026-03-${day}`);
    await spend(organization, 8, '2026-03-17');
    clock.set('2026-03-17T12:00:00Z');
    const id = await newAlert(organization);
    await checkAlert(organization, id);
    clock.forward(60);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { alert_type: 'anomaly', threshold_amount: 50 });
    await checkAlert(organization, id);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { alert_type: 'budget', threshold_amount: 10 });
    const triggers = await triggersOf(organization, id);
    const seen = triggers.map(({ alert_type, current_value }) => [alert_type, current_value]);
    assert.deepEqual(seen, [
      ['anomaly', 700],
      ['budget', 15],
    ]);
    for (const { id: triggerId, alert_type } of triggers) {
      const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${triggerId}`)).body;
      assert.equal(data.alert_type, alert_type);
    }
    const scopes = await app.db
      .selectFrom('alertTriggers')
      .select('scope')
      .where('alertId', '=', id)
      .execute();
    assert.deepEqual(scopes, [{ scope: { type: 'organization' } }, { scope: { type: 'organization' } }]);
  });

  test('must respect the bounds of its type', async () => {
    const organization = await testApp.newOrganization();
    const id = await newAlert(organization, { threshold_amount: 900_000_000 });
    const changes = { alert_type: 'anomaly', threshold_amount: 900_000_000 };
    const answer = await organization.send('PUT', `/api/v1/alerts/${id}`, changes);
    assertProblem(answer, 400, 'invalid_request');
    assert.equal(answer.body.errors[0].path, 'body.threshold_amount');
  });

  for (const [from, to, unit] of [
    ['budget', 'anomaly', 'percent'],
    ['anomaly', 'budget', 'US dollars'],
  ]) {
    test(`of the new type ${to} keeps its threshold, and warns that it is in ${unit}`, async () => {
      const organization = await testApp.newOrganization();
      const id = await newAlert(organization, { alert_type: from, notify_email: false });
      const change = (fields: object) => organization.send('PUT', `/api/v1/alerts/${id}`, fields);
      const { status, body } = await change({ alert_type: to });
      assert.deepEqual([status, body.alert_type, body.threshold_amount], [200, to, 10]);
      assert.equal(body.warnings.length, 1);
      assert.match(body.warnings[0], new RegExp(`^threshold_amount stays 10 and is now in ${unit}, not `));
      assert.deepEqual((await change({ alert_type: to, name: 'CI' })).body.warnings, []);
      const changed = await change({ alert_type: from, threshold_amount: 20 });
      assert.deepEqual([changed.body.threshold_amount, changed.body.warnings], [20, []]);
    });
  }
});

describe('a check that fails', () => {
  test('leaves its alert unchanged and does not affect others', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const ids = [await newAlert(organization), await newAlert(organization), await newAlert(organization)];
    const poison = sql.raw(`add constraint poison check (alert_id <> '${ids[1]}')`);
    await sql`alter table alert_triggers ${poison}`.execute(testApp.app.db);
    clock.set('2026-03-19T00:06:00Z');
    await assert.rejects(worker.processAll(), /could not check alerts/);
    await sql`alter table alert_triggers drop constraint poison`.execute(testApp.app.db);
    const triggered = await Promise.all(ids.map(async (id) => (await triggersOf(organization, id)).length));
    assert.deepEqual(triggered, [1, 0, 1]);
    assert.equal((await eventsOf(testApp, organization, 'alert.triggered')).length, 2);
    clock.forward(301);
    await worker.processAll();
    assert.equal((await triggersOf(organization, ids[1]!)).length, 1);
  });
});

describe('an anomaly', () => {
  const anomaly = { alert_type: 'anomaly', threshold_amount: 50 };

  test('needs a history to compare with, also while it is disabled', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const { triggered, current_value, state, baseline } = await checkAlert(
      organization,
      await newAlert(organization, anomaly),
    );
    assert.deepEqual([triggered, current_value, state, baseline], [false, 0, 'insufficient_data', null]);
    const off = await newAlert(organization, { ...anomaly, enabled: false });
    assert.equal((await checkAlert(organization, off)).state, 'insufficient_data');
    assert.equal((await organization.get(`/api/v1/alerts/${off}`)).body.state, 'ok');
  });

  test('compares a day with earlier days, and explains what rose', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    for (const day of ['11', '12', '13', '14', '15', '16', '17'])
      await spend(organization, 2, `2026-03-${day}`);
    const id = await newAlert(organization, anomaly);
    await spend(organization, 2, '2026-03-18');
    await spend(organization, 3, '2026-03-18', 'Release');
    const result = await checkAlert(organization, id);
    assert.deepEqual(
      [result.triggered, result.current_value, result.observed, result.baseline],
      [true, 150, 5, 2],
    );
    const [trigger] = await triggersOf(organization, id);
    const { explanation } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body.data;
    assert.deepEqual([explanation.observed, explanation.baseline, explanation.change], [5, 2, 3]);
    const [first, second] = explanation.workflows;
    assert.deepEqual([first.workflow_name, first.change, first.volume], ['Release', 3, 3]);
    assert.deepEqual([second.workflow_name, second.change], ['Build', 0]);
  });

  test('compares today so far with the same hours of earlier days', async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    for (const day of ['11', '12', '13', '14', '15', '16', '17']) {
      await spend(organization, 2, `2026-03-${day}`);
      await spend(organization, 1, `2026-03-${day}`, 'Nightly', '12:00:00');
      await spend(organization, 20, `2026-03-${day}`, 'Build', '12:00:01');
      await spend(other, 50, `2026-03-${day}`);
    }
    await spend(organization, 7, '2026-03-18', 'Release');
    await spend(organization, 2, '2026-03-18');
    const id = await newAlert(organization, anomaly);
    clock.set('2026-03-18T12:00:00Z');
    const result = await checkAlert(organization, id);
    assert.deepEqual(
      [result.triggered, result.current_value, result.observed, result.baseline, result.as_of],
      [true, 200, 9, 3, '2026-03-18T12:00:00.000Z'],
    );
    const [trigger] = await triggersOf(organization, id);
    const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
    const { workflows, baseline, observed, change } = data.explanation;
    assert.deepEqual([observed, baseline, change], [9, 3, 6]);
    assert.deepEqual(
      workflows.map((part: Record<string, unknown>) => [part.workflow_name, part.baseline, part.change]),
      [
        ['Release', 0, 7],
        ['Build', 2, 0],
        ['Nightly', 1, -1],
      ],
    );
    clock.set('2026-03-18T13:00:00Z');
    const later = await checkAlert(organization, id);
    assert.deepEqual([later.triggered, later.baseline, later.current_value], [false, 23, -60.87]);
  });

  test('of weeks compares whole days, and the last day until the same hour', async () => {
    const organization = await testApp.newOrganization();
    for (const week of ['2026-02-18', '2026-02-25', '2026-03-04', '2026-03-11']) {
      const dayBefore = new Date(Date.parse(week) - 86_400_000).toISOString().slice(0, 10);
      await spend(organization, 3, dayBefore, 'Build', '20:00:00');
      await spend(organization, 1, week);
      await spend(organization, 5, week, 'Build', '20:00:00');
    }
    await spend(organization, 3, '2026-03-17', 'Build', '20:00:00');
    await spend(organization, 1, '2026-03-18');
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization, { ...anomaly, check_frequency: 'weekly', threshold_amount: 1 });
    const { baseline, observed, triggered } = await checkAlert(organization, id);
    assert.deepEqual([observed, baseline, triggered], [4, 4, false]);
  });
});
