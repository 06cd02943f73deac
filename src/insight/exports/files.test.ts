import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();

type Fields = Record<string, unknown>;

/** Rows of a CSV file, keyed by its first line. */
function readCsv(file: Buffer): Record<string, string>[] {
  return parse(file, { columns: true, relax_column_count: false });
}

function readJsonLines(file: Buffer): Fields[] {
  const lines = file.toString().split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => JSON.parse(line));
}

const bufferOf = (file: Buffer) => new Uint8Array(file).buffer;

function readParquet(file: Buffer): Promise<Fields[]> {
  return parquetReadObjects({ file: bufferOf(file) });
}

async function organizationWith(...runs: Fields[]): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await submit(organization, ...runs);
  return organization;
}

const oneRun = newRun({
  run_id: '7',
  event: 'push',
  branch: 'main',
  actor: 'mona',
  pull_request: 42,
  run_number: 7,
  commit: '8f3b2c1',
  jobs: [
    newJob({ job_id: '70', name: 'test', runner: 'linux_4_core', completed_at: '2026-03-18T10:04:30.250Z' }),
  ],
});

const oneJob = {
  run_id: 'run_api_7',
  attempt: 1,
  job_id: '70',
  job_name: 'test',
  workflow_name: 'Build',
  repo_name: 'acme/api',
  provider: 'api',
  is_private: null,
  event: 'push',
  branch: 'main',
  actor: 'mona',
  run_conclusion: 'success',
  raw_conclusion: 'success',
  labels: ['linux_4_core'],
  runner_name: null,
  runner_group: null,
  runner_kind: 'linux_4_core',
  runner_rule: 'runner_kind',
  created_at: null,
  started_at: '2026-03-18T10:00:00.000Z',
  completed_at: '2026-03-18T10:04:30.250Z',
  seconds: 270.25,
  billed_minutes: 5,
  price_per_minute: 0.016,
  cost: 0.08,

  is_unpriced: false,
  flags: [],
  pull_request: 42,
  run_number: 7,
  commit: '8f3b2c1',
  started_by: 'mona',
  actor_kind: 'person',
};

describe('a job', () => {
  test('is one line of JSON, with exact numbers', async () => {
    const organization = await organizationWith(oneRun);
    const file = await exported(testApp, organization, { format: 'jsonl' });
    const [{ workflow_id, ...job }, ...more] = readJsonLines(file) as [Fields, ...Fields[]];
    assert.match(String(workflow_id), /^wf_/);
    assert.deepEqual([job, more], [oneJob, []]);
    assert.match(file.toString(), /"price_per_minute":0\.016,"cost":0\.08,/);
  });

  test('is one row of CSV with the same fields in the same order', async () => {
    const organization = await organizationWith(oneRun);
    const file = await exported(testApp, organization);
    const [{ workflow_id, ...job }, ...more] = readCsv(file) as [Record<string, string>, ...unknown[]];
    assert.match(workflow_id!, /^wf_/);
    const texts = Object.entries(oneJob).map(([name, value]) => [
      name,
      value === null ? '' : Array.isArray(value) ? JSON.stringify(value) : String(value),
    ]);
    assert.deepEqual([job, more], [Object.fromEntries(texts), []]);
    const lines = file.toString().split('\r\n');
    assert.equal(lines.length, 3);
    assert.equal(lines[0]!.split(',')[0], 'run_id', 'no byte order mark');
  });

  test('is one row of Parquet with the types of its columns', async () => {
    const organization = await organizationWith(oneRun);
    const file = await exported(testApp, organization, { format: 'parquet' });
    const [{ workflow_id, ...job }, ...more] = (await readParquet(file)) as [Fields, ...Fields[]];
    assert.match(String(workflow_id), /^wf_/);
    assert.deepEqual(more, []);
    assert.deepEqual(job, {
      ...oneJob,
      attempt: 1n,
      billed_minutes: 5n,
      pull_request: 42n,
      run_number: 7n,
      started_at: new Date(oneJob.started_at),
      completed_at: new Date(oneJob.completed_at),
    });
    const elements = parquetSchema(parquetMetadata(bufferOf(file))).children.map(({ element }) => element);
    const cost = elements.find(({ name }) => name === 'cost')!;
    const { type, converted_type, precision, scale, repetition_type } = cost;
    assert.deepEqual(
      { type, converted_type, precision, scale, repetition_type },
      { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 9, repetition_type: 'REQUIRED' },
    );
    const event = elements.find(({ name }) => name === 'event')!;
    assert.equal(event.repetition_type, 'OPTIONAL');
  });
});

