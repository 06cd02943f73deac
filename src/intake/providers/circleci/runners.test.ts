import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPriceList, providers } from '../../../../test/harness/priceLists.ts';
import { priceRunner } from '../../../ledger/pricing/cost.ts';
import { explainRunner } from '../../../ledger/pricing/runnerWords.ts';

const classes: [labels: string[], kind: string | null, rule: string, confidence: string][] = [
  [['m4pro.medium'], 'circleci_macos_m4pro_medium', 'circleci_class', 'certain'],
  [['Large'], 'circleci_docker_large', 'circleci_class', 'guessed'],
  [['medium+'], 'circleci_docker_medium_plus', 'circleci_class', 'guessed'],
  [['large.gen2'], 'circleci_docker_large_gen2', 'circleci_class', 'guessed'],
  [['acme/mac-mini'], 'self_hosted', 'circleci_own_runner', 'certain'],
  [['job:test', 'acme/mac-mini'], 'self_hosted', 'circleci_own_runner', 'certain'],
  [['gpu.nvidia.medium'], null, 'unmatched', 'certain'],
  [['ubuntu-latest'], null, 'unmatched', 'certain'],
  [['large', 'medium'], null, 'unmatched', 'certain'],
  [['job:large'], null, 'unmatched', 'certain'],
  [['job:a/b'], null, 'unmatched', 'certain'],
  [[], null, 'unmatched', 'certain'],
  [['circleci_docker_large'], 'circleci_docker_large', 'runner_kind', 'certain'],
];
for (const [labels, kind, rule, confidence] of classes) {
  test(`the labels ${labels.join(' ')} are ${kind}`, () => {
    const job = { provider: 'circleci', labels, runnerGroup: null, runnerName: null };
    const runner = priceRunner(job, defaultPriceList, '2026-11-22');
    assert.deepEqual([runner.kind, runner.rule, runner.confidence], [kind, rule, confidence]);
    assert.match(explainRunner({ ...job, ...runner }, providers), /^(The|No|It) .+\.$/);
    if (kind !== null) assert.doesNotMatch(explainRunner({ ...job, ...runner }, providers), /^The rule/);
  });
}

test('explains a self-hosted runner by its resource class, with any other labels', () => {
  const job = {
    provider: 'circleci',
    labels: ['job:test', 'acme/mac-mini'],
    runnerGroup: null,
    runnerName: null,
  };
  const runner = priceRunner(job, defaultPriceList, '2026-11-22');
  const text = "The resource class acme/mac-mini is a self-hosted runner's.";
  assert.equal(explainRunner({ ...job, ...runner }, providers), text);
});
