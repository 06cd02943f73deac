import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startTestApp, type TestOrganization } from '../../../../test/harness/app.ts';
import { newGitLabSource, newSource } from '../../../../test/harness/source.ts';
import { gitHubJob, gitHubRun } from '../../../../test/payloads/gitHub.ts';
import { gitLabJob, gitLabPipeline } from '../../../../test/payloads/gitLab.ts';
import { decode, protobufOf, tracesOf, type Resource } from '../../../../test/payloads/otlp.ts';
import {
  conventionsTrace,
  firstAttemptTrace,
  gitLabReceiverTrace,
  receiverJob,
  receiverRun,
} from '../../../../test/payloads/otlpExamples.ts';
import { createRecorder } from '../../../ledger/runs/recorder.ts';
import type { Scope } from '../../../platform/lib/actor.ts';
import { buildServer } from '../../../server.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-11-21T12:00:00Z');

type Sent = { token?: string; headers?: Record<string, string>; query?: Record<string, string> };

async function post(
  body: Buffer | string,
  type: string | null,
  { token, headers = {}, query = {} }: Sent = {},
) {
  const response = await testApp.server.inject({
    method: 'POST',
    url: '/v1/traces',
    query,
    headers: {
      ...(type === null ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    payload: body,
  });
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    bytes: response.rawPayload,
    response,
  };
}

const jsonType = 'application/json';
const protobufType = 'application/x-protobuf';
const jsonOf = (...resources: Resource[]) => JSON.stringify(tracesOf(resources));

async function send({ token }: TestOrganization, ...resources: Resource[]): Promise<object> {
  const { status, bytes } = await post(jsonOf(...resources), jsonType, { token });
  assert.equal(status, 200, bytes.toString());
  return JSON.parse(bytes.toString()) as object;
}

const runsOf = async (organization: TestOrganization): Promise<{ [field: string]: unknown }[]> =>
  (await organization.get('/api/v1/dashboard/recent-runs', { limit: 100 })).body.runs;
const summaryOf = async (organization: TestOrganization) =>
  (await organization.get('/api/v1/dashboard/summary')).body;

describe('an export', () => {
  test('in JSON is answered in JSON after it is committed', async () => {
    const organization = await testApp.newOrganization();
    const { status, type, bytes } = await post(jsonOf(conventionsTrace()), jsonType, organization);
    assert.deepEqual([status, type, bytes.toString()], [200, jsonType, '{}']);
    const [run] = await runsOf(organization);
    const { id, workflow_name, repo_name, conclusion } = run!;
    assert.deepEqual(
      [id, workflow_name, repo_name, conclusion],
      ['run_otlp_r-42', 'release', 'acme/api', 'success'],
    );
  });

  test('in protobuf is answered in protobuf, with an empty message', async () => {
    const organization = await testApp.newOrganization();
    const body = protobufOf(tracesOf([conventionsTrace()]));
    const { status, type, bytes } = await post(body, protobufType, organization);
    assert.deepEqual([status, type, bytes.length], [200, protobufType, 0]);
    assert.equal((await runsOf(organization)).length, 1);
  });

  test('can be compressed', async () => {
    for (const [type, body] of [
      [jsonType, Buffer.from(jsonOf(conventionsTrace()))],
      [protobufType, protobufOf(tracesOf([conventionsTrace()]))],
    ] as const) {
      const organization = await testApp.newOrganization();
      const headers = { 'content-encoding': 'gzip' };
      const { status, bytes } = await post(gzipSync(body), type, { ...organization, headers });
      assert.equal(status, 200, bytes.toString());
      assert.equal((await runsOf(organization)).length, 1);
    }
  });

  test('without spans is a success', async () => {
    const { token } = await testApp.newOrganization();
    assert.equal((await post(Buffer.alloc(0), protobufType, { token })).status, 200);
    assert.equal((await post('{}', jsonType, { token })).status, 200);
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await post(gzipSync(''), protobufType, { token, headers })).status, 200);
  });

  test('without runs or jobs is a success and records nothing', async () => {
    const organization = await testApp.newOrganization();
    const spans = Array.from({ length: 100 }, () => ({
      name: 'GET /',
      attributes: { 'http.request.method': 'GET' },
    }));
    assert.deepEqual(await send(organization, { spans }), {});
    assert.deepEqual(await runsOf(organization), []);
  });

  test('reports which spans it rejects and why, and records the others', async () => {
    const organization = await testApp.newOrganization();
    const bad = conventionsTrace({}, { 'cicd.pipeline.task.name': 'a'.repeat(2_000) });
    const answer = {
      rejectedSpans: '1',
      errorMessage: 'cicd.pipeline.task.name must have at most 1024 characters',
    };
    assert.deepEqual(await send(organization, bad), { partialSuccess: answer });
    assert.equal((await runsOf(organization)).length, 1);
    const { bytes } = await post(protobufOf(tracesOf([bad])), protobufType, organization);
    assert.deepEqual(decode('Response', bytes), { partialSuccess: answer });
  });

  test("with U+0000 in a run's id is recorded without that span, in both encodings", async () => {
    const reason = 'cicd.pipeline.run.id must contain neither U+0000 nor half of a surrogate pair';
    const answer = { partialSuccess: { rejectedSpans: '1', errorMessage: reason } };
    const bad = conventionsTrace({ 'cicd.pipeline.run.id': 'r\0' });
    const batch = [{ ...bad, spans: [bad.spans[0]!] }, conventionsTrace()];
    const organization = await testApp.newOrganization();
    assert.deepEqual(await send(organization, ...batch), answer);
    assert.deepEqual(
      (await runsOf(organization)).map(({ id }) => id),
      ['run_otlp_r-42'],
    );
    const { status, bytes } = await post(protobufOf(tracesOf(batch)), protobufType, organization);
    assert.deepEqual([status, decode('Response', bytes)], [200, answer]);
  });

  test('with control characters in names is recorded with U+FFFD instead', async () => {
    const organization = await testApp.newOrganization();
    const names = [{ 'cicd.pipeline.name': 'CI\u001B\0' }, { 'cicd.pipeline.task.name': 'a\u202E' }];
    await send(organization, conventionsTrace(...names));
    const { workflow, jobs } = (await organization.get('/api/v1/runs/run_otlp_r-42')).body.data;
    assert.deepEqual([workflow.name, jobs[0].name, jobs.length], ['CI\uFFFD\uFFFD', 'a\uFFFD', 1]);
  });

  test('reports a few of many reasons', async () => {
    const organization = await testApp.newOrganization();
    const { spans, ...rest } = conventionsTrace();
    const keys = ['cicd.pipeline.name', 'cicd.worker.name', 'cicd.worker.type', 'vcs.ref.head.name'];
    const many = [
      ...keys,
      'cicd.pipeline.run.id',
      'cicd.pipeline.task.run.id',
      'cicd.pipeline.task.name',
    ].map((key) => ({
      ...spans[1]!,
      parentSpanId: '',
      attributes: { ...spans[1]!.attributes, [key]: 'a'.repeat(2_000) },
    }));
    const { partialSuccess } = (await send(organization, { ...rest, spans: many })) as {
      partialSuccess: { rejectedSpans: string; errorMessage: string };
    };
    assert.equal(partialSuccess.rejectedSpans, '7');
    assert.match(partialSuccess.errorMessage, /2 other reasons$/);
    assert.equal(partialSuccess.errorMessage.split('; ').length, 6);
  });
});

