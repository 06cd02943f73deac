import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Payload } from '../../../../test/payloads/gitHub.ts';
import { at, receivedAt, rejectedPaths } from '../../../../test/payloads/gitHubReadings.ts';
import {
  gitLabBuild,
  gitLabJob,
  gitLabPipeline,
  gitLabProject,
  hostedRunner,
  ownRunner,
} from '../../../../test/payloads/gitLab.ts';
import type { JobReport, RunReport } from '../../../ledger/runs/report.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { readGitLabEvent } from './readEvent.ts';

function reportOf(payload: unknown): RunReport {
  const { event } = readGitLabEvent(undefined, payload, receivedAt);
  assert.equal(event.kind, 'report');
  return (event as { report: RunReport }).report;
}

const jobWith = (fields: Payload) => reportOf(gitLabJob(fields)).jobs[0]!;
const buildWith = (fields: Payload) =>
  reportOf(gitLabPipeline({}, { builds: [gitLabBuild(fields)] })).jobs[0]!;

describe('whole payloads', () => {
  test('a job', () => {
    assert.deepEqual(reportOf(gitLabJob()), {
      provider: 'gitlab',
      runId: '5001',
      attempt: 1,
      repository: 'acme/backend/api',
      isPrivate: true,
      workflowName: 'pipeline',
      workflowPath: null,
      event: null,
      branch: 'main',
      actor: null,
      pullRequest: null,
      runNumber: null,
      commit: '2293ada6b400935a1378653304eaf6221e0fdb8f',
      observedAt: at('2026-11-20T10:02:00Z'),
      state: null,
      jobs: [
        {
          jobId: '9001',
          attempt: 1,
          actor: 'mona',
          name: 'test',
          labels: ['saas-linux-small-amd64', 'gitlab-org', 'docker', 'linux'],
          runnerName: 'blue-3.saas-linux-small-amd64.runners-manager.gitlab.com/default',
          runnerGroup: 'instance_type',
          status: 'completed',
          rawConclusion: 'success',
          createdAt: at('2026-11-20T10:00:00Z'),
          startedAt: at('2026-11-20T10:00:30Z'),
          completedAt: at('2026-11-20T10:02:00Z'),
          ran: true,
          observedAt: at('2026-11-20T10:02:00Z'),
        },
      ],
    });
  });

  test('a pipeline', () => {
    const { jobs, ...run } = reportOf(gitLabPipeline({ name: 'Nightly', source: 'schedule' }));
    assert.deepEqual(run, {
      provider: 'gitlab',
      runId: '5001',
      attempt: 1,
      repository: 'acme/backend/api',
      isPrivate: true,
      workflowName: 'Nightly',
      workflowPath: null,
      event: 'schedule',
      branch: 'main',
      actor: 'mona',
      pullRequest: null,
      runNumber: 3,
      commit: '2293ada6b400935a1378653304eaf6221e0fdb8f',
      observedAt: at('2026-11-20T10:02:01Z'),
      state: {
        status: 'completed',
        rawConclusion: 'success',
        createdAt: at('2026-11-20T10:00:00Z'),
        startedAt: null,
        completedAt: at('2026-11-20T10:02:01Z'),
      },
    });
    const { jobId, name, runnerGroup, status, ran } = jobs[0]!;
    assert.deepEqual(
      [jobId, name, runnerGroup, status, ran],
      ['9001', 'test', 'instance_type', 'completed', true],
    );
  });

  test('a pipeline reports its jobs in every state', () => {
    const none = { started_at: null, finished_at: null, duration: null, runner: null };
    const builds = [
      gitLabBuild({ id: 1, status: 'failed', failure_reason: 'script_failure' }),
      gitLabBuild({ id: 2, status: 'canceled' }),
      gitLabBuild({ id: 3, ...none, status: 'skipped', when: 'manual', manual: true }),
      gitLabBuild({ id: 4, ...none, status: 'manual', when: 'manual', manual: true }),
      gitLabBuild({ id: 5, ...none, status: 'created' }),
      gitLabBuild({ id: 6, finished_at: null, duration: null, status: 'running' }),
    ];
    const { jobs } = reportOf(gitLabPipeline({ status: 'running', finished_at: null }, { builds }));
    assert.deepEqual(
      jobs.map(({ jobId, status, rawConclusion, ran, startedAt }) => [
        jobId,
        status,
        rawConclusion,
        ran,
        startedAt !== null,
      ]),
      [
        ['1', 'completed', 'failure', true, true],
        ['2', 'completed', 'cancelled', true, true],
        ['3', 'completed', 'skipped', false, false],
        ['4', 'queued', null, null, false],
        ['5', 'queued', null, null, false],
        ['6', 'in_progress', null, true, true],
      ],
    );
  });

  test('every other event is ignored with a reason, for any content', () => {
    for (const object_kind of ['push', 'tag_push', 'issue', 'note', 'deployment', 'wiki_page', 'job']) {
      const { event } = readGitLabEvent('Job Hook', { object_kind, build_id: 'x' }, receivedAt);
      assert.equal(event.kind, 'ignored');
    }
    for (const object_kind of [7, null])
      assert.equal(readGitLabEvent(undefined, { object_kind }, receivedAt).event.kind, 'ignored');
    assert.equal(
      readGitLabEvent('System Hook', { event_name: 'project_create' }, receivedAt).kind,
      'unknown',
    );
  });
});

