import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { publishedReport } from './view.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/pull-request-reports';

async function report(organization: TestOrganization, fields: object = {}) {
  const body = { repository: 'acme/api', pull_request: 42, ...fields };
  const answer = await organization.send('POST', path, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** At 0.008 USD a minute. */
function jobOf(name: string, minutes: number, fields: object = {}) {
  const completed_at = new Date(Date.parse('2026-03-18T10:00:00Z') + minutes * 60_000).toISOString();
  return newJob({ name, completed_at, ...fields });
}

const runOf = (fields: object) => newRun({ pull_request: 42, provider: 'github', ...fields });

test('adds up the runs of a pull request, with its most expensive jobs and its waste', async () => {
  const organization = await testApp.newOrganization();
  const again = { run_id: '1', jobs: [jobOf('test', 10, { job_id: 'a', conclusion: 'failure' })] };
  await submit(organization, runOf({ ...again, conclusion: 'failure' }));
  const hours = { started_at: '2026-03-18T10:20:00Z', completed_at: '2026-03-18T10:30:00Z' };
  const later = newJob({ name: 'test', job_id: 'b', ...hours });
  await submit(
    organization,
    runOf({ ...again, run_attempt: 2, jobs: [later] }),
    runOf({ jobs: [jobOf('lint', 1.5), jobOf('e2e', 30), jobOf('box', 5, { labels: ['own'] })] }),
    runOf({ status: 'in_progress', conclusion: undefined, jobs: [] }),
    runOf({ provider: 'gitlab', jobs: [jobOf('test', 100)] }),
    runOf({ pull_request: 43, jobs: [jobOf('test', 100)] }),
    runOf({ pull_request: undefined, jobs: [jobOf('test', 100)] }),
    runOf({ repo_name: 'acme/web', jobs: [jobOf('test', 100)] }),
  );
  await submit(await testApp.newOrganization(), runOf({ jobs: [jobOf('test', 100)] }));

  const {
    markdown,
    check,
    url,
    estimate,
    period,
    most_expensive_jobs: jobs,
    waste,
    rounds: _rounds,
    ...sums
  } = await report(organization, { repository: 'ACME/api', provider: 'github' });
  assert.deepEqual(sums, {
    repository: 'acme/api',
    pull_request: 42,
    runs: 3,
    runs_in_progress: 1,
    reruns: 1,
    cost: 0.416,
    net_cost: 0.416,
    amounts: [],
    cost_with_amounts: 0.416,
    billed_minutes: 57,
    jobs: 5,
    unpriced_jobs: 1,
    actor_kinds: [{ kind: null, cost: 0.416 }],
  });
  assert.equal(estimate, null);
  assert.deepEqual(period, { start: '2026-03-18', end: '2026-03-18', days: 1 });
  assert.deepEqual(
    jobs.map(({ name, cost, times }: Record<string, unknown>) => [name, cost, times]),
    [
      ['e2e', 0.24, 1],
      ['test', 0.16, 2],
    ],
  );
  assert.deepEqual([waste.cost, waste.share_percent], [0.084, 20.2]);
  const parts = waste.categories.filter(({ cost }: { cost: number }) => cost > 0);
  assert.deepEqual(
    parts.map(({ category, cost }: Record<string, unknown>) => [category, cost]),
    [
      ['rounding', 0.004],
      ['rerun', 0.08],
    ],
  );
  for (const line of [
    /^<!-- runcost -->\n/,
    /### CI cost of this pull request so far: \$0\.42\n/,
    /\| Runs \| 3, re-run once, 1 not finished \|/,
    /\| Waste \| \$0\.08 \(20\.2%\): jobs that ran again \$0\.08, rounding up to minutes \$0\.004 \|/,
    /\| `test` in `Build` \| 2 times \| \$0\.16 \|/,
    /\n1 job without a price counts as \$0\.\n/,
  ])
    assert.match(markdown, line);
  assert.deepEqual([check.conclusion, check.title], ['neutral', '$0.42 so far']);
  assert.ok(!check.summary.includes('<!--') && markdown.includes(check.summary));

  const { searchParams } = new URL(url);
  searchParams.set('provider', 'github');
  const costs = await organization.get('/api/v1/costs', Object.fromEntries(searchParams));
  assert.equal(costs.body.data.total.value, sums.cost, 'Explore shows the same');
});

test('waste is of the days that the cost has, as far back as the plan shows', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  const attempts = (day: string, run_id: string) =>
    [1, 2].map((run_attempt) => {
      const [started_at, completed_at] = [`${day}T1${run_attempt}:00:00Z`, `${day}T1${run_attempt}:10:00Z`];
      const job = newJob({ name: 'test', job_id: `${run_id} ${run_attempt}`, started_at, completed_at });
      return runOf({ run_id, run_attempt, created_at: `${day}T10:00:00Z`, jobs: [job] });
    });
  await submit(organization, ...attempts('2026-01-02', 'old'), ...attempts('2026-03-18', 'new'));
  const { cost, waste } = await report(organization);
  assert.deepEqual([cost, waste.cost, waste.share_percent], [0.16, 0.08, 50]);
});

test('says what agents, bots and people cost of it', async () => {
  const organization = await testApp.newOrganization();
  const shared = { run_id: '1', actor: 'Copilot' };
  const again = { started_at: '2026-03-18T11:00:00Z', completed_at: '2026-03-18T11:05:00Z' };
  await submit(
    organization,
    runOf({ ...shared, jobs: [jobOf('test', 20, { job_id: 'a' })] }),
    runOf({ ...shared, actor: 'mona', run_attempt: 2, jobs: [newJob({ ...again, job_id: 'b' })] }),
  );
  const { actor_kinds: kinds, markdown } = await report(organization);
  assert.deepEqual(kinds, [
    { kind: 'agent', cost: 0.16 },
    { kind: 'person', cost: 0.04 },
  ]);
  assert.match(markdown, /Triggered by \| agents \$0\.16, people \$0\.04/);
});

test('takes discounts off the net cost', async () => {
  const organization = await testApp.newOrganization();
  const terms = [{ provider: 'github', effective_from: '2026-01-01', discount_percent: 50 }];
  const answer = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
  assert.equal(answer.status, 200, answer.text);
  await submit(organization, runOf({ jobs: [jobOf('test', 10)] }));
  const { cost, net_cost } = await report(organization);
  assert.deepEqual([cost, net_cost], [0.08, 0.04]);
});

test('the check fails above the limit, and lets a merge through without runs', async () => {
  const organization = await testApp.newOrganization();
  const checked = async (fail_above: number | null) => (await report(organization, { fail_above })).check;
  const { conclusion, title } = await checked(0);
  assert.deepEqual([conclusion, title], ['neutral', 'No runs recorded yet']);
  await submit(organization, runOf({ status: 'in_progress', conclusion: undefined, jobs: [] }));
  const begun = await report(organization, { fail_above: 0 });
  assert.deepEqual([begun.check.conclusion, begun.check.title], ['neutral', 'No job has ended yet']);
  assert.doesNotMatch(begun.markdown, /\$0/);
  await submit(organization, runOf({ jobs: [jobOf('test', 10)] }));
  const found = [await checked(0.079), await checked(0.08), await checked(null)];
  assert.deepEqual(
    found.map((check) => [check.conclusion, check.title]),
    [
      ['failure', '$0.08 so far, above the limit of $0.079'],
      ['success', '$0.08 so far, limit $0.08'],
      ['neutral', '$0.08 so far'],
    ],
  );
});

test('names of jobs stay names in the comment', async () => {
  const organization = await testApp.newOrganization();
  const name = '`@all` | <img src=x>\u202E [a](https://evil.test)';
  await submit(organization, runOf({ jobs: [jobOf('x', 10, { name: name.replace('\u202E', '') })] }));
  const { markdown } = await report(organization);
  assert.ok(markdown.includes("| `'@all' \\| <img src=x> [a](https://evil.test)` in `Build` |"), markdown);
});

test('a failed estimate leaves the comment, and does not blame the workflow files', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf({ jobs: [jobOf('test', 10)] }));
  const { app } = testApp;
  const files = {
    get files(): never {
      throw new Error('the database is away');
    },
  };
  const asked = { repository: 'acme/api', number: 42, failAbove: null };
  const changes = { workflows: { base: files, head: files }, note: null };
  const { markdown } = await publishedReport({ ...app }, organization.orgId, asked, changes);
  assert.match(markdown, /so far: \$0\.08\n/);
  assert.match(markdown, /No estimate: Runcost itself failed\. The log of the server has the reason\./);
});

