/** Alerts on net cost and on included usage. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { checkAlert, createAlert, eventsOf, newAlert, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { budgetNotice, chatMessage, dashboardUrl, withWords } from '../../../test/harness/notices.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { announceSlowThresholds } from './thresholds.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;
const now = '2026-03-18T12:00:00Z';
beforeEach(() => clock.set(now));

/** With 100 included minutes a month; the cost center Web owns one of the repositories. */
async function newCompany(minutes: number | null = 100) {
  const { organization, work } = await newBilledCompany(testApp);
  const terms = [{ included_minutes: minutes === null ? null : { minutes }, discount_percent: 12.5 }];
  const set = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
  assert.equal(set.status, 200, set.text);
  for (const kind of ['team', 'cost_center'])
    await organization.send('POST', '/api/v1/ownership/rules', {
      kind,
      owner: 'Web',
      repository: 'acme/web',
    });
  return { organization, work };
}

type Company = Awaited<ReturnType<typeof newCompany>>;

/** Uses up the minutes of both months on a day that several repositories share. */
async function workTwoMonths({ work }: Company): Promise<void> {
  for (const month of ['2026-02', '2026-03']) {
    await work({ day: `${month}-02`, minutes: 41 });
    await work({ day: `${month}-02`, minutes: 7, repository: 'acme/web', label: 'windows-latest' });
    await work({ day: `${month}-09`, minutes: 67, repository: 'acme/web' });
    await work({ day: `${month}-09`, minutes: 13, label: 'macos-latest' });
    await work({ day: `${month}-09`, minutes: 50, repository: 'acme/open', private: false });
    await work({ day: `${month}-16`, minutes: 29, repository: 'acme/web' });
  }
}

const netCost = { alert_type: 'budget', measure: 'net_cost', threshold_amount: 0.1 };
const usage = { alert_type: 'budget', measure: 'included_usage', threshold_amount: 80 };
const whole = { type: 'organization' };
const web = { type: 'cost_center', value: 'Web' };

async function netCostOf(organization: TestOrganization, query: object) {
  const asked = { metric: 'net_cost', from: '2026-03-01', to: '2026-03-18', ...query };
  const { status, body, text } = await organization.get('/api/v1/costs', asked);
  assert.equal(status, 200, text);
  return body.data;
}

