import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gitHubExamples } from '../../../../test/payloads/gitHub.ts';
import type { Payload } from '../../../../test/payloads/gitHub.ts';
import {
  at,
  jobReportWith,
  jobWith,
  receivedAt,
  rejectedPaths,
  reportOf,
  runWith,
  zeroTime,
} from '../../../../test/payloads/gitHubReadings.ts';
import type { PullRequestReport } from '../../../ledger/pullRequests/pullRequests.ts';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { readGitHubEvent } from './readEvent.ts';

const examples = gitHubExamples();

describe('recorded payloads', () => {
  test('a completed job', () => {
    const { examples: jobs } = examples.find(({ name }) => name === 'workflow_job')!;
    assert.deepEqual(reportOf('workflow_job', jobs[1]), {
      provider: 'github',
      runId: '2202229078',
      attempt: 1,
      repository: 'Codertocat/Hello-World',
      isPrivate: false,
      workflowName: 'CodeQL',
      workflowPath: null,
      event: null,
      branch: 'main',
      actor: null,
      pullRequest: null,
      runNumber: null,
      commit: '3484a3fb816e0859fd6e1cea078d76385ff50625',
      observedAt: at('2021-08-05T10:38:16Z'),
      state: null,
      jobs: [
        {
          jobId: '289782451',
          attempt: 1,
          name: 'linters',
          labels: ['ubuntu-latest'],
          runnerName: 'GitHub Actions 5',
          runnerGroup: 'GitHub Actions',
          status: 'completed',
          rawConclusion: 'failure',
          createdAt: at('2021-08-05T10:33:58Z'),
          startedAt: at('2021-08-05T10:34:58Z'),
          completedAt: at('2021-08-05T10:38:16Z'),
          ran: true,
          observedAt: at('2021-08-05T10:38:16Z'),
        },
      ],
    });
  });

  test("a completed run with an empty name takes its workflow's name", () => {
    const { examples: runs } = examples.find(({ name }) => name === 'workflow_run')!;
    assert.deepEqual(reportOf('workflow_run', runs[1]), {
      provider: 'github',
      runId: '289782451',
      attempt: 1,
      repository: 'octo-org/octo-repo',
      isPrivate: false,
      workflowName: 'test',
      workflowPath: '.github/workflows/test.yml',
      event: 'repository_dispatch',
      branch: 'master',
      actor: 'Codertocat',
      startedBy: 'Codertocat',
      pullRequest: null,
      runNumber: 163,
      commit: '3484a3fb816e0859fd6e1cea078d76385ff50625',
      observedAt: at('2020-10-05T16:33:49Z'),
      state: {
        status: 'completed',
        rawConclusion: 'success',
        createdAt: at('2020-10-05T16:33:24Z'),
        startedAt: at('2020-10-05T16:33:49Z'),
        completedAt: null,
      },
      jobs: [],
    });
  });

  test('reads every workflow_run', () => {
    const states = examples
      .filter(({ name }) => name === 'workflow_run')
      .flatMap((event) => event.examples.map((payload) => reportOf(event.name, payload).state!));
    const words = states.map(({ status, rawConclusion }) => `${status} ${rawConclusion}`);
    const gitHub = [
      'queued null',
      'completed success',
      'completed success',
      'queued null',
      'completed action_required',
    ];
    assert.deepEqual(words, [...gitHub, ...Array.from({ length: 5 }, () => 'queued null')]);
  });

  test('reads every workflow_job', () => {
    const jobs = examples
      .filter(({ name }) => name === 'workflow_job')
      .flatMap((event) => event.examples.map((payload) => reportOf(event.name, payload).jobs[0]!));
    assert.deepEqual(
      jobs.map(({ status, ran, startedAt }) => [status, ran, startedAt !== null]),
      [
        ['in_progress', true, true],
        ['completed', true, true],
        ['completed', true, true],
        ['in_progress', true, true],
        ['in_progress', true, true],
        ['queued', true, false],
        ['queued', null, false],
        ['queued', null, false],
        ['in_progress', true, true],
        ['in_progress', true, true],
        ['in_progress', true, true],
      ],
    );
  });

  test('a ping is a ping, and other events are ignored with a reason', () => {
    const read = ['workflow_run', 'workflow_job', 'pull_request'];
    const others = examples.filter(({ name }) => !read.includes(name));
    assert.ok(others.length > 250);
    for (const { name, examples: payloads } of others) {
      for (const payload of payloads) {
        const event = readGitHubEvent(name, payload, receivedAt);
        assert.equal(event.kind, name === 'ping' ? 'ping' : 'ignored');
        if (event.kind === 'ignored') assert.notEqual(event.reason, '');
      }
    }
  });
});

