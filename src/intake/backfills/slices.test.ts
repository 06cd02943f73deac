import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createdQuery, daysWithin, halve, type Slice, sliceBetween } from './backfill.ts';

const anySlice = fc
  .tuple(fc.integer({ min: 1_500_000_000, max: 1_900_000_000 }), fc.integer({ min: 0, max: 5_000_000 }))
  .map(([from, length]): Slice => ({ from, to: from + length }));

test('the halves of a slice cover each of its seconds once, the later half first', () => {
  fc.assert(
    fc.property(anySlice, (slice) => {
      const halves = halve(slice);
      if (slice.from === slice.to) return assert.equal(halves, null);
      const [later, earlier] = halves!;
      assert.equal(earlier.from, slice.from);
      assert.equal(earlier.to + 1, later.from);
      assert.equal(later.to, slice.to);
      assert.ok(earlier.from <= earlier.to && later.from <= later.to);
    }),
  );
});

test('a slice starts with the second of its start and ends before its end', () => {
  const day = sliceBetween(new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z'));
  assert.equal(createdQuery(day), '2026-03-01T00:00:00Z..2026-03-01T23:59:59Z');
  const broken = sliceBetween(new Date('2026-03-01T00:00:00.900Z'), new Date('2026-03-01T00:00:02.100Z'));
  assert.equal(createdQuery(broken), '2026-03-01T00:00:00Z..2026-03-01T00:00:02Z');
});

test('an empty slice is a second', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  assert.equal(createdQuery(sliceBetween(at, at)), '2026-03-01T00:00:00Z..2026-03-01T00:00:00Z');
});

test('the days within a slice are those completely in it', () => {
  const within = (from: string, to: string) =>
    daysWithin({ from: Date.parse(from) / 1_000, to: Date.parse(to) / 1_000 });
  assert.deepEqual(within('2026-03-17T00:00:00Z', '2026-03-17T23:59:59Z'), {
    start: '2026-03-17',
    end: '2026-03-17',
  });
  assert.deepEqual(within('2026-03-16T00:00:01Z', '2026-03-19T23:59:58Z'), {
    start: '2026-03-17',
    end: '2026-03-18',
  });
  assert.equal(within('2026-03-17T00:00:01Z', '2026-03-17T23:59:59Z'), null);
  assert.equal(within('2026-03-17T00:00:00Z', '2026-03-17T00:00:00Z'), null);
});
