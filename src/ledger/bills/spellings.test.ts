import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { readLine, type BillLine } from './readLine.ts';
import { readHeader, readLines } from './readLines.ts';

const dates = { order: 'mdy', latest: '2026-12-31', year: null } as const;

/** Each column with its names in reports, and each unit as reports spell it. */
const columns: Record<string, string[]> = {
  date: ['date', 'Date', 'usage_at', 'usageDate'],
  product: ['product', 'Product', 'productName'],
  sku: ['sku', 'SKU', 'sku_name'],
  quantity: ['quantity', 'Quantity'],
  unit: ['unit_type', 'Unit Type', 'unitType', 'unit-type'],
  price: ['applied_cost_per_quantity', 'appliedCostPerQuantity', 'Price Per Unit ($)'],
  gross: ['gross_amount', 'Gross Amount', 'grossAmount'],
  discount: ['discount_amount', 'discountAmount'],
  net: ['net_amount', 'Net Amount', 'netAmount'],
  organization: ['organization', 'organizationName'],
  repository: ['repository', 'Repository Slug', 'repositoryName'],
  other: ['cost_center_name', 'something else'],
};
const units: Record<string, string[]> = {
  minutes: ['minutes', 'Minutes', 'minute', 'MINUTES'],
  gigabyte_hours: ['GigabyteHours', 'gigabyte-hours', 'Gigabyte Hours', 'gigabyte_hours'],
  user_months: ['UserMonths', 'user-months', 'User Months'],
  ai_credits: ['ai-credits', 'AI credits', 'ai_credits'],
};

const spelled = fc.record({
  order: fc.shuffledSubarray(Object.keys(columns), { minLength: Object.keys(columns).length }),
  spelling: fc.nat(100),
  unit: fc.constantFrom(...Object.keys(units)),
  repository: fc.constantFrom('api', 'Acme/api', 'a,b', 'the ""api""', ' spaced '),
  quotes: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  padding: fc.constantFrom('', ' '),
  ending: fc.constantFrom('\n', '\r\n', ''),
});

async function read(csv: string): Promise<BillLine> {
  const lines = (await Array.fromAsync(readLines(Readable.from([Buffer.from(csv)])))).flat();
  const cells = lines.map((line) => ('cells' in line ? line.cells : assert.fail(line.fault)));
  const header = readHeader(cells[0]!);
  assert.ok(!('fault' in header), 'fault' in header ? header.fault : '');
  const line = readLine(header, cells[1]!, dates);
  assert.ok(!('fault' in line), 'fault' in line ? line.fault : '');
  return line;
}

test('a line means the same in any order of columns, spelling and quoting', async () => {
  await fc.assert(
    fc.asyncProperty(spelled, async ({ order, spelling, unit, repository, quotes, padding, ending }) => {
      const pick = (list: string[]) => list[spelling % list.length]!;
      const values: Record<string, string> = {
        date: '2026-03-02',
        product: pick(['actions', 'Actions']),
        sku: pick(['actions_linux', 'Actions Linux', 'linux']),
        quantity: pick(['2', '2.0', '2E0']),
        unit: pick(units[unit]!),
        price: '0.006',
        gross: pick(['0.012', '.012', '$0.012', '1.2e-2']),
        discount: pick(['0.002', '2E-3']),
        net: '0.01',
        organization: pick(['acme', 'Acme']),
        repository,
        other: '',
      };
      const cell = (name: string, index: number) => {
        const value = values[name]!;
        const mustQuote = /[",]/.test(value);
        return mustQuote || quotes[index] ? `${padding}"${value}"${padding}` : `${padding}${value}${padding}`;
      };
      const heading = order.map((name) => pick(columns[name]!)).join(',');
      const {
        organization,
        repository: name,
        ...line
      } = await read(`${heading}${ending || '\n'}${order.map(cell).join(',')}${ending}`);
      assert.equal(organization, 'acme');
      const named = repository.trim().replaceAll('""', '"');
      assert.equal(name.toLowerCase(), named.includes('/') ? named.toLowerCase() : `acme/${named}`);
      assert.deepEqual(line, {
        day: '2026-03-02',
        product: 'actions',
        sku: 'linux',
        unit,
        quantityNanos: 2_000_000_000n,
        listNanos: 12_000_000n,
        grossNanos: 12_000_000n,
        discountNanos: 2_000_000n,
        netNanos: 10_000_000n,
        isRounded: false,
      });
    }),
    { numRuns: 300 },
  );
});
