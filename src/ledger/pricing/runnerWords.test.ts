import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultPriceList, providers } from '../../../test/harness/priceLists.ts';
import { priceRunner } from './cost.ts';
import { explainRunner as explain, runnerTitle as titleOf } from './runnerWords.ts';

const runnerTitle = (kind: string) => titleOf(kind, providers);
const explainRunner = (runner: Parameters<typeof explain>[0]) => explain(runner, providers);

test('every runner kind has its own title', () => {
  const titles = providers.kindIds.map(runnerTitle);
  assert.equal(new Set(titles).size, providers.kindIds.length);
  assert.equal(runnerTitle('linux_slim'), 'Linux 1-core');
  assert.equal(runnerTitle('linux_2_core'), 'Linux 2-core');
  assert.equal(runnerTitle('windows_2_core_arm_advanced'), 'Windows 2-core arm64 (larger runner)');
  assert.equal(runnerTitle('linux_4_core_gpu'), 'Linux 4-core GPU');
  assert.equal(runnerTitle('macos_5_core_arm'), 'macOS 5-core arm64');
  assert.equal(runnerTitle('gitlab_linux_medium_gpu'), 'GitLab Linux medium GPU');
  assert.equal(runnerTitle('gitlab_macos_large_m2_pro'), 'GitLab macOS large M2 Pro');
  assert.equal(runnerTitle('custom:Big box'), 'Big box');
  assert.equal(runnerTitle('a_kind_of_later'), 'a_kind_of_later');
});

describe('the explanation of a rule', () => {
  for (const [labels, runnerGroup, expected] of [
    [['linux_4_core'], null, 'The label linux_4_core names the runner kind: Linux 4-core.'],
    [['Ubuntu-Latest'], null, "The label Ubuntu-Latest is GitHub's standard runner, Linux 2-core."],
    [
      ['fast', 'ubuntu-24.04'],
      null,
      "The label ubuntu-24.04 is GitHub's standard runner, Linux 2-core; inferred, because the job asked for " +
        'more than that label.',
    ],
    [['macos-14-large'], null, "The label macos-14-large is GitHub's larger runner, macOS 12-core."],
    [
      ['x', 'team-linux-16-cores'],
      'Ours',
      "The label team-linux-16-cores looks like GitHub's larger runner Linux 16-core; the size is inferred.",
    ],
    [['linux', 'Self-Hosted', 'x64'], 'Ours', 'The label Self-Hosted marks a self-hosted runner.'],
    [['linux'], 'Default', 'Self-hosted runners are in the runner group Default.'],
    [['depot-ubuntu-22.04-8'], null, 'The label depot-ubuntu-22.04-8 belongs to runners of Depot.'],
    [
      ['b', 'a'],
      'Lab',
      'No rule matches a runner with the labels b, a in the group Lab, so it has no price.',
    ],
    [['lab'], null, 'No rule matches a runner with the label lab, so it has no price.'],
    [[], null, 'No rule matches a runner without labels, so it has no price.'],
  ] as const) {
    test(`of ${labels.join(' ')} in ${runnerGroup}`, () => {
      const facts = { labels, runnerGroup, runnerName: null };
      const { kind, rule, confidence } = priceRunner(
        { ...facts, provider: 'github' },
        defaultPriceList,
        null,
      );
      assert.equal(explainRunner({ ...facts, kind, rule, confidence }), expected);
    });
  }

  for (const [rule, kind, expected] of [
    [
      'runner_group:Lab',
      'custom:Big box',
      "The organization's rule for the runner group Lab says it is Big box.",
    ],
    [
      'gitlab_tag',
      'gitlab_linux_small',
      "The tag saas-linux-small-amd64 is GitLab's hosted runner, GitLab Linux small.",
    ],
    [
      'gitlab_default',
      'gitlab_linux_small',
      "An instance runner without tags is GitLab's default one, GitLab Linux small.",
    ],
    ['gitlab_own_runner', 'self_hosted', "It is a runner of the group or project, not one of GitLab's."],
  ] as const) {
    test(`of ${rule}`, () => {
      const labels = rule === 'gitlab_tag' ? ['saas-linux-small-amd64'] : [];
      const runner = {
        labels,
        runnerGroup: null,
        runnerName: null,
        kind,
        rule,
        confidence: 'certain' as const,
      };
      assert.equal(explainRunner(runner), expected);
    });
  }

  test('exists for rules and labels that no longer exist', () => {
    const facts = { labels: ['x'], runnerGroup: null, runnerName: null };
    assert.equal(
      explainRunner({ ...facts, kind: 'linux_2_core', rule: 'of_old', confidence: 'certain' }),
      'The rule of_old says it is Linux 2-core.',
    );
  });
});
