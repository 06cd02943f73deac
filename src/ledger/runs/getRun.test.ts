import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';

const testApp = await sharedTestApp();

async function getRun(organization: TestOrganization, id: string) {
  const answer = await organization.get(`/api/v1/runs/${encodeURIComponent(id)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** Submits a run with one job and returns that job. */
async function jobOf(organization: TestOrganization, fields: object, run: object = {}) {
  const { body } = await submit(organization, newRun({ jobs: [newJob({ ...fields })], ...run }));
  return (await getRun(organization, body.data.results[0].id)).jobs[0];
}

/** A job that takes this long on 2-core Linux. */
function lasting(seconds: number, fields: object = {}) {
  const completed_at = new Date(Date.parse('2026-03-18T10:00:00Z') + seconds * 1_000).toISOString();
  return { completed_at, ...fields };
}

test('a run shows its jobs, each with a receipt of its cost', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({
      run_id: '7',
      event: 'push',
      branch: 'main',
      actor: 'ada',
      pull_request: 42,
      run_number: 482,
      commit: 'r1024',
      conclusion: 'timed_out',
      jobs: [
        newJob({
          job_id: 'j',
          name: 'unit',
          ...lasting(83),
        }),
      ],
    }),
  );
  const run = await getRun(organization, 'run_api_7');
  assert.match(run.workflow.id, /^wf_/);
  assert.deepEqual(run, {
    id: 'run_api_7',
    status: 'completed',
    conclusion: 'failure',
    event: 'push',
    branch: 'main',
    actor: 'ada',
    actor_kind: 'person',
    started_by: 'ada',
    pull_request: 42,
    run_number: 482,
    commit: 'r1024',
    attempt: 1,
    created_at: '2026-03-18T10:00:00.000Z',
    started_at: '2026-03-18T10:00:00.000Z',
    completed_at: '2026-03-18T10:01:23.000Z',
    duration_seconds: 83,
    cost: 0.016,
    workflow: { id: run.workflow.id, name: 'Build' },
    repository: 'acme/api',
    raw_conclusion: 'timed_out',
    url: null,
    pages: { repository: null, branch: null, commit: null, pull_request: null },
    job_count: 1,
    amounts: [],
    cost_with_amounts: 0.016,
    jobs: [
      {
        job_id: 'j',
        name: 'unit',
        attempt: 1,
        awaited_approval: false,
        actor: 'ada',
        actor_kind: 'person',
        status: 'completed',
        raw_conclusion: 'success',
        labels: ['linux_2_core'],
        runner_name: null,
        runner_group: null,
        created_at: null,
        started_at: '2026-03-18T10:00:00.000Z',
        completed_at: '2026-03-18T10:01:23.000Z',
        flags: [],
        receipt: {
          seconds: 83,
          billed_minutes: 2,
          is_cut: false,
          runner_kind: 'linux_2_core',
          runner_title: 'Linux 2-core',
          runner_rule: 'runner_kind',
          runner_rule_text: 'The label linux_2_core names the runner kind: Linux 2-core.',
          price_per_minute: 0.008,
          rounding: 'minute',
          credits: null,
          parallelism: 1,
          price_book: { name: "GitHub's price list until 2025-12-31", row: 'Linux 2-core' },
          cost: 0.016,
          is_carried_over: false,
          is_unpriced: false,
          sentence: '83 s round up to 2 minutes of Linux 2-core at $0.008: $0.016',
        },
      },
    ],
  });
});

describe('the sentence from seconds to dollars', async () => {
  const organization = await testApp.newOrganization();
  const unfinished = { conclusion: undefined, completed_at: undefined };
  for (const [fields, expected] of [
    [lasting(1), '1 s rounds up to 1 minute of Linux 2-core at $0.008: $0.008'],
    [lasting(60), '60 s are 1 minute of Linux 2-core at $0.008: $0.008'],
    [lasting(60.001), '60.001 s round up to 2 minutes of Linux 2-core at $0.008: $0.016'],
    [lasting(600), '600 s are 10 minutes of Linux 2-core at $0.008: $0.08'],
    [lasting(6_000, { runner: 'linux_4_core' }), '6,000 s are 100 minutes of Linux 4-core at $0.016: $1.60'],
    [
      lasting(86_400),
      "86,400 s are billed as 370 minutes (the provider's limit of 6 hours plus 10 minutes) of Linux 2-core at $0.008: $2.96",
    ],
    [
      lasting(86_400, { runner: 'linux_slim' }),
      "86,400 s are billed as 25 minutes (the provider's limit of 15 minutes plus 10 minutes) of Linux 1-core at $0.002: $0.05",
    ],
    [
      lasting(86_400, { runner: 'gitlab_linux_small' }),
      "86,400 s are billed as 190 minutes (the provider's limit of 3 hours plus 10 minutes) of GitLab Linux small at $0.01 per minute: $1.90",
    ],
    [
      lasting(61, { labels: ['self-hosted'] }),
      '61 s round up to 2 minutes of a self-hosted runner at $0.00: $0.00',
    ],
    [
      lasting(61, { labels: ['depot-x'] }),
      '61 s round up to 2 minutes on a third-party runner, whose price we do not know: $0.00',
    ],
    [lasting(61, { labels: ['lab'] }), '61 s round up to 2 minutes on a runner without a price: $0.00'],
    [lasting(0), 'It took 0 s: $0.00'],
    [lasting(61, { conclusion: 'skipped' }), 'It was skipped: $0.00'],
    [
      { conclusion: 'cancelled', started_at: undefined, completed_at: '2026-03-18T10:05:00Z' },
      'It never started: $0.00',
    ],
    [{ ...unfinished, status: 'in_progress' }, 'It has not completed yet: $0.00'],
    [{ ...unfinished, started_at: undefined, status: 'queued' }, 'It has not completed yet: $0.00'],
  ] as const) {
    test(expected, async () => {
      const { receipt } = await jobOf(organization, fields);
      assert.equal(receipt.sentence, expected);
    });
  }

  test('shows no price where there is none', async () => {
    const { receipt } = await jobOf(organization, lasting(61, { labels: ['lab'], runner_group: 'Our lab' }));
    assert.deepEqual(
      { ...receipt, sentence: '' },
      {
        seconds: 61,
        billed_minutes: 2,
        is_cut: false,
        runner_kind: null,
        runner_title: null,
        runner_rule: 'unmatched',
        runner_rule_text:
          'No rule matches a runner with the label lab in the group Our lab, so it has no price.',
        price_per_minute: 0,
        rounding: 'minute',
        credits: null,
        parallelism: 1,
        price_book: null,
        cost: 0,
        is_carried_over: false,
        is_unpriced: true,
        sentence: '',
      },
    );
  });
});

describe('a report from GitHub', async () => {
  const organization = await testApp.newOrganization();
  const source = await newSource(testApp, organization);

  const created_at = '2026-03-18T10:00:00Z';

  test('about a job that ended before it started, or that no runner took, gives no cost and the reason', async () => {
    await source.deliver('workflow_run', gitHubRun({ id: 1, created_at }));
    const times = { created_at, started_at: '2026-03-18T10:05:00Z', completed_at: '2026-03-18T10:04:00Z' };
    await source.deliver('workflow_job', gitHubJob({ id: 11, run_id: 1, ...times }));
    const cancelled = { ...times, completed_at: '2026-03-18T10:09:00Z', conclusion: 'cancelled' };
    const payload = gitHubJob({ id: 12, run_id: 1, ...cancelled, runner_name: '' });
    const workflow_job = { ...(payload['workflow_job'] as object), steps: [] };
    await source.deliver('workflow_job', { ...payload, workflow_job });
    const { jobs } = await getRun(organization, 'run_github_1');
    assert.deepEqual(
      jobs.map(({ flags, receipt }: { flags: string[]; receipt: { sentence: string } }) => [
        receipt.sentence,
        flags,
      ]),
      [
        ['It ended before it started, which counts as 0 s: $0.00', ['negative_duration']],
        ['No runner took it: $0.00', []],
      ],
    );
  });

  test('about a job, or without the pull request, does not change the pull request', async () => {
    const pull_requests = [{ number: 42, head: { ref: 'feature' } }];
    const run = { id: 3, created_at, event: 'pull_request', head_branch: 'feature' };
    const deliveries = [
      ['workflow_job', gitHubJob({ id: 31, run_id: 3, created_at, status: 'in_progress' })],
      ['workflow_run', gitHubRun({ ...run, status: 'in_progress', pull_requests })],
      ['workflow_run', gitHubRun({ ...run, pull_requests: [] })],
      ['workflow_job', gitHubJob({ id: 31, run_id: 3, created_at })],
    ] as const;
    for (const order of [deliveries, deliveries.toReversed()]) {
      const other = await testApp.newOrganization();
      const own = await newSource(testApp, other);
      for (const [event, payload] of order) assert.equal((await own.deliver(event, payload)).status, 202);
      assert.equal((await getRun(other, 'run_github_3')).pull_request, 42);
      const { data } = (await other.get('/api/v1/runs')).body;
      assert.deepEqual(
        data.map((listed: { pull_request: number }) => listed.pull_request),
        [42],
      );
    }
  });

  test('links what the run built to its pages, except a branch that may be in a fork', async () => {
    const home = 'https://git.acme.example/acme/app';
    const pagesOf = async (id: number, fields: object) => {
      const payload = gitHubRun({ id, created_at, ...fields });
      const reported = payload['workflow_run'] as object;
      await source.deliver('workflow_run', {
        ...payload,
        repository: { full_name: 'acme/app', html_url: home },
        workflow_run: { ...reported, run_number: 7, head_sha: '8f3b2c1' },
      });
      const run = await getRun(organization, `run_github.git.acme.example_${id}`);
      assert.deepEqual([run.run_number, run.commit], [7, '8f3b2c1']);
      return { run: run.url, ...run.pages };
    };
    const pages = { run: `${home}/actions/runs/51`, repository: home, commit: `${home}/commit/8f3b2c1` };
    assert.deepEqual(await pagesOf(51, { event: 'push', head_branch: 'fix/50%#1' }), {
      ...pages,
      branch: `${home}/tree/fix/50%25%231`,
      pull_request: null,
    });
    const pull_requests = [{ number: 42, head: { ref: 'fix' } }];
    const ofPullRequest = { event: 'pull_request', head_branch: 'fix' };
    assert.deepEqual(await pagesOf(52, { ...ofPullRequest, pull_requests }), {
      ...pages,
      run: `${home}/actions/runs/52`,
      branch: `${home}/tree/fix`,
      pull_request: `${home}/pull/42`,
    });
    assert.equal((await pagesOf(53, ofPullRequest)).branch, null);
  });

  test('about a re-run is listed by attempt and start, and copied jobs are billed once', async () => {
    const [first, later] = ['2026-03-18T10:00:00Z', '2026-03-18T11:00:00Z'];
    const job = (id: number, name: string, run_attempt: number, started_at: string, minutes: number) =>
      gitHubJob({
        id,
        name,
        run_id: 2,
        run_attempt,
        created_at,
        started_at,
        completed_at: new Date(Date.parse(started_at) + minutes * 6e4).toISOString(),
      });
    await source.deliver('workflow_run', gitHubRun({ id: 2, run_attempt: 2, created_at }));
    for (const payload of [
      job(22, 'test', 2, later, 7),
      job(21, 'build', 2, first, 4),
      job(20, 'test', 1, '2026-03-18T10:00:30Z', 6),
      job(19, 'build', 1, first, 4),
    ]) {
      assert.equal((await source.deliver('workflow_job', payload)).status, 202);
    }
    const run = await getRun(organization, 'run_github_2');
    assert.equal(run.attempt, 2);
    assert.equal(run.cost, 0.136);
    type Job = { name: string; attempt: number; receipt: { sentence: string; is_carried_over: boolean } };
    assert.deepEqual(
      run.jobs.map(({ name, attempt, receipt }: Job) => [name, attempt, receipt.is_carried_over]),
      [
        ['build', 1, false],
        ['test', 1, false],
        ['build', 2, true],
        ['test', 2, false],
      ],
    );
    assert.equal(
      run.jobs[2].receipt.sentence,
      'It is copied from an earlier attempt, which pays for it: $0.00',
    );
  });
});

test('the costs of the jobs add up to the cost of the run', async () => {
  const organization = await testApp.newOrganization();
  const runners = ['linux_slim', 'windows_4_core_gpu', 'macos_12_core', 'self_hosted', 'mystery'];
  const jobs = runners.map((runner, index) => newJob({ runner, ...lasting(31 * (index + 1)) }));
  const { body } = await submit(organization, newRun({ jobs }));
  const run = await getRun(organization, body.data.results[0].id);
  const inMills = (dollars: number) => Math.round(dollars * 1_000);
  const sum = (run.jobs as { receipt: { cost: number } }[]).reduce(
    (total, { receipt }) => total + inMills(receipt.cost),
    0,
  );
  assert.equal(inMills(run.cost), sum);
  const recent = (await organization.get('/api/v1/dashboard/recent-runs')).body.runs[0];
  assert.equal(recent.cost, run.cost);
});

test('a run of very many jobs shows the first 2,000 and how many there are', async () => {
  const organization = await testApp.newOrganization();
  for (const attempt of [1, 2, 3]) {
    const jobs = Array.from({ length: 700 }, (_, index) =>
      newJob({ job_id: `${attempt}-${index}`, name: `n${attempt}-${index}` }),
    );
    await submit(organization, newRun({ run_id: 'large', run_attempt: attempt, jobs }));
  }
  const run = await getRun(organization, 'run_api_large');
  assert.equal(run.job_count, 2_100);
  assert.equal(run.jobs.length, 2_000);
});

test('an unknown run, and one of another organization, is not found', async () => {
  const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await submit(organization, newRun({ run_id: 'mine' }));
  for (const id of ['run_api_mine', 'run_api_none', 'x', '%F0%9F%92%B8']) {
    assertProblem(await other.get(`/api/v1/runs/${id}`), 404, 'run_not_found');
  }
  await submit(other, newRun({ run_id: 'mine', workflow_name: 'Theirs' }));
  assert.equal((await getRun(organization, 'run_api_mine')).workflow.name, 'Build');
});

test('the receipt of a run is a table of its jobs, whose names stay names', async () => {
  const organization = await testApp.newOrganization();
  const open = newJob({
    name: 'deploy',
    status: 'in_progress',
    conclusion: undefined,
    completed_at: undefined,
  });
  const name = '[Pool](https://evil.example) @ada';
  const rule = { match: 'label', pattern: 'pool', name, usd_per_minute: 0.016 };
  await organization.send('POST', '/api/v1/pricing/rules', rule);
  const jobs = [newJob({ name: 'unit | `a`', ...lasting(83) }), open, newJob({ labels: ['pool'] })];
  await submit(organization, newRun({ run_id: 'r', status: 'in_progress', conclusion: undefined, jobs }));
  const path = '/api/v1/runs/run_api_r/receipt.md';
  const { status, text, headers } = await organization.get(path);
  assert.equal(status, 200, text);
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
  assert.match(text, /^### Cost of this run so far: \$0\.\d+\n\n1 job has not completed yet\.\n/);
  assert.ok(text.includes("| `unit \\| 'a'` | 1 | 83 s round up to 2 minutes of"), text);
  assert.match(text, /\| `[^`]* \[Pool\]\(https:\/\/evil\.example\) @ada [^`]*` \|/);
  assert.match(text, /\[Open in Runcost\]\(.*\/runs\/run_api_r\)\n$/);
  assertProblem(await (await testApp.newOrganization()).get(path), 404, 'run_not_found');
});
