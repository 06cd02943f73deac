import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dayKinds,
  daysChange,
  runFilterIn,
  runOrderParameters,
  states,
  type RunFilter,
} from './runFilter.ts';

const filters: fc.Arbitrary<RunFilter> = fc
  .tuple(
    fc.constantFrom(null, ...states),
    fc.constantFrom(null, ...dayKinds.map((kind) => ({ kind, day: '2026-02-28' }))),
    fc.constantFrom('created', 'cost', 'duration'),
    fc.boolean(),
  )
  .map(([state, onDay, column, isDescending]) => ({ state, onDay, order: { column, isDescending } }));

test('a filter reads back from the address unchanged', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const { state, onDay, order } = filter;
      const parts = { state, ...(onDay && { [onDay.kind]: onDay.day }), ...runOrderParameters(order) };
      const known = Object.entries<string | null>(parts).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      );
      assert.deepEqual(runFilterIn(new URLSearchParams(known)), filter);
    }),
  );
});

test('unknown values in the address get their defaults, and old ones their meaning', () => {
  const wrong = runFilterIn(
    new URLSearchParams('completed_on=today&created_on=2026-99-01&state=__proto__&runs_by=name'),
  );
  assert.deepEqual(wrong, { state: null, onDay: null, order: { column: 'created', isDescending: true } });
  assert.equal(runFilterIn(new URLSearchParams('state=in_progress')).state, 'unfinished');
});

test('one day takes the place of another', () => {
  assert.deepEqual(daysChange('created_on', '2026-03-02'), { completed_on: null, created_on: '2026-03-02' });
  assert.deepEqual(daysChange('completed_on', null), { completed_on: null, created_on: null });
});
