import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const organization = await testApp.newOrganization();
const path = '/api/v1/runs';
await submit(organization, newRun({ run_id: 'known', jobs: [newJob({ labels: ['mystery'] })] }));

/** Everything visible about the organization's runs. */
async function state(): Promise<string[]> {
  const parts = [
    'dashboard/summary',
    'dashboard/trends',
    'dashboard/workflows',
    'dashboard/recent-runs',
    'pricing/unpriced',
  ];
  return Promise.all(parts.map(async (part) => (await organization.get(`/api/v1/${part}`)).text));
}

const before = await state();

async function assertNothingChanged(): Promise<void> {
  assert.deepEqual(await state(), before);
}

function sendText(payload: string, contentType: string | null = 'application/json') {
  return request(testApp.server, {
    method: 'POST',
    url: path,
    headers: {
      authorization: `Bearer ${organization.token}`,
      ...(contentType === null ? {} : { 'content-type': contentType }),
    },
    payload,
  });
}

describe('a body is refused', () => {
  test('that is not JSON', async () => {
    const run = JSON.stringify(newRun({ run_id: 'known' }));
    for (const text of [
      '{"runs":[',
      `{"runs":[${run},]}`,
      `{"runs":[${run.replace('"completed"', 'NaN')}]}`,
      `{"runs":[${run.replace('"completed"', '-Infinity')}]}`,
      `{'runs':[]}`,
      `{"runs":[${run}]}x`,
      `{"runs":[{"__proto__":{"admin":true}}]}`,
      '\u0000',
      '{"runs":"\n"}',
    ]) {
      assertProblem(await sendText(text), 400, 'invalid_json');
    }
    await assertNothingChanged();
  });

  test('that is empty or no list of runs, naming the field', async () => {
    for (const [text, field] of [
      ['', 'body'],
      ['[]', 'body'],
      ['null', 'body'],
      ['7', 'body'],
      ['"runs"', 'body'],
      ['{}', 'body.runs'],
      ['{"runs":null}', 'body.runs'],
      ['{"runs":{}}', 'body.runs'],
      ['{"runs":[]}', 'body.runs'],
      ['{"runs":[[]]}', 'body.runs[0]'],
      ['{"runs":["x"]}', 'body.runs[0]'],
    ] as const) {
      assertProblem(await sendText(text), 400, 'invalid_request', [field]);
    }
    assertProblem(await sendText('', null), 400, 'invalid_request', ['body']);
    assertProblem(await sendText('{"run":[]}'), 400, 'invalid_request', ['body.runs', 'body.run']);
    await assertNothingChanged();
  });

  test('of another content type', async () => {
    const text = JSON.stringify({ runs: [newRun()] });
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'jason',
      null,
    ]) {
      assertProblem(await sendText(text, type), 415, 'unsupported_media_type');
    }
    await assertNothingChanged();
  });

  test('over 25 MiB', async () => {
    const text = JSON.stringify({ runs: [newRun({ branch: 'x'.repeat(25 * 1024 * 1024) })] });
    assertProblem(await sendText(text), 413, 'body_too_large');
    await assertNothingChanged();
  });

  test('that is nested a million deep', async () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const deepObject = `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`;
    assertProblem(await sendText(deep), 400, 'invalid_request', ['body']);
    assertProblem(await sendText(deepObject), 400, 'invalid_request', ['body.runs', 'body.a']);
    assertProblem(await sendText(`{"runs":[${deep}]}`), 400, 'invalid_request', ['body.runs[0]']);
    const run = JSON.stringify(newRun()).replace('"Build"', deepObject);
    assertProblem(await sendText(`{"runs":[${run}]}`), 400, 'invalid_request', [
      'body.runs[0].workflow_name',
    ]);
    await assertNothingChanged();
  });
});

