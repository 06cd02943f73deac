import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { startTestApp } from '../../../test/harness/app.ts';
import { download, exported, newExport, readExport } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const organization = await testApp.newOrganization();
// Enough for many parts of 48 KiB.
const jobs = Array.from({ length: 500 }, (_, index) => newJob({ name: `${index} `.padEnd(255, 'x') }));
for (let run = 0; run < 6; run++)
  await submit(organization, newRun({ jobs: jobs.map((job) => ({ ...job })) }));
const id = await newExport(organization, { format: 'jsonl' });
await testApp.worker.processAll();
const { sha256, bytes: size } = await readExport(organization, id);
const whole = (await download(testApp, organization, id)).rawPayload;
const etag = `"${sha256}"`;

const fetched = (headers: Record<string, string> = {}, method?: 'HEAD') =>
  download(testApp, organization, id, headers, method);

test('the whole file comes with its digest, name, type and length', async () => {
  assert.ok(whole.length > 2 * 48 * 1024, `${whole.length} bytes`);
  assert.equal(createHash('sha256').update(whole).digest('hex'), sha256);
  const { statusCode, headers } = await fetched();
  assert.equal(statusCode, 200);
  const digest = createHash('sha256').update(whole).digest('base64');
  for (const [name, value] of Object.entries({
    etag,
    'accept-ranges': 'bytes',
    'content-length': String(size),
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': 'attachment; filename="runcost-jobs-2026-03-01-to-2026-03-18.jsonl"',
    'repr-digest': `sha-256=:${digest}:`,
    'cache-control': 'private, no-cache',
  })) {
    assert.equal(String(headers[name]), value, name);
  }
});

test('is never compressed, which would break its ranges', async () => {
  const csv = await newExport(organization, { format: 'csv' });
  await testApp.worker.processAll();
  for (const [each, length] of [
    [csv, (await readExport(organization, csv)).bytes],
    [id, whole.length],
  ]) {
    const { headers, rawPayload } = await download(testApp, organization, each, {
      'accept-encoding': 'gzip, deflate, br',
    });
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(rawPayload.length, length);
  }
});

describe('a range', () => {
  const part = 48 * 1024;
  for (const [header, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    [`bytes=${part - 1}-${part}`, part - 1, part],
    [`bytes=${part}-${2 * part}`, part, 2 * part],
    [`bytes=10-`, 10, size - 1],
    ['bytes=-100', size - 100, size - 1],
  ] as const) {
    test(`${header} returns these bytes`, async () => {
      const { statusCode, headers, rawPayload } = await fetched({ range: header });
      assert.equal(statusCode, 206);
      assert.equal(headers['content-range'], `bytes ${first}-${last}/${size}`);
      assert.equal(Number(headers['content-length']), last - first + 1);
      assert.equal(headers['etag'], etag);
      assert.deepEqual(rawPayload, whole.subarray(first, last + 1));
    });
  }

  test('after the end is refused with the length', async () => {
    const { statusCode, headers, body } = await fetched({ range: `bytes=${size}-` });
    assert.equal(statusCode, 416);
    assert.equal(headers['content-range'], `bytes */${size}`);
    assert.equal(headers['content-type'], 'application/problem+json');
    assert.match(JSON.parse(body).detail, new RegExp(`${size} bytes`));
  });

  test('that is invalid returns the whole file', async () => {
    for (const range of ['bytes=5-1', 'bytes=0-1,5-6', 'lines=0-1']) {
      const { statusCode, rawPayload } = await fetched({ range });
      assert.equal(statusCode, 200);
      assert.equal(rawPayload.length, size);
    }
  });

  test('of another file returns the whole of this one', async () => {
    const range = 'bytes=0-1';
    assert.equal((await fetched({ range, 'if-range': etag })).statusCode, 206);
    assert.equal((await fetched({ range, 'if-range': '"other"' })).statusCode, 200);
    assert.equal((await fetched({ range, 'if-range': 'Wed, 18 Mar 2026 12:00:00 GMT' })).statusCode, 200);
  });
});

test('answers 304 to clients that have the file', async () => {
  for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
    const { statusCode, rawPayload, headers } = await fetched({ 'if-none-match': known });
    assert.equal(statusCode, 304, known);
    assert.equal(rawPayload.length, 0);
    assert.equal(headers['etag'], etag);
  }
  assert.equal((await fetched({ 'if-none-match': '"other"' })).statusCode, 200);
});

test('a file from several queries has each row once', async () => {
  const file = await exported(testApp, organization, { format: 'parquet' });
  const rows = await parquetReadObjects({ file: new Uint8Array(file).buffer });
  assert.equal(rows.length, 3_000);
  assert.equal(new Set(rows.map((row) => `${row['run_id']} ${row['job_id']}`)).size, 3_000);
});

test('HEAD answers the headers alone', async () => {
  const { statusCode, headers, rawPayload } = await fetched({ range: 'bytes=0-1' }, 'HEAD');
  assert.equal(statusCode, 200);
  assert.equal(Number(headers['content-length']), size);
  assert.equal(headers['etag'], etag);
  assert.equal(rawPayload.length, 0);
});
