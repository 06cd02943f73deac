/**
 * Hostile bytes for each parser that has no such test beside it. Those of GitHub's and GitLab's payloads, of OTLP, of
 * signatures and of all requests of the API are in their folders and in openapi.test.ts.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { cursorText } from '../src/insight/explore/readLists.ts';
import { webhookProviders } from '../src/intake/providers/providers.ts';
import { readLine } from '../src/ledger/bills/readLine.ts';
import { readHeader, readLines, type CsvLine, type Header } from '../src/ledger/bills/readLines.ts';
import { readPattern } from '../src/ledger/pricing/linearPattern.ts';
import { endArchive, sha256, withFile, writeEntry } from '../src/platform/backup/archive.ts';
import { checkArchive, manifestHashName, manifestName, openArchive } from '../src/platform/backup/format.ts';
import { addToDigest, emptyDigest } from '../src/platform/backup/rows.queries.ts';
import { readDatabaseUrl } from '../src/platform/lib/databaseUrl.ts';
import { PublicError } from '../src/platform/lib/errors.ts';
import * as settings from '../src/platform/lib/settingTexts.ts';
import { isStorable } from '../src/platform/lib/text.ts';
import { request, sharedTestApp } from './harness/app.ts';
import { buildFinished, jobFinished } from './payloads/buildkite.ts';
import { jobCompleted, workflowCompleted } from './payloads/circleCi.ts';
import { gitHubJob, gitHubPullRequest, gitHubRun } from './payloads/gitHub.ts';
import { gitLabJob, gitLabMergeRequest, gitLabPipeline } from './payloads/gitLab.ts';

const now = new Date('2026-11-21T12:00:00Z');
const anyText = fc.string({ unit: 'binary' });
const hostile = fc.oneof(
  fc.constantFrom<unknown>(null, '', '\0', 'a\0b', '\ud83d', 0, -1, 1e300, 2 ** 53, true, {}, [], [null]),
  fc.constantFrom('0001-01-01T00:00:00Z', '+275760-09-13T00:00:00.001Z', '__proto__', 'x'.repeat(3_000)),
  anyText,
  fc.jsonValue(),
);

/** A parser may throw only the product's own error. */
async function readOrRefused<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PublicError) return null;
    throw error;
  }
}

type Events = { id: string; headers: Record<string, string>; payload: object }[];

const events: Events = [
  { id: 'github', headers: { 'x-github-event': 'workflow_run' }, payload: gitHubRun() },
  { id: 'github', headers: { 'x-github-event': 'workflow_job' }, payload: gitHubJob() },
  { id: 'github', headers: { 'x-github-event': 'pull_request' }, payload: gitHubPullRequest() },
  { id: 'gitlab', headers: { 'x-gitlab-event': 'Job Hook' }, payload: gitLabJob() },
  { id: 'gitlab', headers: { 'x-gitlab-event': 'Pipeline Hook' }, payload: gitLabPipeline() },
  { id: 'gitlab', headers: { 'x-gitlab-event': 'Merge Request Hook' }, payload: gitLabMergeRequest() },
  { id: 'circleci', headers: {}, payload: workflowCompleted },
  { id: 'circleci', headers: {}, payload: jobCompleted },
  { id: 'buildkite', headers: {}, payload: buildFinished() },
  { id: 'buildkite', headers: {}, payload: jobFinished() },
];

/** The paths to all values in the payload, at any depth. */
function placesIn(value: unknown, place: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    [...place, key],
    ...placesIn(each, [...place, key]),
  ]);
}

function changed(payload: object, place: readonly string[], value: unknown): object {
  const copy = structuredClone(payload) as Record<string, unknown>;
  let at = copy;
  for (const key of place.slice(0, -1)) {
    const next = at[key];
    if (typeof next !== 'object' || next === null) return copy;
    at = next as Record<string, unknown>;
  }
  at[place.at(-1)!] = value;
  return copy;
}

