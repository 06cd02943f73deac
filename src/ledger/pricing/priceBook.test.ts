import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { defaultBook, providers, shippedBooks } from '../../../test/harness/priceLists.ts';
import { formatNanos, parseUsd } from '../../platform/lib/money.ts';
import { priceAt, type PriceBook } from './priceBook.ts';

/** Repeated here so that nobody changes a price by accident. Tests of other providers have their own prices. */
const listed: Record<string, string> = {
  linux_slim: '0.002',
  linux_2_core: '0.008',
  linux_2_core_advanced: '0.008',
  linux_4_core: '0.016',
  linux_8_core: '0.032',
  linux_16_core: '0.064',
  linux_32_core: '0.128',
  linux_64_core: '0.256',
  linux_96_core: '0.384',
  linux_2_core_arm: '0.005',
  linux_2_core_arm_advanced: '0.005',
  linux_4_core_arm: '0.01',
  linux_8_core_arm: '0.02',
  linux_16_core_arm: '0.04',
  linux_32_core_arm: '0.08',
  linux_64_core_arm: '0.16',
  linux_4_core_gpu: '0.07',
  windows_2_core: '0.016',
  windows_4_core: '0.032',
  windows_8_core: '0.064',
  windows_16_core: '0.128',
  windows_32_core: '0.256',
  windows_64_core: '0.512',
  windows_96_core: '0.768',
  windows_2_core_arm: '0.01',
  windows_2_core_arm_advanced: '0.01',
  windows_4_core_arm: '0.02',
  windows_8_core_arm: '0.04',
  windows_16_core_arm: '0.08',
  windows_32_core_arm: '0.16',
  windows_64_core_arm: '0.32',
  windows_4_core_gpu: '0.14',
  macos_3_core: '0.08',
  macos_12_core: '0.12',
  macos_5_core_arm: '0.16',
  gitlab_linux_small: '0.01',
  gitlab_linux_medium: '0.02',
  gitlab_linux_large: '0.03',
  gitlab_linux_xlarge: '0.06',
  gitlab_linux_2xlarge: '0.12',
  gitlab_linux_medium_gpu: '0.07',
  gitlab_linux_small_arm: '0.01',
  gitlab_linux_medium_arm: '0.02',
  gitlab_linux_large_arm: '0.03',
  gitlab_macos_medium_m1: '0.06',
  gitlab_macos_large_m2_pro: '0.12',
  gitlab_windows_medium: '0.01',
  self_hosted: '0',
  third_party: '0',
};

const listedFrom2026: Record<string, string> = {
  ...listed,
  linux_slim: '0.002',
  linux_2_core: '0.006',
  linux_2_core_advanced: '0.006',
  linux_4_core: '0.012',
  linux_8_core: '0.022',
  linux_16_core: '0.042',
  linux_32_core: '0.082',
  linux_64_core: '0.162',
  linux_96_core: '0.252',
  linux_2_core_arm: '0.005',
  linux_2_core_arm_advanced: '0.005',
  linux_4_core_arm: '0.008',
  linux_8_core_arm: '0.014',
  linux_16_core_arm: '0.026',
  linux_32_core_arm: '0.05',
  linux_64_core_arm: '0.098',
  linux_4_core_gpu: '0.052',
  windows_2_core: '0.01',
  windows_4_core: '0.022',
  windows_8_core: '0.042',
  windows_16_core: '0.082',
  windows_32_core: '0.162',
  windows_64_core: '0.322',
  windows_96_core: '0.552',
  windows_2_core_arm: '0.01',
  windows_2_core_arm_advanced: '0.008',
  windows_4_core_arm: '0.014',
  windows_8_core_arm: '0.026',
  windows_16_core_arm: '0.05',
  windows_32_core_arm: '0.098',
  windows_64_core_arm: '0.194',
  windows_4_core_gpu: '0.102',
  macos_3_core: '0.062',
  macos_12_core: '0.077',
  macos_5_core_arm: '0.102',
};