describe('times', () => {
  const forms = [
    '2026-11-20 10:02:00 UTC',
    '2026-11-20T10:02:00Z',
    '2026-11-20T10:02:00.000Z',
    '2026-11-20 13:02:00 +0300',
    '2026-11-20T10:02:00+0000',
    '2026-11-20T12:02:00+02:00',
  ];
  for (const text of forms) {
    test(`are read as ${text}`, () => {
      const job = jobWith({ build_finished_at: text, build_finished_at_iso: null, build_duration: null });
      assert.deepEqual(job.completedAt, at('2026-11-20T10:02:00Z'));
      assert.deepEqual(
        buildWith({ finished_at: text, duration: null }).completedAt,
        at('2026-11-20T10:02:00Z'),
      );
    });
  }

  test('come from the ISO fields if the others are missing', () => {
    const job = jobWith({ build_created_at: null, build_started_at: undefined, build_finished_at: '' });
    assert.deepEqual(
      [job.createdAt, job.startedAt, job.completedAt],
      [at('2026-11-20T10:00:00Z'), at('2026-11-20T10:00:30Z'), at('2026-11-20T10:02:00Z')],
    );
  });

  test('are named if they are invalid or in the future', () => {
    assert.deepEqual(
      rejectedPaths(() =>
        jobWith({ build_started_at: 'soon', build_finished_at: '2026-02-30 10:00:00 UTC' }),
      ),
      ['build_started_at', 'build_finished_at'],
    );
    assert.deepEqual(
      rejectedPaths(() => buildWith({ created_at: '2026-11-23T00:00:00Z' })),
      ['builds.0.created_at'],
    );
    assert.deepEqual(
      rejectedPaths(() => reportOf(gitLabPipeline({ created_at: '2026-11-20 10:00:00' }))),
      ['object_attributes.created_at'],
    );
  });

  test('before the year 2000 are none', () => {
    const job = jobWith({ build_started_at: '1970-01-01 00:00:00 UTC' });
    assert.deepEqual([job.startedAt, job.ran], [null, false]);
  });

  test('of both events give a job the same seconds, by its duration', () => {
    const duration = 88.425831;
    const read = jobWith({ build_started_at: '2026-11-20 10:00:31 UTC', build_duration: duration });
    const listed = buildWith({
      started_at: '2026-11-20T10:00:30.977Z',
      finished_at: '2026-11-20T10:01:59.403Z',
      duration,
    });
    const seconds = ({ startedAt, completedAt }: JobReport) =>
      (completedAt!.getTime() - startedAt!.getTime()) / 1e3;
    assert.equal(seconds(read), 88.426);
    assert.equal(seconds(listed), 88.426);
    assert.deepEqual(read.completedAt, at('2026-11-20T10:02:00Z'));
  });

  test('win over a duration that does not match', () => {
    for (const build_duration of [0, -5, 3_600, null]) {
      assert.deepEqual(jobWith({ build_duration }).startedAt, at('2026-11-20T10:00:30Z'));
    }
  });
});

