import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { providers } from '../../../test/harness/priceLists.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { nanosOf, orderOf, productOf, readDay, readDecimal, proportionOf } from './readLine.ts';
import { readHeader, readLines, type CsvLine } from './readLines.ts';
import {
  billedProduct,
  gigabyteHours,
  isStandardSku,
  knownPriceNanos,
  normalizeSku,
  skuOfBill,
  skuOfKind,
} from './skus.ts';

const spellings: [given: string[], sku: string][] = [
  [['actions_linux', 'Actions Linux', 'ACTIONS_LINUX', 'linux', 'Compute - UBUNTU'], 'linux'],
  [
    ['actions_linux_4_core', 'linux_4_core', 'Actions Linux 4-core', 'Compute - UBUNTU_4_CORE'],
    'linux_4_core',
  ],
  [['actions-macos', 'Actions macOS', 'Compute - MACOS', 'MACOS'], 'macos'],
  [['actions_macos_xl', 'Compute - MACOS_XLARGE', 'actions_beta_macos_xl_runner'], 'macos_xl'],
  [['actions_macos_12_core', 'Compute - MACOS_LARGE', 'macos_l'], 'macos_l'],
  [['actions_windows', 'Compute - WINDOWS'], 'windows'],
  [['actions_windows_4_core_gpu', 'Compute - WINDOWS_4_CORE_GPU'], 'windows_4_core_gpu'],
  [
    ['actions_self_hosted_linux', 'actions_self_hosted_unknown', 'actions_beta_self_hosted_runner'],
    'self_hosted',
  ],
  [['actions_linux_20_core_mem'], 'linux_20_core_mem'],
];
test('every spelling of a SKU is the same SKU', () => {
  for (const [given, sku] of spellings) {
    for (const text of given) assert.equal(skuOfBill(normalizeSku(text)), sku, text);
  }
});

test('every name of a runner kind is a SKU name too, unless GitHub names another SKU so', () => {
  const skus = new Set(providers.kindIds.map(skuOfKind));
  for (const kind of providers.kindIds) {
    const sku = skus.has(kind) ? kind : skuOfKind(kind);
    for (const text of [kind, `actions_${kind}`, `Actions ${kind.replaceAll('_', ' ')}`])
      assert.equal(skuOfBill(normalizeSku(text)), sku, text);
  }
  assert.equal(skuOfBill(normalizeSku('Actions macOS 3-core')), 'macos');
  assert.equal(skuOfBill(normalizeSku('linux 2-core')), 'linux');
  assert.equal(skuOfBill(normalizeSku('windows 2-core')), 'windows');
});

test('lines of the bill belong to a product', () => {
  const lines: [product: string, sku: string, unit: string, is: string][] = [
    ['actions', 'linux', 'minutes', 'compute'],
    ['actions', 'storage', 'gigabyte_hours', 'storage'],
    ['actions', 'custom_image_storage', 'gigabyte_hours', 'storage'],
    ['shared_storage', 'shared_storage', 'gb_days', 'storage'],
    ['sandbox', 'sandbox_storage', 'gigabyte_months', 'sandbox'],
    ['copilot', 'copilot_ai_credits', 'ai_credits', 'ai_credits'],
    ['copilot', 'copilot_for_business', 'user_months', 'other'],
    ['spark', 'spark_ai_credit', 'ai_credits', 'ai_credits'],
    ['codespaces', 'compute_2_core', 'hours', 'other'],
    ['packages', 'packages_bandwidth', 'gigabytes', 'storage'],
    ['git_lfs', 'git_lfs_storage', 'gigabyte_hours', 'lfs'],
    ['git_lfs', 'git_lfs_bandwidth', 'gigabytes', 'lfs'],
    ['actions', 'self_hosted_linux', 'minutes', 'compute'],
    ['marketplace', 'linter_pro', 'months', 'third_party'],
    ['', 'never_seen', 'things', 'other'],
  ];
  for (const [product, sku, unit, is] of lines) assert.equal(billedProduct({ product, sku, unit }), is, sku);
});

test('units are known as earlier imports stored them, too', () => {
  for (const unit of ['gigabyte_hours', 'gigabytehours']) {
    assert.equal(gigabyteHours({ unit, quantityNanos: 5n }), 5n);
    assert.equal(knownPriceNanos({ product: 'actions', sku: 'storage', unit }), 336_021n);
  }
  for (const unit of ['ai_credits', 'aicredits'])
    assert.equal(knownPriceNanos({ product: 'copilot', sku: 'copilot_ai_credits', unit }), 10_000_000n);
});

