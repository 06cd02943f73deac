import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp } from '../../../test/harness/app.ts';
import { daily } from '../../../test/harness/ciHistory.ts';
import { ci, estimatesOf, exactly, workflow, type File } from '../../../test/harness/estimates.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import type { RunReport } from '../../ledger/runs/report.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/estimates';
const { organizationWith, estimate } = estimatesOf(testApp);

const lint = '  lint: { runs-on: ubuntu-latest }\n';
const testOn = (runner: string) => `  test: { runs-on: ${runner} }\n`;
const bothJobs = ci(lint + testOn('ubuntu-latest'));

// At $0.008 a minute, a day costs 0.008 for lint and 0.032 for test. Twelve weeks, so that no day is ignored.
const everyDay = daily('2025-12-24', '2026-03-17', {
  jobs: [
    { name: 'lint', minutes: 1 },
    { name: 'test', minutes: 4 },
  ],
});

describe('a change costs', () => {
  test('nothing if no job differs', async () => {
    const found = await estimate(await organizationWith(everyDay), [bothJobs], [bothJobs]);
    assert.deepEqual(found.change, exactly(0));
    assert.deepEqual(found.base, exactly(1.2));
    assert.deepEqual(
      found.jobs.map(({ status }: { status: string }) => status),
      ['unchanged', 'unchanged'],
    );
    assert.deepEqual(found.unresolved, []);
  });

  test('nothing that a file does not say: how many jobs a matrix makes, or what a broken file runs', async () => {
    const organization = await organizationWith(everyDay);
    const matrix = 'strategy: { matrix: { n: "${{ fromJSON(needs.lint.outputs.n) }}" } }';
    const unknown = ci(`${lint}  test: { runs-on: ubuntu-latest, ${matrix} }\n`);
    const added = ci(`${lint}${testOn('ubuntu-latest')}  more: { runs-on: ubuntu-latest, ${matrix} }\n`);
    const wide = 'a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
    const many = Array.from(
      { length: 60 },
      (_, index) => `  j${index}: { strategy: { matrix: { ${wide} } } }\n`,
    );
    const cases: [base: File, head: File, left: string[], reason: RegExp][] = [
      [bothJobs, unknown, ['test'], /^How many jobs its matrix makes/],
      [bothJobs, added, ['more'], /^How many jobs its matrix makes/],
      [bothJobs, workflow('name: CI\non: push\njobs: ['), ['lint', 'test'], /^It cannot be read on one side/],
      [bothJobs, workflow('name: CI\njobs:\n' + lint), ['lint', 'test'], /^It cannot be read on one side/],
      [workflow('jobs: {}'), bothJobs, ['lint', 'test'], /^It cannot be read on one side/],
      // A called workflow that does not exist, and more jobs than we read.
      [bothJobs, ci(`${lint}  test: { uses: ./.github/workflows/gone.yml }`), ['test'], /^It cannot be read/],
      [
        bothJobs,
        ci(`${many.join('')}${lint}${testOn('ubuntu-latest')}`),
        ['lint', 'test'],
        /^It cannot be read/,
      ],
    ];
    for (const [base, head, left, reason] of cases) {
      const found = await estimate(organization, [base], [head]);
      assert.deepEqual(found.change, exactly(0), head.content);
      const unresolved = (found.unresolved as { job: string | null; reason: string }[])
        .filter((each) => reason.test(each.reason))
        .map(({ job }) => job);
      assert.deepEqual(unresolved, left, head.content);
    }
    // Recorded jobs show how many jobs an unchanged matrix makes.
    const same = await estimate(organization, [unknown], [unknown]);
    assert.ok(
      same.jobs.every(
        ({ status, change }: { status: string; change: object }) => status === 'unchanged' && change,
      ),
    );
  });

  test('what a job cost that never runs any more', async () => {
    const never = ci(`${lint}  test: { runs-on: ubuntu-latest, if: false }\n`);
    const found = await estimate(await organizationWith(everyDay), [bothJobs], [never]);
    assert.deepEqual(found.change, exactly(-0.96));
  });

  test('the difference of prices for another runner', async () => {
    const found = await estimate(
      await organizationWith(everyDay),
      [bothJobs],
      [ci(lint + testOn('macos-latest'))],
    );
    // 4 minutes a day at 0.08 instead of 0.008.
    assert.deepEqual(found.change, exactly(8.64));
    const [job] = found.jobs;
    assert.deepEqual(
      [job.job, job.status, job.runner_before, job.runner, job.base, job.head],
      ['test', 'changed', 'ubuntu-latest', 'macos-latest', exactly(0.96), exactly(9.6)],
    );
    assert.equal(job.basis, '84 recorded jobs of its own');
    assert.ok(found.assumptions.includes('Another runner (1 job): expected to take as long as before.'));
  });

  test('what a removed job cost, and saves it', async () => {
    const found = await estimate(await organizationWith(everyDay), [bothJobs], [ci(lint)]);
    assert.deepEqual(found.change, exactly(-0.96));
    assert.deepEqual([found.jobs[0].status, found.jobs[0].head], ['removed', null]);
  });

  test('as much as similar jobs for new ones of a matrix', async () => {
    const matrix = `  test: { runs-on: ubuntu-latest, strategy: { matrix: { node: [22, 24] } } }\n`;
    const organization = await organizationWith(
      daily('2025-12-24', '2026-03-17', { jobs: [{ name: 'test (22)', minutes: 4 }] }),
    );
    const one = ci(matrix.replace('22, 24', '22'));
    const found = await estimate(organization, [one], [ci(matrix)]);
    assert.deepEqual(found.change, exactly(0.96));
    assert.deepEqual(
      [found.jobs[0].job, found.jobs[0].status, found.jobs[0].basis],
      ['test (24)', 'added', '84 recorded jobs on the same runner in the same workflow: test (22)'],
    );
  });

  test('as many runs as the cron expression says', async () => {
    const organization = await organizationWith(everyDay);
    const nightly = (cron: string) =>
      workflow(`on: { schedule: [{ cron: '${cron}' }] }\njobs:\n${testOn('ubuntu-latest')}`, 'nightly');
    const found = await estimate(organization, [bothJobs], [bothJobs, nightly('0 3 * * 1-5')]);
    // 30 days have 150/7 working days.
    assert.deepEqual(found.change, exactly(0.69));
    assert.match(found.assumptions.join('\n'), /cron expressions say: 0 3 \* \* 1-5/);
    const [each, fifth] = ['* * * * *', '*/5 * * * *'].map((cron) => [bothJobs, nightly(cron)]);
    // GitHub starts at most one run every five minutes.
    const [most, same] = [
      await estimate(organization, [bothJobs], each!),
      await estimate(organization, [bothJobs], fifth!),
    ];
    assert.deepEqual(most.change, same.change);
    const unread = await estimate(organization, [bothJobs], [bothJobs, nightly('sometimes')]);
    assert.match(JSON.stringify(unread.unresolved), /The schedule sometimes cannot be read/);
  });

  test('as many runs as the event had in the repository', async () => {
    const pulls = daily('2025-12-24', '2026-03-17', {
      event: 'pull_request',
      branch: 'topic',
      workflow: 'docs',
      jobs: [{ name: 'build', minutes: 2 }],
    });
    const organization = await organizationWith([...everyDay, ...pulls, ...pulls.map(again)]);
    const found = await estimate(
      organization,
      [bothJobs],
      [ci(lint + testOn('ubuntu-latest'), '[push, pull_request]')],
    );
    // Two pull requests a day, each with the five minutes of a push.
    assert.deepEqual(found.change, exactly(2.4));
    const dispatched = await estimate(
      organization,
      [bothJobs],
      [ci(lint + testOn('ubuntu-latest'), '[push, workflow_dispatch]')],
    );
    assert.deepEqual(dispatched.change, exactly(0));
    assert.match(JSON.stringify(dispatched.unresolved), /No workflow_dispatch event is recorded/);
  });

  test('less for a push of fewer branches', async () => {
    const onBranches = daily('2025-12-24', '2026-03-17', {
      branch: 'topic',
      jobs: [{ name: 'test', minutes: 4 }],
    });
    const organization = await organizationWith([...everyDay, ...onBranches]);
    const found = await estimate(
      organization,
      [bothJobs],
      [ci(lint + testOn('ubuntu-latest'), '{ push: { branches: [main] } }')],
    );
    assert.deepEqual(found.base.monthly_cost, 2.16);
    assert.deepEqual(found.change, exactly(-1.08));
  });
});

