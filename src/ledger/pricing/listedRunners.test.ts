import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultBook, providers } from '../../../test/harness/priceLists.ts';
import { priceRunner } from './cost.ts';
import { createPriceList, type PriceRule } from './priceList.ts';
import type { ReportedRunner } from './provider.ts';
import type { StoredListing } from './queries.ts';
import { explainRunner } from './runnerWords.ts';

const big: StoredListing = {
  owner: 'acme',
  name: 'acme-big',
  firstDay: '2026-11-29',
  platform: 'linux-x64',
  size: '16-core',
  cores: 16,
};

const rule: PriceRule = {
  id: 'rule_1',
  match: 'label',
  pattern: 'acme-big',
  runnerKind: 'linux_4_core',
  name: null,
  nanosPerMinute: null,
  laterRates: [],
  rounding: null,
};

type Asked = Partial<ReportedRunner> & { provider?: string; day?: string };

function price(asked: Asked, listings: StoredListing[] = [big], rules: readonly PriceRule[] = []) {
  const { day = '2026-12-01', ...reported } = asked;
  const job = { provider: 'github', labels: ['acme-big'], runnerGroup: null, runnerName: null, ...reported };
  const list = createPriceList(defaultBook, rules, providers, { listings });
  const runner = priceRunner(job, list, day);
  return { ...runner, words: explainRunner({ ...job, ...runner }, providers) };
}

const rateOf = (...asked: Parameters<typeof price>) => {
  const { kind, nanosPerMinute } = price(...asked);
  return [kind, Number(nanosPerMinute) / 1e9];
};

test('the name of a listed runner gets the price of its size, and the receipt says from where', () => {
  const { kind, nanosPerMinute, rule: name, confidence, words } = price({});
  assert.deepEqual([kind, nanosPerMinute, confidence], ['linux_16_core', 64_000_000n, 'certain']);
  assert.equal(name, 'listed@2026-11-29:linux-x64/16-core:acme-big');
  assert.equal(
    words,
    'Runner acme-big is a 16-core Linux x64 larger runner, as GitHub listed it on 2026-11-29.',
  );
  assert.equal(price({}, []).kind, null);
});

test('a rule of the organization wins', () => {
  assert.deepEqual(rateOf({}, [big], [rule]), ['linux_4_core', 0.016]);
});

describe('only a job that can have run on it', () => {
  const cases: [why: string, asked: Asked, kind: string | null][] = [
    ['case does not matter', { labels: ['Acme-Big'] }, 'linux_16_core'],
    ["in GitHub's group", { runnerGroup: 'GitHub Actions', runnerName: 'x' }, 'linux_16_core'],
    ['in a group of its own', { runnerGroup: 'Larger', runnerName: 'acme-big_1f2e' }, 'linux_16_core'],
    ['in the group of self-hosted runners', { runnerGroup: 'Default', runnerName: 'box' }, 'self_hosted'],
    ['with another label', { labels: ['acme-big', 'self-hosted'] }, 'self_hosted'],
    ['of another name', { labels: ['acme-bigger'] }, null],
    ['of another provider', { provider: 'gitlab', runnerGroup: 'instance_type' }, null],
  ];
  for (const [why, asked, kind] of cases) test(why, () => assert.equal(price(asked).kind, kind));

  test('a standard label is what GitHub ships, except in a group of its own', () => {
    const named = { ...big, name: 'ubuntu-24.04' };
    const labels = ['ubuntu-24.04'];
    assert.equal(price({ labels }, [named]).kind, 'linux_2_core');
    assert.equal(price({ labels, runnerGroup: 'Larger', runnerName: 'x' }, [named]).kind, 'linux_16_core');
  });
});

describe('the size comes from platform and cores', () => {
  const sizes: [platform: string, size: string, cores: number, kind: string | null][] = [
    ['linux-x64', '2-core', 2, 'linux_2_core_advanced'],
    ['linux-x64', '96-core', 96, 'linux_96_core'],
    ['linux-arm64', '8-core', 8, 'linux_8_core_arm'],
    ['linux-arm64', '2-core-arm', 2, 'linux_2_core_arm_advanced'],
    ['linux-x64', '4-core-gpu', 4, 'linux_4_core_gpu'],
    ['win-x64', '4-core', 4, 'windows_4_core'],
    ['win-x64', '4-core-gpu', 4, 'windows_4_core_gpu'],
    ['win-arm64', '64-core-arm', 64, 'windows_64_core_arm'],
    ['linux-x64', '128-core', 128, null],
    ['plan9-x64', '8-core', 8, null],
  ];
  for (const [platform, size, cores, kind] of sizes) {
    test(`${platform} ${size} is ${kind}`, () => {
      assert.equal(price({}, [{ ...big, platform, size, cores }]).kind, kind);
    });
  }

  test('a size without a price is shown, and stays unpriced even if the name looks like another', () => {
    const listed = { ...big, name: 'ubuntu-16-cores', size: '128-core', cores: 128 };
    const { hasPrice, words } = price({ labels: ['ubuntu-16-cores'] }, [listed]);
    assert.equal(hasPrice, false);
    assert.match(words, /is a 128-core Linux x64 larger runner, .* No price list has this size/);
  });
});

test('a runner with another size keeps the former one on earlier days', () => {
  const later = { ...big, firstDay: '2026-12-10', size: '32-core', cores: 32 };
  const kindOn = (day: string) => price({ day }, [big, later]).kind;
  assert.equal(kindOn('2026-12-09'), 'linux_16_core');
  assert.equal(kindOn('2026-12-10'), 'linux_32_core');
  assert.equal(kindOn('2025-01-01'), 'linux_16_core');
});

test('two owners with one name decide only if both say the same', () => {
  const other = { ...big, owner: 'umbrella' };
  assert.equal(price({}, [big, other]).kind, 'linux_16_core');
  assert.equal(price({}, [big, { ...other, cores: 4 }]).kind, null);
});
