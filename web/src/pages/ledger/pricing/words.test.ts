import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindChoices, rateInWords, typedRate } from './words.ts';

test('an empty rate is not a rate of 0', () => {
  const typed = ['', '.', '-', '0', '0.', '0.00', '0.005', 0.000_000_001, 0];
  assert.deepEqual(typed.map(typedRate), ['', '', '', 0, 0, 0, 0.005, 0.000_000_001, 0]);
});

test('a rate shows all its decimals', () => {
  assert.deepEqual(
    [0, 0.008, 0.000_000_001].map((rate) => rateInWords(rate)),
    ['$0.00', '$0.008', '$0.000000001'],
  );
});

test('a runner kind can be chosen with or without a price', () => {
  const linux = { runner_kind: 'linux', title: 'Linux', provider: 'github', usd_per_minute: 0.006 };
  const shape = { ...linux, runner_kind: 'buildkite', title: 'Buildkite', usd_per_minute: null };
  assert.deepEqual(
    kindChoices([linux, shape]).map(({ label }) => label),
    ['Linux (linux)', 'Buildkite (buildkite, no price)'],
  );
});
