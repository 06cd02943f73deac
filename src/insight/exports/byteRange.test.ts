import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRange } from './routes.ts';

test('a range counts bytes from the start or the end, within the file', () => {
  for (const [header, expected] of [
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=2-4', { first: 2, last: 4 }],
    ['bytes=2-', { first: 2, last: 9 }],
    ['bytes=2-100', { first: 2, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-30', { first: 0, last: 9 }],
    ['BYTES= 9-9 ', { first: 9, last: 9 }],
  ] as const) {
    assert.deepEqual(readRange(header, 10), expected, header);
  }
});

test('a range after the end cannot be satisfied', () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-']) {
    assert.equal(readRange(header, 10), 'unsatisfiable', header);
  }
  assert.equal(readRange('bytes=0-', 0), 'unsatisfiable');
  assert.equal(readRange('bytes=-1', 0), 'unsatisfiable');
});

test('an invalid or multiple range means the whole file', () => {
  const headers = ['', 'bytes=', 'bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'rows=0-1', 'bytes=a-b', '0-1'];
  for (const header of [...headers, undefined]) assert.equal(readRange(header, 10), null, String(header));
});

test('every range is within the file', () => {
  const part = fc.oneof(fc.nat(30).map(String), fc.constant(''));
  fc.assert(
    fc.property(part, part, fc.nat(20), (start, end, size) => {
      const range = readRange(`bytes=${start}-${end}`, size);
      if (range === null || range === 'unsatisfiable') return;
      assert.ok(range.first >= 0 && range.first <= range.last && range.last < size);
    }),
  );
});