describe('errors are a google.rpc.Status in the encoding of the request', () => {
  async function refused(
    body: Buffer | string,
    sent: Sent,
    expected: { http: number; code: number; message: RegExp },
    types = [jsonType, protobufType],
  ): Promise<void> {
    for (const type of types) {
      const answer = await post(body, type, sent);
      assert.equal(answer.status, expected.http, answer.bytes.toString());
      assert.equal(answer.type, type);
      const status = (
        type === jsonType ? JSON.parse(answer.bytes.toString()) : decode('Status', answer.bytes)
      ) as {
        code: number;
        message: string;
      };
      assert.equal(status.code, expected.code);
      assert.match(status.message, expected.message);
      if (expected.http === 401) assert.equal(answer.response.headers['www-authenticate'], 'Bearer');
    }
  }

  test('400 for an unreadable body', async () => {
    const organization = await testApp.newOrganization();
    await refused('{"resourceSpans":', organization, { http: 400, code: 3, message: /valid JSON|protobuf/ });
    await refused('', organization, { http: 400, code: 3, message: /valid JSON/ }, [jsonType]);
    const headers = { 'content-encoding': 'gzip' };
    await refused('no gzip', { ...organization, headers }, { http: 400, code: 3, message: /decompress/i });
  });

  test('401 without a token, and with an invalid one', async () => {
    await refused('', {}, { http: 401, code: 16, message: /token/ });
    await refused('', { token: 'runcost_nonsense' }, { http: 401, code: 16, message: /token/ });
  });

  test('403 without the scope or role', async () => {
    const organization = await testApp.newOrganization();
    const scopes: Scope[] = ['costs:read', 'admin'];
    const body = jsonOf(conventionsTrace());
    const expected = { http: 403, code: 7, message: /runs:write|member/ };
    await refused(body, { token: await organization.newToken('owner', scopes) }, expected);
    await refused(body, { token: await organization.newToken('viewer', ['runs:write']) }, expected);
    assert.deepEqual(await runsOf(organization), []);
    const token = await organization.newToken('member', ['runs:write']);
    assert.equal((await post(body, jsonType, { token })).status, 200);
  });

  test('403 for another organization, which gets nothing', async () => {
    const [owner, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
    await refused(
      jsonOf(conventionsTrace()),
      { token: stranger.token, query: { org_id: owner.orgId } },
      { http: 403, code: 7, message: /another organization/ },
    );
    await send(stranger, conventionsTrace());
    assert.deepEqual(await runsOf(owner), []);
    assert.equal((await owner.get('/api/v1/runs/run_otlp_r-42')).status, 404);
  });

  test('413 for too many bytes, compressed or not', async () => {
    const { token } = await testApp.newOrganization();
    const large = Buffer.alloc(21 * 1024 * 1024, ' ');
    const expected = { http: 413, code: 8, message: /large/ };
    await refused(large, { token }, expected);
    await refused(gzipSync(large), { token, headers: { 'content-encoding': 'gzip' } }, expected);
    await refused(brotliCompressSync(large), { token, headers: { 'content-encoding': 'br' } }, expected);
  });

  test('415 for other types and encodings', async () => {
    const { token } = await testApp.newOrganization();
    const headers = { 'content-encoding': 'snappy' };
    await refused('x', { token, headers }, { http: 415, code: 3, message: /encoding/i });
    for (const type of ['text/plain', 'application/grpc', null]) {
      const { status, bytes } = await post('x', type, { token });
      assert.deepEqual([status, (JSON.parse(bytes.toString()) as { code: number }).code], [415, 3]);
    }
  });

  test('503 while the database is away, to retry', async () => {
    const organization = await testApp.newOrganization();
    const away = Object.assign(new Error('gone'), { code: '57P03' });
    const recorder = { ...createRecorder(testApp.app), record: () => Promise.reject(away) };
    const server = await buildServer({ ...testApp.app, recorder });
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/traces',
      headers: { 'content-type': jsonType, authorization: `Bearer ${organization.token}` },
      payload: jsonOf(conventionsTrace()),
    });
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.headers['retry-after'], '5');
    assert.equal(answer.json<{ code: number }>().code, 14);
    await server.close();
  });
});

