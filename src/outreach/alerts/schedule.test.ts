import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { alertPollers, createAlert, type AlertSettings } from './alerts.ts';
import { dueAfter } from './periods.ts';

const firstDay = '2026-03-19';
const year = Array.from({ length: 365 }, (_, index) => addDays(firstDay, index));
/** Until the day on which a budget of April 1 to 30 has been judged. */
const days = year.slice(0, 44);
const ticksWithin = (among: string[]) => ({
  daily: among,
  weekly: among.filter((day) => new Date(day).getUTCDay() === 1),
  monthly: among.filter((day) => day.endsWith('-01')),
});
const ticksOf = ticksWithin(days);
const frequencies = ['daily', 'weekly', 'monthly'] as const;
const periodOf = { daily: 'day', weekly: 'week', monthly: 'month' } as const;
const spikeDay = '2026-04-15';

/** Logs every scheduled check in order, even if it changes nothing, with its transaction. */
async function noteChecks({ app }: TestApp): Promise<void> {
  await sql`
    create table checks_made (
      alert_id uuid not null, due_at timestamptz not null,
      place serial, transaction text default pg_current_xact_id()::text
    );
    create function note_check() returns trigger language plpgsql as $$
      begin insert into checks_made values (old.id, old.next_check_at); return null; end
    $$;
    create trigger note_check after update of next_check_at on alerts
      for each row execute function note_check();
  `.execute(app.db);
}

/** How often alerts of each frequency were checked for each tick, and how many of them. */
async function checksMade({ app }: TestApp) {
  const { rows } = await sql<{ frequency: string; day: string; checks: number; alerts: number }>`
    select a.check_frequency as frequency, (c.due_at at time zone 'UTC')::date as day,
      count(*)::integer as checks, count(distinct c.alert_id)::integer as alerts
    from checks_made c join alerts a on a.id = c.alert_id
    group by 1, 2 order by 1, 2
  `.execute(app.db);
  return rows;
}

/** Two dollars a day from 30 days before the first day, and ten on the day of the spike. */
async function spendDaily({ clock }: TestApp, organization: TestOrganization): Promise<void> {
  const runs = Array.from({ length: 30 + days.length }, (_, index) => {
    const day = addDays(firstDay, index - 30);
    const times = { started_at: `${day}T01:00:00Z`, completed_at: endOf(`${day}T01:00:00Z`, 250) };
    const jobs = Array.from({ length: day === spikeDay ? 5 : 1 }, () => newJob(times));
    return newRun({ created_at: times.started_at, ...times, jobs });
  });
  const now = clock.now();
  clock.set(`${days.at(-1)}T23:00:00Z`); // runs in the future are refused
  await submit(organization, ...runs);
  clock.set(now);
}

function endOf(start: string, minutes: number): Date {
  return new Date(Date.parse(start) + minutes * 60_000);
}

/** Few alerts with many checks and many with few: some days are busy, and the test stays short. */
const mostlyRare = [
  ...(['daily', 'weekly', 'weekly', 'weekly', 'weekly'] as const),
  ...(['monthly', 'monthly', 'monthly', 'monthly', 'monthly', 'monthly', 'monthly'] as const),
];
const ample = { name: 'ample budget', alert_type: 'budget', threshold_amount: 1_000_000 } as const;
const spike = { alert_type: 'anomaly', threshold_amount: 100 } as const;

/**
 * A budget of each frequency that every period exceeds, and 97 others. The spike triggers only the daily anomalies.
 */
function settingsOfAHundred(): AlertSettings[] {
  const exceeded = frequencies.map((check_frequency) => ({
    name: `exceeded ${check_frequency}`,
    alert_type: 'budget' as const,
    threshold_amount: 1,
    check_frequency,
    period: periodOf[check_frequency],
  }));
  const others = Array.from({ length: 97 }, (_, index) => {
    const check_frequency = mostlyRare[index % mostlyRare.length]!;
    const turn = Math.trunc(index / mostlyRare.length);
    return turn % 2 === 0
      ? { ...ample, check_frequency, period: periodOf[frequencies[turn % 3]!] }
      : { ...spike, name: `anomaly ${check_frequency}`, check_frequency };
  });
  return [...exceeded, ...others];
}

