import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, receivedAt } from '../../../../test/payloads/gitHubReadings.ts';
import { protobufOf, tracesOf } from '../../../../test/payloads/otlp.ts';
import type { Attributes, Resource, Span } from '../../../../test/payloads/otlp.ts';
import {
  actionTrace,
  conventionsTrace,
  firstAttemptTrace,
  gitLabReceiverTrace,
  receiverJob,
  receiverRun,
  secondAttemptTrace,
} from '../../../../test/payloads/otlpExamples.ts';
import type { JobReport, RunReport } from '../../../ledger/runs/report.ts';
import { readOtlpJson } from './json.ts';
import { readOtlpProtobuf } from './protobuf.ts';
import { readTraces, type TracesReading } from './readTraces.ts';

function readingOf(...resources: Resource[]): TracesReading {
  const request = tracesOf(resources);
  const json = readOtlpJson(Buffer.from(JSON.stringify(request)));
  const withSpans = json.filter(({ spans }) => spans.length > 0);
  assert.deepEqual(readOtlpProtobuf(protobufOf(request)), withSpans);
  return readTraces(json, receivedAt);
}

function reportsOf(...resources: Resource[]): RunReport[] {
  const { reports, rejected, reasons } = readingOf(...resources);
  assert.deepEqual([rejected, reasons], [0, []]);
  return reports;
}

function rejectionOf(...resources: Resource[]): string {
  const { rejected, reasons } = readingOf(...resources);
  assert.ok(rejected >= reasons.length);
  return reasons.join('; ');
}

const runWith = (attributes: Attributes) => reportsOf(conventionsTrace(attributes))[0]!;
const jobReportWith = (attributes: Attributes) => reportsOf(conventionsTrace({}, attributes))[1]!;
const jobWith = (attributes: Attributes): JobReport => jobReportWith(attributes).jobs[0]!;

