import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { consequenceOf, type Verdict } from './outcome.ts';

const now = new Date('2026-03-18T12:00:00Z');
const failure: Verdict = {
  outcome: 'failure',
  responseCode: 500,
  errorClass: 'http_status',
  message: 'answered 500',
  retryAfter: null,
};
const success: Verdict = {
  ...failure,
  outcome: 'success',
  responseCode: 200,
  errorClass: null,
  message: null,
};
const unknown: Verdict = { ...failure, outcome: 'unknown', responseCode: null, errorClass: 'aborted' };
const automatic = { reason: 'schedule', isCounted: true } as const;
const byHand = { reason: 'resend', isCounted: true } as const;
const pending = { status: 'pending', automaticAttempts: 0, dueAt: now } as const;

test('four failures each lead to one more attempt, the fifth to none', () => {
  const minutes = [1, 5, 30, 120];
  for (const [random, factor] of [
    [0, 1],
    [1, 1.1],
  ] as const) {
    for (const [used, wait] of minutes.entries()) {
      const next = consequenceOf({ ...pending, automaticAttempts: used }, automatic, failure, {
        now,
        random,
      });
      assert.equal(next.dueAt!.getTime() - now.getTime(), Math.round(wait * 60_000 * factor));
      assert.deepEqual([next.status, next.automaticAttempts, next.isExhausted], ['pending', used + 1, false]);
    }
  }
  const last = consequenceOf({ ...pending, automaticAttempts: 4 }, automatic, failure, { now, random: 0 });
  assert.deepEqual(last, { status: 'failed', automaticAttempts: 5, dueAt: null, isExhausted: true });
});

describe('an attempt', () => {
  const later = new Date(now.getTime() + 1_800_000);
  const cases = [
    ['that was interrupted is repeated at once', automatic, unknown, ['pending', 2, now]],
    ['of a resend that was interrupted changes nothing', byHand, unknown, ['pending', 2, later]],
    ['of a resend that fails keeps the automatic ones', byHand, failure, ['pending', 2, later]],
    ['of a resend that succeeds ends them', byHand, success, ['success', 2, null]],
    ['that succeeds ends them', automatic, success, ['success', 3, null]],
    [
      'that failed through our own fault does not count',
      { reason: 'schedule', isCounted: false },
      failure,
      ['pending', 2, new Date(now.getTime() + 60_000)],
    ],
  ] as const;
  for (const [what, attempt, verdict, expected] of cases) {
    test(what, () => {
      const standing = { ...pending, automaticAttempts: 2, dueAt: later };
      const next = consequenceOf(standing, attempt, verdict, { now, random: 0 });
      assert.deepEqual([next.status, next.automaticAttempts, next.dueAt], expected);
    });
  }

  test('of a resend decides if no other follows', () => {
    const ping = { ...pending, dueAt: null };
    const status = (standing: Parameters<typeof consequenceOf>[0], verdict: Verdict) =>
      consequenceOf(standing, byHand, verdict, { now, random: 0 }).status;
    assert.equal(status(ping, failure), 'failed');
    assert.equal(status(ping, unknown), 'pending');
    assert.equal(status({ ...ping, status: 'held' }, failure), 'held');
    assert.equal(status({ ...ping, status: 'success' }, failure), 'success');
    assert.equal(status({ ...ping, status: 'failed' }, success), 'success');
    assert.equal(consequenceOf(ping, byHand, unknown, { now, random: 0 }).dueAt, null);
  });
});

test('no delivery has more than five automatic attempts, and none before its time', () => {
  const steps = fc.array(
    fc.record({
      verdict: fc.constantFrom(failure, success, unknown, { ...failure, retryAfter: '7000' }),
      attempt: fc.constantFrom(automatic, byHand),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(steps, (attempts) => {
      let standing: Parameters<typeof consequenceOf>[0] = pending;
      let [at, counted] = [now, 0];
      for (const { verdict, attempt, random } of attempts) {
        if (attempt === automatic && standing.dueAt === null) continue;
        if (attempt === automatic) at = new Date(Math.max(at.getTime(), standing.dueAt!.getTime()));
        const next = consequenceOf(standing, attempt, verdict, { now: at, random });
        if (attempt === automatic && verdict.outcome !== 'unknown') counted++;
        if (next.dueAt && attempt === automatic && verdict.outcome === 'failure') {
          const wait = next.dueAt.getTime() - at.getTime();
          assert.ok(wait >= [1, 5, 30, 120][counted - 1]! * 60_000 && wait <= 132 * 60_000);
        }
        if (standing.status === 'success') assert.equal(next.status, 'success');
        standing = next;
      }
      assert.ok(counted <= 5);
      assert.equal(standing.automaticAttempts, counted);
    }),
  );
});
