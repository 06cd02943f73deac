import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { formatNanos, parseUsd } from '../lib/money.ts';
import { defaultBook, priceAt, type PriceBook } from './priceBook.ts';
import { runnerKinds, type RunnerKind } from './runnerKind.ts';

/** Typed in a second time on purpose: a changed price must be changed knowingly. */
const listed: Record<RunnerKind, string> = {
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
  self_hosted: '0',
  third_party: '0',
};

describe('the default book', () => {
  for (const kind of runnerKinds) {
    test(`${kind} costs ${listed[kind]} a minute on every day`, () => {
      for (const day of ['2000-01-01', '2025-12-31', '2026-01-01', '2099-12-31']) {
        assert.equal(formatNanos(priceAt(defaultBook, kind, day)!.nanosPerMinute), listed[kind]);
      }
    });
  }

  test('agrees with the table in docs/cost-model.md, kind for kind', () => {
    const page = readFileSync(new URL('../../docs/cost-model.md', import.meta.url), 'utf8');
    const rows = page.split('\n').flatMap((line) => {
      const [, kind, dollars] = /^\| `(\w+)` +\|.*\| +(\d+\.\d+) +\|$/.exec(line) ?? [];
      return kind && dollars ? [[kind, formatNanos(parseUsd(dollars))]] : [];
    });
    assert.equal(rows.length, runnerKinds.length);
    assert.deepEqual(Object.fromEntries(rows), listed);
  });
});

describe('a book with several prices of one kind', () => {
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

  test('tells from when the price holds', () => {
    assert.equal(priceAt(book, 'linux_2_core', '2026-06-01')?.effectiveFrom, '2026-01-01');
  });
});