function again(report: RunReport): RunReport {
  return {
    ...report,
    runId: `${report.runId}1`,
    commit: `${report.commit}1`,
    jobs: report.jobs.map((job) => ({ ...job, jobId: `${job.jobId}1` })),
  };
}

test('GitLab: another tag, a new job and a self-hosted server', async () => {
  const file = (content: string) => [{ path: '.gitlab-ci.yml', content }];
  const runner = { labels: ['saas-linux-small-amd64'], group: 'instance_type' };
  const run = { provider: 'gitlab', jobs: [{ name: 'test', minutes: 4, ...runner }] };
  const organization = await organizationWith(daily('2025-12-24', '2026-03-17', run));
  const testWith = (size: string) => `test: { tags: [saas-linux-${size}-amd64], script: [x] }\n`;
  const found = await estimate(organization, file(testWith('small')), file(testWith('medium')));
  // 4 minutes a day at 0.02 instead of 0.01.
  assert.deepEqual([found.provider, found.change], ['gitlab', exactly(1.2)]);
  const more = testWith('small').replace('test', 'tests');
  const added = await estimate(organization, file(testWith('small')), file(testWith('small') + more));
  assert.deepEqual(added.change, exactly(1.2));
  const own = await organizationWith(
    daily('2026-02-01', '2026-03-17', { ...run, provider: 'gitlab.example.com' }),
  );
  assert.deepEqual(
    (await estimate(own, file(testWith('small')), file(testWith('medium')))).change,
    exactly(0),
  );
});