describe('known senders', () => {
  test('a run and its job by the semantic conventions, without steps', () => {
    const [run, job, ...others] = reportsOf(conventionsTrace());
    assert.deepEqual(others, []);
    const place = {
      provider: 'otlp',
      runId: 'r-42',
      attempt: 1,
      repository: 'acme/api',
      isPrivate: null,
      workflowName: 'release',
      workflowPath: null,
      event: null,
      branch: 'main',
      actor: null,
      pullRequest: null,
      runNumber: null,
      commit: null,
      isTrace: true,
    };
    assert.deepEqual(run, {
      ...place,
      observedAt: at('2026-11-20T10:05:00.000Z'),
      state: {
        status: 'completed',
        rawConclusion: 'success',
        createdAt: at('2026-11-20T10:00:00Z'),
        startedAt: at('2026-11-20T10:00:00Z'),
        completedAt: at('2026-11-20T10:05:00Z'),
      },
      jobs: [],
    });
    assert.deepEqual(job, {
      ...place,
      observedAt: at('2026-11-20T10:03:00.000Z'),
      state: null,
      jobs: [
        {
          jobId: 't-1',
          attempt: 1,
          name: 'compile',
          labels: [],
          runnerName: 'box-7',
          runnerGroup: null,
          status: 'completed',
          rawConclusion: 'success',
          createdAt: null,
          startedAt: at('2026-11-20T10:01:00Z'),
          completedAt: at('2026-11-20T10:03:00Z'),
          ran: true,
          observedAt: at('2026-11-20T10:03:00.000Z'),
        },
      ],
    });
  });

  test("the collector's GitHub receiver: the job starts after the queue, without steps", () => {
    const [run, report, ...others] = reportsOf(
      receiverRun(firstAttemptTrace),
      receiverJob(firstAttemptTrace),
    );
    assert.deepEqual(others, []);
    const placeOf = ({ provider, runId, attempt, repository, branch }: RunReport) => [
      provider,
      runId,
      attempt,
      repository,
      branch,
    ];
    const place = ['github', '7000000001', 1, 'octo-org/octo-repo', 'main'];
    assert.deepEqual(placeOf(run!), place);
    assert.deepEqual(placeOf(report!), place);
    assert.deepEqual([run!.workflowName, run!.actor, run!.state!.completedAt], ['Build', 'mona', null]);
    assert.deepEqual([report!.workflowName, report!.actor], [null, null]);
    const { observedAt: _, ...job } = report!.jobs[0]!;
    assert.deepEqual(job, {
      jobId: '8000000001',
      attempt: 1,
      name: 'test',
      labels: ['ubuntu-latest'],
      runnerName: 'GitHub Actions 5',
      runnerGroup: 'GitHub Actions',
      status: 'completed',
      rawConclusion: 'success',
      createdAt: at('2026-11-20T10:00:00Z'),
      startedAt: at('2026-11-20T10:00:05Z'),
      completedAt: at('2026-11-20T10:01:05Z'),
      ran: true,
    });
  });

  test("the same receiver's attempts, from a job's trace and a run's address", () => {
    const [job] = reportsOf(receiverJob(secondAttemptTrace));
    assert.deepEqual([job!.attempt, job!.jobs[0]!.attempt], [2, 2]);
    const previous = 'https://github.com/octo-org/octo-repo/actions/runs/7000000001/attempts/12';
    const [run] = reportsOf(
      receiverRun('ff'.repeat(16), { 'cicd.pipeline.run.previous_attempt.url.full': previous }),
    );
    assert.equal(run!.attempt, 13);
    assert.equal(reportsOf(receiverRun('ff'.repeat(16)))[0]!.attempt, 1);
  });

  test('the attempt of a recorded trace of that receiver, from its id', () => {
    const url =
      'https://github.com/open-telemetry/open-telemetry-otel-collector/actions/runs/14460881260/job/40685651258';
    const job = receiverJob('731ec8a47fd7450f753a812a4a8aa5a0', {
      'cicd.pipeline.task.run.url.full': url,
      'cicd.pipeline.task.run.id': 40_685_651_258,
    });
    const [report] = reportsOf(job);
    const { runId, attempt, repository } = report!;
    assert.deepEqual(
      [runId, attempt, repository],
      ['14460881260', 13, 'open-telemetry/open-telemetry-otel-collector'],
    );
  });

  test('the same receiver with a skipped job, which ends before it starts and has no runner', () => {
    const skipped = receiverJob(firstAttemptTrace, {
      'cicd.pipeline.run.task.status': 'skip',
      'cicd.pipeline.worker.name': '',
      'cicd.pipeline.worker.group.name': '',
    });
    skipped.spans = [{ ...skipped.spans[0]!, start: '2026-11-20T10:00:01Z', end: '2026-11-20T10:00:00Z' }];
    const [{ jobs } = { jobs: [] as JobReport[] }] = reportsOf(skipped);
    const { rawConclusion, ran, runnerName } = jobs[0]!;
    assert.deepEqual([rawConclusion, ran, runnerName], ['skipped', false, null]);
  });

  test('steps and queues without their job are no jobs', () => {
    const [, ...parts] = receiverJob(firstAttemptTrace).spans;
    assert.deepEqual(reportsOf({ ...receiverJob(firstAttemptTrace), spans: parts }), []);
    for (const part of parts) {
      assert.deepEqual(reportsOf({ ...receiverJob(firstAttemptTrace), spans: [part] }), []);
    }
  });

  test("the collector's GitLab receiver: stages are ignored", () => {
    const [run, report, ...others] = reportsOf(gitLabReceiverTrace());
    assert.deepEqual(others, []);
    const { provider, runId, repository, isPrivate, workflowName, event, actor, state } = run!;
    assert.deepEqual(
      [provider, runId, repository, isPrivate, workflowName, event, actor, state!.rawConclusion],
      ['gitlab', '5001', 'acme/backend/api', true, 'Nightly', 'schedule', 'mona', 'success'],
    );
    assert.equal(report!.runId, '5001');
    const { jobId, name, labels, runnerGroup, ran } = report!.jobs[0]!;
    assert.deepEqual([jobId, name, runnerGroup, ran], ['9001', 'test', 'instance_type', true]);
    assert.deepEqual(labels, ['saas-linux-small-amd64', 'gitlab-org', 'docker', 'linux']);
  });

  test('an action that exports its own workflow', () => {
    const [run, report, ...others] = reportsOf(actionTrace());
    assert.deepEqual(others, []);
    assert.deepEqual([run!.provider, run!.runId, run!.attempt], ['github', '7000000001', 2]);
    const { repository, workflowName, attempt } = report!;
    assert.deepEqual([repository, workflowName, attempt], ['octo-org/octo-repo', null, 2]);
    const { labels, rawConclusion, runnerGroup } = report!.jobs[0]!;
    assert.deepEqual(
      [labels, rawConclusion, runnerGroup],
      [['ubuntu-latest', 'big'], 'timed_out', 'GitHub Actions'],
    );
  });
});

