import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays, daysOf, windowEnding, type Day } from '../../platform/lib/days.ts';
import { defaultThresholdNanos, unusualDays, usualCosts } from './anomaly.ts';
import { findUnusualDays, findUnusualRule, leftOutText } from './unusualDays.ts';

const dollar = 1_000_000_000n;
const today = '2026-03-18';
const rule = { thresholdNanos: defaultThresholdNanos, today };

/** Working days cost $10, Saturdays and Sundays $1. */
function weekly(special: Record<Day, bigint> = {}): Map<Day, bigint> {
  const usualOn = (day: Day) => (new Date(day).getUTCDay() % 6 === 0 ? dollar : 10n * dollar);
  return new Map(daysOf(windowEnding(today, 70)).map((day) => [day, special[day] ?? usualOn(day)]));
}

test('unusual days are those that series of costs mark', () => {
  const costs = weekly({ '2026-03-03': 90n * dollar, '2026-03-07': 12n * dollar, [today]: 40n * dollar });
  const month = windowEnding(today, 30);
  assert.deepEqual(unusualDays(month, costs, rule), ['2026-03-03', '2026-03-07', today]);
  assert.deepEqual(unusualDays(windowEnding('2026-03-06', 3), costs, rule), []);
  assert.deepEqual(unusualDays({ start: today, end: '2026-03-17' }, costs, rule), []);
  const tolerant = { ...rule, thresholdNanos: 20n * defaultThresholdNanos };
  assert.deepEqual(unusualDays(month, costs, tolerant), ['2026-03-07']);
  assert.deepEqual(unusualDays(windowEnding('2026-01-10', 3), costs, rule), [], 'too little history');
});

test('an unusual day counts as a usual day of its weekday', () => {
  const costs = weekly({ '2026-03-03': 90n * dollar, '2026-03-07': 12n * dollar });
  assert.deepEqual(usualCosts(costs, unusualDays(windowEnding(today, 30), costs, rule)), weekly());
});

test('each workflow is judged by its own costs', async () => {
  const testApp = await sharedTestApp();
  const organization = await testApp.newOrganization();
  // $0.08 per minute.
  const run = (day: Day, minutes: number, workflow_name: string) => {
    const started_at = `${day}T01:00:00Z`;
    const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
    const jobs = [newJob({ runner: 'macos_3_core', started_at, completed_at })];
    return newRun({ workflow_name, created_at: started_at, started_at, jobs });
  };
  const days = daysOf(windowEnding(today, 40));
  await submit(
    organization,
    ...days.flatMap((day) => [
      run(day, day === '2026-03-10' ? 100 : 10, 'small'),
      run(day, day === '2026-03-11' ? 600 : 400, 'large'),
    ]),
  );
  const { body } = await organization.get('/api/v1/dashboard/workflows');
  assert.equal(body.workflows.length, 2);
  const costs = await organization.get('/api/v1/costs', { group_by: 'workflow' });
  const groups: { by: { value: string; name: string }[] }[] = costs.body.data.groups;
  const idOf = (name: string) => groups.find(({ by }) => by[0]!.name.startsWith(name))!.by[0]!.value;
  const ctx = { ...testApp.app, actor: { orgId: organization.orgId } };
  const found = await findUnusualDays(
    ctx.db,
    organization.orgId,
    groups.map(({ by }) => by[0]!.value),
    { window: { start: addDays(today, -29), end: today }, rule: await findUnusualRule(ctx) },
  );
  assert.deepEqual([...found], [[idOf('small'), ['2026-03-10']]]);
});

test('says which days are left out', () => {
  assert.equal(leftOutText([]), null);
  assert.equal(leftOutText(['2026-03-04']), 'Leaves out 1 day marked unusual: Mar 4.');
  assert.equal(
    leftOutText(['2026-03-05', '2026-03-04', '2026-03-05']),
    'Leaves out 2 days marked unusual: Mar 4 and Mar 5.',
  );
  const many = daysOf(windowEnding('2026-03-08', 5));
  assert.equal(leftOutText(many), 'Leaves out 5 days marked unusual: Mar 4, Mar 5, Mar 6 and 2 more.');
});