test('refuses what is no pull request', async () => {
  const organization = await testApp.newOrganization();
  const post = (fields: object) =>
    organization.send('POST', path, { repository: 'acme/api', pull_request: 42, ...fields });
  for (const fields of [{ repository: '' }, { pull_request: 0 }, { fail_above: -1 }, { fail_above: 1e-10 }]) {
    const [name] = Object.keys(fields);
    assertProblem(await post(fields), 400, 'invalid_request', [`body.${name}`]);
  }
});

test("an estimate names no job of another repository, which the comment's readers may not see", async () => {
  const organization = await testApp.newOrganization();
  const day = '2026-03-15T10';
  const times = { started_at: `${day}:00:00Z`, completed_at: `${day}:10:00Z` };
  const secret = jobOf('sign for Globex Bank', 10, { ...times, labels: ['ubuntu-latest'] });
  await submit(
    organization,
    runOf({ repo_name: 'acme/secret', created_at: `${day}:00:00Z`, jobs: [secret] }),
  );
  const content = 'name: CI\non: push\njobs:\n  sign:\n    runs-on: ubuntu-latest\n';
  const changes = { base: { files: [] }, head: { files: [{ path: '.github/workflows/ci.yml', content }] } };
  const { markdown } = await report(organization, changes);
  assert.doesNotMatch(markdown, /Globex|another|organization/);
  assert.match(markdown, /no similar job is recorded/);
  const asked = { repository: 'acme/api', ...changes };
  const { text } = await organization.send('POST', '/api/v1/estimates', asked);
  assert.match(text, /in the same organization: sign for Globex Bank/);
});

test('estimates the workflow changes, if there are any', async () => {
  const organization = await testApp.newOrganization();
  const file = (runner: string) => ({
    path: '.github/workflows/build.yml',
    content: `name: Build\non: push\njobs:\n  test:\n    runs-on: ${runner}\n`,
  });
  await submit(organization, runOf({ jobs: [jobOf('test', 10)] }));
  const base = { files: [file('ubuntu-latest')] };
  const head = { files: [file('macos-latest')] };
  const changed = await report(organization, { provider: 'github', base, head });
  assert.ok(changed.estimate.low <= changed.estimate.monthly_cost, JSON.stringify(changed.estimate));
  assert.match(changed.markdown, /\n### Workflow changes\n\n\*\*(?:What )?CI costs [^]*\[Open in Runcost\]/);
  const same = await report(organization, { base, head: base });
  assert.equal(same.estimate.monthly_cost, 0);
  assert.doesNotMatch(same.markdown, /Workflow changes/);
  const alone = { repository: 'acme/api', pull_request: 42, base };
  assertProblem(await organization.send('POST', path, alone), 400, 'invalid_request', ['body.head']);
});
