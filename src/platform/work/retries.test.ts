import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextAttemptAt, type RetrySchedule } from './retries.ts';

const now = new Date('2026-03-18T10:00:00Z');
const schedule: RetrySchedule = {
  delaysMilliseconds: [60_000, 300_000],
  maxJitter: 0.1,
  maxAskedMilliseconds: 600_000,
};

function waitOf(failure: { failures: number; random?: number; askedMilliseconds?: number }, on = schedule) {
  const at = nextAttemptAt(on, { now, ...failure });
  return at && at.getTime() - now.getTime();
}

describe('the next attempt', () => {
  test('follows each failure after its delay, and there is none after the last', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((failures) => waitOf({ failures })),
      [60_000, 300_000, null, null],
    );
  });

  test('is delayed by jitter, never brought forward, by at most a part of the delay', () => {
    assert.deepEqual(
      [0, 0.5, 1].map((random) => waitOf({ failures: 2, random })),
      [300_000, 315_000, 330_000],
    );
    const exact = { delaysMilliseconds: [1_000] };
    assert.equal(waitOf({ failures: 1, random: 1 }, exact), 1_000);
  });

  test('is delayed as the response requests, up to a limit, and never brought forward by it', () => {
    assert.deepEqual(
      [1_000, 400_000, 9_000_000].map((askedMilliseconds) => waitOf({ failures: 1, askedMilliseconds })),
      [60_000, 400_000, 600_000],
    );
    assert.equal(waitOf({ failures: 3, askedMilliseconds: 1_000 }), null, 'it adds no attempt');
    const deaf = { delaysMilliseconds: [1_000] };
    assert.equal(waitOf({ failures: 1, askedMilliseconds: 5_000 }, deaf), 1_000);
  });
});
