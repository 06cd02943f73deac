import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;

test('after a clock was ahead, alerts go on, and triggers have no time in the future', async () => {
  const organization = await testApp.newOrganization();
  const [over, under, ofDay] = await Promise.all(
    [{ threshold_amount: 10 }, { threshold_amount: 20 }, { threshold_amount: 3, period: 'day' }].map(
      (fields) => newAlert(organization, { notify_email: false, ...fields }),
    ),
  );
  await spend(organization, 8, '2026-03-10');
  clock.set('2026-03-24T00:10:00Z');
  await spend(organization, 4, '2026-03-23');
  await worker.processAll();
  for (const id of [over!, ofDay!]) assert.equal((await triggersOf(organization, id)).length, 1);

  clock.set('2026-03-18T13:00:00Z');
  await worker.processAll();
  const corrected = '2026-03-18T13:00:00.000Z';
  const [kept] = await triggersOf(organization, over!);
  assert.deepEqual([kept.triggered_at, kept.resolution], [corrected, 'condition_cleared']);
  assert.equal((await organization.get(`/api/v1/alerts/${over}`)).body.last_triggered_at, corrected);
  const [wrong] = await triggersOf(organization, ofDay!);
  assert.deepEqual([wrong.triggered_at, wrong.resolved_at], [corrected, corrected]);
  for (const { data } of await eventsOf(testApp, organization, 'alert.resolved'))
    assert.equal(data.resolution.duration_hours, 0);

  await spend(organization, 13, '2026-03-18', 'Build', '14:00:00');
  clock.set('2026-03-19T00:10:00Z');
  await worker.processAll();
  assert.equal((await triggersOf(organization, under!)).length, 1, 'it waits no longer for the wrong time');

  clock.set('2026-03-24T00:10:00Z');
  await worker.processAll();
  const days = (await triggersOf(organization, ofDay!)).map(({ triggered_at: at }) => at.slice(0, 10));
  assert.deepEqual(days, ['2026-03-24', '2026-03-19', '2026-03-18']);
  const again = (await triggersOf(organization, over!)).map(({ resolved_at: at }) => at);
  assert.deepEqual(again, [null], 'the same month is not announced twice');
});

test('clocks that differ by minutes at midnight do not correct each other', async () => {
  const organization = await testApp.newOrganization();
  clock.set('2026-05-01T00:04:00Z');
  const id = await newAlert(organization, { notify_email: false });
  await testApp.app.db.updateTable('alerts').set({ nextCheckAt: clock.now() }).where('id', '=', id).execute();
  await worker.processAll();
  const nextCheck = () =>
    testApp.app.db.selectFrom('alerts').select('nextCheckAt').where('id', '=', id).executeTakeFirst();
  const before = await nextCheck();
  clock.set('2026-04-30T23:59:30Z');
  await worker.processAll();
  assert.deepEqual(await nextCheck(), before);
});