async function triggersByName({ app }: TestApp): Promise<Map<string, { id: string; day: string }[]>> {
  const { rows } = await sql<{ name: string; id: string; day: string }>`
    select a.name, a.id, t.period_end as day from alert_triggers t join alerts a on a.id = t.alert_id
    order by t.triggered_at, t.id
  `.execute(app.db);
  return Map.groupBy(rows, ({ name }) => name);
}

test('each of 50 alerts is due once after every tick of a year', () => {
  const ids = Array.from({ length: 50 }, () => randomUUID());
  const nights = year.map((day) => new Date(`${day}T00:06:00Z`));
  for (const frequency of frequencies) {
    const dueDays = ids.map((id) => {
      const due: string[] = [];
      let next = dueAfter(new Date('2026-03-18T12:00:00Z'), frequency, id);
      for (const now of nights) {
        if (next > now) continue;
        due.push(dayOf(next));
        next = dueAfter(now, frequency, id);
      }
      return due.join();
    });
    assert.deepEqual([...new Set(dueDays)], [ticksWithin(year)[frequency].join()]);
  }
});

test('checks each of 200 alerts exactly once at every tick', async () => {
  const testApp = await startTestApp();
  const { app, clock } = testApp;
  // Only the alert pollers: all others would look every day for nothing.
  const worker = createWorker(alertPollers(app), app);
  clock.set('2026-03-18T12:00:00Z');
  for (let made = 0; made < 2; made++) {
    const organization = await testApp.newOrganization();
    const ctx = { ...app, actor: cliActor(organization.orgId) };
    for (const settings of settingsOfAHundred()) await createAlert(ctx, settings);
    await spendDaily(testApp, organization);
  }
  await noteChecks(testApp);
  await worker.processAll();
  for (const day of days) {
    clock.set(`${day}T00:06:00Z`);
    await worker.processAll();
    const { rows } = await sql`select 1 from alerts where next_check_at <= ${clock.now()}`.execute(app.db);
    assert.equal(rows.length, 0, `alerts are left due on ${day}`);
  }

  const { rows: counts } = await sql<{ frequency: 'daily' | 'weekly' | 'monthly'; alerts: number }>`
    select check_frequency as frequency, count(*)::integer as alerts from alerts group by 1 order by 1
  `.execute(app.db);
  assert.deepEqual(
    await checksMade(testApp),
    counts.flatMap(({ frequency, alerts }) =>
      ticksOf[frequency].map((day) => ({ frequency, day, checks: alerts, alerts })),
    ),
  );
  const triggers = await triggersByName(testApp);
  for (const frequency of frequencies) {
    const ofEach = [...Map.groupBy(triggers.get(`exceeded ${frequency}`)!, ({ id }) => id).values()];
    assert.equal(ofEach.length, 2);
    for (const announced of ofEach)
      assert.deepEqual(
        announced.map(({ day }) => addDays(day, 1)),
        ticksOf[frequency],
      );
  }
  assert.deepEqual(
    [...triggers.keys()].toSorted(),
    ['anomaly daily', ...frequencies.map((f) => `exceeded ${f}`)].toSorted(),
  );
});

