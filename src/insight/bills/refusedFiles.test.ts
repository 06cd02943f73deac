import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertNothingStored, bill, heading, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();

const whole = bill(lineOf({}), lineOf({ repository: '"web"' }));
const names = heading.split(',');

const refused: [what: string, csv: string | Buffer, message: RegExp, code?: string][] = [
  ['an empty file', Buffer.from('\n\n'), /is empty/],
  ['a heading alone', heading, /no lines/],
  ['no line that can be read', bill('bad', 'worse'), /no line that can be read/],
  ['some other CSV', 'name,age\nada,36\n', /lacks the columns date, product/],
  [
    'one with semicolons',
    'date;product;sku\n2026-03-01;actions;linux\n',
    /is separated by semicolons; save it/,
  ],
  [
    'a report of premium requests',
    `${heading.replace('repository', 'model')}\n`,
    /lacks the columns repository/,
  ],
  ['UTF-16', Buffer.from(`\uFEFF${whole}`, 'utf16le'), /is UTF-16 text; save it as CSV in UTF-8/],
  ['UTF-16, big end first', Buffer.from(`\uFEFF${whole}`, 'utf16le').swap16(), /is UTF-16 text/],
  [
    'UTF-16 without a mark',
    Buffer.from(whole, 'utf16le'),
    /line 1 that holds a null.*save it as CSV in UTF-8/,
  ],
  ['gzip', gzipSync(whole), /is compressed with gzip; unpack it/],
  ['ZIP', Buffer.from(`PK\x03\x04${whole}`), /is a ZIP archive or an Excel workbook; unpack it/],
  ['one cut off between cells', whole.slice(0, -2), /is cut off: line 3, the last/, 'report_cut_off'],
  ['one cut off within quotes', whole.slice(0, -5), /is cut off: line 3, the last/, 'report_cut_off'],
  ['one cut off within a character', cutWithin('ü'), /is cut off: line 3, the last/, 'report_cut_off'],
  ['two reports', `${whole}${whole}`, /holds two reports: line 4 has a second heading/, 'two_reports'],
  [
    'two that run into each other',
    `${whole.trimEnd()}${whole}`,
    /line 3 has a second heading/,
    'two_reports',
  ],
  [
    'two with different columns',
    `${whole}\uFEFF${names.toReversed().join(',')},username\n`,
    /line 4 has a second heading/,
    'two_reports',
  ],
  ['10,000 columns', Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(','), /10000 columns/],
  ['a heading of 100 kB', 'x'.repeat(100_000), /longer than 64 KiB/],
  [
    'billions',
    bill(...Array.from({ length: 9_001 }, () => lineOf({ gross: '1000000', net: '1000000' }))),
    /nine billion/,
  ],
];
for (const [what, csv, message, code = 'no_usage_report'] of refused) {
  test(`${what} is refused, and nothing of it is kept`, async () => {
    const organization = await testApp.newOrganization();
    const answer = await importCsv(testApp, organization, csv);
    assertProblem(answer, 400, code);
    assert.match(answer.body.detail, message);
    await assertNothingStored(testApp, organization);
  });
}

/** A report whose last line ends in the first of a character's two bytes. */
function cutWithin(character: string): Buffer {
  return Buffer.from(`${bill(lineOf({}))}${lineOf({})}${character}`).subarray(0, -1);
}

test('a last line with all its cells counts, with or without a line feed', async () => {
  const organization = await testApp.newOrganization();
  for (const csv of [whole, whole.trimEnd(), `${whole.trimEnd()},more`]) {
    const { status, body } = await importCsv(testApp, organization, csv);
    assert.deepEqual([status, body.data?.lines.read], [201, 2]);
  }
});

test('a short line that ends in a line feed is left out like any other', async () => {
  const organization = await testApp.newOrganization();
  const { body } = await importCsv(testApp, organization, `${whole}2026-03-02,actions\n`);
  assert.deepEqual(body.data?.bad_lines, [{ line: 4, reason: 'has 2 cells; the heading has 12' }]);
});

test('no line that can be read: each is named', async () => {
  const organization = await testApp.newOrganization();
  const answer = await importCsv(testApp, organization, bill('bad', 'worse'));
  assertProblem(answer, 400, 'no_usage_report', ['body', 'body.line 2', 'body.line 3']);
});