test('the pull request is the change, if it has a number, and the commit its revision', () => {
  const numberOf = (id: string | number) => runWith({ 'vcs.change.id': id }).pullRequest;
  assert.deepEqual(['42', 42].map(numberOf), [42, 42]);
  assert.deepEqual(['', 'I8473b95934b5', '4.2', '0', '-1', '2147483648'].map(numberOf), Array(6).fill(null));
  assert.equal(jobReportWith({ 'vcs.change.id': '42' }).pullRequest, 42);
  assert.equal(runWith({ 'vcs.ref.head.revision': '8f3b2c1' }).commit, '8f3b2c1');
});

describe('other spans', () => {
  test('are ignored', () => {
    assert.deepEqual(reportsOf({ spans: [{ name: 'GET /' }] }, { spans: [] }), []);
    assert.deepEqual(reportsOf({ attributes: { 'vcs.repository.name': 'api' }, spans: [{}] }), []);
  });

  test('of programs inside a job, with its ids on their resource, are ignored', () => {
    const attributes = {
      'cicd.pipeline.name': 'release',
      'cicd.pipeline.run.id': 'r-42',
      'cicd.pipeline.task.name': 'compile',
      'cicd.pipeline.task.run.id': 't-1',
      'vcs.repository.url.full': 'https://git.acme.example/acme/api',
    };
    assert.deepEqual(reportsOf({ attributes, spans: [{ name: 'test suite' }, { name: 'SELECT' }] }), []);
    const { 'cicd.pipeline.task.run.id': _, ...ofRun } = attributes;
    assert.deepEqual(reportsOf({ attributes: ofRun, spans: [{ name: 'test suite' }] }), []);
  });

  test('do not loop if they are their own parents', () => {
    const task = { 'cicd.pipeline.run.id': 'r', 'cicd.pipeline.task.run.id': 't' };
    const spans: Span[] = [
      { spanId: 'aaaaaaaaaaaaaaaa', parentSpanId: 'bbbbbbbbbbbbbbbb' },
      { spanId: 'bbbbbbbbbbbbbbbb', parentSpanId: 'aaaaaaaaaaaaaaaa' },
      { spanId: 'cccccccccccccccc', parentSpanId: 'aaaaaaaaaaaaaaaa', attributes: task },
    ];
    const attributes = { 'vcs.repository.url.full': 'https://git.acme.example/acme/api' };
    assert.equal(reportsOf({ attributes, spans }).length, 1);
  });
});