test('checks each organization in a transaction of its own, and one that fails delays no other', async () => {
  const testApp = await startTestApp();
  const { app, clock, worker } = testApp;
  clock.set('2026-03-18T12:00:00Z');
  const watched = async (type: string) => {
    const organization = await testApp.newOrganization();
    await spend(organization, 12, '2026-03-18', 'Build', '01:00:00', { branch: 'main' });
    const scope = type === 'organization' ? { type } : { type, value: 'main' };
    return { organization, id: await newAlert(organization, { scope }) };
  };
  const slow = await watched('branch');
  const [quick, broken] = [await watched('organization'), await watched('organization')];
  await noteChecks(testApp);
  const ofBroken = sql.lit(broken.organization.orgId);
  await sql`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger poison before update of next_check_at on alerts
      for each row when (old.org_id = ${ofBroken}) execute function fail();
  `.execute(app.db);
  clock.set('2026-03-19T00:06:00Z');
  await assert.rejects(worker.processAll(), ({ message, errors }: AggregateError) => {
    assert.deepEqual([message, errors.length], ['could not check alerts', 1]);
    assert.equal(errors[0].message, `alerts of organization ${broken.organization.orgId}`);
    return true;
  });
  const { rows } = await sql<{ alertId: string; transaction: string }>`
    select alert_id, transaction from checks_made order by place
  `.execute(app.db);
  // Organizations that need no columns come first.
  assert.deepEqual(
    rows.map(({ alertId }) => alertId),
    [quick.id, slow.id],
  );
  assert.notEqual(rows[0]!.transaction, rows[1]!.transaction);
  const triggered = () =>
    Promise.all(
      [slow, quick, broken].map(async ({ organization, id }) => (await triggersOf(organization, id)).length),
    );
  assert.deepEqual(await triggered(), [1, 1, 0]);
  await sql`drop trigger poison on alerts`.execute(app.db);
  await worker.processAll();
  assert.deepEqual(await triggered(), [1, 1, 1]);
});

test('notifies once per alert when workers of two programs find many due at the same time', async () => {
  const [mailbox, chat] = [await openMailbox(), await openChat()];
  const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'alerts@runcost.test' });
  const { app, clock, worker } = testApp;
  const other = await testApp.secondWorker();
  const organization = await testApp.newOrganization();
  for (const email of ['ada@acme.test', 'bob@acme.test'])
    await organization.send('POST', '/api/v1/members', { email, role: 'owner' });
  const path = '/api/v1/organization';
  const changed = await organization.send('PUT', path, { chat_webhook: { url: chat.url, format: 'json' } });
  assert.equal(changed.status, 200, changed.text);
  clock.set('2026-03-18T12:00:00Z');
  // More than a worker checks at once.
  const ids = await Promise.all(Array.from({ length: 52 }, () => newAlert(organization)));
  await spend(organization, 12, '2026-03-18');
  clock.set('2026-03-19T00:06:00Z');
  chat.status = 503;
  const processAll = () => Promise.all([worker, other, worker, other].map((each) => each.processAll()));
  await processAll();
  // Now all of them find the messages due at the same moment.
  chat.status = 200;
  clock.forward(60);
  await processAll();

  const triggers = await app.db.selectFrom('alertTriggers').selectAll().execute();
  assert.deepEqual(triggers.map(({ alertId }) => alertId).toSorted(), ids.toSorted());
  const announced = await eventsOf(testApp, organization, 'alert.triggered');
  assert.deepEqual(announced.map(({ data }) => data.alert.id as string).toSorted(), ids.toSorted());
  const shares = await eventsOf(testApp, organization, 'cost.threshold');
  assert.deepEqual(
    shares.map(({ data }) => `${data.alert_id} ${data.threshold.percentage}`).toSorted(),
    ids.flatMap((id) => [50, 75, 90, 100].map((percentage) => `${id} ${percentage}`)).toSorted(),
  );
  const notifications = await app.db.selectFrom('notifications').selectAll().execute();
  assert.deepEqual(
    notifications.map((row) => `${row.triggerId} ${row.status} ${row.attempts} ${row.recipient}`).toSorted(),
    triggers
      .flatMap(({ id }) => ['1 ada@acme.test', '1 bob@acme.test', '2 '].map((end) => `${id} sent ${end}`))
      .toSorted(),
  );
  assert.equal(new Set(mailbox.mails.map(({ email }) => email.messageId)).size, 104);
  assert.equal(mailbox.mails.length, 104);
  assert.equal(chat.bodies.length, 104); // each refused once, and accepted once
});
