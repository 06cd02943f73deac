import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sampleTypes from '../../../../../test/fixtures/alert-types.json' with { type: 'json' };
import { setAlertTypes } from '../../../parts/alerts/alertTypes.ts';
import type { AlertType, DescribedType, OneAlert } from '../../../parts/alerts/types.ts';
import {
  alertInWords,
  changedSettings,
  fieldsOf,
  newFields,
  nextCheck,
  ofKind,
  scopeError,
  settingsOf,
  suggestedName,
  thresholdError,
  thresholdOf,
  type AlertFields,
} from './alertFields.ts';

setAlertTypes(sampleTypes as DescribedType[]);

const jump = 'jump' as AlertType;

test('a suggestion reads back from the address unchanged', () => {
  const suggestions = fc.record({
    name: fc.string({ unit: 'grapheme' }),
    alert_type: fc.constantFrom('budget', 'anomaly', jump),
    threshold_amount: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
    check_frequency: fc.constantFrom('daily', 'weekly', 'monthly'),
    period: fc.constantFrom('day', 'week', 'month'),
  });
  fc.assert(
    fc.property(suggestions, (suggested) => {
      const words = { ...suggested, threshold_amount: String(suggested.threshold_amount) };
      const fields = newFields(new URLSearchParams(new URLSearchParams(words).toString()));
      const people = { notify_email: true, recipients: '', notify_chat: true, channel_ids: [] };
      const rest = { measure: 'list_cost', scope: { type: 'organization' }, ...people, enabled: true };
      assert.deepEqual(fields, { ...suggested, ...rest });
    }),
  );
});

test('unknown values in the address get their defaults', () => {
  const asked = 'alert_type=constructor&threshold_amount=Infinity&period=year&check_frequency=';
  assert.deepEqual(newFields(new URLSearchParams(asked)), newFields(new URLSearchParams()));
  assert.equal(newFields(new URLSearchParams('threshold_amount=-5')).threshold_amount, '');
});

test('a threshold is a number above zero, or null', () => {
  const of = (threshold_amount: AlertFields['threshold_amount']) => thresholdOf({ threshold_amount });
  assert.deepEqual([of(5), of('5.25'), of(1e-9)], [5, 5.25, 1e-9]);
  assert.deepEqual([of(''), of(0), of('0'), of(-1), of('-'), of('.'), of(Infinity)], Array(7).fill(null));
});

test('a threshold that is too high or too low has an error text', () => {
  const errorOf = (alert_type: AlertFields['alert_type'], threshold_amount: number | string) =>
    thresholdError({ alert_type, threshold_amount });
  assert.equal(errorOf('budget', -5), 'Enter a number above zero.');
  assert.equal(errorOf('budget', 1_000_000_001), 'Enter at most $1,000,000,000.');
  assert.equal(errorOf('anomaly', 1_000_001), 'Enter at most 1,000,000%.');
  assert.equal(errorOf(jump, 1_001), 'Enter at most $1,000.');
  assert.deepEqual([errorOf('budget', 1e9), errorOf('anomaly', '1000000')], [null, null]);
});

test('a measure limits periods and scopes, and clears the threshold of the measure before', () => {
  const asked = 'alert_type=budget&measure=net_cost&period=week&scope_type=team&scope_value=Web';
  const fields = newFields(new URLSearchParams(asked));
  assert.deepEqual([fields.measure, fields.period, fields.scope.type], ['net_cost', 'week', 'team']);
  assert.equal(newFields(new URLSearchParams('alert_type=anomaly&measure=net_cost')).measure, 'list_cost');
  const ofUsage = ofKind(fields, { alert_type: 'budget', measure: 'included_usage' });
  assert.deepEqual(ofUsage, {
    alert_type: 'budget',
    measure: 'included_usage',
    threshold_amount: '',
    period: 'month',
    scope: { type: 'organization' },
  });
  const usage = { ...fields, ...ofUsage, threshold_amount: 80 };
  assert.match(
    alertInWords(usage),
    /^Triggers when the share of included usage of all CI is over 80% per month/,
  );
  assert.match(
    alertInWords({ ...fields, threshold_amount: 5 }),
    /^Triggers when the net cost of team Web is over \$5 per week/,
  );
  assert.equal(thresholdError({ ...usage, threshold_amount: 10_001 }), 'Enter at most 10,000%.');
});