describe('webhooks', () => {
  test('with hostile values at any place are read or refused, and their ids can be stored', async () => {
    for (const { id, headers, payload } of events) {
      const { webhook } = webhookProviders.find((provider) => provider.id === id)!;
      const place = fc.constantFrom(...placesIn(payload));
      const changes = fc.array(fc.tuple(place, hostile), { minLength: 1, maxLength: 4 });
      let reports = 0;
      await fc.assert(
        fc.asyncProperty(changes, async (all) => {
          const sent = all.reduce((made, [at, value]) => changed(made, at, value), payload);
          const rawBody = Buffer.from(JSON.stringify(sent));
          const header = (name: string) => headers[name];
          const delivery = { rawBody, contentType: 'application/json', header };
          const event = await readOrRefused(() => webhook.readEvent(delivery, sent, now));
          if (event?.kind === 'report' || event?.kind === 'pull_request') reports++;
          if (event?.kind !== 'report') return;
          const { runId, jobs } = event.report;
          for (const each of [runId, ...jobs.map(({ jobId }) => jobId)])
            assert.ok(isStorable(each), JSON.stringify(each));
        }),
        { numRuns: 300 },
      );
      assert.ok(reports > 30, `${id}: ${reports}`);
    }
  });

  test('with any headers are authenticated or refused', async () => {
    const form = fc.constantFrom('sha256=', 'v1=', 'timestamp=1,signature=', 'v1,', '');
    const text = fc.tuple(form, anyText).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...webhookProviders),
        text,
        anyText,
        async ({ webhook }, given, secret) => {
          const delivery = { rawBody: Buffer.from(given), contentType: '', header: () => given };
          await readOrRefused(() => webhook.authenticate(delivery, secret, now));
        },
      ),
      { numRuns: 500 },
    );
  });
});

const billColumns =
  'date,product,sku,quantity,unit_type,applied_cost_per_quantity,gross_amount,net_amount,repository';
const billLine = '2026-11-01,actions,actions_linux,10,minutes,0.008,0.08,0.08,acme/api';

test('a bill of any bytes is read line by line, or its faults are named', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      billColumns,
      billLine,
      '\n',
      '\r\n',
      ',',
      '"',
      '""',
      ';',
      '\uFEFF',
      '1e9',
      '-',
      '9'.repeat(99),
    ),
    anyText,
    fc.uint8Array({ maxLength: 20 }),
  );
  const dates = { order: 'mdy', latest: '2026-11-21', year: null } as const;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      const chunks = [`${billColumns}\n`, ...pieces].map((each) => Buffer.from(each));
      const lines: CsvLine[] = [];
      for await (const batch of readLines(Readable.from(chunks))) lines.push(...batch);
      let header: Header | null = null;
      for (const line of lines) {
        if ('fault' in line) continue;
        const read = readHeader(line.cells);
        if (!('fault' in read)) header = read;
        const stored = header ? readLine(header, line.cells, dates) : null;
        if (!stored || 'fault' in stored) continue;
        for (const value of Object.values(stored))
          assert.ok(typeof value !== 'string' || isStorable(value), String(value));
      }
    }),
    { numRuns: 500 },
  );
});

describe('requests', async () => {
  const testApp = await sharedTestApp();
  const organization = await testApp.newOrganization();

  test('with any file of owners are answered 200 or 4xx', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'kind,owner,repository,workflow,label,valid_from,valid_until',
        'team',
        ',',
        '\n',
        '"',
        '*',
        '\0',
      ),
      anyText,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const headers = { authorization: `Bearer ${organization.token}`, 'content-type': 'text/csv' };
        const url = '/api/v1/ownership/csv?dry_run=true';
        const payload = `kind,owner,repository\n${pieces.join('')}`;
        const answer = await request(testApp.server, { method: 'PUT', url, headers, payload });
        assert.ok(answer.status < 500, answer.text);
      }),
      { numRuns: 60 },
    );
  });

  test('with any cursor of the right form are answered 200 or 4xx', async () => {
    const numbers = fc.oneof(
      fc.constantFrom(null, 0, -1, 1.5, 1e300, 2 ** 53, -0),
      fc.double(),
      fc.integer(),
    );
    for (const [rowKind, path] of [
      ['runs', '/api/v1/costs/runs'],
      ['jobs', '/api/v1/costs/jobs'],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(
          numbers,
          fc.nat(),
          anyText,
          fc.constantFrom('-cost', '-start', '-duration'),
          async (value, at, id, sort) => {
            const key = rowKind === 'jobs' ? [id, 1, id] : [id];
            const list = { rowKind, sort: sort as never, filters: [], ownersOn: undefined };
            const cursor = cursorText(list, { value, at: new Date(at), key } as never);
            const answer = await organization.get(path, { sort, cursor });
            assert.ok([200, 400].includes(answer.status), `${answer.status} ${answer.text}`);
          },
        ),
        { numRuns: 40 },
      );
    }
  });
});

