import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource, type TestSource } from '../../../test/harness/source.ts';
import { storedCosts } from '../../../test/harness/storedCosts.ts';
import { gitHubExamples, gitHubJob, gitHubRun, signGitHub } from '../../../test/payloads/gitHub.ts';

const testApp = await startTestApp({ PUBLIC_URL: 'https://runcost.example/' });
const { app, server, clock } = testApp;
clock.set('2026-11-21T12:00:00Z');
const path = '/api/v1/sources';

async function organizationWithSource() {
  const organization = await testApp.newOrganization();
  return { organization, source: await newSource(testApp, organization) };
}

/** Signed unless `changes` say otherwise; null leaves a header out. */
function post(
  { id, secret }: TestSource,
  body: string,
  changes: Record<string, string | number | null> = {},
) {
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'workflow_run',
    'x-hub-signature-256': signGitHub(body, secret),
    ...changes,
  };
  return request(server, {
    method: 'POST',
    url: `/api/v1/ingest/${id}`,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >,
    payload: body,
  });
}

async function recentRuns(organization: TestOrganization): Promise<{ [field: string]: unknown }[]> {
  return (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body.runs;
}

async function lastEventAt(organization: TestOrganization): Promise<string | null> {
  return (await organization.get(path)).body.data[0].last_event_at;
}

describe('a source', () => {
  test('is created with an address and a secret, which is shown only once', async () => {
    const organization = await testApp.newOrganization();
    const created = await organization.send('POST', path, { kind: 'github', name: 'acme hooks' });
    assert.equal(created.status, 201);
    const { secret, ...rest } = created.body.data;
    assert.deepEqual(rest, {
      id: rest.id,
      kind: 'github',
      name: 'acme hooks',
      ingest_url: `https://runcost.example/api/v1/ingest/${rest.id}`,
      created_at: clock.now().toISOString(),
      last_event_at: null,
      github_app: null,
      has_credentials: false,
      has_app_key: false,
    });
    assert.match(secret, /^[\w-]{43}$/);
    const list = await organization.get(path);
    assert.deepEqual(list.body.data, [rest]);
    const { rows } = await sql<{ row: string }>`select s::text as row from sources s`.execute(app.db);
    for (const { row } of rows) {
      assert.ok(
        !row.includes(secret) && !row.includes(Buffer.from(secret).toString('hex')),
        'is not encrypted',
      );
    }
    assert.ok(!testApp.logged().includes(secret));
  });

  test('refuses invalid fields by name', async () => {
    const organization = await testApp.newOrganization();
    for (const [body, field] of [
      [{}, 'kind'],
      [{ kind: 'jenkins' }, 'kind'],
      [{ kind: 'github', name: '' }, 'name'],
      [{ kind: 'github', secret: 'mine' }, 'secret'],
    ] as const) {
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', [`body.${field}`]);
    }
    assert.deepEqual((await organization.get(path)).body.data, []);
  });

  test('accepts nothing once it is deleted; its runs stay', async () => {
    const { organization, source } = await organizationWithSource();
    assert.equal((await source.deliver('workflow_run', gitHubRun())).status, 202);
    const deleted = await organization.send('DELETE', `${path}/${source.id}`);
    assert.deepEqual(deleted.body, { data: { id: source.id, deleted: true } });
    assertProblem(await source.deliver('workflow_run', gitHubRun({ id: 2 })), 404, 'source_not_found');
    assertProblem(await organization.send('DELETE', `${path}/${source.id}`), 404, 'source_not_found');
    assert.equal((await recentRuns(organization)).length, 1);
  });

  test('shows its last event to the minute', async () => {
    const { organization, source } = await organizationWithSource();
    assert.equal(await lastEventAt(organization), null);
    const first = clock.now().toISOString();
    await source.deliver('ping', { zen: 'Keep it logically awesome.' });
    assert.equal(await lastEventAt(organization), first);
    clock.forward(59);
    await source.deliver('workflow_run', gitHubRun());
    assert.equal(await lastEventAt(organization), first);
    clock.forward(1);
    await source.deliver('workflow_run', gitHubRun());
    assert.equal(await lastEventAt(organization), clock.now().toISOString());
  });
});

describe('a delivery is refused and not recorded', () => {
  test('without a signature that matches these bytes and this source', async () => {
    const { organization, source } = await organizationWithSource();
    const other = await newSource(testApp, organization);
    const body = JSON.stringify(gitHubRun());
    const right = signGitHub(body, source.secret);
    assertProblem(await post(source, body, { 'x-hub-signature-256': null }), 401, 'signature_missing');
    for (const signature of [
      signGitHub(body, other.secret),
      signGitHub(`${body} `, source.secret),
      signGitHub(body, ''),
      right.replace('sha256=', ''),
      right.replace('sha256=', 'sha1='),
      `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`,
      'sha256=',
    ]) {
      const answer = await post(source, body, { 'x-hub-signature-256': signature });
      assertProblem(answer, 401, 'signature_invalid');
    }
    assertProblem(await post(source, `${body} `, { 'x-hub-signature-256': right }), 401, 'signature_invalid');
    assert.deepEqual(await recentRuns(organization), []);
    assert.ok(
      (await organization.get(path)).body.data.every(
        (one: { last_event_at: null }) => one.last_event_at === null,
      ),
    );
  });

  test('for an unknown source, before its body is read', async () => {
    const { source } = await organizationWithSource();
    const unknown = [
      `${source.id.slice(0, -1)}${source.id.endsWith('0') ? '1' : '0'}`,
      'src_x',
      'x',
      '%00',
      `${source.id}0`,
    ];
    for (const id of unknown) {
      let wasRead = false;
      const payload = new Readable({
        read() {
          wasRead = true;
          this.push(null);
        },
      });
      const answer = await request(server, {
        method: 'POST',
        url: `/api/v1/ingest/${id}`,
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        payload,
      });
      assertProblem(answer, 404, 'source_not_found');
      assert.equal(wasRead, false);
    }
  });

  test('over 25 MiB, declared or not', async () => {
    const { organization, source } = await organizationWithSource();
    const limit = 25 * 1024 * 1024;
    assertProblem(await post(source, '{}', { 'content-length': limit + 1 }), 413, 'body_too_large');
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const streamed = await request(server, {
      method: 'POST',
      url: `/api/v1/ingest/${source.id}`,
      headers: {
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
        'x-github-event': 'workflow_run',
        'x-hub-signature-256': 'sha256=0',
      },
      payload: Readable.from(Array.from({ length: 26 }, () => chunk)),
    });
    assertProblem(streamed, 413, 'body_too_large');
    const body = JSON.stringify(gitHubRun()).padEnd(limit, ' ');
    assert.equal((await post(source, body)).status, 202);
    assert.equal((await recentRuns(organization)).length, 1);
  });

  test('in a format other than JSON or a form with JSON', async () => {
    const { organization, source } = await organizationWithSource();
    const body = JSON.stringify(gitHubRun());
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json', '']) {
      assertProblem(await post(source, body, { 'content-type': type }), 415, 'unsupported_media_type');
    }
    assertProblem(await post(source, body, { 'content-type': null }), 415, 'unsupported_media_type');
    for (const bad of ['', '{', 'payload=%7B%7D', '[1,]', '{"a":NaN}', '{}{}']) {
      assertProblem(await post(source, bad), 400, 'invalid_json');
    }
    for (const bad of ['', 'payload=', 'payload=%7B', `other=${encodeURIComponent(body)}`]) {
      const answer = await post(source, bad, { 'content-type': 'application/x-www-form-urlencoded' });
      assertProblem(answer, 400, 'invalid_json');
    }
    assertProblem(await post(source, body, { 'x-github-event': null }), 400, 'invalid_request', [
      'headers.x-github-event',
    ]);
    assert.deepEqual(await recentRuns(organization), []);
  });

  test('with fields that cannot be recorded, each named', async () => {
    const { organization, source } = await organizationWithSource();
    for (const [event, payload, fields] of [
      ['workflow_run', gitHubRun({ head_branch: 'a'.repeat(1_025) }), ['workflow_run.head_branch']],
      ['workflow_job', gitHubJob({ labels: ['ok', 7 as never] }), ['workflow_job.labels.1']],
      ['workflow_job', gitHubJob({ started_at: '2026-02-30T00:00:00Z' }), ['workflow_job.started_at']],
      [
        'workflow_run',
        gitHubRun({ created_at: '9999-12-31T00:00:00Z', run_started_at: '2026-11-20T10:00:00Z' }),
        ['workflow_run.created_at'],
      ],
      ['workflow_run', {}, ['repository', 'workflow_run']],
      ['workflow_job', [], ['body']],
    ] as const) {
      const answer = await post(source, JSON.stringify(payload), { 'x-github-event': event });
      assertProblem(answer, 400, 'invalid_payload', [...fields]);
    }
    assert.deepEqual(await recentRuns(organization), []);
    assert.equal(await lastEventAt(organization), null);
  });
});

