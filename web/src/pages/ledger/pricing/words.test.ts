import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindChoices, ratesInWords, rateInWords, rateText, typedRate } from './words.ts';

test('a rate is what was typed, or none', () => {
  const typed = ['', '.', '-', '0', '0.', '0.00', '0.005', '.5', '$0.008', ' 5 ', '0.000000001', '100'];
  assert.deepEqual(typed.map(typedRate), ['', '', '', 0, 0, 0, 0.005, 0.5, 0.008, 5, 0.000_000_001, 100]);
  for (const other of ['0,05', '1e3', '1.234,5', '1,000', '-1', '1 2', '0.0000000001', '101', '5x'])
    assert.equal(typedRate(other), '', other);
  for (const rate of [0, 0.008, 0.000_000_001, 10, 100] as const)
    assert.equal(typedRate(rateText(rate)), rate);
});

test('a rate shows all its decimals', () => {
  assert.deepEqual(
    [0, 0.008, 0.000_000_001].map((rate) => rateInWords(rate)),
    ['$0.00', '$0.008', '$0.000000001'],
  );
});

test('the rates of a rule name their first days', () => {
  const later_rates = [{ effective_from: '2026-09-01', usd_per_minute: 0.001_25 }];
  assert.equal(
    ratesInWords({ usd_per_minute: 0.001, later_rates }),
    '$0.001 per minute, $0.00125 from Sep 1, 2026',
  );
  assert.equal(ratesInWords({ usd_per_minute: null, later_rates: [] }), 'Price list');
});

test('a runner kind can be chosen with or without a price', () => {
  const gitHub = { provider: 'github', provider_title: 'GitHub' };
  const linux = { ...gitHub, runner_kind: 'linux', title: 'Linux', usd_per_minute: 0.006 };
  const shape = { ...linux, runner_kind: 'buildkite', title: 'Buildkite', usd_per_minute: null };
  assert.deepEqual(
    kindChoices([linux, shape]).map(({ label }) => label),
    ['Linux (linux)', 'Buildkite (buildkite, no price)'],
  );
});
