import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { defaultPriceList, providers } from '../../../../test/harness/priceLists.ts';
import { priceRunner } from '../../../ledger/pricing/cost.ts';
import { priceAt } from '../../../ledger/pricing/priceBook.ts';
import { listByDate } from '../../../ledger/pricing/provider.ts';
import {
  createProviders,
  publishedLists,
  successorOf,
  type ReportedRunner,
} from '../../../ledger/pricing/provider.ts';
import { formatNanos } from '../../../platform/lib/money.ts';
import { providers as knownProviders } from '../providers.ts';
import { gitHub } from './provider.ts';
import { gitHubPriceFiles, readPriceFiles } from './runners.ts';

type Seen = Partial<ReportedRunner>;

function classify(seen: Seen) {
  const job = { provider: 'github', labels: [], runnerGroup: null, runnerName: null, ...seen };
  const { kind, rule, confidence } = priceRunner(job, defaultPriceList, null);
  return { kind, rule, confidence };
}

const github: Seen = { runnerGroup: 'GitHub Actions', runnerName: 'GitHub Actions 5' };
const selfHosted: Seen = { runnerGroup: 'Default', runnerName: 'build-box-7' };
const larger: Seen = { runnerGroup: 'Default Larger Runners', runnerName: 'big-runner_4f2a' };

describe('standard labels', () => {
  const kinds: [label: string, kind: string, rule: string][] = [
    ['ubuntu-slim', 'linux_slim', 'ubuntu_slim'],
    ['ubuntu-latest', 'linux_2_core', 'ubuntu'],
    ['ubuntu-24.04', 'linux_2_core', 'ubuntu'],
    ['ubuntu-latest-arm', 'linux_2_core_arm', 'ubuntu_arm'],
    ['ubuntu-22.04-arm', 'linux_2_core_arm', 'ubuntu_arm'],
    ['ubuntu-26.04-arm', 'linux_2_core_arm', 'ubuntu_arm'],
    ['windows-11-arm', 'windows_2_core_arm', 'windows_arm'],
    ['windows-11-vs2026-arm', 'windows_2_core_arm', 'windows_arm'],
    ['windows-latest-arm', 'windows_2_core_arm', 'windows_arm'],
    ['windows-latest', 'windows_2_core', 'windows'],
    ['windows-2022', 'windows_2_core', 'windows'],
    ['windows-2025-vs2026', 'windows_2_core', 'windows'],
    ['macos-latest', 'macos_3_core', 'macos'],
    ['macos-26', 'macos_3_core', 'macos'],
    ['macos-15-intel', 'macos_3_core', 'macos'],
    ['macos-26-arm', 'macos_3_core', 'macos'],
    ['macos-26-large', 'macos_12_core', 'macos_large'],
    ['macos-latest-large', 'macos_12_core', 'macos_large'],
    ['macos-14-large', 'macos_12_core', 'macos_large'],
    ['macos-latest-xlarge', 'macos_5_core_arm', 'macos_xlarge'],
    ['macos-15-xlarge', 'macos_5_core_arm', 'macos_xlarge'],
    ['xcode-16-xlarge', 'macos_5_core_arm', 'macos_xlarge'],
  ];
  for (const [label, kind, rule] of kinds) {
    test(`${label} is ${kind}, by label alone and in GitHub's group`, () => {
      assert.deepEqual(classify({ labels: [label] }), { kind, rule, confidence: 'certain' });
      assert.deepEqual(classify({ labels: [label], ...github }), { kind, rule, confidence: 'certain' });
    });
  }

  for (const label of [
    'ubuntu',
    'my-ubuntu-latest',
    'ubuntu-latest-fast',
    'ubuntu-24.4',
    'macos-xlarge',
    'windows-11',
  ]) {
    test(`${label} only looks similar`, () => {
      assert.equal(classify({ labels: [label] }).kind, null);
      assert.equal(classify({ labels: [label], ...github }).kind, null);
    });
  }

  test('next to a label of the organization is inferred', () => {
    const guessed = { kind: 'linux_2_core', rule: 'ubuntu', confidence: 'guessed' };
    assert.deepEqual(classify({ labels: ['ubuntu-latest', 'gpu'] }), guessed);
    assert.equal(classify({ labels: ['ubuntu-latest', 'gpu'], ...github }).confidence, 'certain');
  });

  test('in a runner group of the organization means another runner', () => {
    const unpriced = { kind: null, rule: 'unmatched', confidence: 'certain' };
    assert.deepEqual(classify({ labels: ['ubuntu-latest'], ...larger }), unpriced);
    assert.deepEqual(classify({ labels: ['ubuntu-latest'], runnerName: 'build-box-7' }), unpriced);
    assert.equal(classify({ labels: ['macos-14-large'], ...larger }).kind, 'macos_12_core');
  });
});