test('names with control characters get U+FFFD, and a repeat stays one run', async () => {
  const { organization, source } = await organizationWithSource();
  const odd = (name: string) => `${name}\0\u001B[2J\n\u202E\u2066\u2028\ud83d`;
  const shown = (name: string) => `${name}\uFFFD\uFFFD[2J\n${'\uFFFD'.repeat(4)}`;
  const run = gitHubRun({ name: odd('CI'), path: '', head_branch: odd('main'), event: odd('push') });
  const job = gitHubJob({
    name: odd('build'),
    workflow_name: odd('CI'),
    runner_name: odd('r'),
    runner_group_name: odd('g'),
    labels: ['ubuntu-latest', odd('l')],
  });
  const deliver = async () => {
    assert.equal((await source.deliver('workflow_run', run)).status, 202);
    assert.equal((await source.deliver('workflow_job', job)).status, 202);
  };
  const stored = () => storedCosts(app.db, organization.orgId);
  await deliver();
  const before = await stored();
  await deliver();
  assert.deepEqual(await stored(), before);

  const [recorded] = await recentRuns(organization);
  const { body } = await organization.get(`/api/v1/runs/${String(recorded!.id)}`);
  const { workflow, branch, event, jobs } = body.data;
  assert.deepEqual([workflow.name, branch, event], ['CI', 'main', 'push'].map(shown));
  assert.deepEqual(
    [jobs[0].name, jobs[0].runner_name, jobs[0].runner_group, jobs[0].labels],
    [...['build', 'r', 'g'].map(shown), ['ubuntu-latest', shown('l')]],
  );
});

