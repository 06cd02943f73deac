import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultBook, defaultPriceList, providers } from '../../../test/harness/priceLists.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { priceJob, type BillableJob } from './cost.ts';
import { createPriceList, type PriceRule } from './priceList.ts';

const start = new Date('2026-03-02T23:30:00Z');
const hour = 3_600_000;

function lasting(milliseconds: number, overrides: Partial<BillableJob> = {}): BillableJob {
  return {
    provider: 'github',
    labels: ['ubuntu-latest'],
    runnerGroup: null,
    runnerName: null,
    rawConclusion: 'success',
    status: 'completed',
    ran: true,
    startedAt: start,
    completedAt: new Date(start.getTime() + milliseconds),
    ...overrides,
  };
}

const gitLab = (milliseconds: number, overrides: Partial<BillableJob> = {}) =>
  priceJob(
    lasting(milliseconds, { provider: 'gitlab', labels: [], runnerGroup: 'instance_type', ...overrides }),
    defaultPriceList,
  );

describe('at GitLab', () => {
  const tags: [tag: string, perMinute: string][] = [
    ['saas-linux-small-amd64', '0.01'],
    ['saas-linux-medium-amd64', '0.02'],
    ['saas-linux-large-amd64', '0.03'],
    ['saas-linux-xlarge-amd64', '0.06'],
    ['saas-linux-2xlarge-amd64', '0.12'],
    ['saas-linux-medium-amd64-gpu-standard', '0.07'],
    ['saas-linux-small-arm64', '0.01'],
    ['saas-linux-medium-arm64', '0.02'],
    ['saas-linux-large-arm64', '0.03'],
    ['saas-macos-medium-m1', '0.06'],
    ['saas-macos-large-m2pro', '0.12'],
    ['saas-windows-medium-amd64', '0.01'],
  ];
  for (const [tag, perMinute] of tags) {
    test(`a minute on ${tag} costs ${perMinute}`, () => {
      const cost = gitLab(60_000, { labels: ['docker', tag] });
      assert.deepEqual([formatNanos(cost.costNanos), cost.rounding], [perMinute, 'second']);
    });
  }

  const seconds: [milliseconds: number, costNanos: bigint, minutes: number][] = [
    [1, 166_667n, 1],
    [1_000, 166_667n, 1],
    [1_001, 333_333n, 1],
    [59_999, 10_000_000n, 1],
    [61_000, 10_166_667n, 2],
    [3_600_000, 600_000_000n, 60],
  ];
  for (const [milliseconds, costNanos, minutes] of seconds) {
    test(`${milliseconds} ms are billed by the started second, and count as ${minutes} minutes`, () => {
      const cost = gitLab(milliseconds);
      assert.deepEqual([cost.costNanos, cost.billedMinutes], [costNanos, minutes]);
    });
  }

  const places: [why: string, overrides: Partial<BillableJob>, kind: string | null, rule: string][] = [
    ['a group has its own runners', { runnerGroup: 'group_type' }, 'self_hosted', 'gitlab_own_runner'],
    [
      'a project has its own, whatever their tags',
      { runnerGroup: 'project_type', labels: ['saas-linux-small-amd64'] },
      'self_hosted',
      'gitlab_own_runner',
    ],
    [
      'all runners of a GitLab server of its own are the organization’s',
      { provider: 'gitlab.git.acme.example', labels: ['saas-linux-small-amd64'] },
      'self_hosted',
      'gitlab_own_server',
    ],
    ['an instance runner without tags is the small one', {}, 'gitlab_linux_small', 'gitlab_default'],
    ['another tag is not known', { labels: ['docker'] }, null, 'unmatched'],
    ['nothing is known before a runner took it', { runnerGroup: null }, null, 'unmatched'],
    ['labels of other systems mean nothing', { labels: ['ubuntu-latest'] }, null, 'unmatched'],
    ['a kind can be named', { labels: ['linux_4_core'] }, 'linux_4_core', 'runner_kind'],
  ];
  for (const [why, overrides, kind, rule] of places) {
    test(why, () => {
      const cost = gitLab(60_000, overrides);
      assert.deepEqual([cost.kind, cost.rule], [kind, rule]);
    });
  }

  test('jobs end after three hours', () => {
    assert.deepEqual(gitLab(3 * hour).flags, []);
    assert.deepEqual(gitLab(3 * hour + 1).flags, ['over_time_limit']);
  });
});