describe('larger runners', () => {
  const kinds: [label: string, kind: string | null][] = [
    ['ubuntu-latest-16-cores', 'linux_16_core'],
    ['ubuntu-24.04-32core', 'linux_32_core'],
    ['acme_linux_4_core', 'linux_4_core'],
    ['linux 96 cores', 'linux_96_core'],
    ['ubuntu-2-core', 'linux_2_core_advanced'],
    ['windows-latest-8-cores', 'windows_8_core'],
    ['windows-2025-64core-x64', 'windows_64_core'],
    ['ubuntu-24.04-arm-16-core', 'linux_16_core_arm'],
    ['ubuntu-8-cores-arm64', 'linux_8_core_arm'],
    ['linux-aarch64-2core', 'linux_2_core_arm_advanced'],
    ['linux-armv8-64core', 'linux_64_core_arm'],
    ['windows-arm-2-core', 'windows_2_core_arm_advanced'],
    ['windows-11-arm64-32-cores', 'windows_32_core_arm'],
    ['ubuntu-gpu-4-core', 'linux_4_core_gpu'],
    ['windows-4-core-gpu-t4', 'windows_4_core_gpu'],
    ['charm-linux-4-core', 'linux_4_core'],
    // GitHub does not offer these sizes.
    ['ubuntu-12-cores', null],
    ['linux-416-cores', null],
    ['windows-2-cores', null],
    ['linux-96-core-arm', null],
    ['linux-8-core-gpu', null],
    ['linux-4-core-arm-gpu', null],
    ['linux-8-corellia', null],
    ['macos-8-core', null],
    ['16-cores', null],
    ['16-cores-linux', null],
    ['big-runner', null],
  ];
  for (const [label, kind] of kinds) {
    test(`${label} is ${kind ?? 'unpriced'}`, () => {
      const expected = kind
        ? { kind, rule: 'larger_runner', confidence: 'guessed' }
        : { kind: null, rule: 'unmatched', confidence: 'certain' };
      assert.deepEqual(classify({ labels: [label] }), expected);
      assert.deepEqual(classify({ labels: [label], ...larger }), expected);
    });
  }
});

describe('self-hosted runners', () => {
  const cases: [what: string, seen: Seen, rule: string][] = [
    ['with their label', { labels: ['self-hosted', 'linux', 'x64'] }, 'self_hosted_label'],
    ['with their label in a custom group', { labels: ['self-hosted'], ...larger }, 'self_hosted_label'],
    ['in the default group', { labels: ['N300', 'in-service'], ...selfHosted }, 'default_runner_group'],
    ['without labels', { labels: [], ...selfHosted }, 'default_runner_group'],
    ['with a standard label', { labels: ['ubuntu-latest'], ...selfHosted }, 'default_runner_group'],
    ['with a kind as label', { labels: ['linux_4_core'], ...selfHosted }, 'default_runner_group'],
    ['with the name of a larger one', { labels: ['ubuntu-16-cores'], ...selfHosted }, 'default_runner_group'],
    [
      'in the default group by group alone',
      { labels: ['big'], runnerGroup: 'default' },
      'default_runner_group',
    ],
  ];
  for (const [what, seen, rule] of cases) {
    test(what, () => assert.deepEqual(classify(seen), { kind: 'self_hosted', rule, confidence: 'certain' }));
  }

  test('a group of the organization does not prove one', () => {
    assert.equal(classify({ labels: ['gpu-box'], ...larger }).kind, null);
  });
});

describe("GitHub's own runners", () => {
  const own: Seen[] = [
    { runnerGroup: 'GitHub Actions' },
    { runnerName: 'GitHub Actions 12' },
    { runnerName: 'GitHub-hosted runner' },
    { runnerName: 'Hosted Agent' },
    { runnerGroup: 'Default', runnerName: 'GitHub Actions 12' },
  ];
  for (const place of own) {
    test(`${JSON.stringify(place)} wins over labels of self-hosted and third-party runners`, () => {
      const labels = ['self-hosted', 'depot-ubuntu', 'windows-latest'];
      assert.deepEqual(classify({ labels, ...place }), {
        kind: 'windows_2_core',
        rule: 'windows',
        confidence: 'certain',
      });
      assert.equal(classify({ labels: ['self-hosted'], ...place }).kind, null);
    });
  }
});

describe('third parties', () => {
  const labels: [label: string, rule: string][] = [
    ['depot-ubuntu-24.04-4', 'depot'],
    ['blacksmith-4vcpu-ubuntu-2404', 'blacksmith'],
    ['warp-ubuntu-latest-x64-4x', 'warpbuild'],
    ['buildjet-8vcpu-ubuntu-2204', 'buildjet'],
    ['ubicloud', 'ubicloud'],
    ['ubicloud-standard-4', 'ubicloud'],
    ['namespace-profile-linux-8-core', 'namespace'],
    ['nscloud-ubuntu-22.04-amd64-4x16', 'namespace'],
    ['runs-on=1234/runner=8cpu-linux-x64', 'runs_on'],
    ['runs-on/runner=2cpu', 'runs_on'],
    ['cirun-linux-8-cores', 'cirun'],
  ];
  for (const [label, rule] of labels) {
    test(`${label}, in any group and with any other labels`, () => {
      const expected = { kind: 'third_party', rule, confidence: 'certain' };
      assert.deepEqual(classify({ labels: [label] }), expected);
      assert.deepEqual(classify({ labels: [label], runnerGroup: 'default', runnerName: 'r-1' }), expected);
      assert.deepEqual(classify({ labels: ['self-hosted', label] }), expected);
      assert.deepEqual(classify({ labels: ['ubuntu-latest', label], ...larger }), expected);
    });
  }
});

