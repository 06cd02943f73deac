/** An alert type that exists nowhere else reaches every face of alerts from its own file alone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { operationsText } from '../scripts/operations.ts';
import { operationOf, type Operation } from '../src/operations.ts';
import { alertTypeNames, alertTypes, type AlertTypeName } from '../src/outreach/alerts/alertTypes.ts';
import type { Described } from '../src/outreach/alerts/rules/described.schema.ts';
import { costOf, lastInstantOf, type AlertType, type CommonRule } from '../src/outreach/alerts/rules/rule.ts';
import { alertVerbs } from '../src/outreach/alerts/verbs.ts';
import { dollars, exactDollars, toBillionths } from '../src/platform/lib/amountTexts.ts';
import { addDays, dayOf, windowEnding } from '../src/platform/lib/days.ts';
import sampleTypes from './fixtures/alert-types.json' with { type: 'json' };
import { checkAlert, createAlert, eventsOf, newAlert, spend, triggersOf } from './harness/alerts.ts';
import { startTestApp } from './harness/app.ts';
import { assertProblem } from './harness/problem.ts';
import { runCommand } from './harness/program.ts';
import { openChat, openMailbox } from './harness/receivers.ts';

type DescribedType = Described & { type: AlertTypeName; by_period: boolean; measures: object[] } & OfUnit;
type OfUnit = { unit_title: string; unit_prefix: string; unit_suffix: string };
type JumpRule = CommonRule & { type: 'jump' };

/** The pages are tested with the same description: what the server answers, and this type. */
const {
  type: name,
  by_period,
  measures: _measures,
  unit_title,
  unit_prefix,
  unit_suffix,
  ...described
} = sampleTypes.at(-1) as DescribedType;

/** Unlike an anomaly it is measured in dollars, and unlike a budget it compares with another day. */
const jump: AlertType<JumpRule> = {
  described,
  metric: 'cost_jump_usd',
  otherMeasures: {},
  isByPeriod: by_period,
  marksUnusualDays: false,
  ruleOf: ({ period: _, ...settings }) => ({ type: 'jump', ...settings }),
  measure: (_rule, { costs }, at, kind) => {
    const window = windowEnding(dayOf(lastInstantOf(at, kind)), 1);
    const before = windowEnding(addDays(window.end, -1), 1);
    return {
      observedNanos: costOf(costs, window),
      baselineNanos: costOf(costs, before),
      window,
      countedWindow: window,
      baselineWindows: [before],
      recurs: null,
      baselineUntil: null,
    };
  },
  baselineDaysByNow: () => [],
  compareWithThreshold: ({ thresholdNanos }, { observedNanos, baselineNanos }) => {
    const currentNanos = observedNanos - baselineNanos!;
    return { state: currentNanos > thresholdNanos ? 'triggered' : 'ok', currentNanos };
  },
  explanationBaseline: (_rule, { baselineWindows }) => baselineWindows,
  suggest: () => null,
  forecast: () => null,
  message: ({ currentValue, thresholdValue }) => {
    const current = dollars(toBillionths(currentValue));
    const threshold = exactDollars(toBillionths(thresholdValue));
    return {
      title: 'Spending has jumped',
      current,
      inShort: `${current}, threshold ${threshold}`,
      summary: `A day cost ${current} more than the day before.`,
      facts: [{ label: 'Jump', value: current }],
    };
  },
};

Object.assign(alertTypes, { jump });
alertTypeNames.push(name);
// What `npm run api-types` writes into a file.
const written = (JSON.parse(operationsText(alertVerbs as never)) as Operation[]).map(
  (operation) => [operationOf(operation.name), operation] as const,
);
const before = written.map(([known]) => ({ ...known }));
for (const [known, operation] of written) Object.assign(known, operation);
after(() => {
  alertTypeNames.pop();
  Reflect.deleteProperty(alertTypes, name);
  for (const [index, [known]] of written.entries()) Object.assign(known, before[index]);
});

const mailbox = await openMailbox();
const chat = await openChat();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.test>' });
const address = await testApp.listen();
const organization = await testApp.newOrganization();
const settings = { RUNCOST_URL: address, RUNCOST_TOKEN: organization.token };
const alert = (...args: string[]) => runCommand(['alert', ...args], settings);
const rule = { name: 'Jumps', alert_type: 'jump', threshold_amount: 5 };

test('its fields, unit and words come by the API', async () => {
  const { body } = await organization.get('/api/v1/alert-types');
  assert.deepEqual(body.data, sampleTypes);
  assert.deepEqual([unit_title, unit_prefix, unit_suffix], ['US dollars', '$', '']);
  const listed = await runCommand(['alert-type', 'list'], settings);
  assert.match(listed.stdout, /^jump +Jump +US dollars +1000 +a day costs an amount more/m);
});

test('an alert of it is created, listed, checked, previewed and measured in its unit', async () => {
  const tooHigh = await createAlert(organization, { ...rule, threshold_amount: 1_001 });
  assertProblem(tooHigh, 400, 'invalid_request', ['body.threshold_amount']);
  assert.match(tooHigh.text, /must be at most 1000 US dollars for a jump/);
  await spend(organization, 2, '2026-03-17');
  await spend(organization, 12, '2026-03-18');
  await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
  const chatWebhook = { url: chat.url, format: 'slack' };
  await organization.send('PUT', '/api/v1/organization', { chat_webhook: chatWebhook });
  const id = await newAlert(organization, rule);
  const [listed] = (await organization.get('/api/v1/alerts')).body.alerts;
  assert.deepEqual([listed.alert_type, listed.reached_shares], ['jump', []]);
  const check = await checkAlert(organization, id);
  assert.deepEqual(
    [check.triggered, check.unit, check.current_value, check.baseline, check.notification_sent],
    [true, 'usd', 10, 2, true],
  );
  const [trigger] = await triggersOf(organization, id);
  assert.deepEqual([trigger.alert_type, trigger.current_value], ['jump', 10]);
  const preview = (await organization.send('POST', '/api/v1/alerts/preview', rule)).body.data;
  assert.deepEqual([preview.unit, preview.series.at(-1).over_threshold], ['usd', true]);
  const { measurements } = (await organization.get('/api/v1/alerts/measurements')).body.data;
  assert.deepEqual([measurements[0].unit, measurements[0].open_trigger.current_value], ['usd', 10]);
});

test('its mail, chat message and event have its words', async () => {
  const [mail] = mailbox.mails;
  for (const text of [mail!.email.text, mail!.email.html, JSON.stringify(chat.bodies)])
    assert.match(text ?? '', /A day cost \$10.00 more than the day before/);
  const [event] = await eventsOf(testApp, organization, 'alert.triggered');
  assert.deepEqual([event.data.alert.type, event.data.trigger.metric], ['jump', 'cost_jump_usd']);
});

test('so do the commands', async () => {
  const created = await alert('create', '--name', 'More', '--type', 'jump', '--threshold', '50');
  assert.deepEqual([created.code, created.stderr], [0, '']);
  const check = await alert('check', created.stdout.trim());
  assert.equal(check.stdout, 'Not triggered: $10.00, threshold $50.00\n');
  assert.match(check.stderr, /^\$12.00 from 2026-03-18 to 2026-03-18, usually \$2.00\.$/m);
  assert.match((await alert('measure')).stdout, /^More +\$2.00 +\$50.00 +2026-03-17/m);
  const preview = await alert('preview', '--type', 'jump', '--threshold', '5');
  assert.match(preview.stdout, /^today so far +\$10.00 /m);
});
