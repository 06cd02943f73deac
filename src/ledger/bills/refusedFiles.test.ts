import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { assertNothingStored, bill, heading, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();

const whole = bill(lineOf({}), lineOf({ repository: '"web"' }));
const names = heading.split(',');

const refused: [what: string, csv: string | Buffer, message: RegExp, code?: string][] = [
  ['an empty file', Buffer.from('\n\n'), /is empty/],
  ['a heading alone', heading, /no lines/],
  ['no line that can be read', bill('bad', 'worse'), /no readable line/],
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
  ['UTF-16 without a mark', Buffer.from(whole, 'utf16le'), /is UTF-16 text; save it as CSV in UTF-8/],
  ['UTF-16 without a mark, big end first', Buffer.from(whole, 'utf16le').swap16(), /is UTF-16 text/],
  ['UTF-32', utf32(`\uFEFF${whole}`), /is UTF-32 text; save it as CSV in UTF-8/],
  ['UTF-32, big end first', utf32(`\uFEFF${whole}`).swap32(), /is UTF-32 text/],
  ['UTF-32 without a mark', utf32(whole), /is UTF-32 text/],
  ['UTF-32 without a mark, big end first', utf32(whole).swap32(), /is UTF-32 text/],
  [
    'one whose lines end in carriage returns alone',
    whole.replaceAll('\n', '\r'),
    /ends its lines with carriage returns only; save it as CSV with line feeds/,
  ],
  [
    'a long one whose lines end in carriage returns alone',
    bill(...Array.from({ length: 2_000 }, () => lineOf({}))).replaceAll('\n', '\r'),
    /carriage returns only/,
  ],
  ['gzip', gzipSync(whole), /is compressed with gzip; unpack it/],
  ['xz', startingWith('fd377a585a00'), /is compressed with xz; unpack it/],
  ['bzip2', startingWith('425a6839314159'), /is compressed with bzip2; unpack it/],
  ['Zstandard', zstdCompressSync(whole), /is compressed with Zstandard; unpack it/],
  ['7z', startingWith('377abcaf271c'), /is a 7z archive; unpack it/],
  ['RAR', startingWith('526172211a0700'), /is a RAR archive; unpack it/],
  ['ZIP', Buffer.from(`PK\x03\x04${whole}`), /is a ZIP archive or an Excel workbook; unpack it/],
  [
    'one cut off between cells',
    whole.slice(0, -2),
    /is cut off: the last line, 3, is incomplete/,
    'report_cut_off',
  ],
  [
    'one cut off within quotes',
    whole.slice(0, -5),
    /is cut off: the last line, 3, is incomplete/,
    'report_cut_off',
  ],
  [
    'one cut off within a character',
    cutWithin('ü'),
    /is cut off: the last line, 3, is incomplete/,
    'report_cut_off',
  ],
  ['two reports', `${whole}${whole}`, /holds two reports: line 4 is a second heading/, 'two_reports'],
  ['two that run into each other', `${whole.trimEnd()}${whole}`, /line 3 is a second heading/, 'two_reports'],
  [
    'two with different columns',
    `${whole}\uFEFF${names.toReversed().join(',')},username\n`,
    /line 4 is a second heading/,
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
  test(`refuses ${what} and stores nothing of it`, async () => {
    const organization = await testApp.newOrganization();
    const answer = await importCsv(testApp, organization, csv);
    assertProblem(answer, 400, code);
    assert.match(answer.body.detail, message);
    await assertNothingStored(testApp, organization);
  });
}

test('refuses another file by its first line, before the rest has arrived', async () => {
  const organization = await testApp.newOrganization();
  let sent = 0;
  async function* endless(first: string) {
    yield Buffer.from(first);
    for (sent = 0; sent < 1_000; sent++) yield Buffer.alloc(64 * 1024, 'x');
  }
  for (const [first, message] of [
    ['\n \r\nname,age\n', /lacks the columns date, product/],
    ['PK\x03\x04', /is a ZIP archive or an Excel workbook/],
    ['', /has a line 1 that is longer than 64 KiB/],
  ] as const) {
    const answer = await importCsv(testApp, organization, Readable.from(endless(first)));
    assertProblem(answer, 400, 'no_usage_report');
    assert.match(answer.body.detail, message);
    assert.ok(sent < 100, `${sent} blocks were sent`);
  }
});

test('says that a body cannot be decompressed', async () => {
  const organization = await testApp.newOrganization();
  const csv = bill(...Array.from({ length: 1_000 }, (_, i) => lineOf({ quantity: i })));
  const packed = gzipSync(csv);
  const damaged = Buffer.from(packed).fill(0xff, 200, 300);
  for (const bytes of [damaged, packed.subarray(0, -20), Buffer.from(csv)]) {
    const answer = await importCsv(testApp, organization, bytes, { encoding: 'gzip' });
    assertProblem(answer, 400, 'no_usage_report');
    assert.match(answer.body.detail, /^The file cannot be decompressed/);
  }
  const good = await importCsv(testApp, organization, packed, { encoding: 'gzip' });
  assert.deepEqual([good.status, good.body.data?.lines.kept], [201, 1_000]);
});

function utf32(text: string): Buffer {
  return Buffer.from(Uint32Array.from(Array.from(text, (character) => character.codePointAt(0)!)).buffer);
}

function startingWith(hex: string): Buffer {
  return Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(whole)]);
}

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

test('skips a short line that ends in a line feed', async () => {
  const organization = await testApp.newOrganization();
  const { body } = await importCsv(testApp, organization, `${whole}2026-03-02,actions\n`);
  assert.deepEqual(body.data?.bad_lines, [{ line: 4, reason: 'has 2 cells; the heading has 12' }]);
});

test('without a readable line, names each line', async () => {
  const organization = await testApp.newOrganization();
  const answer = await importCsv(testApp, organization, bill('bad', 'worse'));
  assertProblem(answer, 400, 'no_usage_report', ['body', 'body.line 2', 'body.line 3']);
});

test('a refused file leaves its connection to the next request', async () => {
  const { token } = await testApp.newOrganization();
  const address = await testApp.listen();
  const sending = createConnection(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8');
  const text = `name,age\n${'x'.repeat(400_000)}`;
  sending.write(
    `POST /api/v1/bills/reports HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Length: ${text.length}\r\n\r\n${text}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  const answers = (await sending.toArray()).join('');
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 200']);
});