describe('the totals', () => {
  const resources = [
    receiverRun(firstAttemptTrace),
    receiverJob(firstAttemptTrace),
    conventionsTrace(),
    gitLabReceiverTrace(),
  ];

  test('are the same in any order, in one request or many, also repeated', async () => {
    const expected = async (organization: TestOrganization) => ({
      summary: await summaryOf(organization),
      runs: await runsOf(organization),
    });
    const first = await testApp.newOrganization();
    await send(first, ...resources);
    const answer = await expected(first);
    assert.equal(answer.summary.total_runs, 3);
    assert.equal(answer.summary.total_cost, 0.008 + 0.015);
    await send(first, ...resources.toReversed());
    assert.deepEqual(await expected(first), answer);
    const second = await testApp.newOrganization();
    for (const resource of [...resources.toReversed(), ...resources]) await send(second, resource);
    assert.deepEqual(await expected(second), answer);
  });

  test('count a GitHub run once that its webhooks report too, in any order', async () => {
    const webhooks = async (organization: TestOrganization) => {
      const source = await newSource(testApp, organization);
      assert.equal((await source.deliver('workflow_run', gitHubRun())).status, 202);
      assert.equal((await source.deliver('workflow_job', gitHubJob())).status, 202);
    };
    const traces = (organization: TestOrganization) =>
      send(organization, receiverRun(firstAttemptTrace), receiverJob(firstAttemptTrace));
    const alone = await testApp.newOrganization();
    await webhooks(alone);
    const [expected] = await runsOf(alone);
    for (const order of [
      [webhooks, traces],
      [traces, webhooks],
      [traces, webhooks, traces, webhooks],
    ]) {
      const organization = await testApp.newOrganization();
      for (const submitPart of order) await submitPart(organization);
      assert.deepEqual(await runsOf(organization), [expected]);
      assert.equal((await summaryOf(organization)).total_cost, 0.008);
    }
    const traced = await testApp.newOrganization();
    await traces(traced);
    const [run] = await runsOf(traced);
    // Only the webhook reports the run's number, and the workflow's file, which decides its id.
    const { workflow_id, run_number } = expected!;
    assert.deepEqual({ ...run, workflow_id, run_number }, expected);
  });

  test("keep the times of the provider's webhook over those of a trace", async () => {
    const early = receiverJob(firstAttemptTrace, { 'cicd.pipeline.run.task.status': 'failure' });
    // Without the span of the queue, a job's span bills the wait too.
    const late = receiverJob(firstAttemptTrace);
    const [job] = late.spans;
    const longer = {
      ...late,
      spans: [{ ...job!, start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:30:00Z' }],
    };
    const jobOf = async (organization: TestOrganization) =>
      (await organization.get('/api/v1/runs/run_github_7000000001')).body.data.jobs[0];
    const completed = gitHubJob();
    const alone = await testApp.newOrganization();
    await (await newSource(testApp, alone)).deliver('workflow_job', completed);
    const expected = await jobOf(alone);
    for (const order of ['webhook first', 'traces first', 'webhook between']) {
      const organization = await testApp.newOrganization();
      const source = await newSource(testApp, organization);
      const traces = () => send(organization, longer, early);
      if (order !== 'webhook first') await traces();
      await source.deliver('workflow_job', completed);
      if (order !== 'traces first') await traces();
      assert.deepEqual(await jobOf(organization), expected, order);
    }
  });

  test("end a job whose last webhook is lost, from its webhook's start", async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    await source.deliver('workflow_job', gitHubJob({ status: 'in_progress' }));
    const trace = receiverJob(firstAttemptTrace);
    await send(organization, { ...trace, spans: [{ ...trace.spans[0]!, start: '2026-11-20T09:00:00Z' }] });
    const jobs = async () => (await organization.get('/api/v1/runs/run_github_7000000001')).body.data.jobs;
    const [{ status, started_at, completed_at, receipt }] = await jobs();
    assert.deepEqual(
      [status, started_at, completed_at, receipt.cost],
      ['completed', '2026-11-20T10:00:05.000Z', '2026-11-20T10:01:05.000Z', 0.008],
    );
    const late = { completed_at: '2026-11-20T10:02:05Z', conclusion: 'failure' };
    await source.deliver('workflow_job', gitHubJob(late));
    const [own] = await jobs();
    assert.deepEqual([own.raw_conclusion, own.completed_at], ['failure', '2026-11-20T10:02:05.000Z']);
  });

  test('count a job once if the spans lack its attempt', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    await source.deliver('workflow_run', gitHubRun({ run_attempt: 2 }));
    await source.deliver('workflow_job', gitHubJob({ run_attempt: 2 }));
    await send(organization, receiverJob('ff'.repeat(16)));
    assert.equal((await summaryOf(organization)).total_cost, 0.008);
  });

  test('count a GitLab pipeline once that its webhooks report too, in any order', async () => {
    const webhooks = async (organization: TestOrganization) => {
      const source = await newGitLabSource(testApp, organization);
      assert.equal((await source.deliver('Job Hook', gitLabJob())).status, 202);
      assert.equal((await source.deliver('Pipeline Hook', gitLabPipeline({ name: 'Nightly' }))).status, 202);
    };
    const traces = (organization: TestOrganization) => send(organization, gitLabReceiverTrace());
    for (const order of [
      [webhooks, traces],
      [traces, webhooks],
    ]) {
      const organization = await testApp.newOrganization();
      for (const submitPart of order) await submitPart(organization);
      const { total_runs, total_cost } = await summaryOf(organization);
      assert.deepEqual([total_runs, total_cost], [1, 0.015]);
    }
  });
});