describe('the conclusion', () => {
  const words: [string, string][] = [
    ['success', 'success'],
    ['failure', 'failure'],
    ['failed', 'failure'],
    ['error', 'failure'],
    ['timeout', 'timed_out'],
    ['cancellation', 'cancelled'],
    ['canceled', 'cancelled'],
    ['skip', 'skipped'],
    ['skipped', 'skipped'],
    ['NEUTRAL', 'neutral'],
    ['__proto__', '__proto__'],
  ];
  for (const [word, conclusion] of words) {
    test(`${word} is ${conclusion}`, () => {
      assert.equal(runWith({ 'cicd.pipeline.result': word }).state!.rawConclusion, conclusion);
      assert.equal(jobWith({ 'cicd.pipeline.task.run.result': word }).rawConclusion, conclusion);
    });
  }

  test("comes from the span's status without an attribute", () => {
    const conclusionWith = (status: number | undefined) => {
      const trace = conventionsTrace({}, { 'cicd.pipeline.task.run.result': '' });
      trace.spans[1] = { ...trace.spans[1]!, ...(status === undefined ? {} : { status }) };
      return reportsOf(trace)[1]!.jobs[0]!.rawConclusion;
    };
    assert.deepEqual([undefined, 0, 1, 2].map(conclusionWith), ['success', 'success', 'success', 'failure']);
  });

  test('is open while the run waits or runs', () => {
    const stateWith = (state: string) =>
      runWith({ 'cicd.pipeline.result': '', 'cicd.pipeline.run.state': state }).state!;
    const shown = (state: string) => {
      const { status, rawConclusion, startedAt, completedAt } = stateWith(state);
      return [status, rawConclusion, startedAt !== null, completedAt !== null];
    };
    assert.deepEqual(shown('pending'), ['queued', null, false, false]);
    assert.deepEqual(shown('executing'), ['in_progress', null, true, false]);
    assert.deepEqual(shown('finalizing'), ['completed', 'success', true, true]);
  });
});

describe('the provider', () => {
  const gitHubUrl = 'https://github.com/acme/api/actions/runs/42';
  const providerWith = (attributes: Attributes) => runWith(attributes).provider;

  test('is GitHub or GitLab for runs with their ids and addresses, each server its own', () => {
    const gitHub = { 'vcs.provider.name': 'github', 'cicd.pipeline.run.id': 42 };
    assert.equal(providerWith({ ...gitHub, 'cicd.pipeline.run.url.full': gitHubUrl }), 'github');
    const ghe = gitHubUrl.replace('github.com', 'ghe.acme.example');
    assert.equal(providerWith({ ...gitHub, 'cicd.pipeline.run.url.full': ghe }), 'github.ghe.acme.example');
    const gitLab = { 'vcs.provider.name': 'GitLab', 'cicd.pipeline.run.id': 42 };
    const pipeline = 'https://gl.acme.example/acme/sub/api/-/pipelines/42';
    assert.equal(
      providerWith({ ...gitLab, 'cicd.pipeline.run.url.full': pipeline }),
      'gitlab.gl.acme.example',
    );
    const url = 'https://gitlab.com/acme/api';
    const bare = { ...gitLab, 'cicd.pipeline.run.url.full': '', 'vcs.repository.url.full': url };
    assert.equal(providerWith(bare), 'gitlab');
  });

  test('is none if another CI builds a GitHub repository', () => {
    const gitHub = { 'vcs.provider.name': 'github', 'cicd.pipeline.run.id': 42 };
    const jenkins = 'https://jenkins.acme.example/job/api/42/';
    assert.equal(providerWith({ ...gitHub, 'cicd.pipeline.run.url.full': jenkins }), 'otlp');
    const named = { ...gitHub, 'cicd.pipeline.run.id': 'build-42', 'cicd.pipeline.run.url.full': '' };
    assert.equal(providerWith(named), 'otlp');
    const forgejo = {
      'cicd.pipeline.run.id': 42,
      'cicd.pipeline.run.url.full': 'https://code.acme.example/acme/api/actions/runs/42',
    };
    assert.equal(providerWith(forgejo), 'otlp');
  });

  test('is any other reported name', () => {
    assert.equal(providerWith({ 'vcs.provider.name': 'gitea' }), 'gitea');
    for (const name of ['Git Ea', '__proto__', 'a/b', 'x'.repeat(33)]) {
      assert.equal(providerWith({ 'vcs.provider.name': name }), 'otlp');
    }
  });

  test('GitHub refuses jobs with other ids, which its webhooks would report again', () => {
    const own = { 'cicd.pipeline.task.run.id': '81606d47848a59c0' };
    assert.match(
      rejectionOf(receiverJob(firstAttemptTrace, own)),
      /task\.run\.id must be the number that github gave/,
    );
  });
});

