import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  byteHours,
  byteMilliseconds,
  byteMillisecondsAbove,
  divideAmong,
  gigabyte,
  monthlyStorageCost,
  storageCost,
} from './byteHours.ts';

const at = (text: string) => new Date(text);
const march = { from: at('2026-03-01T00:00:00Z'), until: at('2026-04-01T00:00:00Z') };
const hours = (milliseconds: bigint) => Number(byteHours(milliseconds)) / 2 ** 30;
const times = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) }).map((time) => new Date(time));
const stored = fc.record({
  bytes: fc.bigInt({ min: 0n, max: 1n << 40n }),
  createdAt: times,
  end: fc.option(times),
});

test("GitHub's own example: 3 GB for 10 days and 12 GB for 21 days are 6,768 GB-hours", () => {
  const ofPart = (gigabytes: bigint, createdAt: string, end: string) =>
    byteMilliseconds({ bytes: gigabytes * gigabyte, createdAt: at(createdAt), end: at(end) }, march);
  const sum =
    ofPart(3n, '2026-03-01T00:00:00Z', '2026-03-11T00:00:00Z') +
    ofPart(12n, '2026-03-11T00:00:00Z', '2026-04-01T00:00:00Z');
  assert.equal(hours(sum), 6_768);
  assert.equal(storageCost('artifact', byteHours(sum)), 2_274_193_548n);
});

test('a gigabyte for a month of 744 hours is the rate of the month', () => {
  const whole = byteMilliseconds(
    { bytes: gigabyte, createdAt: at('2026-01-01T00:00:00Z'), end: null },
    march,
  );
  assert.equal(storageCost('artifact', byteHours(whole)), 250_000_000n);
  assert.equal(monthlyStorageCost('artifact', gigabyte), 250_000_000n);
  assert.equal(monthlyStorageCost('cache', gigabyte), 70_000_000n);
  assert.equal(storageCost('artifact', gigabyte), 336_022n);
});

test('nothing counts after it expired, before it was made, or outside the month', () => {
  const one = (createdAt: string, end: string | null) =>
    hours(byteMilliseconds({ bytes: gigabyte, createdAt: at(createdAt), end: end ? at(end) : null }, march));
  assert.equal(one('2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'), 0);
  assert.equal(one('2026-02-01T00:00:00Z', '2026-03-01T05:00:00Z'), 5);
  assert.equal(one('2026-03-31T23:00:00Z', null), 1);
  assert.equal(one('2026-04-01T00:00:00Z', null), 0);
  assert.equal(one('2026-03-05T00:00:00Z', '2026-03-04T00:00:00Z'), 0);
});

test('the days of a span add up to it', () => {
  fc.assert(
    fc.property(stored, times, fc.array(times, { maxLength: 5 }), (one, from, cuts) => {
      const points = [from, ...cuts].toSorted((a, b) => a.getTime() - b.getTime());
      const parts = points
        .slice(1)
        .map((until, index) => byteMilliseconds(one, { from: points[index]!, until }));
      const whole = byteMilliseconds(one, { from: points[0]!, until: points.at(-1)! });
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0n),
        whole,
      );
    }),
  );
});

test('above nothing is all that was stored, and never more than all', () => {
  fc.assert(
    fc.property(
      fc.array(stored, { maxLength: 6 }),
      times,
      times,
      fc.bigInt({ min: 0n, max: 1n << 41n }),
      (all, from, until, included) => {
        const span = { from, until };
        const whole = all.reduce((sum, one) => sum + byteMilliseconds({ ...one, end: null }, span), 0n);
        assert.equal(byteMillisecondsAbove(0n, all, span), whole);
        assert.ok(byteMillisecondsAbove(included, all, span) <= whole);
      },
    ),
  );
});

test('parts of an amount add up to it', () => {
  const weights = fc.array(fc.bigInt({ min: 0n, max: 1n << 40n }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), weights, (amount, all) => {
      const parts = divideAmong(amount, all);
      const isDivided = all.some((weight) => weight > 0n);
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0n),
        isDivided ? amount : 0n,
      );
    }),
  );
});
