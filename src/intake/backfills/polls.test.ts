import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pollSince } from './polls.ts';

test('a poll looks six hours further back than the last, and three days at most', () => {
  const now = new Date('2026-03-18T12:00:00Z');
  for (const [lastPollAt, since] of [
    ['2026-03-18T11:50:00Z', '2026-03-18T05:50:00.000Z'],
    ['2026-03-17T12:00:00Z', '2026-03-17T06:00:00.000Z'],
    ['2026-03-01T12:00:00Z', '2026-03-15T12:00:00.000Z'],
  ] as const) {
    assert.equal(pollSince(new Date(lastPollAt), now).toISOString(), since);
  }
  assert.equal(pollSince(null, now).toISOString(), '2026-03-15T12:00:00.000Z');
});
