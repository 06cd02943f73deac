import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { daysKnown, runFilterIn, runsAsked, stateNames, type RunFilter } from './runFilter.ts';

const filters: fc.Arbitrary<RunFilter> = fc.record({
  days: fc.constantFrom(...daysKnown),
  branch: fc.string({ unit: 'grapheme' }),
  state: fc.constantFrom(null, ...stateNames),
  page: fc.integer({ min: 1, max: 10_000 }),
});

test('what is filtered by comes back out of the address unchanged', () => {
  fc.assert(
    fc.property(filters, ({ days, branch, state, page }) => {
      const address = new URLSearchParams({ days, branch, page: String(page), ...(state ? { state } : {}) });
      assert.deepEqual(runFilterIn(new URLSearchParams(address.toString())), { days, branch, state, page });
    }),
  );
});

test('one choice for people becomes a status or a conclusion of the API', () => {
  const asked = (state: RunFilter['state']) => runsAsked('wf_1', { days: '7', branch: '', state, page: 2 });
  const common = { workflow_id: 'wf_1', days: 7, page: 2, per_page: 20 };
  assert.deepEqual(asked(null), common);
  assert.deepEqual(asked('queued'), { ...common, status: 'queued' });
  assert.deepEqual(asked('failure'), { ...common, conclusion: 'failure' });
});

test('what an address names wrongly is as if it were left out', () => {
  const wrong = runFilterIn(new URLSearchParams('days=12&state=__proto__&page=-1'));
  assert.deepEqual(wrong, { days: '30', branch: '', state: null, page: 1 });
  for (const page of ['0', '1.5', 'x', '1e99', '']) {
    assert.equal(runFilterIn(new URLSearchParams({ page })).page, 1, page);
  }
});
