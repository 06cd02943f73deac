import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

describe('the organization', () => {
  test('is returned with its settings, under its own id', async () => {
    const organization = await testApp.newOrganization();
    const answer = await organization.get(path);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.data, {
      org_id: organization.orgId,
      name: 'Acme',
      login: 'acme',
      plan: 'team',
      time_zone: 'UTC',
      fiscal_year_start_month: 1,
      week_start: 'monday',
      run_retention_days: null,
      details_from: null,
      chat_webhook: null,
      mail_configured: false,
      created_at: '2026-03-18T12:00:00.000Z',
      updated_at: '2026-03-18T12:00:00.000Z',
    });
  });

  test('changes only the given fields', async () => {
    const organization = await testApp.newOrganization();
    const before = (await organization.get(path)).body.data;
    testApp.clock.forward(60);
    const changed = await organization.send('PUT', path, { name: 'Acme Rockets' });
    const expected = { ...before, name: 'Acme Rockets', updated_at: testApp.clock.now().toISOString() };
    assert.deepEqual(changed.body.data, expected);
    assert.deepEqual((await organization.get(path)).body.data, expected);
    const cleared = await organization.send('PUT', path, { login: null });
    assert.deepEqual(cleared.body.data, { ...expected, login: null });
  });

  test('accepts its own representation back', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', path, {
      chat_webhook: { url: 'https://chat.example/hook', format: 'teams' },
    });
    const read = (await organization.get(path)).body.data;
    const sent = await organization.send('PUT', path, read);
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(sent.body.data, { ...read, updated_at: sent.body.data.updated_at });
  });

  test('refuses names that are empty, too long or not text, and unknown fields', async () => {
    const organization = await testApp.newOrganization();
    const before = (await organization.get(path)).body.data;
    for (const [body, field] of [
      [{ name: '' }, 'body.name'],
      [{ name: 'x'.repeat(256) }, 'body.name'],
      [{ name: `e${'\u0301'.repeat(1_000)}` }, 'body.name'],
      [{ name: 7 }, 'body.name'],
      [{ name: null }, 'body.name'],
      [{ name: 'half \ud83d' }, 'body.name'],
      [{ login: '' }, 'body.login'],
      [{ plan: 'enterprise' }, 'body.plan'],
      ...['Berlin', '', '+02:00', 'Europe/Berln', 7].map(
        (zone) => [{ time_zone: zone }, 'body.time_zone'] as const,
      ),
      ...[0, 13, 1.5, 'april'].map(
        (month) => [{ fiscal_year_start_month: month }, 'body.fiscal_year_start_month'] as const,
      ),
      [{ week_start: 'friday' }, 'body.week_start'],
      [{ nmae: 'Acme' }, 'body.nmae'],
    ] as const) {
      assertProblem(await organization.send('PUT', path, body), 400, 'invalid_request', [field]);
    }
    assert.deepEqual((await organization.get(path)).body.data, before);
    assert.equal((await organization.send('PUT', path, { name: '🚀'.repeat(255) })).status, 200);
  });

  test('has a time zone, a fiscal year and a first day of the week, which the session repeats', async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    const calendar = { time_zone: 'Asia/Kolkata', fiscal_year_start_month: 4, week_start: 'sunday' };
    const answer = await organization.send('PUT', path, calendar);
    assert.equal(answer.status, 200, answer.text);
    const pick = ({ time_zone, fiscal_year_start_month, week_start }: typeof calendar) => ({
      time_zone,
      fiscal_year_start_month,
      week_start,
    });
    assert.deepEqual(pick(answer.body.data), calendar);
    assert.deepEqual(pick((await organization.get('/api/v1/session')).body.data.organization), calendar);
    assert.equal((await other.get(path)).body.data.time_zone, 'UTC');
    const [entry] = (await organization.get('/api/v1/audit-log')).body.data;
    const before = { time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'monday' };
    assert.deepEqual([entry.action, entry.details], ['organization.update', { ...calendar, before }]);
    const spelled = await organization.send('PUT', path, { time_zone: 'europe/berlin' });
    assert.equal(spelled.body.data.time_zone, 'Europe/Berlin');
    const wrong = await organization.send('PUT', path, { time_zone: 'Europe/Berln' });
    assert.match(wrong.body.detail, /IANA name .*did you mean Europe\/Berlin\?/);
    const member = await organization.newToken('member');
    assertProblem(await organization.send('PUT', path, calendar, member), 403, 'role_too_low');
  });

  test('lets only an owner change the plan, and lets an admin repeat it', async () => {
    const organization = await testApp.newOrganization();
    const admin = await organization.newToken('admin');
    assertProblem(await organization.send('PUT', path, { plan: 'pro' }, admin), 403, 'role_too_low');
    assert.equal((await organization.send('PUT', path, { plan: 'team', name: 'A' }, admin)).status, 200);
    assert.equal((await organization.send('PUT', path, { plan: 'pro' })).body.data.plan, 'pro');
  });
});