test('answers a ping and other events with 202 and records nothing', async () => {
  const { organization, source } = await organizationWithSource();
  const ping = await source.deliver('ping', { zen: 'Design for failure.' });
  assert.deepEqual([ping.status, ping.body.data], [202, { status: 'pong', event: 'ping' }]);
  const push = await source.deliver('push', { ref: 'refs/heads/main' });
  assert.equal(push.status, 202);
  assert.equal(push.body.data.status, 'ignored');
  assert.deepEqual(await recentRuns(organization), []);
});

test('an event is taken with any query, because providers do not send it again', async () => {
  const { source } = await organizationWithSource();
  const body = JSON.stringify({ zen: 'Design for failure.' });
  const answer = await post({ ...source, id: `${source.id}?env=prod` }, body, { 'x-github-event': 'ping' });
  assert.equal(answer.status, 202, answer.text);
});

test('a secret that cannot be opened stops only the events of its own source', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, organizationWithSource));
  const { organization, source } = all[2]!;
  const broken = Buffer.from('sealed with another key');
  await sql`update sources set secret = ${broken} where org_id = ${organization.orgId} and id = ${source.id}`.execute(
    app.db,
  );
  // The first look-up has one source, and the next one all that came meanwhile.
  const answers = await Promise.all(all.map((each) => each.source.deliver('ping', { zen: '' })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 500, 202],
  );
});

test('records a form-encoded delivery like JSON', async () => {
  const { organization, source } = await organizationWithSource();
  const branch = 'a+b & c=d%20 ü';
  const body = `payload=${encodeURIComponent(JSON.stringify(gitHubRun({ head_branch: branch })))}`;
  const answer = await post(source, body, {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
  });
  assert.equal(answer.status, 202, answer.text);
  assert.equal((await recentRuns(organization)).length, 1);
  const row = await app.db
    .selectFrom('runs')
    .select('branch')
    .where('orgId', '=', organization.orgId)
    .executeTakeFirstOrThrow();
  assert.equal(row.branch, branch);
});

