import assert from 'node:assert/strict';
import { test } from 'node:test';
import sampleTypes from '../../../../test/fixtures/alert-types.json' with { type: 'json' };
import { setAlertTypes } from './alertTypes.ts';
import * as words from './triggerWords.ts';
import type { AlertType, DescribedType } from './types.ts';

setAlertTypes(sampleTypes as DescribedType[]);
const jump = 'jump' as AlertType;
const trigger = {
  id: 'trg_1',
  alert_type: 'anomaly' as const,
  measure: 'list_cost' as const,
  triggered_at: '2026-03-18T09:05:59.999Z',
  current_value: 900,
  threshold_value: 50,
  observed: 20,
  baseline: 2,
  period: { start: '2026-03-18', end: '2026-03-18' },
};

test('an anomaly is so far from normal', () => {
  assert.deepEqual(
    [-9.36, 0, 12].map((value) => words.awayInWords({ alert_type: 'anomaly' }, value)),
    ['9.4% below normal', 'as normal', '12% above normal'],
  );
  assert.equal(words.awayInWords({ alert_type: jump }, 10), '$10.00 above the day before');
});

test('an open trigger is shown if its type compares, and is still that of the alert', () => {
  const open = (alert_type: AlertType) => ({ open_trigger: { ...trigger, alert_type } });
  assert.ok(words.openRiseOf({ alert_type: jump }, open(jump)));
  assert.equal(words.openRiseOf({ alert_type: 'anomaly' }, open(jump)), null);
  assert.equal(words.openRiseOf({ alert_type: 'budget' }, open('budget')), null);
});

test('a period of one day reads as that day', () => {
  assert.equal(words.periodInWords({ start: '2026-03-05', end: '2026-03-05' }), 'Mar 5, 2026');
  assert.equal(words.periodInWords({ start: '2026-03-05', end: '2026-03-06' }), 'Mar 5 – Mar 6, 2026');
  assert.equal(words.periodInWords({ start: '2026-03-01', end: '2026-03-31' }), 'March 2026');
});

test('the time of a check is in UTC', () => {
  assert.equal(words.untilInWords('2026-03-18T09:05:59.999Z'), 'until 09:05 UTC');
});

test('a trigger of today so far says until when it counts', () => {
  assert.equal(words.countedInWords(trigger), 'Mar 18, 2026, until 09:05 UTC');
  const atMidnight = { ...trigger, triggered_at: '2026-03-19T00:00:04.000Z' };
  assert.equal(words.countedInWords(atMidnight), 'Mar 18, 2026');
});