const long = 'x'.repeat(10 * 1024 * 1024);
const badRuns: [string, Record<string, unknown>, string[]][] = [
  ['a name of 10 MiB', { workflow_name: long }, ['workflow_name']],
  ['a repository of 10 MiB', { repo_name: `acme/${long}` }, ['repo_name']],
  ['a repository of 5 million parts', { repo_name: `${'a/'.repeat(long.length / 2)}a` }, ['repo_name']],
  ['an id of 10 MiB', { run_id: long }, ['run_id']],
  ['a name of 256 characters', { workflow_name: 'ü'.repeat(256) }, ['workflow_name']],
  ['empty names', { workflow_name: '', run_id: '', branch: '' }, ['workflow_name', 'run_id', 'branch']],
  ['null characters', { workflow_name: 'a\0', run_id: '\0' }, ['workflow_name', 'run_id']],
  [
    'control characters and marks of text direction',
    {
      workflow_name: 'a\x1B[2J',
      run_id: 'a\n',
      branch: '‮main',
      event: 'a\u2028',
      actor: 'a\x08',
      repo_name: 'acme/a\x07',
      jobs: [
        newJob({
          job_id: 'a\r',
          name: 'a⁦',
          labels: ['x'],
        }),
      ],
    },
    [
      'workflow_name',
      'run_id',
      'branch',
      'event',
      'actor',
      'repo_name',
      'jobs[0].job_id',
      'jobs[0].name',
      'jobs[0].labels[0]',
    ],
  ],
  [
    'ids and names of white space',
    { run_id: ' ', workflow_name: '\u00A0', jobs: [newJob({ job_id: ' \u200B' })] },
    ['run_id', 'workflow_name', 'jobs[0].job_id'],
  ],
  ['half of a surrogate pair', { actor: '\ud83d', run_id: '\udc00' }, ['actor', 'run_id']],
  [
    'names that are no text',
    { workflow_name: {}, event: [], branch: false },
    ['workflow_name', 'event', 'branch'],
  ],
  ['a repository without an owner', { repo_name: 'api' }, ['repo_name']],
  ['a repository with spaces', { repo_name: 'acme/my api' }, ['repo_name']],
  ['an unknown provider form', { provider: 'GitHub Actions' }, ['provider']],
  ['an unknown status', { status: 'done' }, ['status']],
  ['an unknown conclusion', { conclusion: 'ok' }, ['conclusion']],
  ['a completed run without a conclusion', { conclusion: undefined }, ['conclusion']],
  [
    'a run in progress with an end',
    { status: 'in_progress', completed_at: '2026-03-18T11:00:00Z' },
    ['conclusion', 'completed_at'],
  ],
  ...[0, -1, 1.5, 2 ** 31, '7', null].map((pull_request): (typeof badRuns)[number] => [
    `pull request ${JSON.stringify(pull_request)}`,
    { pull_request },
    ['pull_request'],
  ]),
  ...[0, 1.5, 2 ** 31, '7'].map((run_number): (typeof badRuns)[number] => [
    `run number ${JSON.stringify(run_number)}`,
    { run_number },
    ['run_number'],
  ]),
  ...['', '..', 'a b', 'x'.repeat(101), '<b>', 7].map((commit): (typeof badRuns)[number] => [
    `commit ${JSON.stringify(commit)}`,
    { commit },
    ['commit'],
  ]),
  ['a text for the attempt', { run_attempt: '1' }, ['run_attempt']],
  ['attempt 0', { run_attempt: 0 }, ['run_attempt']],
  ['attempt 1.5', { run_attempt: 1.5 }, ['run_attempt']],
  ['attempt 10,001', { run_attempt: 10_001 }, ['run_attempt']],
  ['attempt 1e300', { run_attempt: 1e300 }, ['run_attempt']],
  [
    'an end before the start',
    { started_at: '2026-03-18T10:00:00Z', completed_at: '2026-03-18T09:59:59.999Z' },
    ['completed_at'],
  ],
  ['an id that is a number', { run_id: 7 }, ['run_id']],
  ['jobs that are no list', { jobs: {} }, ['jobs']],
  ['more than 1,000 jobs', { jobs: Array.from({ length: 1_001 }, () => newJob()) }, ['jobs']],
  ['a job that is none', { jobs: [7] }, ['jobs[0]']],
  ['an empty job', { jobs: [{}] }, ['jobs[0].job_id']],
  ['101 labels', { jobs: [newJob({ labels: Array.from({ length: 101 }, () => 'x') })] }, ['jobs[0].labels']],
  ['a label that is no text', { jobs: [newJob({ labels: ['x', 7] })] }, ['jobs[0].labels[1]']],
  ['a label with a null character', { jobs: [newJob({ labels: ['x\0'] })] }, ['jobs[0].labels[0]']],
  ['an empty runner', { jobs: [newJob({ runner: '' })] }, ['jobs[0].runner']],
  [
    'a job that ends before it starts',
    { jobs: [newJob({ completed_at: '2026-03-18T09:00:00Z' })] },
    ['jobs[0].completed_at'],
  ],
  [
    'an end more than 35 days after the start',
    { started_at: '2026-02-01T00:00:00Z', completed_at: '2026-03-08T00:00:00.001Z' },
    ['completed_at'],
  ],
  [
    'a job that ends more than 35 days after its start',
    { jobs: [newJob({ started_at: '2026-02-01T00:00:00Z', completed_at: '2026-03-08T00:00:00.001Z' })] },
    ['jobs[0].completed_at'],
  ],
  [
    'jobs that ran and started at no time',
    {
      jobs: ['success', 'failure', 'timed_out', 'neutral', undefined].map((conclusion) =>
        newJob({ started_at: undefined, conclusion }),
      ),
    },
    [0, 1, 2, 3, 4].map((index) => `jobs[${index}].started_at`),
  ],
  [
    'a started job that ended at no time',
    { jobs: [newJob({ completed_at: undefined })] },
    ['jobs[0].completed_at'],
  ],
  [
    'a job in progress with an end',
    { jobs: [newJob({ status: 'in_progress' })] },
    ['jobs[0].conclusion', 'jobs[0].completed_at'],
  ],
];

