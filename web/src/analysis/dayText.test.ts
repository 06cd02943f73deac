import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longDay } from '../ui/figures.ts';
import { dayFrom } from './dayText.ts';

test('reads a day as pages show it, as the API has it, and in other usual ways', () => {
  for (const day of ['2026-01-31', '2028-02-29', '2026-12-01'])
    assert.deepEqual([dayFrom(day), dayFrom(longDay(day))], [day, day]);
  assert.deepEqual(
    ['nov 1 2026', ' November 1, 2026 ', 'Nov. 01, 2026'].map(dayFrom),
    Array(3).fill('2026-11-01'),
  );
  assert.equal(dayFrom('  '), '');
});

test('what is no day reads as none', () => {
  for (const text of ['tomorrow', '2026-02-30', 'Feb 30, 2026', 'Nov 1', 'Foo 1, 2026', '90d', '1.11.2026'])
    assert.equal(dayFrom(text), null, text);
});
