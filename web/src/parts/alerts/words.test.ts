import assert from 'node:assert/strict';
import { test } from 'node:test';
import sampleTypes from '../../../../test/fixtures/alert-types.json' with { type: 'json' };
import { setCalendar } from '../../api/calendar.ts';
import { alertType, setAlertTypes, unitOf } from './alertTypes.ts';
import type { AlertType, DescribedType } from './types.ts';
import * as words from './words.ts';

setAlertTypes(sampleTypes as DescribedType[]);

const jump = 'jump' as AlertType;

test('budgets are in dollars, anomalies in percent', () => {
  assert.equal(words.thresholdInWords({ alert_type: 'budget' }, 5_000), '$5,000');
  assert.equal(words.thresholdInWords({ alert_type: 'budget' }, 0.5), '$0.50');
  assert.equal(words.thresholdInWords({ alert_type: 'budget' }, 0.000000001), '$0.000000001');
  assert.equal(words.thresholdInWords({ alert_type: 'anomaly' }, 12.5), '12.5%');
  assert.equal(words.thresholdInWords({ alert_type: jump }, 5), '$5');
});

test('a rule reads as one phrase', () => {
  const budget = { threshold_amount: 5_000, check_frequency: 'daily', period: 'month' } as const;
  assert.equal(words.ruleInWords({ ...budget, alert_type: 'budget' }), 'over $5,000 per month');
  const weekly = { ...budget, alert_type: 'budget', period: 'week' } as const;
  assert.equal(words.ruleInWords(weekly), 'over $5,000 per week');
  setCalendar({ time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'sunday' });
  assert.equal(words.ruleInWords(weekly), 'over $5,000 per week from Monday');
  setCalendar(null);
  const anomaly = { ...budget, alert_type: 'anomaly', threshold_amount: 50 } as const;
  assert.equal(words.ruleInWords(anomaly), 'up more than 50% vs the same weekday');
  assert.equal(
    words.ruleInWords({ ...anomaly, check_frequency: 'weekly' }),
    'up more than 50% vs a normal week',
  );
  assert.equal(words.ruleInWords({ ...anomaly, alert_type: jump }), 'up more than $50 vs the day before');
});

test('a type that the page does not know has words that fit any', () => {
  const later = 'cost_per_run' as AlertType;
  const rule = {
    alert_type: later,
    threshold_amount: 1_500.5,
    check_frequency: 'daily',
    period: 'month',
  } as const;
  assert.equal(words.ruleInWords(rule), 'over 1,500.5');
  assert.equal(words.standingInWords('over', { alert_type: later, state: 'ok' }), 'over threshold');
  assert.equal(alertType({ alert_type: later }).title, 'Cost per run');
  assert.equal(alertType({ alert_type: later }).by_period, false);
});

test('a unit that the page does not know is written as the server says', () => {
  const minutes = {
    ...alertType({ alert_type: 'anomaly' }),
    unit: 'minutes',
    unit_suffix: ' min',
  } as unknown as DescribedType;
  assert.equal(unitOf(minutes).threshold(12.5), '12.5 min');
  assert.equal(unitOf(minutes).value(-3), '−3 min');
});

test('what is over and not checked yet has not triggered', () => {
  const budget = { alert_type: 'budget', state: 'ok' } as const;
  const anomaly = { alert_type: 'anomaly', state: 'ok' } as const;
  assert.equal(words.standingInWords('over', budget), 'over budget');
  assert.equal(words.standingInWords('over', anomaly), 'over threshold');
  assert.equal(words.standingInWords('over', { ...anomaly, state: 'triggered' }), 'triggered');
  assert.equal(words.standingInWords('over', { ...anomaly, alert_type: jump }), 'jumped');
  assert.equal(words.standingInWords('close', anomaly), 'close');
  assert.equal(words.standingInWords('unknown', null), 'without enough history');
});