describe('a runner kind as the only label', () => {
  for (const kind of providers.kindIds) {
    test(kind, () => {
      assert.deepEqual(classify({ labels: [kind] }), { kind, rule: 'runner_kind', confidence: 'certain' });
    });
  }

  test("counts in any group of a run from the API, but not with a runner's name", () => {
    const inDefault = { labels: ['linux_4_core'], runnerGroup: 'Default' };
    assert.equal(classify({ ...inDefault, runnerName: null }).kind, 'linux_4_core');
    assert.equal(classify({ ...inDefault, runnerName: 'box-7' }).kind, 'self_hosted');
  });

  test('does not count next to another label', () => {
    for (const other of ['a', 'z']) {
      assert.notEqual(classify({ labels: ['macos_3_core', other] }).rule, 'runner_kind');
    }
  });
});

describe('labels', () => {
  test('missing, empty and unknown ones match nothing', () => {
    const unmatched = { kind: null, rule: 'unmatched', confidence: 'certain' };
    for (const labels of [[], [''], ['mystery'], ['constructor', '__proto__']]) {
      assert.deepEqual(classify({ labels }), unmatched);
      assert.deepEqual(classify({ labels, ...github }), unmatched);
    }
  });

  test('an empty group or name is none', () => {
    const waiting: Seen = { runnerGroup: '', runnerName: '' };
    assert.equal(classify({ labels: ['ubuntu-latest'], ...waiting }).confidence, 'certain');
  });

  const anyLabel = fc.oneof(
    fc.constantFrom(
      'self-hosted',
      'linux',
      'ubuntu-latest',
      'windows-2022',
      'macos-14-large',
      'depot-4',
      'gpu',
    ),
    fc.constantFrom('linux-4-core', 'linux-8-core', 'windows-arm-16core', 'linux_2_core', 'third_party'),
    fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  );
  const anyFacts = fc.record({
    labels: fc.array(anyLabel, { maxLength: 4 }),
    runnerGroup: fc.constantFrom(null, '', 'GitHub Actions', 'Default', 'Special'),
    runnerName: fc.constantFrom(null, '', 'GitHub Actions 3', 'box-7'),
  });

  test('order and case do not matter', () => {
    fc.assert(
      fc.property(anyFacts, ({ labels, runnerGroup, runnerName }) => {
        const shouted = {
          labels: labels.toReversed().map((label) => label.toUpperCase()),
          runnerGroup: runnerGroup?.toUpperCase() ?? null,
          runnerName: runnerName?.toUpperCase() ?? null,
        };
        assert.deepEqual(classify(shouted), classify({ labels, runnerGroup, runnerName }));
      }),
      { numRuns: 500 },
    );
  });

  test('of any text can be classified', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary-ascii' }), { maxLength: 3 }), (labels) => {
        const { kind, rule } = classify({ labels });
        assert.ok(kind === null || providers.kindIds.includes(kind));
        assert.match(rule, /^[a-z]+(_[a-z]+)*$/);
      }),
    );
  });
});

test('a later price list is a file, and prices jobs from its day', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-prices-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(gitHubPriceFiles, folder, { recursive: true });
  const later = {
    source: 'https://github.example',
    checkedOn: '2027-02-01',
    usdPerMinute: { linux_2_core: '0.004' },
  };
  writeFileSync(join(folder, '2027-03-01.json'), JSON.stringify(later));
  const priceLists = publishedLists(gitHub, readPriceFiles(pathToFileURL(`${folder}/`)));
  const others = knownProviders.filter(({ id }) => id !== gitHub.id);
  const known = createProviders([{ ...gitHub, priceLists }, ...others]);
  assert.deepEqual(
    known.books.map(({ id, name }) => [id, name]),
    [
      ['github_2025', "GitHub's price list until 2025-12-31"],
      ['github_2026', "GitHub's price list from 2026-01-01 until 2027-02-28"],
      ['github_2027', "GitHub's price list from 2027-03-01"],
      ['github_by_date', 'GitHub, by the date of each job'],
    ],
  );
  const foreign = { id: 'other_by_date', name: 'Other', isByDate: true as const, prices: {} };
  const byDate = listByDate({ ...known, books: [foreign, ...known.books] }, gitHub.id);
  const priceOf = (kind: string, day: string) => formatNanos(priceAt(byDate, kind, day)!.nanosPerMinute);
  const days = ['2025-12-31', '2027-02-28', '2027-03-01'];
  assert.deepEqual(
    days.map((day) => [priceOf('linux_2_core', day), priceOf('macos_3_core', day)]),
    [
      ['0.008', '0.08'],
      ['0.006', '0.062'],
      ['0.004', '0.062'],
    ],
  );
  assert.equal(successorOf(known.books[1]!, '2027-03-01', known)?.id, 'github_by_date');
});
