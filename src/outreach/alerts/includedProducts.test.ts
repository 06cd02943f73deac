/** What the plan includes beside compute: its use by the bill, and alerts on it. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { checkAlert, createAlert, newAlert, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { budgetNotice, withWords } from '../../../test/harness/notices.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
beforeEach(() => testApp.clock.set('2026-03-11T12:00:00Z'));

const path = '/api/v1/pricing/included-products';
const artifacts = { sku: 'actions_storage', unit: 'gigabyte-hours', gross: 0.1 };
const packages = { product: 'packages', sku: 'packages_storage', unit: 'gigabyte-hours', gross: 0.1 };
const credits = { product: 'copilot', sku: 'copilot_ai_credits', unit: 'ai-credits', gross: 1 };

/** On the Team plan, with 1,000 AI credits; 2 GB in March are 1,488 GB-hours. */
async function newCompany() {
  const company = await newBilledCompany(testApp);
  const terms = [{ included_minutes: { github_plan: 'team' }, included_ai_credits: 1_000 }];
  assert.equal((await company.organization.send('PUT', '/api/v1/pricing/terms', { terms })).status, 200);
  await company.bill(
    { ...artifacts, date: '2026-02-27', quantity: 9_000 },
    { ...artifacts, date: '2026-03-04', quantity: 372, discount: 0.1 },
    { ...artifacts, date: '2026-03-10', quantity: 744, repository: 'web' },
    { ...artifacts, date: '2026-03-10', sku: 'actions_cache_storage', quantity: 5_000 },
    { ...packages, date: '2026-03-10', quantity: 186 },
    { ...packages, date: '2026-03-10', sku: 'packages_data_transfer', unit: 'gigabytes', quantity: 9_999 },
    { ...credits, date: '2026-03-06', quantity: 1_100.5 },
  );
  return company;
}

test('used storage and AI credits are compared with what the plan and the terms include', async () => {
  const { organization } = await newCompany();
  const { status, body, text } = await organization.get(path);
  assert.equal(status, 200, text);
  const month = { start: '2026-03-01', end: '2026-03-31' };
  assert.deepEqual(body.data, [
    {
      product: 'artifacts',
      title: 'Artifact storage',
      unit: 'gb_hours',
      month,
      included: 1_488,
      used: 1_116,
      counted_until: '2026-03-10',
      is_exhausted: false,
      // 10 days used three quarters.
      exhausted_on: '2026-03-14',
      repositories: [
        { repo_name: 'acme/web', used: 744 },
        { repo_name: 'acme/api', used: 372 },
      ],
    },
    {
      product: 'packages',
      title: 'Package storage',
      unit: 'gb_hours',
      month,
      included: 1_488,
      used: 186,
      counted_until: '2026-03-10',
      is_exhausted: false,
      exhausted_on: null,
      repositories: [{ repo_name: 'acme/api', used: 186 }],
    },
    {
      product: 'ai_credits',
      title: 'AI credits',
      unit: 'credits',
      month,
      included: 1_000,
      used: 1_100.5,
      counted_until: '2026-03-06',
      is_exhausted: true,
      exhausted_on: '2026-03-06',
      repositories: [{ repo_name: 'acme/api', used: 1_100.5 }],
    },
  ]);
});

test('another organization sees nothing of it', async () => {
  await newCompany();
  const other = await testApp.newOrganization();
  const facts = (await other.get(path)).body.data.map((each: Json) => [
    each.included,
    each.used,
    each.counted_until,
    each.exhausted_on,
  ]);
  assert.deepEqual(facts, [
    [null, 0, null, null],
    [null, 0, null, null],
    [null, 0, null, null],
  ]);
});

const alertOn = (measure: string) => ({ alert_type: 'budget', measure, threshold_amount: 70 });

test('an alert watches the share, and names the repositories that used most', async () => {
  const { organization } = await newCompany();
  const observed: Record<string, number> = {};
  for (const measure of ['included_artifacts', 'included_packages', 'included_ai_credits']) {
    const id = await newAlert(organization, alertOn(measure));
    const check = await checkAlert(organization, id);
    assert.deepEqual([check.unit, check.measure], ['percent', measure]);
    assert.equal(check.triggered, check.current_value > 70);
    observed[measure] = check.current_value;
    const preview = (
      await organization.send('POST', '/api/v1/alerts/preview', { ...alertOn(measure), name: 'x' })
    ).body.data;
    assert.equal(preview.series.at(-1).current_value, check.current_value);
  }
  assert.deepEqual(observed, {
    included_artifacts: 75,
    included_packages: 12.5,
    included_ai_credits: 110.05,
  });
  const { measurements } = (await organization.get('/api/v1/alerts/measurements')).body.data;
  const triggers = await Promise.all(
    measurements.map(async ({ alert_id: id }: Json) => (await triggersOf(organization, id))[0]),
  );
  const trigger = triggers.find((each) => each?.measure === 'included_artifacts');
  const found = (await organization.get(`/api/v1/alerts/${trigger.alert_id}/triggers/${trigger.id}`)).body
    .data;
  assert.deepEqual(found.included_usage, {
    used_up_on: '2026-03-14',
    repositories: [
      { repo_name: 'acme/web', percent: 50 },
      { repo_name: 'acme/api', percent: 25 },
    ],
    workflows: [],
  });
});

test('an alert is for the organization and a month, and says so if nothing is included', async () => {
  const organization = await testApp.newOrganization();
  const rule = { ...alertOn('included_ai_credits'), name: 'Credits' };
  const scoped = { ...rule, scope: { type: 'repository', value: 'acme/api' } };
  assertProblem(await createAlert(organization, scoped), 400, 'invalid_request', ['body.scope.type']);
  assertProblem(await createAlert(organization, { ...rule, period: 'day' }), 400, 'invalid_request', [
    'body.period',
  ]);
  const { warnings } = (await createAlert(organization, rule)).body;
  assert.match(warnings.join(), /Set included_ai_credits in the billing terms/);
});

test('a message names what is used', () => {
  const alert = { ...budgetNotice.alert, measure: 'included_artifacts' };
  const usage = { unit: 'percent' as const, currentValue: '82.25', thresholdValue: '80', usedUpOn: null };
  const { words } = withWords({ ...budgetNotice, ...usage, alert });
  assert.match(
    words.summary,
    /used 82\.3% of the included artifact storage of the month, over the threshold/,
  );
});