describe('pull requests', () => {
  const recorded = examples.filter(({ name }) => name === 'pull_request').flatMap((each) => each.examples);
  const readOf = (payload: Payload) => {
    const event = readGitHubEvent('pull_request', payload, receivedAt);
    assert.equal(event.kind, 'pull_request');
    return (event as { pullRequest: PullRequestReport }).pullRequest;
  };
  const closed = recorded.find(({ action }) => action === 'closed')!;
  const closedWith = (changes: Payload) =>
    readOf({ ...closed, pull_request: { ...(closed['pull_request'] as Payload), ...changes } });

  test('recorded payloads of every action are read', () => {
    assert.ok(recorded.length > 20);
    for (const payload of recorded) {
      const { state, draft } = payload['pull_request'] as Payload;
      assert.equal(readOf(payload).state, draft ? 'draft' : state);
    }
    const states = recorded.map((payload) => [payload['action'], readOf(payload).state].join(' '));
    assert.ok(states.includes('converted_to_draft draft') && states.includes('ready_for_review open'));
    assert.deepEqual(readOf(closed), {
      provider: 'github',
      repository: 'Codertocat/Hello-World',
      number: 2,
      state: 'closed',
      title: 'Update the README with new information.',
      author: 'Codertocat',
      createdAt: at('2019-05-15T15:20:33Z'),
      endedAt: at('2019-05-15T15:21:18Z'),
      observedAt: at('2019-05-15T15:21:18Z'),
    });
  });

  test('a merged one has the time of its merge, also in a list, which has no `merged`', () => {
    const mergedAt = '2019-05-15T15:21:17Z';
    for (const merged of [true, undefined]) {
      const { state, endedAt } = closedWith({ merged, merged_at: mergedAt });
      assert.deepEqual([state, endedAt], ['merged', at(mergedAt)]);
    }
    const reopened = closedWith({ state: 'open', closed_at: null });
    assert.deepEqual([reopened.state, reopened.endedAt], ['open', null]);
    assert.equal(closedWith({ draft: true }).state, 'closed');
  });

  test('what is none is refused by name', () => {
    assert.deepEqual(
      rejectedPaths(() => closedWith({ number: 0 })),
      ['pull_request.number'],
    );
    assert.deepEqual(
      rejectedPaths(() => closedWith({ state: 'merged' })),
      ['pull_request.state'],
    );
  });
});

describe('whether a job ran', () => {
  const noRunner = { runner_name: null, runner_group_name: null, steps: [] };

  test('true with a runner', () => {
    assert.equal(jobWith({}).ran, true);
    assert.equal(jobWith({ conclusion: 'failure', steps: [] }).ran, true);
    assert.equal(jobWith({ status: 'in_progress', conclusion: null }).ran, true);
  });

  test('false when skipped', () => {
    assert.equal(jobWith({ conclusion: 'skipped' }).ran, false);
  });

  test('false when completed without runner and steps, such as a job cancelled in the queue', () => {
    assert.equal(jobWith({ conclusion: 'cancelled', ...noRunner }).ran, false);
    assert.equal(jobWith({ conclusion: 'cancelled', ...noRunner, runner_name: '', steps: null }).ran, false);
  });

  test('false when completed without a start', () => {
    assert.equal(jobWith({ started_at: null }).ran, false);
    assert.equal(jobWith({ started_at: zeroTime }).ran, false);
  });

  test('unknown when completed with steps but no runner', () => {
    assert.equal(jobWith({ runner_name: null }).ran, null);
  });

  test('unknown while waiting for a runner', () => {
    assert.equal(jobWith({ status: 'queued', conclusion: null, ...noRunner }).ran, null);
    assert.equal(jobWith({ status: 'in_progress', conclusion: null, ...noRunner }).ran, null);
  });
});

