/** Compares anomalous days in series of costs with the rule of alerts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();
const today = '2026-03-18';
const tuesday = '2026-03-17';
const weeks = [28, 21, 14, 7];
const dayBefore = (day: string, days: number) => addDays(day, -days);

/** A run on 3-core macOS, at 0.08 USD per minute. */
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
  // Monday has no history, and Wednesday is not over.
  assert.deepEqual(marks(answer.total), [null, true, null]);
  assert.deepEqual(answer.groups.map(marks), [
    [null, true, null],
    [null, null, null],
  ]);
  const alert = { name: 'Spike', alert_type: 'anomaly', threshold_amount: 60, check_frequency: 'daily' };
  const { id } = (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, alert)).body;
  const judged = await ask(organization);
  assert.deepEqual([judged.anomaly_threshold_percent, ...marks(judged.total)], [60, null, false, null]);
  // Other questions do not judge each day.
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
  // The other groups cost $14.40 on earlier Tuesdays, and $9.68 now; c has no jobs anymore and still counts.
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

type Check = {
  so_far: boolean;
  insufficient_data: boolean;
  current_value: number;
  observed: number;
  baseline: number;
  period: { end: string };
};

/** Whether a daily alert on the scope would have called each day an anomaly, by day. */
async function previewed(
  organization: TestOrganization,
  scope: object,
): Promise<Map<string, boolean | null>> {
  const { status, text, body } = await organization.send('POST', '/api/v1/alerts/preview', {
    name: 'Spike',
    alert_type: 'anomaly',
    threshold_amount: 50,
    check_frequency: 'daily',
    scope,
  });
  assert.equal(status, 200, text);
  const checks = (body.data.series as Check[]).filter(({ so_far }) => !so_far);
  const isAnomaly = ({ insufficient_data, current_value, observed, baseline }: Check) =>
    insufficient_data ? null : current_value > 50 && Math.round((observed - baseline) * 1e9) >= 1e9;
  return new Map(checks.map((check) => [check.period.end, isAnomaly(check)]));
}

test('each day of any series is judged as a daily alert on the same costs would have', async () => {
  const anyHistory = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200 })), { maxLength: 50 });
  const histories = { main: anyHistory, 'release/1': anyHistory, 'release/2': anyHistory };
  const window = { from: dayBefore(today, 14), to: dayBefore(today, 1) };
  await fc.assert(
    fc.asyncProperty(fc.record(histories), async (minutes) => {
      const organization = await testApp.newOrganization();
      const rule = { kind: 'team', owner: 'Platform', repository: 'acme/web' };
      await organization.send('POST', '/api/v1/ownership/rules', rule);
      const runs = Object.entries(minutes).flatMap(([branch, ofDays]) =>
        ofDays.flatMap((each, ago) => {
          const repo_name = branch === 'main' ? 'acme/api' : 'acme/web';
          return each > 0 ? [runOf(dayBefore(today, ago), each, { branch, repo_name })] : [];
        }),
      );
      if (runs.length > 0) await submit(organization, ...runs);
      const assertSame = async (series: Point[], scope: object, question: unknown) => {
        const expected = await previewed(organization, scope);
        assert.deepEqual(
          series.map(({ start, is_anomalous }) => [start, is_anomalous]),
          series.map(({ start }) => [start, expected.get(start)]),
          JSON.stringify(question),
        );
      };
      const totals: [query: Record<string, string>, scope: object][] = [
        [{}, { type: 'organization' }],
        [{ repository: 'acme/web' }, { type: 'repository', value: 'acme/web' }],
        [{ branch: 'release/*' }, { type: 'branch', value: 'release/*' }],
        [
          { branch: 'main', repository: 'acme/*' },
          { type: 'branch', value: 'main', repository: 'acme/*' },
        ],
      ];
      for (const [query, scope] of totals) {
        await assertSame((await ask(organization, { ...window, ...query })).total.series, scope, query);
      }
      const grouped = async (group_by: string) =>
        (await ask(organization, { ...window, group_by, limit: 2, sort: 'name' })) as {
          groups: { by: { value: string | null }[]; series: Point[] }[];
          other: { series: Point[] } | null;
        };
      for (const type of ['repository', 'branch', 'team']) {
        const { groups, other } = await grouped(type);
        for (const { by, series } of groups) {
          const [{ value }] = by as [(typeof by)[0]];
          if (value !== null) await assertSame(series, { type, value }, { type, value });
        }
        // There are three branches, and the others are summed up.
        if (other) await assertSame(other.series, { type, value: 'release/2' }, 'other');
      }
    }),
    { numRuns: 4 },
  );
});