test('a range covers weeks that differ', async () => {
  const busy = daily('2026-02-18', '2026-03-17', { jobs: [{ name: 'test', minutes: 16 }] });
  const calm = daily('2025-12-24', '2026-02-17', { jobs: [{ name: 'test', minutes: 4 }] });
  const organization = await organizationWith([...calm, ...busy]);
  const { base } = await estimate(organization, [bothJobs], [bothJobs]);
  assert.ok(base.low < base.monthly_cost && base.monthly_cost < base.high, JSON.stringify(base));
  const second = await estimate(organization, [bothJobs], [bothJobs]);
  assert.deepEqual(second.base, base, 'the same history gives the same range');
});

test('days marked unusual are left out, and named', async () => {
  const quiet = await organizationWith(everyDay);
  const usual = await estimate(quiet, [bothJobs], [bothJobs]);
  assert.deepEqual(usual.left_out_days, []);
  // Two nights of runaway jobs that end on the next day, at $0.008 a minute.
  const runaway = daily('2026-03-02', '2026-03-03', { jobs: [{ name: 'test', minutes: 350 }] }, '23:00');
  const organization = await organizationWith([...everyDay, ...runaway]);
  const found = await estimate(organization, [bothJobs], [ci(lint + testOn('macos-latest'))]);
  assert.deepEqual(found.left_out_days, ['2026-03-03', '2026-03-04']);
  assert.deepEqual([found.base.monthly_cost, found.change.monthly_cost], [1.2, 8.64]);
  assert.ok(found.assumptions.includes('Leaves out 2 days marked unusual: Mar 3 and Mar 4.'));
  assert.deepEqual([found.recorded_jobs, found.jobs[0].basis], [170, '82 recorded jobs of its own']);
});

