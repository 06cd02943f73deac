import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisDollars } from './chartWords.ts';

test('the ticks of an axis are told apart, however small the amounts are', () => {
  for (const [ticks, told] of [
    [
      [0, 0.004, 0.008, 0.012],
      ['$0', '$0.004', '$0.008', '$0.012'],
    ],
    [
      [0.00035, 0.0105, 0.25, 0.5],
      ['$0.00035', '$0.0105', '$0.25', '$0.5'],
    ],
    [
      [1, 1.5, 1_200, 3_000_000],
      ['$1', '$1.5', '$1.2K', '$3M'],
    ],
  ] as const) {
    assert.deepEqual(ticks.map(axisDollars), told);
  }
});
