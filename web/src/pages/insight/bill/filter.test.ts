import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedMonthIn } from './filter.ts';

test('a month close is of a month that has begun, whatever the address says', () => {
  const monthIn = (text: string, months: string[] = []) =>
    closedMonthIn(new URLSearchParams({ month: text }), months, '2026-01-15');
  assert.equal(monthIn('2025-03', ['2025-11']), '2025-03');
  assert.equal(monthIn('2026-01'), '2026-01', 'not over yet');
  for (const text of ['', '2026-02', '2025-13', '2025-00', '0000-01', '9999-12', '2025-3', '<b>']) {
    assert.equal(monthIn(text, ['2025-11']), '2025-11', text);
    assert.equal(monthIn(text), '2025-12', text);
  }
});