for (const [id, prices] of [
  ['github_2025', listed],
  ['github_2026', listedFrom2026],
] as const) {
  describe(`the price list ${id}`, () => {
    const book = shippedBooks.find((each) => each.id === id)!;
    for (const kind of Object.keys(listed)) {
      test(`has ${prices[kind]} per minute for ${kind} on every day`, () => {
        for (const day of ['2000-01-01', '2025-12-31', '2026-01-01', '2099-12-31']) {
          assert.equal(formatNanos(priceAt(book, kind, day)!.nanosPerMinute), prices[kind]);
        }
      });
    }
  });
}

test('this test has a price for every runner kind', () => {
  const owned = providers.kindIds.filter((kind) =>
    ['github', 'gitlab', undefined].includes(providers.ofKind(kind)?.id),
  );
  assert.deepEqual(owned, Object.keys(listed));
});

test('the default price list is the one until 2025', () => {
  assert.equal(defaultBook.id, 'github_2025');
});

describe('the price list github_by_date', () => {
  const book = shippedBooks.find((each) => each.id === 'github_by_date')!;
  for (const kind of Object.keys(listed)) {
    test(`has the list of each day for ${kind}`, () => {
      for (const [day, prices] of [
        ['2000-01-01', listed],
        ['2025-12-31', listed],
        ['2026-01-01', listedFrom2026],
        ['2099-12-31', listedFrom2026],
      ] as const) {
        assert.equal(formatNanos(priceAt(book, kind, day)!.nanosPerMinute), prices[kind]);
      }
    });
  }

  test('continues after the ended list', () => {
    assert.deepEqual(defaultBook.end, { lastDay: '2025-12-31', nextBookId: book.id });
    assert.deepEqual(
      shippedBooks.filter(({ end }) => end).map(({ id }) => id),
      [defaultBook.id],
    );
  });
});

describe('the table in docs/reference/prices.md', () => {
  test('agrees with the shipped lists for every runner kind', () => {
    const page = readFileSync(new URL('../../../docs/reference/prices.md', import.meta.url), 'utf8');
    const rows = page.split('\n').flatMap((line) => {
      const [, kind, until2025, from2026] =
        /^\| `(\w+)` +\|.*\| +(\d+\.\d+) \| +(\d+\.\d+) \|$/.exec(line) ?? [];
      return kind && until2025 && from2026 ? [{ kind, until2025, from2026 }] : [];
    });
    const pricesIn = (column: 'until2025' | 'from2026') =>
      Object.fromEntries(rows.map((row) => [row.kind, formatNanos(parseUsd(row[column]))]));
    const pricesOf = (id: string) => {
      const book = shippedBooks.find((each) => each.id === id)!;
      return Object.fromEntries(
        providers.kindIds.flatMap((kind) => {
          const price = priceAt(book, kind, '2026-11-22');
          return price ? [[kind, formatNanos(price.nanosPerMinute)]] : [];
        }),
      );
    };
    assert.equal(rows.length, new Set(rows.map(({ kind }) => kind)).size);
    assert.deepEqual(pricesIn('until2025'), pricesOf('github_2025'));
    assert.deepEqual(pricesIn('from2026'), pricesOf('github_2026'));
  });
});

describe('a price list with several prices of one runner kind', () => {
  const book: PriceBook = {
    ...defaultBook,
    prices: {
      ...defaultBook.prices,
      linux_2_core: [
        { effectiveFrom: '2025-01-01', nanosPerMinute: 8n },
        { effectiveFrom: '2026-01-01', nanosPerMinute: 6n },
      ],
    },
  };
  const days: [day: string, nanosPerMinute: bigint | undefined][] = [
    ['2024-12-31', undefined],
    ['2025-01-01', 8n],
    ['2025-12-31', 8n],
    ['2026-01-01', 6n],
    ['2030-01-01', 6n],
  ];
  for (const [day, nanosPerMinute] of days) {
    test(`${day}: ${nanosPerMinute ?? 'none'}`, () => {
      assert.equal(priceAt(book, 'linux_2_core', day)?.nanosPerMinute, nanosPerMinute);
    });
  }

  test('says from which day a price applies', () => {
    assert.equal(priceAt(book, 'linux_2_core', '2026-06-01')?.effectiveFrom, '2026-01-01');
  });
});
