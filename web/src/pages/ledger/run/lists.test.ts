import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAfterItsList } from './lists.ts';

const until2025 = { name: "GitHub's price list until 2025-12-31", row: 'Linux 2-core' };
const ended = (completed_at: string | null, price_book: { name: string; row: string } | null = until2025) =>
  isAfterItsList({ completed_at, receipt: { price_book } });

test('a list has ended for jobs that completed after its last UTC day', () => {
  assert.equal(ended('2026-01-01T00:00:00.000Z'), true);
  assert.equal(ended('2025-12-31T23:59:59.999Z'), false);
  assert.equal(ended(null), false);
});

test('a list without a last day never ends', () => {
  assert.equal(ended('2026-11-01T00:00:00.000Z', { ...until2025, name: 'Ours' }), false);
  assert.equal(ended('2026-11-01T00:00:00.000Z', null), false);
});