describe('ids and names', () => {
  test('a run and its job have the same run id', () => {
    const keysOf = ({ provider, runId, attempt, repository, isPrivate, workflowName, branch }: RunReport) => [
      provider,
      runId,
      attempt,
      repository,
      isPrivate,
      workflowName,
      branch,
    ];
    assert.deepEqual(keysOf(jobReportWith({})), keysOf(runWith({})));
  });

  test('reads attempts above ten; a missing attempt is the first', () => {
    assert.equal(runWith({ run_attempt: 13 }).attempt, 13);
    const report = jobReportWith({ run_attempt: 13 });
    assert.deepEqual([report.attempt, report.jobs[0]?.attempt], [13, 13]);
    assert.equal(runWith({ run_attempt: undefined }).attempt, 1);
    assert.equal(jobWith({ run_attempt: null }).attempt, 1);
  });

  test('ids are exact up to 2^53 and rejected from there', () => {
    assert.equal(runWith({ id: 9_007_199_254_740_991 }).runId, '9007199254740991');
    assert.equal(jobReportWith({ run_id: 9_007_199_254_740_991 }).runId, '9007199254740991');
    for (const id of [2 ** 53, 1.5, 0, -1, '7', null]) {
      assert.deepEqual(
        rejectedPaths(() => runWith({ id })),
        ['workflow_run.id'],
      );
      assert.deepEqual(
        rejectedPaths(() => jobWith({ run_id: id })),
        ['workflow_job.run_id'],
      );
    }
  });

  test('the name falls back to the workflow, then to null', () => {
    const workflow = { name: 'Deploy', path: '.github/workflows/deploy.yml' };
    assert.equal(runWith({ name: 'Nightly' }, { workflow }).workflowName, 'Nightly');
    assert.equal(runWith({ name: '' }, { workflow }).workflowName, 'Deploy');
    assert.equal(runWith({ name: null }, { workflow: null }).workflowName, null);
    assert.equal(jobReportWith({ workflow_name: null }).workflowName, null);
  });

  test('the path loses its ref and falls back to the workflow, then to null', () => {
    const paths = [
      ['.github/workflows/build.yml', '.github/workflows/build.yml'],
      ['.github/workflows/build.yml@main', '.github/workflows/build.yml'],
      ['.github/workflows/build.YAML@refs/heads/a@b.yml@c\n', '.github/workflows/build.YAML'],
      ['.github/workflows/a@b.yml', '.github/workflows/a@b.yml'],
      ['dynamic/dependabot/dependabot-updates', 'dynamic/dependabot/dependabot-updates'],
      ['dynamic/agents/copilot-swe-agent', 'dynamic/agents/copilot-swe-agent'],
    ];
    for (const [path, expected] of paths) assert.equal(runWith({ path }).workflowPath, expected);
    const workflow = { path: '.github/workflows/deploy.yml@v1' };
    assert.equal(runWith({ path: '' }, { workflow }).workflowPath, '.github/workflows/deploy.yml');
    assert.equal(runWith({ path: undefined }, { workflow: {} }).workflowPath, null);
  });

  test('the actor triggered the attempt, else created the run, else sent the event', () => {
    const [triggering_actor, actor, sender] = [{ login: 'ann' }, { login: 'bob' }, { login: 'cy' }];
    assert.equal(runWith({ triggering_actor, actor }, { sender }).actor, 'ann');
    assert.equal(runWith({ triggering_actor: null, actor }, { sender }).actor, 'bob');
    const again = runWith({ triggering_actor: null, actor, run_attempt: 2 }, { sender });
    assert.deepEqual([again.actor, again.startedBy], ['cy', 'bob']);
    assert.equal(runWith({ triggering_actor: {}, actor: undefined }, { sender }).actor, 'cy');
    assert.equal(runWith({ triggering_actor: null, actor: null }, { sender: null }).actor, null);
    assert.equal(jobReportWith({}, { sender }).actor, null);
  });

  test('the pull request is of its event, or the only one of exactly its branch', () => {
    const pull = (number: unknown, ref = 'feature', target = 186853002) => ({
      number,
      head: { ref, repo: { id: 1 } },
      base: { ref: 'main', repo: { id: target } },
    });
    const pullRequestOf = (event: string, ...pull_requests: unknown[]) =>
      runWith({ event, head_branch: 'feature', pull_requests }, { repository }).pullRequest;
    const repository = { full_name: 'octo-org/octo-repo', id: 186853002 };
    for (const event of ['pull_request', 'pull_request_target', 'push']) {
      assert.equal(pullRequestOf(event, pull(42)), 42);
      assert.equal(
        pullRequestOf(event, pull(9, 'feature', 300029405), pull(42)),
        42,
        'the other is in a fork',
      );
      assert.equal(pullRequestOf(event), null, 'GitHub lists none of forks');
      for (const number of [0, -1, 1.5, 2 ** 31, '', 'x', null, {}]) {
        assert.equal(pullRequestOf(event, pull(number)), null);
      }
    }
    assert.equal(pullRequestOf('pull_request', pull(42, 'feature'), pull(41, 'feature')), 42);
    assert.equal(pullRequestOf('push', pull(42, 'feature'), pull(41, 'feature')), null);
    assert.equal(pullRequestOf('push', pull(42, 'other'), pull(41)), 41);
    assert.equal(pullRequestOf('push', pull(42, 'other')), null);
    assert.equal(pullRequestOf('schedule', { number: 42 }), null);
    assert.equal(pullRequestOf('pull_request', { number: 42 }), 42);
    assert.equal(runWith({ pull_requests: null }).pullRequest, null);
    assert.equal(runWith({ pull_requests: undefined }).pullRequest, null);
  });

  test('numbers and commits are known only where they can be', () => {
    for (const run_number of [0, 1.5, 2 ** 31, null, {}, undefined])
      assert.equal(runWith({ run_number }).runNumber, null);
    for (const head_sha of ['', 'a b', 'x'.repeat(101), 7, null, undefined])
      assert.equal(runWith({ head_sha }).commit, null);
    const { runNumber, commit } = runWith({ run_number: 12, head_sha: '8f3b2c1' });
    assert.deepEqual([runNumber, commit], [12, '8f3b2c1']);
  });

  test('private, internal and public repositories', () => {
    const full_name = 'octo-org/octo-repo';
    const privacyOf = (repository: Payload) =>
      runWith({}, { repository: { full_name, ...repository } }).isPrivate;
    assert.equal(privacyOf({ private: true, visibility: 'internal' }), true);
    assert.equal(privacyOf({ private: false, visibility: 'internal' }), true);
    assert.equal(privacyOf({ visibility: 'private' }), true);
    assert.equal(privacyOf({ private: true }), true);
    assert.equal(privacyOf({ private: false, visibility: 'public' }), false);
    assert.equal(privacyOf({ private: false }), false);
    assert.equal(privacyOf({ visibility: 'public' }), false);
    assert.equal(privacyOf({}), null);
  });

  test('labels may be empty or missing, and an empty runner or group is none', () => {
    assert.deepEqual(jobWith({ labels: [] }).labels, []);
    assert.deepEqual(jobWith({ labels: null }).labels, []);
    assert.deepEqual(jobWith({ labels: undefined }).labels, []);
    const job = jobWith({ runner_name: '', runner_group_name: '' });
    assert.deepEqual([job.runnerName, job.runnerGroup], [null, null]);
  });
});
