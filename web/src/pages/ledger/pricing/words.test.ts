import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Book } from './queries.ts';
import { kindChoices, rateInWords, typedRate } from './words.ts';

test('an empty rate is not a rate of 0', () => {
  const typed = ['', '.', '-', '0', '0.', '0.00', '0.005', 0.000_000_001, 0];
  assert.deepEqual(typed.map(typedRate), ['', '', '', 0, 0, 0, 0.005, 0.000_000_001, 0]);
});

test('a rate shows all its decimals', () => {
  assert.deepEqual([0, 0.008, 0.000_000_001].map(rateInWords), ['$0.00', '$0.008', '$0.000000001']);
});

test('runner kinds of all lists can be chosen, each once', () => {
  const list = (...kinds: string[]) =>
    ({ prices: kinds.map((kind) => ({ runner_kind: kind, title: kind.toUpperCase() })) }) as Book;
  assert.deepEqual(
    kindChoices([list('linux', 'macos', 'linux'), list('linux', 'buildkite')]).map(({ label }) => label),
    ['LINUX (linux)', 'MACOS (macos)', 'BUILDKITE (buildkite)'],
  );
});