async function triggerOf(organization: TestOrganization, id: string) {
  const [trigger] = await triggersOf(organization, id);
  return (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body.data;
}

const scopes = [
  [whole, {}],
  [{ type: 'repository', value: 'acme/*' }, { repository: 'acme/*' }],
  [{ type: 'repository', value: 'acme/web' }, { repository: 'acme/web' }],
  [{ type: 'team', value: 'Web' }, { team: 'Web' }],
  [web, { cost_center: 'Web' }],
] as const;

test('a check, a preview, a measurement and a trigger of net cost equal the cost query', async () => {
  const company = await newCompany();
  const { organization } = company;
  await workTwoMonths(company);
  for (const [scope, filter] of scopes) {
    const { total, groups } = await netCostOf(organization, { ...filter, group_by: 'workflow' });
    assert.ok(total.value > 0);
    const rule = { ...netCost, scope, threshold_amount: 0.001 };
    const id = await newAlert(organization, rule);
    const check = await checkAlert(organization, id);
    assert.deepEqual(
      [check.current_value, check.observed, check.unit, check.measure, check.triggered],
      [total.value, total.value, 'usd', 'net_cost', true],
    );
    const preview = (await organization.send('POST', '/api/v1/alerts/preview', { ...rule, name: 'x' })).body
      .data;
    assert.equal(preview.series.at(-1).current_value, total.value);
    const february = await netCostOf(organization, { ...filter, from: '2026-02-01', to: '2026-02-28' });
    const atEnd = preview.series.find(({ at }: { at: string }) => at === '2026-03-01T00:00:00.000Z');
    assert.equal(atEnd.current_value, february.total.value);
    assert.equal(preview.forecast, null);
    const { measurements } = (await organization.get('/api/v1/alerts/measurements')).body.data;
    const measured = measurements.find(({ alert_id }: { alert_id: string }) => alert_id === id);
    assert.deepEqual([measured.observed, measured.measure], [total.value, 'net_cost']);
    const { explanation, ...trigger } = await triggerOf(organization, id);
    assert.deepEqual(
      [trigger.observed, trigger.measure, trigger.included_usage],
      [total.value, 'net_cost', null],
    );
    assert.equal(explanation.observed, total.value);
    const byWorkflow = new Map(groups.map((group: Json) => [group.by[0].value, group.value]));
    for (const { workflow_id: workflow, observed } of explanation.workflows)
      assert.equal(observed, byWorkflow.get(workflow) ?? 0);
  }
});

const usageNotice = {
  ...budgetNotice,
  alert: { ...budgetNotice.alert, name: 'Minutes', measure: 'included_usage' },
  unit: 'percent' as const,
  currentValue: '82.25',
  thresholdValue: '80',
  usedUpOn: '2026-06-24' as string | null,
  repositories: [{ repository: 'acme/web', cost: '50.25' }],
  workflows: [{ workflow: 'Build', repository: 'acme/web', cost: '30.5', change: '2.04' }],
};

test('a message of included usage is in percent, and says when it is used up and what used most', () => {
  const { words } = withWords(usageNotice);
  assert.equal(
    words.summary,
    'acme has used 82.3% of the included usage of the month, over the threshold of 80%. At this pace, it is ' +
      'used up on Jun 24, 2026.',
  );
  const said = (fields: object) => withWords({ ...usageNotice, ...fields }).words.summary;
  assert.match(said({ usedUpOn: '2026-06-17' }), /It was used up on Jun 17, 2026\.$/);
  assert.match(said({ usedUpOn: null }), /it lasts to the end of the month\.$/);
  const scope = { type: 'cost_center', value: 'Web', text: 'cost center Web' };
  assert.match(said({ scope }), /^Cost center Web has used 82.3% of the organization's included usage/);
  for (const format of ['slack', 'teams', 'discord'] as const) {
    // Some formats escape punctuation.
    const message = chatMessage(format, withWords(usageNotice), dashboardUrl).replaceAll('\\', '');
    for (const text of ['Repositories that used most', 'acme/web: 50.3%', '30.5%'])
      assert.ok(message.includes(text), `${format}: ${text}`);
    assert.doesNotMatch(message, /\$\d|Largest increases/);
  }
  const data = JSON.parse(chatMessage('json', withWords(usageNotice), dashboardUrl));
  assert.deepEqual(
    [data.alert.measure, data.used_up_on, data.repositories],
    ['included_usage', '2026-06-24', [{ repository: 'acme/web', cost: 50.25 }]],
  );
});

test('a message of net cost says so', () => {
  const alert = { ...budgetNotice.alert, measure: 'net_cost' };
  const { title, summary, facts } = withWords({ ...budgetNotice, alert }).words;
  assert.deepEqual(
    [title, summary, facts[0]],
    [
      'Net budget exceeded',
      'acme has spent $1,284.55 net, which is $284.55 over the budget of $1,000.00.',
      { label: 'Net cost', value: '$1,284.55' },
    ],
  );
});

test('what cannot be combined is refused, with its field', async () => {
  const { organization } = await newCompany();
  const refused = [
    [{ alert_type: 'anomaly', measure: 'net_cost' }, 'measure', /must be list_cost for an anomaly/],
    [{ ...usage, period: 'week' }, 'period', /must be month with the measure included_usage/],
    [
      { ...usage, scope: { type: 'repository', value: 'acme/api' } },
      'scope.type',
      /must be organization or cost_center with the measure included_usage/,
    ],
    [{ ...usage, threshold_amount: 10_001 }, 'threshold_amount', /at most 10000 percent/],
    [{ measure: 'gross' }, 'measure', /one of/],
    [
      { scope: { type: 'cost_center', value: 'Wep' } },
      'scope.value',
      /must be a cost center.*did you mean Web/,
    ],
    [{ scope: { type: 'cost_center' } }, 'scope.value', /which cost center/],
  ] as const;
  for (const [fields, field, message] of refused) {
    const created = await createAlert(organization, fields);
    assertProblem(created, 400, 'invalid_request', [`body.${field}`]);
    assert.match(created.text, message);
  }
  const id = await newAlert(organization, usage);
  const changed = await organization.send('PUT', `/api/v1/alerts/${id}`, { period: 'day' });
  assertProblem(changed, 400, 'invalid_request', ['body.period']);
});

test('included usage is the share of the minutes that the gauge shows', async () => {
  const company = await newCompany();
  const { organization } = company;
  await company.work({ minutes: 60 });
  await company.work({ minutes: 15, repository: 'acme/web', label: 'windows-latest' });
  await company.work({ minutes: 90, repository: 'acme/open', private: false });
  const shown = (await organization.get('/api/v1/pricing/included-minutes')).body.data;
  const ids = [await newAlert(organization, usage)];
  ids.push(await newAlert(organization, { ...usage, scope: web, threshold_amount: 20 }));
  const checks = [await checkAlert(organization, ids[0]!), await checkAlert(organization, ids[1]!)];
  assert.equal(shown.used_minutes, 85);
  assert.deepEqual(
    checks.map(({ current_value, unit, triggered }) => [current_value, unit, triggered]),
    [
      [85, 'percent', true],
      [25, 'percent', true],
    ],
  );
  const { included_usage: used, explanation } = await triggerOf(organization, ids[0]!);
  assert.equal(used.used_up_on, shown.exhausted_on);
  assert.deepEqual(
    [used.repositories, explanation.observed],
    [
      [
        { repo_name: 'acme/api', percent: 60 },
        { repo_name: 'acme/web', percent: 25 },
      ],
      85,
    ],
  );
  assert.deepEqual(
    used.workflows.map(({ repo_name, percent }: Json) => [repo_name, percent]),
    [
      ['acme/api', 60],
      ['acme/web', 25],
    ],
  );
  const [event, ofWeb] = await eventsOf(testApp, organization, 'alert.triggered');
  const { metric, used_up_on, repositories } = event.data.trigger;
  assert.deepEqual(
    [metric, used_up_on, repositories],
    ['included_usage_percent', shown.exhausted_on, used.repositories],
  );
  assert.deepEqual(ofWeb.data.trigger.repositories, [{ repo_name: 'acme/web', percent: 25 }]);
});

test('included dollars are watched like included minutes, larger runners too', async () => {
  const { organization, work } = await newCompany();
  const terms = [{ included_minutes: { unit: 'usd', usd: 2 } }];
  const set = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
  assert.equal(set.status, 200, set.text);
  await work({ minutes: 100 });
  await work({ minutes: 50, label: 'ubuntu-latest-4-cores', repository: 'acme/web' });
  const shown = (await organization.get('/api/v1/pricing/included-minutes')).body.data;
  const id = await newAlert(organization, usage);
  const { current_value: share } = await checkAlert(organization, id);
  assert.equal(shown.used_usd, 1.2);
  assert.equal(share, (100 * shown.used_usd) / 2);
});

test('exactly all minutes are 100%, in thirds of minutes too', async () => {
  const { organization, work } = await newCompany();
  for (const day of ['02', '03', '04', '05', '06', '07'])
    await work({ day: `2026-03-${day}`, minutes: 10, label: 'windows-latest' });
  const id = await newAlert(organization, { ...usage, threshold_amount: 100 });
  const check = await checkAlert(organization, id);
  assert.deepEqual([check.current_value, check.triggered], [100, false]);
  const { measurements } = (await organization.get('/api/v1/alerts/measurements')).body.data;
  assert.equal(measurements[0].forecast.spent, 100);
});

test('percentages of a threshold name its measure, each once, and start again with the month', async () => {
  const company = await newCompany();
  const { organization, work } = company;
  const announced = async () =>
    (await eventsOf(testApp, organization, 'cost.threshold')).map(
      ({ data: { threshold, measure, scope } }) => [
        measure,
        scope.type,
        threshold.percentage,
        threshold.current_spend,
        threshold.budget,
      ],
    );
  await newAlert(organization, usage);
  await newAlert(organization, { ...netCost, threshold_amount: 1 });
  await newAlert(organization, { ...usage, scope: web, threshold_amount: 50 });
  const announceAll = async () => {
    await worker.processAll();
    await announceSlowThresholds({ ...app, publicUrl: () => 'http://here' });
  };
  await work({ day: '2026-03-17', minutes: 45 });
  await announceAll();
  assert.deepEqual(await announced(), [['included_usage', 'organization', 50, 45, 80]]);
  await work({ day: '2026-03-17', minutes: 30, repository: 'acme/web' });
  await announceAll();
  assert.deepEqual((await announced()).slice(1), [
    ['included_usage', 'organization', 75, 75, 80],
    ['included_usage', 'organization', 90, 75, 80],
    ['included_usage', 'cost_center', 50, 30, 50],
  ]);
  clock.set('2026-04-02T12:00:00Z');
  await work({ day: '2026-04-02', minutes: 40 });
  await announceAll();
  assert.deepEqual((await announced()).slice(4), [['included_usage', 'organization', 50, 40, 80]]);
});

test('it triggers once a month, and the next month resolves it', async () => {
  const { organization, work } = await newCompany();
  const id = await newAlert(organization, usage);
  await work({ day: '2026-03-17', minutes: 120 });
  for (const day of ['19', '20']) {
    clock.set(`2026-03-${day}T00:06:00Z`);
    await worker.processAll();
  }
  const [only, ...others] = await triggersOf(organization, id);
  assert.deepEqual([only.current_value, only.resolved_at, others], [120, null, []]);
  assert.equal((await triggerOf(organization, id)).included_usage.used_up_on, '2026-03-17');
  clock.set('2026-04-02T00:06:00Z');
  await worker.processAll();
  const [resolved] = await triggersOf(organization, id);
  assert.equal(resolved.resolution, 'period_ended');
  assert.equal((await organization.get(`/api/v1/alerts/${id}`)).body.state, 'ok');
});

test('without included minutes it watches nothing, and says so', async () => {
  const { organization, work } = await newCompany(null);
  await work({ day: '2026-03-17', minutes: 120 });
  const created = await createAlert(organization, usage);
  assert.match(created.body.warnings.join(), /no included usage is set/);
  assert.equal((await checkAlert(organization, created.body.id)).current_value, 0);
});

test('a new measure is another rule: it resolves the trigger, and names the new unit', async () => {
  const { organization, work } = await newCompany();
  await work({ day: '2026-03-17', minutes: 120 });
  const id = await newAlert(organization, { threshold_amount: 0.6 });
  assert.equal((await checkAlert(organization, id)).triggered, true);
  const change = (fields: object) => organization.send('PUT', `/api/v1/alerts/${id}`, fields);
  const toUsage = await change({ measure: 'included_usage' });
  assert.match(toUsage.body.warnings[0], /is now in percent, not US dollars/);
  const [resolved] = await triggersOf(organization, id);
  assert.deepEqual([resolved.measure, resolved.resolution], ['list_cost', 'alert_changed']);
  await change({ measure: 'list_cost' });
  const events = await eventsOf(testApp, organization, 'cost.threshold');
  const measures = events.map(({ data }) => `${data.measure} ${data.threshold.percentage}`);
  assert.equal(new Set(measures).size, measures.length, measures.join());
});