describe('statuses', () => {
  const queued = [
    'created',
    'pending',
    'preparing',
    'waiting_for_resource',
    'waiting_for_callback',
    'manual',
    'scheduled',
  ];
  for (const build_status of queued) {
    test(`a job that is ${build_status} has neither start nor end`, () => {
      const { status, startedAt, completedAt, rawConclusion } = jobWith({ build_status, runner: null });
      assert.deepEqual([status, startedAt, completedAt, rawConclusion], ['queued', null, null, null]);
    });
  }

  for (const build_status of ['running', 'canceling']) {
    test(`a job that is ${build_status} has no end`, () => {
      const { status, startedAt, completedAt } = jobWith({ build_status });
      assert.deepEqual([status, startedAt, completedAt], ['in_progress', at('2026-11-20T10:00:30Z'), null]);
    });
  }

  test('for an unknown word, the times decide', () => {
    const words = ['__proto__', 'constructor', 'sleeping', '', null];
    for (const build_status of words) {
      assert.equal(jobWith({ build_status }).status, 'completed');
      const unfinished = { build_finished_at: null, build_finished_at_iso: null };
      assert.equal(jobWith({ build_status, ...unfinished }).status, 'in_progress');
      const unstarted = { build_started_at: null, build_started_at_iso: null };
      assert.equal(jobWith({ build_status, ...unfinished, ...unstarted }).status, 'queued');
    }
  });
});

describe('runners', () => {
  test('report their tags and type', () => {
    const { labels, runnerName, runnerGroup } = jobWith({ runner: ownRunner });
    assert.deepEqual([labels, runnerName, runnerGroup], [['docker', 'big'], 'build-box-7', 'project_type']);
  });

  test('of old servers are shared or not', () => {
    const { runner_type: _, tags: __, ...old } = hostedRunner;
    assert.deepEqual(jobWith({ runner: old }).runnerGroup, 'instance_type');
    assert.deepEqual(jobWith({ runner: { ...old, is_shared: false } }).runnerGroup, null);
    assert.deepEqual(jobWith({ runner: old }).labels, []);
  });

  test('a job without a runner did not run, such as a trigger job', () => {
    assert.equal(buildWith({ runner: null }).ran, false);
    assert.equal(buildWith({ status: 'failed', started_at: null, duration: null }).ran, false);
  });

  test('of a server that does not report them stay unknown', () => {
    assert.equal(jobWith({ runner: undefined }).ran, null);
  });
});

