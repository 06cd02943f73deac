import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dayKinds,
  daysChange,
  daysKnown,
  runFilterIn,
  runsAsked,
  stateNames,
  type RunFilter,
} from './runFilter.ts';

const filters: fc.Arbitrary<RunFilter> = fc.record({
  days: fc.constantFrom(...daysKnown),
  branch: fc.string({ unit: 'grapheme' }),
  state: fc.constantFrom(null, ...stateNames),
  onDay: fc.constantFrom(null, ...dayKinds.map((kind) => ({ kind, day: '2026-02-28' }))),
  page: fc.integer({ min: 1, max: 10_000 }),
});

test('a filter reads back from the address unchanged', () => {
  fc.assert(
    fc.property(filters, ({ days, branch, state, onDay, page }) => {
      const address = new URLSearchParams({
        days,
        branch,
        page: String(page),
        ...(state ? { state } : {}),
        ...(onDay ? { [onDay.kind]: onDay.day } : {}),
      });
      assert.deepEqual(runFilterIn(new URLSearchParams(address.toString())), {
        days,
        branch,
        state,
        onDay,
        page,
      });
    }),
  );
});

test('one choice becomes a status or a conclusion of the API', () => {
  const asked = (state: RunFilter['state']) =>
    runsAsked('wf_1', { days: '7', branch: '', state, onDay: null, page: 2 });
  const common = { workflow_id: 'wf_1', days: 7, page: 2, per_page: 20 };
  assert.deepEqual(asked(null), common);
  assert.deepEqual(asked('queued'), { ...common, status: 'queued' });
  assert.deepEqual(asked('failure'), { ...common, conclusion: 'failure' });
});

test('unknown values in the address get their defaults', () => {
  const wrong = runFilterIn(
    new URLSearchParams('days=12&completed_on=today&created_on=2026-99-01&state=__proto__&page=-1'),
  );
  assert.deepEqual(wrong, { days: '30', branch: '', state: null, onDay: null, page: 1 });
  for (const page of ['0', '1.5', 'x', '1e99', '']) {
    assert.equal(runFilterIn(new URLSearchParams({ page })).page, 1, page);
  }
});

test('a day in the address replaces the period', () => {
  const filter = runFilterIn(new URLSearchParams('completed_on=2026-03-01&days=365'));
  assert.deepEqual(runsAsked('wf_1', filter), {
    workflow_id: 'wf_1',
    days: 365,
    page: 1,
    per_page: 20,
    completed_on: '2026-03-01',
  });
  assert.deepEqual(daysChange('created_on', '2026-03-02'), { completed_on: null, created_on: '2026-03-02' });
  assert.deepEqual(daysChange('completed_on', null), { completed_on: null, created_on: null });
});