describe('texts of settings', () => {
  const parts = fc.constantFrom(
    'postgres://',
    'u:p@',
    'h',
    ':5432',
    ',',
    '/',
    '?host=',
    '[::1]',
    '%',
    '#',
    '&',
    '10.0.0.0',
    '/8',
    '::',
    '/129',
    'https://',
    '*',
    '<',
    '>',
    '@',
    '\0',
    '\ud800',
    ' ',
    '(',
    '{999}',
    '[',
    '\\p{',
    '+',
    'target_session_attrs=any',
  );
  const text = fc.array(fc.oneof(parts, anyText), { maxLength: 12 }).map((all) => all.join(''));
  const readers = { ...settings, readDatabaseUrl, readPattern };

  test('are read or refused, never thrown at', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const url of readDatabaseUrl(given)?.urls ?? []) assert.ok(URL.canParse(url));
        for (const range of settings.proxyRanges(given) ?? []) assert.ok(range !== '');
        for (const [name, read] of Object.entries(readers))
          if (name !== 'wholeNumber') (read as (t: string) => unknown)(given);
      }),
      { numRuns: 2_000 },
    );
  });

  // A quadratic reader would take minutes, and the runner would end it.
  test('are read in linear time', () => {
    for (const unit of [
      'a',
      ',',
      'postgres://',
      '@',
      'h:1,',
      '[',
      '://',
      '<',
      '10.0.0.0/8,',
      '?host=',
      '&',
      ' ',
      '*',
    ])
      for (const [name, read] of Object.entries(readers))
        if (name !== 'wholeNumber') (read as (t: string) => unknown)(`postgres://${unit.repeat(100_000)}`);
  });
});

describe('a backup', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-fuzz-'));
  after(() => rmSync(folder, { recursive: true }));
  const whole = await archiveOf();

  test('is whole as it was written', async () => {
    assert.equal(await checked(whole), true);
  });

  test('with changed bytes is refused or still the same, also if a header is signed again', async () => {
    const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
    const changes = fc.array(change, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), fc.nat(whole.length), async (all, isSigned, length) => {
        const bytes = Buffer.from(whole.subarray(0, length % 3 === 0 ? length : whole.length));
        for (const { at, byte } of all) if (at < bytes.length) bytes[isSigned ? at % 512 : at] = byte;
        if (isSigned && bytes.length >= 512) signHeader(bytes);
        await checked(bytes);
      }),
      { numRuns: 500 },
    );
  });

  test('whose header has no size, or one below 0, is refused', async () => {
    for (const size of ['nonsense\0\0\0', '-0000001000']) {
      const bytes = Buffer.from(whole);
      bytes.write(size, 124, 'latin1');
      signHeader(bytes);
      assert.equal(await checked(bytes), null);
    }
  });

  async function checked(bytes: Buffer): Promise<boolean | null> {
    const path = join(folder, 'backup.tar');
    writeFileSync(path, bytes);
    return readOrRefused(() =>
      withFile(path, async (file) => {
        await checkArchive(await openArchive(file), {
          signal: AbortSignal.timeout(60_000),
          report: () => {},
        });
        return true;
      }),
    );
  }
});

async function archiveOf(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const sink = async (bytes: Buffer) => void pieces.push(bytes);
  const part = gzipSync('{"id":1}\n');
  const name = 'data/runs/000001.jsonl.gz';
  await writeEntry(sink, name, part, now);
  const table = {
    name: 'runs',
    ...addToDigest(emptyDigest, ['{"id":1}']),
    parts: [{ name, sha256: sha256(part) }],
  };
  const manifest = Buffer.from(JSON.stringify({ format: 1, program: '1', tables: [table] }));
  await writeEntry(sink, manifestName, manifest, now);
  await writeEntry(sink, manifestHashName, Buffer.from(sha256(manifest)), now);
  await endArchive(sink);
  return Buffer.concat(pieces);
}

/** The checksum of the first header, as tar defines it. */
function signHeader(bytes: Buffer): void {
  bytes.fill(' ', 148, 156);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}
