import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAlert, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { openChat } from '../../../test/harness/receivers.ts';
import { sendNotifications } from '../notifications/notifications.ts';
import { checkDueAlerts } from './checkAlerts.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;
const program = { ...testApp.app, publicUrl: () => 'http://here' };

async function organizationWithChat(url: string, format = 'json') {
  const organization = await testApp.newOrganization();
  const set = await organization.send('PUT', '/api/v1/organization', { chat_webhook: { url, format } });
  assert.equal(set.status, 200, set.text);
  return organization;
}

describe('messages', () => {
  test('go to the chat webhook in its format, whatever notify_email says', async () => {
    const chat = await openChat();
    const organization = await organizationWithChat(chat.url, 'slack');
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization, { notify_email: false });
    assert.equal((await checkAlert(organization, id)).notification_sent, true);
    assert.match(JSON.stringify(chat.bodies), /CI budget/);
  });

  test('say that the budget was already reached when it was created or changed', async () => {
    const [chat, plain] = [await openChat(), await openChat()];
    clock.set('2026-03-18T12:00:00Z');
    const said = async (receiver: typeof chat, format: string, fields: object) => {
      const organization = await organizationWithChat(receiver.url, format);
      const id = await newAlert(organization, fields);
      await spend(organization, 12, '2026-03-17');
      await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 10 });
      await checkAlert(organization, id);
      return JSON.stringify(receiver.bodies.at(-1));
    };
    const sentence =
      /over the budget of \$10.00. The budget was already reached when it was created, changed/;
    assert.match(await said(chat, 'slack', { threshold_amount: 100 }), sentence);
    assert.doesNotMatch(await said(chat, 'slack', {}), /already reached/);
    assert.match(await said(plain, 'json', { threshold_amount: 100 }), /"reached_before":true/);
    assert.doesNotMatch(await said(plain, 'json', {}), /reached_before/);
  });

  test('are retried after a refusal, and then the trigger is notified', async () => {
    const chat = await openChat();
    chat.status = 503;
    const organization = await organizationWithChat(chat.url);
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization);
    assert.equal((await checkAlert(organization, id)).notification_sent, false);
    assert.equal((await triggersOf(organization, id))[0].notified, false);
    chat.status = 200;
    await worker.processAll();
    assert.equal(chat.bodies.length, 1);
    clock.forward(61);
    await worker.processAll();
    assert.equal(chat.bodies.length, 2);
    assert.equal((await triggersOf(organization, id))[0].notified, true);
  });

  test('to a chat that never answers do not delay others', async () => {
    const [silent, good] = [await openChat(), await openChat()];
    silent.status = 'never';
    clock.set('2026-03-18T12:00:00Z');
    const withChat = async (url: string, alerts: number) => {
      const organization = await organizationWithChat(url);
      await spend(organization, 12, '2026-03-17');
      for (let index = 0; index < alerts; index++) await newAlert(organization);
    };
    await withChat(silent.url, 8);
    clock.set('2026-03-19T00:06:00Z');
    await checkDueAlerts(program);
    const waiting = sendNotifications(program);
    await silent.taken(5);
    await withChat(good.url, 8);
    clock.set('2026-03-20T00:06:00Z');
    await checkDueAlerts(program);
    clock.set('2026-03-19T00:07:00Z');
    await testApp.app.db.updateTable('notifications').set({ dueAt: clock.now() }).execute();
    while ((await sendNotifications(program)) > 0);
    assert.deepEqual([silent.bodies.length, good.bodies.length], [5, 8]);
    silent.hangUp();
    await waiting;
  });

  test('of a deleted alert are not sent', async () => {
    const chat = await openChat();
    chat.status = 503;
    const organization = await organizationWithChat(chat.url);
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization);
    await checkAlert(organization, id);
    await organization.send('DELETE', `/api/v1/alerts/${id}`);
    clock.forward(61);
    await worker.processAll();
    assert.equal(chat.bodies.length, 1);
  });

  test('of a sender that died are sent by the next one after its lease', async () => {
    const chat = await openChat();
    const organization = await organizationWithChat(chat.url);
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization, { check_frequency: 'daily' });
    clock.set('2026-03-19T00:06:00Z');
    await checkDueAlerts(program);
    const claim = { attempts: 1, lease: 'dead', leasedUntil: new Date('2026-03-19T00:08:00Z') };
    await testApp.app.db
      .updateTable('notifications')
      .set(claim)
      .where('orgId', '=', organization.orgId)
      .execute();
    await worker.processAll();
    assert.equal(chat.bodies.length, 0);
    clock.forward(180);
    await worker.processAll();
    assert.equal(chat.bodies.length, 1);
    assert.equal((await triggersOf(organization, id))[0].notified, true);
  });
});