test('money in Parquet is the exact number of nano-dollars', async () => {
  const organization = await organizationWith(newRun());
  const nanos = 9_007_199_254_740_993n; // one above what a double can represent
  await testApp.app.db
    .updateTable('jobs')
    .set({ costNanos: nanos })
    .where('orgId', '=', organization.orgId)
    .execute();
  const file = await exported(testApp, organization, { format: 'parquet' });
  const { row_groups: groups } = parquetMetadata(bufferOf(file));
  const cost = groups[0]!.columns.find(({ meta_data }) => meta_data!.path_in_schema[0] === 'cost')!;
  const at = file.indexOf(Buffer.from(BigInt64Array.of(nanos).buffer));
  const { data_page_offset, total_compressed_size } = cost.meta_data!;
  const start = Number(cost.meta_data!.dictionary_page_offset ?? data_page_offset);
  assert.ok(
    at >= start && at < start + Number(total_compressed_size),
    'the integer itself stands in its column',
  );
  assert.match((await exported(testApp, organization)).toString(), /,9007199\.254740993,/);
  assert.match(
    (await exported(testApp, organization, { format: 'jsonl' })).toString(),
    /"cost":9007199\.254740993,/,
  );
});

const hostile = [
  '=HYPERLINK("https://evil.example","click")',
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\tx',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
];
const odd = [
  'a, "quoted" name',
  'two\nlines',
  'two\rlines',
  'two\r\nlines',
  "it's",
  'Grüße, 世界 🚀',
  ' spaces ',
  'a;b',
  'a=b',
];