describe("an organization's rule", () => {
  const rule = (fields: Partial<PriceRule>): PriceRule => ({
    id: 'rule_1',
    match: 'label',
    pattern: 'big-box',
    rounding: null,
    runnerKind: 'linux_16_core',
    name: null,
    nanosPerMinute: null,
    laterRates: [],
    ...fields,
  });
  const ownRate = { runnerKind: null, name: 'Big box', nanosPerMinute: 3_000_000n };
  const priceBy = (rules: PriceRule[], overrides: Partial<BillableJob>) =>
    priceJob(lasting(61_000, overrides), createPriceList(defaultBook, rules, providers));

  test('comes before the classification and takes the price of its runner kind from the price list', () => {
    const cost = priceBy([rule({ pattern: 'Ubuntu-Latest' })], {});
    assert.deepEqual(
      [cost.kind, cost.rule, cost.priceRuleId, cost.costNanos],
      ['linux_16_core', 'label:Ubuntu-Latest', 'rule_1', 128_000_000n],
    );
  });

  test('can have its own name, rate and rounding', () => {
    const cost = priceBy([rule({ ...ownRate, rounding: 'second' })], { labels: ['x', 'BIG-BOX'] });
    assert.deepEqual([cost.kind, cost.costNanos, cost.billedMinutes], ['custom:Big box', 3_050_000n, 2]);
    assert.equal(cost.isUnpriced, false);
  });

  test('can have later rates, each from its first UTC day of completion', () => {
    const later = (effectiveFrom: string, nanosPerMinute: bigint) => ({ effectiveFrom, nanosPerMinute });
    const laterRates = [later('2026-09-01', 4_000_000n), later('2026-10-01', 5_000_000n)];
    const priced = (completedAt: string) => {
      const end = new Date(completedAt);
      const startedAt = new Date(end.getTime() - 60_000);
      const job = { labels: ['big-box'], startedAt, completedAt: end };
      const { rule: name, costNanos } = priceBy([rule({ ...ownRate, laterRates })], job);
      return [name, costNanos];
    };
    assert.deepEqual(priced('2026-08-31T23:59:59Z'), ['label:big-box', 3_000_000n]);
    assert.deepEqual(priced('2026-09-01T00:00:00Z'), ['label@2026-09-01:big-box', 4_000_000n]);
    assert.deepEqual(priced('2026-11-20T00:00:00Z'), ['label@2026-10-01:big-box', 5_000_000n]);
  });

  test('by the second rounds half a nano-dollar up', () => {
    const halves = rule({ ...ownRate, nanosPerMinute: 30n, rounding: 'second' });
    assert.equal(priceBy([halves], { labels: ['big-box'] }).costNanos, 31n);
  });

  test('wins if it comes first', () => {
    const rules = [rule({ id: 'rule_2', match: 'regex', pattern: '^big' }), rule({})];
    assert.equal(priceBy(rules, { labels: ['big-box'] }).priceRuleId, 'rule_2');
    assert.equal(priceBy(rules.toReversed(), { labels: ['big-box'] }).priceRuleId, 'rule_1');
  });

  test('matches runner groups', () => {
    const rules = [rule({ match: 'runner_group', pattern: 'gpu lab', ...ownRate })];
    assert.equal(priceBy(rules, { labels: ['n300'], runnerGroup: 'GPU Lab' }).costNanos, 6_000_000n);
    assert.equal(priceBy(rules, { labels: ['n300'], runnerGroup: 'GPU' }).isUnpriced, true);
  });

  test('does not bill what never ran', () => {
    assert.equal(priceBy([rule({})], { labels: ['big-box'], ran: false }).costNanos, 0n);
  });

  test('matches nothing if its pattern is invalid', () => {
    assert.equal(priceBy([rule({ match: 'regex', pattern: '(' })], {}).kind, 'linux_2_core');
  });
});