test('runner kinds have different SKUs, and only the six standard ones are free in public repositories', () => {
  const skus = providers.kindIds.map(skuOfKind);
  assert.equal(new Set(skus).size, providers.kindIds.length);
  assert.deepEqual(
    providers.kindIds.filter((kind) => isStandardSku(skuOfKind(kind))),
    [
      'linux_slim',
      'linux_2_core',
      'linux_2_core_arm',
      'windows_2_core',
      'windows_2_core_arm',
      'macos_3_core',
    ],
  );
  // Standard and larger runners of that size have similar names.
  assert.equal(skuOfKind('linux_2_core_arm'), 'linux_arm');
  assert.equal(skuOfKind('linux_2_core_arm_advanced'), 'linux_2_core_arm');
});

test('reads decimals exactly and rounds half to even beyond nine places', () => {
  const cases: [text: string, nanos: bigint | null, isRounded?: boolean][] = [
    ['0.336', 336_000_000n],
    ['-1.5', -1_500_000_000n],
    ['3E-05', 30_000n],
    ['1e3', 1_000_000_000_000n],
    ['$12', 12_000_000_000n],
    ['.5', 500_000_000n],
    ['0.0000000005', 0n, true],
    ['0.0000000015', 2n, true],
    ['-0.00000000051', -1n, true],
    ['0.3333333330000', 333_333_333n],
    ...['', '-', '.', '1,5', '1.2.3', 'NaN', '=1+1', '0x10', '1e', '٣'].map((text): [string, null] => [
      text,
      null,
    ]),
  ];
  for (const [text, nanos, isRounded = false] of cases) {
    const decimal = readDecimal(text);
    assert.deepEqual(decimal && nanosOf(decimal), nanos === null ? null : { nanos, isRounded }, text);
  }
  const nanos = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  fc.assert(
    fc.property(nanos, (value) => {
      assert.deepEqual(nanosOf(readDecimal(formatNanos(value))!), { nanos: value, isRounded: false });
    }),
  );
});

test('rounds products and shares half to even, also below 0', () => {
  const times = (a: string, b: string) => nanosOf(productOf(readDecimal(a)!, readDecimal(b)!));
  assert.deepEqual(times('4.5', '0.008'), { nanos: 36_000_000n, isRounded: false });
  assert.deepEqual(times('0.000000001', '0.5'), { nanos: 0n, isRounded: true });
  assert.deepEqual(times('0.000000003', '0.5'), { nanos: 2n, isRounded: true });
  assert.deepEqual(times('-0.000000003', '0.5'), { nanos: -2n, isRounded: true });
  // Neither factor is rounded first.
  assert.deepEqual(times('1000000', '0.000336021505376344'), { nanos: 336_021_505_376n, isRounded: true });
  assert.deepEqual(times('2e6', '5e-10'), { nanos: 1_000_000n, isRounded: false });
  assert.equal(proportionOf(100n, 1n, 3n), 33n);
});

test('reads all date formats of reports', () => {
  for (const text of [
    '2026-03-02',
    '2026-03-02T00:01:14Z',
    '03/02/2026',
    '3/2/26',
    ' 2026-03-02 ',
    '2026-3-2',
  ]) {
    assert.equal(readDay(text, 'mdy'), '2026-03-02', text);
  }
  assert.equal(readDay('2026-03-02T23:30:00-05:00', 'mdy'), '2026-03-03');
  assert.equal(readDay('2026-03-02T23:30:00', 'mdy'), '2026-03-02');
  for (const text of [
    '',
    '2026-02-30',
    '13/01/2026',
    '2026',
    '1999-01-01',
    '46000',
    '2026-03-02Tnonsense+00:00',
  ]) {
    assert.equal(readDay(text, 'mdy'), null, text);
  }
});

test('a date with slashes proves an order if it is a day in only one', () => {
  assert.equal(readDay('13/10/2026', 'dmy'), '2026-10-13');
  assert.equal(readDay('2026-10-03', 'dmy'), '2026-10-03');
  const expected: [order: 'mdy' | 'dmy' | 'open' | null, texts: string[]][] = [
    ['dmy', ['13/10/2026', ' 13/1/26 ', '30/03/2026']],
    ['mdy', ['10/13/2026', '1/13/26']],
    ['open', ['03/04/2026', '3/4/26', '12/1/2026']],
    [null, ['03/03/2026', '2026-10-13', '30/02/2026', '13/13/2026', '0/4/2026', '13/10/1926', '']],
  ];
  for (const [order, texts] of expected) for (const text of texts) assert.equal(orderOf(text), order, text);
});