describe('the repository and provider of a run', () => {
  test('another server is another provider', () => {
    const project = gitLabProject('acme/api', 'GitLab.acme.example:8443');
    assert.equal(reportOf(gitLabJob({ project })).provider, 'gitlab.gitlab.acme.example:8443');
    assert.equal(reportOf(gitLabPipeline({}, { project })).provider, 'gitlab.gitlab.acme.example:8443');
  });

  test('are the same for a job and its pipeline', () => {
    const placeOf = ({
      provider,
      runId,
      attempt,
      repository,
      isPrivate,
      workflowName,
      branch,
    }: RunReport) => [provider, runId, attempt, repository, isPrivate, workflowName, branch];
    assert.deepEqual(placeOf(reportOf(gitLabJob())), placeOf(reportOf(gitLabPipeline())));
    const named = gitLabJob({ commit: { id: 5_001, name: 'Nightly' } });
    assert.deepEqual(placeOf(reportOf(named)), placeOf(reportOf(gitLabPipeline({ name: 'Nightly' }))));
  });

  test('has the merge request of a pipeline for one, unless it merges into another project', () => {
    const pullRequestOf = (merge_request: unknown) =>
      reportOf(gitLabPipeline({ source: 'merge_request_event' }, { merge_request })).pullRequest;
    assert.equal(pullRequestOf({ id: 99, iid: 12, target_project_id: 380 }), 12);
    assert.equal(pullRequestOf({ id: 99, iid: 12 }), 12);
    assert.equal(pullRequestOf({ id: 99, iid: 12, target_project_id: 381 }), null);
    assert.equal(pullRequestOf({ id: 99 }), null);
    assert.equal(pullRequestOf(null), null);
    assert.equal(pullRequestOf(undefined), null);
  });

  test('a retry is another job of the same pipeline', () => {
    const again = reportOf(gitLabJob({ retries_count: 2, build_id: 9_009 }));
    assert.deepEqual(
      [again.runId, again.attempt, again.jobs[0]!.jobId, again.jobs[0]!.attempt],
      ['5001', 1, '9009', 1],
    );
  });

  test('without a project, come from the address, then from the titles', () => {
    const old = gitLabJob({ project: undefined });
    assert.equal(reportOf(old).repository, 'acme/backend/api');
    const titled = { repository: null, project_name: 'acme / backend / api' };
    assert.equal(reportOf({ ...old, ...titled }).repository, 'acme/backend/api');
    assert.deepEqual(
      rejectedPaths(() => reportOf({ ...old, repository: null, project_name: 'Acme / The API' })),
      ['project.path_with_namespace'],
    );
  });

  test('public projects are public, internal ones are not', () => {
    const visible = (visibility_level: unknown) =>
      reportOf(gitLabPipeline({}, { project: { ...gitLabProject(), visibility_level } })).isPrivate;
    assert.deepEqual([0, 10, 20, null].map(visible), [true, true, false, null]);
  });
});

describe('hostile payloads', () => {
  test('are refused with the places of the faults', () => {
    const cases: [unknown, string[]][] = [
      [null, ['body']],
      [[], ['body']],
      ['build', ['body']],
      [{ object_kind: 'build' }, ['build_id', 'pipeline_id']],
      [{ object_kind: 'pipeline' }, ['object_attributes', 'project']],
      [gitLabJob({ build_id: 2 ** 53 }), ['build_id']],
      [gitLabJob({ pipeline_id: '5001' }), ['pipeline_id']],
      [gitLabJob({ build_name: 7 }), ['build_name']],
      [gitLabJob({ runner: { tags: [7] } }), ['runner.tags.0']],
      [gitLabJob({ runner: { tags: Array.from({ length: 101 }, () => 'a') } }), ['runner.tags']],
      [gitLabPipeline({}, { builds: {} }), ['builds']],
      [gitLabPipeline({}, { builds: [null] }), ['builds.0']],
      [gitLabPipeline({}, { project: gitLabProject('nogroup') }), ['project.path_with_namespace']],
    ];
    for (const [payload, paths] of cases) {
      assert.deepEqual(
        rejectedPaths(() => reportOf(payload)),
        paths,
      );
    }
  });

  test('with thousands of faults name a few', () => {
    const builds = Array.from({ length: 9_000 }, () => ({ id: 'x' }));
    const named = rejectedPaths(() => reportOf(gitLabPipeline({}, { builds })));
    assert.ok(named.length > 0 && named.length <= 20, `${named.length} faults`);
  });

  test('of any shape are read, ignored or refused', () => {
    const junk = fc.record({ object_kind: fc.constantFrom('build', 'pipeline') }).chain((base) =>
      fc
        .dictionary(fc.constantFrom(...Object.keys({ ...gitLabJob(), ...gitLabPipeline() })), fc.jsonValue())
        .map((rest) => ({
          ...(base.object_kind === 'build' ? gitLabJob() : gitLabPipeline()),
          ...rest,
          ...base,
        })),
    );
    fc.assert(
      fc.property(junk, (payload) => {
        try {
          readGitLabEvent(undefined, payload, receivedAt);
        } catch (error) {
          assert.ok(error instanceof PublicError, String(error));
        }
      }),
    );
  });
});
