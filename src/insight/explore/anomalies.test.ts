/** Anomalous days in series of costs, against the alert's own rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { ruleOf } from '../../outreach/alerts/alertTypes.ts';
import { previewRule } from '../../outreach/alerts/preview.ts';
import { addDays } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();
const today = '2026-03-18';
const tuesday = '2026-03-17';
const weeks = [28, 21, 14, 7];
const dayBefore = (day: string, days: number) => addDays(day, -days);

/** Minutes on 3-core macOS, at 0.08 USD each. */
function runOf(day: string, minutes: number, fields: object = {}) {
  const started_at = `${day}T01:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  const jobs = [newJob({ runner: 'macos_3_core', started_at, completed_at })];
  return newRun({ created_at: started_at, started_at, jobs, ...fields });
}

async function ask(organization: TestOrganization, query: Record<string, string | number> = {}) {
  const answer = await organization.get('/api/v1/costs', {
    granularity: 'day',
    ...('from' in query ? {} : { days: 3 }),
    ...query,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

type Point = { start: string; is_anomalous: boolean | null };
const marks = ({ series }: { series: Point[] }) => series.map(({ is_anomalous }) => is_anomalous);

test('a day is anomalous from the same rise on as for the alert', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ...weeks.map((days) => runOf(dayBefore(tuesday, days), 100, { repo_name: 'acme/api' })),
    runOf(tuesday, 160, { repo_name: 'acme/api' }),
    runOf(dayBefore(tuesday, 1), 10, { repo_name: 'acme/web' }),
  );
  const answer = await ask(organization, { group_by: 'repository' });
  assert.equal(answer.anomaly_threshold_percent, 50);
  // Monday had nothing before, and Wednesday is not over.
  assert.deepEqual(marks(answer.total), [null, true, null]);
  assert.deepEqual(answer.groups.map(marks), [
    [null, true, null],
    [null, null, null],
  ]);
  const alert = { name: 'Spike', alert_type: 'anomaly', threshold_amount: 60, check_frequency: 'daily' };
  const { id } = (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, alert)).body;
  const judged = await ask(organization);
  assert.deepEqual([judged.anomaly_threshold_percent, ...marks(judged.total)], [60, null, false, null]);
  // Others do not judge each day.
  for (const other of [
    { threshold_amount: 20, check_frequency: 'weekly' },
    { threshold_amount: 20, enabled: false },
    { threshold_amount: 20, alert_type: 'budget' },
  ])
    await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, { ...alert, ...other });
  assert.equal((await ask(organization)).anomaly_threshold_percent, 60);
  await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 59.5 });
  assert.deepEqual(marks((await ask(organization)).total), [null, true, null]);
});

test('all other series are marked too', async () => {
  const organization = await testApp.newOrganization();
  const repositories = ['acme/a', 'acme/b', 'acme/c'];
  await submit(
    organization,
    ...weeks.flatMap((days) =>
      repositories.map((repo_name) => runOf(dayBefore(tuesday, days), 60, { repo_name })),
    ),
    runOf(tuesday, 61, { repo_name: 'acme/a' }),
    runOf(tuesday, 60, { repo_name: 'acme/b' }),
    runOf(tuesday, 300, { repo_name: 'acme/gone', branch: 'x' }),
  );
  const { groups, other, total } = await ask(organization, {
    group_by: 'repository',
    limit: 1,
    from: tuesday,
    to: tuesday,
    sort: '-name',
  });
  assert.equal(groups[0].by[0].name, 'acme/gone');
  // The others cost $14.40 each Tuesday, and $9.68 now; c is gone and still counts.
  assert.deepEqual([groups[0], other, total].map(marks), [[null], [false], [true]]);
});

test('a rise below a dollar is none, and nothing but the cost of days is judged', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, ...weeks.map((days) => runOf(dayBefore(tuesday, days), 1)), runOf(tuesday, 13));
  assert.deepEqual(marks((await ask(organization)).total), [null, false, null]);
  await submit(organization, runOf(tuesday, 1));
  assert.deepEqual(marks((await ask(organization)).total), [null, true, null]);
  for (const query of [{ metric: 'minutes' }, { metric: 'jobs' }, { granularity: 'week' }]) {
    const { anomaly_threshold_percent, total } = await ask(organization, query);
    assert.equal(anomaly_threshold_percent, null);
    assert.ok(
      marks(total).every((mark) => mark === null),
      JSON.stringify(query),
    );
  }
});

test('today is anomalous once it is over, and not judged before', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, ...weeks.map((days) => runOf(dayBefore(today, days), 100)), runOf(today, 140));
  assert.deepEqual(marks((await ask(organization, { days: 1 })).total), [null]);
  await submit(organization, runOf(today, 20));
  assert.deepEqual(marks((await ask(organization, { days: 1 })).total), [true]);
});

test('comes in CSV beside the cost', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    ...weeks.map((days) => runOf(dayBefore(tuesday, days), 100)),
    runOf(tuesday, 200),
  );
  const { text } = await request(testApp.server, {
    method: 'GET',
    url: '/api/v1/costs?granularity=day&days=2',
    headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
  });
  assert.equal(
    text,
    'row,start,cost_usd,is_anomalous\r\ntotal,2026-03-17,16,true\r\ntotal,2026-03-18,0,\r\n',
  );
});

test('each day of any history is judged as a daily alert would have', async () => {
  const days = 14;
  const anyMinutes = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200 }));
  await fc.assert(
    fc.asyncProperty(fc.array(anyMinutes, { minLength: 1, maxLength: 50 }), async (minutes) => {
      const organization = await testApp.newOrganization();
      const runs = minutes.flatMap((each, ago) => (each > 0 ? [runOf(dayBefore(today, ago), each)] : []));
      if (runs.length > 0) await submit(organization, ...runs);
      const costs = new Map(
        minutes.map((each, ago) => [dayBefore(today, ago), BigInt(each) * 80_000_000n] as const),
      );
      const firstDay =
        runs.length === 0
          ? null
          : dayBefore(
              today,
              minutes.findLastIndex((each) => each > 0),
            );
      const rule = ruleOf({
        ...{ alertType: 'anomaly', checkFrequency: 'daily', period: 'month', enabled: true },
        scope: { type: 'organization' },
        thresholdNanos: 50_000_000_000n,
      });
      const now = new Date(`${today}T12:00:00Z`);
      const { series } = previewRule(rule, { costs, firstDay, costsByNow: costs }, { now, days: days + 1 });
      const expected = series
        .filter(({ isSoFar, window }) => !isSoFar && window.end >= dayBefore(today, days))
        .map(({ window, isInsufficient, currentNanos, observedNanos, baselineNanos }) => [
          window.end,
          isInsufficient
            ? null
            : observedNanos - baselineNanos! >= 1_000_000_000n && currentNanos > rule.thresholdNanos,
        ]);
      const { total } = await ask(organization, { from: dayBefore(today, days), to: dayBefore(today, 1) });
      assert.deepEqual(
        total.series.map(({ start, is_anomalous }: Point) => [start, is_anomalous]),
        expected,
      );
    }),
    { numRuns: 20 },
  );
});