test('20,000 jobs are accepted; with one more, nothing is recorded', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, index) => ({
    job_id: String(index),
    runner: 'linux_2_core',
  }));
  const runs = [...Array.from({ length: 20 }, () => newRun({ jobs })), newRun()];
  assertProblem(await organization.send('POST', path, { runs }), 400, 'invalid_request', ['body.runs']);
  await assertNothingChanged();
  await submit(await testApp.newOrganization(), ...runs.slice(0, 20));
});

describe('a run is refused, naming the field, for', () => {
  for (const [name, fields, wrong] of badRuns) {
    test(name, async () => {
      const answer = await organization.send('POST', path, {
        runs: [newRun({ run_id: 'known', ...fields })],
      });
      assertProblem(
        answer,
        400,
        'invalid_request',
        wrong.map((field) => `body.runs[0].${field}`),
      );
      assert.ok(answer.text.length < 2_000, `${answer.text.length} characters`);
      await assertNothingChanged();
    });
  }

  for (const time of [
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '1999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00Z',
    '2026-02-30T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-03-18T25:00:00Z',
    '2026-03-18T10:00:00',
    '2026-03-18',
    '10:00:00Z',
    '2026-03-18T10:00:00+25:00',
    '18.03.2026 10:00',
    'yesterday',
    '',
    '1773828000',
    1_773_828_000,
    null,
  ]) {
    test(`${String(time) || 'nothing'} as a time`, async () => {
      const job = newJob({ started_at: time, completed_at: time });
      const run = newRun({
        run_id: 'known',
        created_at: time,
        started_at: time,
        completed_at: time,
        jobs: [job],
      });
      const answer = await organization.send('POST', path, { runs: [run] });
      const fields = [
        'created_at',
        'started_at',
        'completed_at',
        'jobs[0].started_at',
        'jobs[0].completed_at',
      ];
      assertProblem(
        answer,
        400,
        'invalid_request',
        fields.map((field) => `body.runs[0].${field}`),
      );
      await assertNothingChanged();
    });
  }

  test('a time more than a day ahead', async () => {
    const ahead = (milliseconds: number) =>
      new Date(testApp.clock.now().getTime() + 86_400_000 + milliseconds).toISOString();
    const answer = await organization.send('POST', path, { runs: [newRun({ created_at: ahead(1) })] });
    assertProblem(answer, 400, 'invalid_request', ['body.runs[0].created_at']);
    await assertNothingChanged();
  });

  test('unknown fields, suggesting the nearest', async () => {
    for (const [given, nearest] of [
      ['workflow', 'workflow_name'],
      ['workflowName', 'workflow_name'],
      ['repo_nam', 'repo_name'],
      ['attempt', 'run_attempt'],
      ['brnach', 'branch'],
    ] as const) {
      const answer = await organization.send('POST', path, { runs: [{ ...newRun(), [given]: 'x' }] });
      assertProblem(answer, 400, 'invalid_request', [`body.runs[0].${given}`]);
      assert.match(answer.body.errors[0].message, new RegExp(`did you mean ${nearest}\\?`));
    }
    const inJob = await organization.send('POST', path, {
      runs: [newRun({ jobs: [newJob({ start_at: 'x' })] })],
    });
    assertProblem(inJob, 400, 'invalid_request', ['body.runs[0].jobs[0].start_at']);
    assert.match(inJob.body.errors[0].message, /did you mean started_at\?/);
    const far = await organization.send('POST', path, { runs: [{ ...newRun(), zzzzzzzzzzzz: 1 }] });
    assert.match(far.body.errors[0].message, /known fields: provider, run_id,/);
    await assertNothingChanged();
  });

  test('many or huge unknown fields, with a short answer', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field_${index}`, 1]));
    for (const fields of [many, { [long]: 1 }]) {
      const answer = await organization.send('POST', path, { runs: [{ ...newRun(), ...fields }] });
      assertProblem(answer, 400, 'invalid_request');
      assert.match(answer.body.errors[0].path, /^body\.runs\[0\]\.(field_0|x{100})$/);
      assert.ok(answer.text.length < 50_000, `${answer.text.length} characters`);
    }
    await assertNothingChanged();
  });

  test('many faulty jobs, naming the first ten', async () => {
    for (const job of [{ job_id: '1' }, { job_id: 7 }]) {
      const run = newRun({ run_id: 'known', jobs: Array.from({ length: 50 }, () => job) });
      const answer = await organization.send('POST', path, { runs: [run] });
      assertProblem(answer, 400, 'invalid_request');
      assert.equal(answer.body.errors.length, 10);
    }
    await assertNothingChanged();
  });
});

test('the earliest, latest and furthest times and the shortest and longest texts are accepted', async () => {
  const own = await testApp.newOrganization();
  const ahead = new Date(testApp.clock.now().getTime() + 86_400_000).toISOString();
  const longest = { started_at: '2026-02-01T00:00:00Z', completed_at: '2026-03-08T00:00:00Z' };
  await submit(
    own,
    newRun({ created_at: '2000-01-01T00:00:00Z', workflow_name: 'x', repo_name: 'a/b' }),
    newRun({
      created_at: ahead,
      started_at: ahead,
      workflow_name: '🚀'.repeat(255),
      repo_name: `a/${'b'.repeat(253)}`,
    }),
    newRun({ created_at: '2026-03-18T09:00:00.123456789+05:30', run_attempt: 10_000 }),
    newRun({ status: 'requested', conclusion: undefined, started_at: undefined, jobs: [] }),
    newRun({
      ...longest,
      jobs: [
        newJob(longest),
        ...['skipped', 'cancelled', 'startup_failure', 'action_required', 'stale'].map((conclusion) =>
          newJob({ started_at: undefined, completed_at: undefined, conclusion }),
        ),
      ],
    }),
  );
});
