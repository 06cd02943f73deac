import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf } from './flags.ts';

test('each known flag has its own text', () => {
  const titles = ['guessed_runner', 'missing_labels', 'negative_duration', 'over_time_limit'].map((flag) =>
    meaningOf(flag),
  );
  assert.equal(new Set(titles.map(({ text }) => text)).size, 4);
  assert.equal(meaningOf('negative_duration').title, 'Ends before it starts');
});

test('an unknown flag shows its name', () => {
  assert.deepEqual(meaningOf('clock_went_back'), {
    title: 'clock went back',
    text: 'This cost needs a second look.',
  });
});