test('finds columns by name, in any order, case and spelling', () => {
  const names = [
    'Net Amount',
    'GROSS_AMOUNT',
    'repositoryName',
    'Unit-Type',
    'quantity',
    'Sku',
    'product',
    'usage_at',
  ];
  const header = readHeader(names);
  assert.ok('at' in header);
  assert.equal(header.format, 'summarised');
  assert.deepEqual([header.at.net, header.at.gross, header.at.repository, header.at.date], [0, 1, 2, 7]);
  const detailed = readHeader([...names, 'workflow_name']);
  assert.ok('at' in detailed && detailed.format === 'detailed');
  const legacy = ['Date', 'Product', 'SKU', 'Quantity', 'Unit Type', 'Price Per Unit ($)', 'Repository Slug'];
  const old = readHeader(legacy);
  assert.ok('at' in old && old.format === 'legacy');
});

test('names the fault of a heading', () => {
  const fault = (cells: string[]) => (readHeader(cells) as { fault: string }).fault;
  assert.match(
    fault(['date', 'sku']),
    /lacks the columns product, quantity, unit_type, repository, gross_amount/,
  );
  const all = ['date', 'product', 'sku', 'quantity', 'unit_type', 'gross_amount', 'net_amount', 'repository'];
  assert.match(fault([...all, 'Gross Amount']), /gross_amount twice/);
  assert.match(fault(Array.from({ length: 10_000 }, () => 'x')), /10000 columns/);
});

async function linesOf(...chunks: (string | Buffer)[]): Promise<CsvLine[]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: CsvLine[] = [];
  for await (const batch of readLines(source())) lines.push(...batch);
  return lines;
}

test('numbers lines as in the file, without empty ones, for any chunks', async () => {
  const text = '\uFEFF"a",b\r\n\r\n c , "d, ""e"""\nü,';
  const expected = [
    { number: 1, cells: ['a', 'b'] },
    { number: 3, cells: ['c', 'd, "e"'] },
    { number: 4, cells: ['ü', ''] },
  ];
  assert.deepEqual(await linesOf(text), expected);
  assert.deepEqual(await linesOf(...[...Buffer.from(text)].map((byte) => Buffer.of(byte))), expected);
});

test('a broken line does not break others', async () => {
  const spoilt: [text: string | Buffer, fault: RegExp | string[]][] = [
    ['a,"b', /quote/],
    ['"a"b"",c', /quotes/],
    ['a"b"c,d', ['a"b"c', 'd']],
    ['a\0b,c', /null character/],
    [Buffer.from([0xff, 0xfe, 0x2c, 0x41]), /UTF-8/],
    ['x'.repeat(70_000), /64 KiB/],
    ['=1+1,@x', ['=1+1', '@x']],
  ];
  for (const [text, expected] of spoilt) {
    const lines = await linesOf('1,2\n', text, '\n3,4\n5,6');
    assert.deepEqual(
      lines.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    const [before, line, ...after] = lines as [CsvLine, CsvLine, CsvLine, CsvLine];
    assert.deepEqual(
      [before, ...after].map((each) => 'cells' in each && each.cells),
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    );
    if (expected instanceof RegExp)
      assert.ok('fault' in line && expected.test(line.fault), JSON.stringify(line));
    else assert.deepEqual('cells' in line && line.cells, expected);
  }
});

test('two unclosed quotes do not close each other', async () => {
  const lines = await linesOf('1,2\na,"b\n3,4\nc",d\n5,6');
  assert.deepEqual(
    lines.map((line) => ('cells' in line ? line.cells.join() : line.fault)),
    ['1,2', 'has quotes that do not match', '3,4', 'has quotes that do not match', '5,6'],
  );
});

test('a line of a hundred megabytes takes no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const held = (): number => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  let most = 0;
  async function* source() {
    yield Buffer.from('a,b\n"');
    for (let i = 1; i <= 100; i++) {
      yield Buffer.alloc(1024 * 1024, 'x');
      if (i % 20 === 0) most = Math.max(most, held() - before);
    }
    yield Buffer.from('\nc,d\n');
  }
  const lines: CsvLine[] = [];
  for await (const batch of readLines(source())) lines.push(...batch);
  assert.deepEqual(
    lines.map((line) => ('cells' in line ? line.cells : line.fault)),
    [['a', 'b'], 'is longer than 64 KiB', ['c', 'd']],
  );
  // Garbage collection may be late.
  assert.ok(most < 60 * 1024 * 1024, `${most} bytes`);
});