test('saves only changed fields, and a new type always with its threshold', () => {
  const saved = { ...newFields(new URLSearchParams('name=Budget')), threshold_amount: 10 };
  const changes = (fields: Partial<AlertFields>) =>
    changedSettings(saved, settingsOf({ ...saved, ...fields }, 10));
  assert.deepEqual(changes({}), {});
  assert.deepEqual(changes({ name: 'CI' }), { name: 'CI' });
  assert.deepEqual(changes({ recipients: ' a@b.test; c@d.test' }), { recipients: ['a@b.test', 'c@d.test'] });
  const scope = { type: 'branch', value: ' main ', repository: '' } as const;
  assert.deepEqual(changes({ scope }), { scope: { type: 'branch', value: 'main' } });
  assert.deepEqual(changes({ alert_type: 'anomaly' }), {
    alert_type: 'anomaly',
    threshold_amount: 10,
  });
});

test('the summary says what is watched and when it triggers', () => {
  const fields = newFields(new URLSearchParams('threshold_amount=4500'));
  assert.equal(
    alertInWords(fields),
    'Triggers when the cost of all CI is over $4,500 per month. Checked every day.',
  );
  const team = { type: 'team', value: ' Web ' } as const;
  const anomaly = {
    ...fields,
    alert_type: 'anomaly',
    check_frequency: 'weekly',
    threshold_amount: 50,
  } as const;
  assert.match(
    alertInWords({ ...anomaly, scope: team }),
    /cost of team Web is up more than 50% vs a normal week\. Checked on Mondays\.$/,
  );
  assert.equal(alertInWords({ ...fields, threshold_amount: '' }), 'Enter a threshold.');
});

test('a name is suggested from what the alert watches', () => {
  const fields = newFields(new URLSearchParams());
  const anomaly = { ...fields, alert_type: 'anomaly', check_frequency: 'weekly' } as const;
  const scoped = (scope: AlertFields['scope']) => suggestedName({ ...fields, scope });
  assert.equal(suggestedName(fields), 'Monthly budget');
  assert.equal(suggestedName(anomaly), 'Unusual week');
  assert.equal(suggestedName({ ...fields, alert_type: jump }), 'Jump');
  assert.equal(scoped({ type: 'repository', value: ' acme/api ' }), 'Monthly budget: acme/api');
  assert.equal(scoped({ type: 'team', value: '' }), 'Monthly budget');
  assert.equal(scoped({ type: 'workflow', value: 'wf_1' }), 'Monthly budget');
  assert.equal(scoped({ type: 'repository', value: 'a'.repeat(300) }).length, 255);
});

test('a scope other than the organization needs a value', () => {
  assert.equal(scopeError({ scope: { type: 'organization' } }), null);
  assert.equal(scopeError({ scope: { type: 'team', value: ' ' } }), 'Enter a team.');
  assert.equal(scopeError({ scope: { type: 'branch', value: 'main' } }), null);
});

test('the form holds exactly the fields that can change', () => {
  const settings = { ...newFields(new URLSearchParams('name=Budget&threshold_amount=5')) };
  const alert = {
    ...settings,
    recipients: [],
    id: 'alert_1',
    org_id: 'org',
    state: 'ok',
  } as unknown as OneAlert;
  assert.deepEqual(fieldsOf(alert), settings);
});

test('the next check is the coming midnight, Monday or 1st', () => {
  const next = (frequency: 'daily' | 'weekly' | 'monthly', now: string) =>
    nextCheck(frequency, new Date(now)).toISOString().slice(0, 10);
  assert.equal(next('daily', '2026-12-31T23:59:59Z'), '2027-01-01');
  assert.equal(next('weekly', '2026-11-29T12:00:00Z'), '2026-11-30'); // a Sunday
  assert.equal(next('weekly', '2026-11-30T00:00:00Z'), '2026-12-07'); // a Monday
  assert.equal(next('monthly', '2026-12-01T00:00:00Z'), '2027-01-01');
});