test('days marked unusual are left out of what starts new workflows and triggers', async () => {
  // Eighty more pushes on one day, while a nightly workflow goes on as usual.
  const storm = Array.from({ length: 80 }, () =>
    daily('2026-03-04', '2026-03-04', { jobs: [{ name: 'test', minutes: 4 }] }),
  ).flat();
  const nightly = daily('2025-12-24', '2026-03-17', {
    event: 'schedule',
    workflow: 'nightly',
    jobs: [{ name: 'build', minutes: 2 }],
  });
  const organization = await organizationWith([...everyDay, ...nightly, ...storm]);
  const added = workflow(`name: New\non: push\njobs:\n${lint}`, 'new');
  const found = await estimate(organization, [bothJobs], [bothJobs, added]);
  assert.deepEqual(found.left_out_days, ['2026-03-04']);
  // One minute a day.
  assert.deepEqual(found.change, exactly(0.24));
});

test('an unpriced runner is listed, and not counted as $0', async () => {
  const organization = await organizationWith(everyDay);
  const found = await estimate(organization, [bothJobs], [ci(lint + testOn('mystery-box'))]);
  assert.deepEqual(found.change, exactly(0));
  const [job] = found.jobs;
  assert.deepEqual([job.is_unpriced, job.head, job.change], [true, null, null]);
  assert.deepEqual(job.base, exactly(0.96));
  assert.match(JSON.stringify(found.unresolved), /"job":"test","reason":"Its runner has no price/);
  // With a rule, the runner has a price.
  const rule = { match: 'label', pattern: 'mystery-box', name: 'Mystery box', usd_per_minute: 0.1 };
  assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
  const priced = await estimate(organization, [bothJobs], [ci(lint + testOn('mystery-box'))]);
  assert.deepEqual(priced.change, exactly(11.04));
});

test('a new job without any similar one is not guessed', async () => {
  const found = await estimate(await testApp.newOrganization(), [], [bothJobs]);
  assert.deepEqual(found.change, exactly(0));
  assert.equal(found.recorded_jobs, 0);
  assert.match(JSON.stringify(found.unresolved), /no similar job is recorded/);
});

test('a file that was renamed together with its workflow keeps its history, if its jobs are the same', async () => {
  const organization = await organizationWith(everyDay);
  const renamed = (jobs: string) => workflow(`name: Build\non: push\njobs:\n${jobs}`, 'build');
  const same = await estimate(organization, [bothJobs], [renamed(lint + testOn('macos-latest'))]);
  assert.deepEqual(same.change, exactly(8.64));
  assert.match(
    JSON.stringify(same.assumptions),
    /ci\.yml and .*build\.yml have the same jobs: counted as one/,
  );
  const other = await estimate(organization, [bothJobs], [renamed('  deploy: { runs-on: ubuntu-latest }\n')]);
  assert.deepEqual(
    other.jobs.map(({ job, status }: { job: string; status: string }) => [job, status]).toSorted(),
    [
      ['deploy', 'added'],
      ['lint', 'removed'],
      ['test', 'removed'],
    ],
  );
});

test('a runner at $0 a minute is an assumption', async () => {
  const organization = await organizationWith(everyDay);
  const found = await estimate(organization, [bothJobs], [ci(lint + testOn('[self-hosted, linux]'))]);
  assert.deepEqual(found.change, exactly(-0.96));
  assert.match(
    JSON.stringify(found.assumptions),
    /Runners at \$0 a minute, such as self-hosted ones \(1 job\)/,
  );
});

test('a repository of which nothing is recorded is named, with the nearest one, and no other organization', async () => {
  const organization = await organizationWith(everyDay);
  const mistyped = { repository: 'acme/apo' };
  const { note, recorded_jobs: jobs } = await estimate(organization, [bothJobs], [bothJobs], mistyped);
  assert.deepEqual([note, jobs], ['Nothing of acme/apo is recorded yet. Did you mean acme/api?', 0]);
  const others = await estimate(await testApp.newOrganization(), [bothJobs], [bothJobs], mistyped);
  assert.equal(others.note, 'Nothing of acme/apo is recorded yet.');
  assert.equal((await estimate(organization, [bothJobs], [bothJobs])).note, null);
});

test('with own_jobs_only, a new job is compared with none of another repository', async () => {
  const organization = await organizationWith([
    ...everyDay,
    ...daily('2026-03-10', '2026-03-17', {
      repository: 'acme/hidden',
      jobs: [{ name: 'secret deploy', minutes: 3, labels: ['macos-latest'] }],
    }),
  ]);
  const head = ci(`${lint}${testOn('ubuntu-latest')}  deploy: { runs-on: macos-latest }\n`);
  const open = await estimate(organization, [bothJobs], [head]);
  assert.match(JSON.stringify(open.jobs), /in the same organization: secret deploy/);
  const own = await estimate(organization, [bothJobs], [head], { own_jobs_only: true });
  assert.doesNotMatch(JSON.stringify(own), /secret/);
});

test('another organization gets nothing of the history', async () => {
  const organization = await organizationWith(everyDay);
  const other = await testApp.newOrganization();
  const own = await estimate(organization, [bothJobs], [bothJobs]);
  const others = await estimate(other, [bothJobs], [bothJobs]);
  assert.deepEqual([own.recorded_jobs, others.recorded_jobs, others.base], [168, 0, exactly(0)]);
});

test('a new schedule counts for a workflow whose runs are all older than the last whole week', async () => {
  const organization = await organizationWith(
    daily('2026-03-05', '2026-03-10', { jobs: [{ name: 'test', minutes: 4 }] }),
  );
  const only = (on: string) => [ci(testOn('ubuntu-latest'), on)];
  const scheduled = "{ push: , schedule: [{ cron: '0 3 * * *' }] }";
  const found = await estimate(organization, only('push'), only(scheduled));
  // 4 minutes a day at 0.008.
  assert.deepEqual(found.change, exactly(0.96));
});

test('a file with faults of any kind is a gap, never a failure', async () => {
  const odd = ['  a: { uses: { toString: 1 } }', '  b: { uses: ./.github/workflows/ci.yml }'];
  const found = await estimate(await organizationWith(everyDay), [bothJobs], [ci(odd.join('\n'))]);
  assert.match(JSON.stringify(found.unresolved), /is no text.*which calls it/);
});

describe('a request is refused', () => {
  const body = (fields: object = {}) => ({
    repository: 'acme/api',
    base: { files: [] },
    head: { files: [] },
    ...fields,
  });

  test('with 400 and the field', async () => {
    const organization = await testApp.newOrganization();
    const send = (sent: object) => organization.send('POST', path, sent);
    assertProblem(await send(body({ repository: 'api' })), 400, 'invalid_request', ['body.repository']);
    assertProblem(await send(body({ days: 0 })), 400, 'invalid_request', ['body.days']);
    assertProblem(await send(body({ provider: 'circleci' })), 400, 'invalid_request', ['body.provider']);
    const large = { files: [{ path: 'a.yml', content: ' '.repeat(256 * 1024 + 1) }] };
    assertProblem(await send(body({ head: large })), 400, 'invalid_request', ['body.head.files[0].content']);
    const many = { files: Array.from({ length: 501 }, () => ({ path: 'a', content: '' })) };
    assertProblem(await send(body({ base: many })), 400, 'invalid_request', ['body.base.files']);
  });

  test('with 401, 403, 413 and 415', async () => {
    const organization = await testApp.newOrganization();
    const url = path;
    assertProblem(
      await request(testApp.server, { method: 'POST', url, payload: body() }),
      401,
      'token_missing',
    );
    const narrow = await organization.newToken('owner', ['alerts:read']);
    assertProblem(await organization.send('POST', path, body(), narrow), 403, 'scope_missing');
    const files = Array.from({ length: 40 }, () => ({ path: 'a', content: ' '.repeat(256 * 1024) }));
    assertProblem(await organization.send('POST', path, body({ base: { files } })), 413, 'body_too_large');
    const headers = { authorization: `Bearer ${organization.token}`, 'content-type': 'text/plain' };
    assertProblem(
      await request(testApp.server, { method: 'POST', url, headers, payload: 'x' }),
      415,
      'unsupported_media_type',
    );
  });
});