describe('the repository', () => {
  const repositoryWith = (attributes: Attributes) => {
    const trace = conventionsTrace();
    trace.attributes = { 'vcs.repository.url.full': '', ...attributes };
    return reportsOf(trace)[0]!.repository;
  };

  test('comes from its address, or from owner and name', () => {
    const withUrl = (url: string) => repositoryWith({ 'vcs.repository.url.full': url });
    assert.equal(withUrl('https://github.com/acme/api'), 'acme/api');
    assert.equal(withUrl('https://git.acme.example/acme/sub/api.git/'), 'acme/sub/api');
    assert.equal(repositoryWith({ 'vcs.owner.name': 'acme', 'vcs.repository.name': 'api' }), 'acme/api');
    assert.equal(repositoryWith({ 'vcs.repository.name': 'acme/api' }), 'acme/api');
  });

  test('is required', () => {
    const trace = conventionsTrace();
    trace.attributes = { 'vcs.repository.name': 'api' };
    assert.match(rejectionOf(trace), /^vcs\.repository\.url\.full is required, or vcs\.owner\.name[^;]*$/);
  });
});

describe('spans that cannot be recorded are rejected with the reason', () => {
  const job = (span: Span, attributes: Attributes = {}): Resource => {
    const trace = conventionsTrace({}, attributes);
    return { ...trace, spans: [trace.spans[0]!, { ...trace.spans[1]!, ...span }] };
  };
  const cases: [string, Resource, RegExp][] = [
    ['a start of 0', job({ start: '1970-01-01T00:00:00Z' }), /startTimeUnixNano must not be before/],
    ['an end of 0', job({ end: '1970-01-01T00:00:00Z' }), /endTimeUnixNano must not be before/],
    [
      'the far future',
      job({ end: '2500-01-01T00:00:00Z' }),
      /endTimeUnixNano must not be more than 24 hours/,
    ],
    ['a span of a year', job({ start: '2025-11-20T00:00:00Z' }), /at most 35 days/],
    ['a name too long', job({}, { 'cicd.pipeline.task.name': 'a'.repeat(1_025) }), /at most 1024 characters/],
    ['an id with U+0000', job({}, { 'cicd.pipeline.task.run.id': 'a\0' }), /U\+0000/],
    ['an id with an escape', job({}, { 'cicd.pipeline.task.run.id': 'a\u001B' }), /line breaks, control/],
    ['an id of white space', job({}, { 'cicd.pipeline.task.run.id': ' ' }), /must not be blank/],
    ['an id too long', job({}, { 'cicd.pipeline.task.run.id': 'a'.repeat(201) }), /at most 200 characters/],
    ['a label too long', job({}, { 'cicd.worker.tags': ['a'.repeat(256)] }), /at most 255 characters/],
    ['101 labels', job({}, { 'cicd.worker.tags': Array.from({ length: 101 }, () => 'a') }), /at most 100/],
  ];
  for (const [what, resource, reason] of cases) {
    test(what, () => {
      const { reports, rejected, reasons } = readingOf(resource);
      assert.deepEqual([reports.length, rejected, reasons.length], [1, 1, 1]);
      assert.match(reasons[0]!, reason);
    });
  }

  test('a job without a run', () => {
    const { spans, ...trace } = conventionsTrace({}, { 'cicd.pipeline.run.id': '' });
    assert.match(rejectionOf({ ...trace, spans: [spans[1]!] }), /cicd\.pipeline\.run\.id is required/);
    assert.equal(reportsOf({ ...trace, spans })[1]!.runId, 'r-42');
  });
});
