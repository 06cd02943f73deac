import assert from 'node:assert/strict';
import { test } from 'node:test';
import sampleTypes from '../../../../../test/fixtures/alert-types.json' with { type: 'json' };
import { setAlertTypes } from '../../../parts/alerts/alertTypes.ts';
import type { AlertType, DescribedType } from '../../../parts/alerts/types.ts';
import * as words from './words.ts';

setAlertTypes(sampleTypes as DescribedType[]);

test('values of budgets are in dollars, of anomalies in percent', () => {
  assert.equal(words.valueInWords({ alert_type: 'budget' }, 1_234.567), '$1,234.57');
  assert.equal(words.valueInWords({ alert_type: 'anomaly' }, 12.345), '+12.3%');
  assert.equal(words.valueInWords({ alert_type: 'anomaly' }, 0), '0%');
  assert.equal(words.valueInWords({ alert_type: 'anomaly' }, -7), '−7%');
  const jump = 'jump' as AlertType;
  assert.deepEqual(
    [10, 0, -2].map((value) => words.valueInWords({ alert_type: jump }, value)),
    ['+$10.00', '$0.00', '−$2.00'],
  );
});

test('the name of a repository keeps its case, and other scopes begin like a sentence', () => {
  assert.equal(words.watchedInWords({ type: 'repository', value: 'acme/api' }), 'acme/api');
  assert.equal(words.watchedInWords({ type: 'workflow', value: 'wf_1', name: 'build' }), 'build');
  assert.equal(words.watchedInWords({ type: 'team', value: 'web' }), 'Team web');
  assert.equal(words.watchedInWords({ type: 'organization' }), 'Whole organization');
});

test('an alert that is off reads off, whatever its last check found', () => {
  assert.equal(words.stateOf({ enabled: false, state: 'triggered' }), 'off');
  assert.equal(words.stateOf({ enabled: true, state: 'insufficient_data' }), 'not enough history');
  assert.equal(words.stateOf({ enabled: true, state: 'triggered' }), 'triggered');
  assert.equal(words.stateOf({ enabled: true, state: 'ok' }), 'OK');
});

test('an alert names whom it reaches, and how many more', () => {
  const reaches = (...to: string[]) => to.map((each) => ({ kind: 'email', to: each, channel_id: null }));
  assert.equal(words.reachInWords([]), 'Nobody is notified.');
  assert.equal(words.reachInWords(reaches('mona@acme.test', 'ops')), 'Notifies mona@acme.test and ops.');
  assert.equal(
    words.reachInWords(reaches('a', 'b', 'c', 'd', 'e', 'f', 'g')),
    'Notifies a, b, c, d, e, and 2 more.',
  );
});

test('a check at midnight counts the day before', () => {
  assert.equal(words.lastDayBefore('2026-03-01T00:00:00.000Z'), '2026-02-28');
  assert.equal(words.lastDayBefore('2026-03-01T12:00:00.000Z'), '2026-03-01');
});

test('a budget says which shares it had already reached', () => {
  const share = (percentage: number, reached_before: boolean) => ({ percentage, reached_before });
  const before = '50%, 75% before it was created, changed or turned on';
  assert.equal(words.reachedInWords([]), null);
  assert.equal(words.reachedInWords([share(50, false)]), '50%');
  assert.equal(words.reachedInWords([share(50, true), share(75, true)]), before);
  const all = [share(50, true), share(75, true), share(90, false), share(100, false)];
  assert.equal(words.reachedInWords(all), `${before}; 90%, 100%`);
});

test('a suggestion explains itself', () => {
  const month = { alert_type: 'budget', period: 'month', check_frequency: 'daily' } as const;
  const usual = {
    highest_usual: 2_600,
    outliers: 0,
    raised_for_current_period: false,
    left_out_days: [],
    exceeded_in_current_period: false,
  };
  assert.equal(
    words.suggestionInWords(month, usual),
    'It wouldn’t have triggered in a normal month: the highest was $2,600.00.',
  );
  assert.equal(
    words.suggestionInWords(month, { ...usual, outliers: 1, raised_for_current_period: true }),
    'It wouldn’t have triggered in a normal month: the highest was $2,600.00, without 1 outlier. ' +
      'The suggestion is higher because this month is heading above that.',
  );
  assert.equal(
    words.suggestionInWords(month, {
      ...usual,
      left_out_days: ['2026-03-02'],
      exceeded_in_current_period: true,
    }),
    'It wouldn’t have triggered in a normal month: the highest was $2,600.00. Leaves out 1 day marked unusual: Mar 2. ' +
      'This month already exceeds it, so the alert triggers at once.',
  );
  assert.equal(
    words.suggestionInWords({ ...month, alert_type: 'anomaly' }, { ...usual, highest_usual: 33.33 }),
    'It wouldn’t have triggered on a normal day: the highest was +33.3%.',
  );
});

test('every resolution reads as text, also an unknown one', () => {
  assert.equal(words.resolutionInWords('period_ended'), 'the period ended');
  assert.equal(words.resolutionInWords('moved_elsewhere'), 'moved elsewhere');
});

test('a trigger says whether anybody was notified', () => {
  assert.equal(words.deliveryInWords({ notified: true }), 'delivered');
  assert.equal(words.deliveryInWords({ notified: false }), 'not delivered');
});

test('a rise that comes back each month says where', () => {
  const period = { start: '2026-03-05', end: '2026-03-05' };
  assert.equal(words.recurrenceInWords({ recurs: null, period }), '');
  assert.equal(words.recurrenceInWords({ recurs: 'month_end', period }), ' as at each month end');
  assert.equal(words.recurrenceInWords({ recurs: 'day_of_month', period }), ' as on day 5 of each month');
});