test('times in year 1 count as none', async () => {
  const { organization, source } = await organizationWithSource();
  const zero = '0001-01-01T00:00:00Z';
  await source.deliver(
    'workflow_run',
    gitHubRun({ run_started_at: zero, updated_at: '2026-11-20T10:05:00Z' }),
  );
  await source.deliver('workflow_job', gitHubJob({ status: 'in_progress', completed_at: zero }));
  const [run] = await recentRuns(organization);
  assert.equal(run!['started_at'], '2026-11-20T10:00:05.000Z');
  assert.equal(run!['completed_at'], null);
  assert.equal(run!['duration_seconds'], 0);
});

test('a job before its run creates the run, and later names win', async () => {
  const { organization, source } = await organizationWithSource();
  await source.deliver('workflow_job', gitHubJob({ workflow_name: '', status: 'in_progress' }));
  const [early] = await recentRuns(organization);
  assert.equal(early!['status'], 'in_progress');
  await source.deliver('workflow_run', gitHubRun({ name: 'Deploy' }));
  await source.deliver('workflow_job', gitHubJob({ workflow_name: '' }));
  const runs = await recentRuns(organization);
  assert.deepEqual(
    runs.map(({ id, workflow_name, status, cost }) => ({ id, workflow_name, status, cost })),
    [{ id: early!['id'], workflow_name: 'Deploy', status: 'completed', cost: 0.008 }],
  );
  const { workflows, pagination } = (await organization.get('/api/v1/dashboard/workflows')).body;
  assert.equal(pagination.total, 1);
  assert.equal(workflows[0].workflow_name, 'Deploy');
  assert.equal(workflows[0].total_cost, 0.008);
});

test('equal run ids on github.com and another server are two runs with their own costs', async () => {
  const { organization, source } = await organizationWithSource();
  for (const html_url of ['https://github.com/acme/api', 'https://GHE.corp.example/acme/api']) {
    for (const [event, payload] of [
      ['workflow_run', gitHubRun({ id: 7 })],
      ['workflow_job', gitHubJob({ run_id: 7 })],
    ] as const) {
      const repository = { ...(payload['repository'] as object), html_url };
      assert.equal((await source.deliver(event, { ...payload, repository })).status, 202);
    }
  }
  const runs = (await recentRuns(organization)).map(({ id, cost }) => ({ id, cost }));
  assert.deepEqual(
    runs.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
    [
      { id: 'run_github.ghe.corp.example_7', cost: 0.008 },
      { id: 'run_github_7', cost: 0.008 },
    ],
  );
  assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, 0.016);
});

test('an unknown conclusion is recorded as none', async () => {
  const { organization, source } = await organizationWithSource();
  for (const [index, conclusion] of ['__proto__', 'constructor', 'toString', 'new'].entries()) {
    const ids = { job: gitHubJob({ id: index + 1, run_id: index + 1, conclusion }), run: index + 1 };
    assert.equal((await source.deliver('workflow_job', ids.job)).status, 202);
    assert.equal((await source.deliver('workflow_run', gitHubRun({ id: ids.run, conclusion }))).status, 202);
  }
  const runs = await recentRuns(organization);
  assert.deepEqual(
    runs.map(({ status, conclusion, cost }) => [status, conclusion, cost]),
    Array.from({ length: 4 }, () => ['completed', null, 0.008]),
  );
});

test("accepts or refuses GitHub's public examples of every event without failing", async () => {
  const { source } = await organizationWithSource();
  let taken = 0;
  for (const { name, examples } of gitHubExamples()) {
    for (const example of examples) {
      const { status, text } = await source.deliver(name, example);
      assert.ok(status === 202 || (status >= 400 && status < 500), `${name}: ${text}`);
      if (status === 202) taken += 1;
    }
  }
  assert.ok(taken > 100, `${taken} were taken`);
});