describe('CSV', () => {
  test('returns names with quotes, line breaks, commas and any characters unchanged', async () => {
    const jobs = odd.map((name, index) => newJob({ job_id: String(index), name }));
    const organization = await organizationWith(newRun({ jobs }));
    const rows = readCsv(await exported(testApp, organization));
    assert.deepEqual(
      rows.map(({ job_name }) => job_name),
      odd,
    );
  });

  test('reads the same with any line break as the end of a row', async () => {
    const names = ['two\nlines', 'two\rlines', 'two\r\nlines'];
    const jobs = names.map((name, index) => newJob({ job_id: String(index), name }));
    const organization = await organizationWith(newRun({ jobs }));
    const file = await exported(testApp, organization);
    const rows: Record<string, string>[] = parse(file, {
      columns: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    assert.deepEqual(
      rows.map(({ job_name }) => job_name),
      names,
    );
  });

  test('has no formula if a spreadsheet splits it at semicolons and ignores quotes', async () => {
    const jobs = hostile.flatMap((formula, index) =>
      [';', '\t', '\n', '\r', ';"'].map((end, at) =>
        newJob({ job_id: `${index}-${at}`, name: `a${end}${formula}`, labels: [`a;${formula}`] }),
      ),
    );
    const organization = await organizationWith(newRun({ jobs, branch: 'b;=cmd', workflow_name: 'w;@x' }));
    for (const dataset of ['jobs', 'focus', 'runs', 'daily']) {
      const file = (await exported(testApp, organization, { dataset })).toString();
      for (const cell of file.split(/[;\t\r\n]/)) assert.doesNotMatch(cell, /^"*[=+\-@＝＋－＠]/);
    }
    const names = [
      { job_id: '1', name: 'a;b', labels: ['x;y'] },
      { job_id: '2', name: 'a-b;c=d' },
    ];
    const harmless = await organizationWith(newRun({ jobs: names.map((fields) => newJob(fields)) }));
    const rows = readCsv(await exported(testApp, harmless));
    assert.deepEqual(
      rows.map(({ job_name, labels }) => [job_name, labels]),
      [
        ['a;b', '["x;y"]'],
        ['a-b;c=d', '["linux_2_core"]'],
      ],
      'what is harmless stays as it is',
    );
  });

  test('keeps spreadsheets from reading a name as a formula', async () => {
    const jobs = hostile.map((name, index) => newJob({ job_id: String(index), name }));
    const organization = await organizationWith(newRun({ jobs, branch: '=cmd', workflow_name: '@Build' }));
    for (const dataset of ['jobs', 'focus', 'runs', 'daily']) {
      const rows = readCsv(await exported(testApp, organization, { dataset }));
      for (const cell of rows.flatMap((row) => Object.values(row)))
        assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝＋－＠]/);
    }
    const rows = readCsv(await exported(testApp, organization));
    assert.deepEqual(
      rows.map(({ job_name }) => job_name),
      hostile.map((name) => `'${name}`),
    );
    const lines = readJsonLines(await exported(testApp, organization, { format: 'jsonl' }));
    assert.deepEqual(
      lines.map(({ job_name }) => job_name),
      hostile,
      'other formats keep them as they are',
    );
  });
});

test('Parquet returns any name unchanged', async () => {
  const names = [...odd, ...hostile];
  const jobs = names.map((name, index) => newJob({ job_id: String(index).padStart(2, '0'), name }));
  const organization = await organizationWith(newRun({ jobs }));
  const rows = await readParquet(await exported(testApp, organization, { format: 'parquet' }));
  assert.deepEqual(
    rows.map(({ job_name }) => job_name),
    names,
  );
});

describe('an empty window', () => {
  test('gives CSV headings, no JSON, and a Parquet file without rows', async () => {
    const organization = await testApp.newOrganization();
    assert.match((await exported(testApp, organization)).toString(), /^run_id,[^\r\n]+\r\n$/);
    assert.equal((await exported(testApp, organization, { format: 'jsonl' })).length, 0);
    assert.deepEqual(await readParquet(await exported(testApp, organization, { format: 'parquet' })), []);
  });
});

test('jobs that an attempt repeats are no rows, because they cost nothing', async () => {
  const organization = await organizationWith(
    newRun({ jobs: [newJob({ job_id: '1' }), newJob({ job_id: '2' })] }),
  );
  const { db } = testApp.app;
  await db
    .updateTable('jobs')
    .set({ isCarriedOver: true })
    .where('orgId', '=', organization.orgId)
    .where('jobId', '=', '1')
    .execute();
  const rows = readCsv(await exported(testApp, organization));
  assert.deepEqual(
    rows.map(({ job_id }) => job_id),
    ['2'],
  );
});

test('runs are those created in the window, with the cost of all attempts', async () => {
  const organization = await organizationWith(
    newRun({ run_id: '1', created_at: '2026-02-28T23:59:59Z' }),
    newRun({ run_id: '2', created_at: '2026-03-01T00:00:00Z', pull_request: 7, jobs: [newJob(), newJob()] }),
    newRun({ run_id: '3', status: 'in_progress', conclusion: undefined, jobs: [] }),
  );
  const rows = readJsonLines(await exported(testApp, organization, { dataset: 'runs', format: 'jsonl' }));
  assert.deepEqual(
    rows.map(({ run_id, status, conclusion, cost, pull_request }) => [
      run_id,
      status,
      conclusion,
      cost,
      pull_request,
    ]),
    [
      ['run_api_2', 'completed', 'success', 0.08, 7],
      ['run_api_3', 'in_progress', null, 0, null],
    ],
  );
});

test('daily rows are the workflow days of the dashboard', async () => {
  const at = (day: string) => ({ started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` });
  const run = (id: string, day: string, fields: Fields = {}) =>
    newRun({ run_id: id, created_at: `${day}T10:00:00Z`, ...at(day), jobs: [newJob(at(day))], ...fields });
  const organization = await organizationWith(
    run('1', '2026-03-09'),
    run('2', '2026-03-10'),
    run('3', '2026-03-10', { conclusion: 'failure' }),
    run('4', '2026-03-11', { workflow_name: 'Deploy' }),
    run('5', '2026-03-12'),
  );
  const window = { dataset: 'daily', from: '2026-03-10', to: '2026-03-11' };
  const rows = readJsonLines(await exported(testApp, organization, { ...window, format: 'jsonl' }));
  assert.deepEqual(
    rows.map(({ workflow_id: _, ...row }) => row),
    [
      {
        date: '2026-03-10',
        workflow_name: 'Build',
        repo_name: 'acme/api',
        cost: 0.08,
        jobs: 2,
        billed_minutes: 10,
        unpriced_minutes: 0,
        runs: 2,
        completed_runs: 2,
        successful_runs: 1,
        skipped_runs: 0,
        duration_seconds: 600,
      },
      {
        date: '2026-03-11',
        workflow_name: 'Deploy',
        repo_name: 'acme/api',
        cost: 0.04,
        jobs: 1,
        billed_minutes: 5,
        unpriced_minutes: 0,
        runs: 1,
        completed_runs: 1,
        successful_runs: 1,
        skipped_runs: 0,
        duration_seconds: 300,
      },
    ],
  );
  const [first] = await readParquet(await exported(testApp, organization, { ...window, format: 'parquet' }));
  assert.deepEqual(first!['date'], new Date('2026-03-10'));
  assert.match((await exported(testApp, organization, window)).toString(), /^date,.*\r\n2026-03-10,/);
});
