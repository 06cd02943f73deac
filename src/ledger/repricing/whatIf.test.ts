import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { providers, shippedBooks } from '../../../test/harness/priceLists.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { readGitHubEvent } from '../../intake/providers/github/readEvent.ts';
import { sliceOfDays } from '../../platform/lib/days.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { ruleBody } from '../pricing/books.schema.ts';
import { priceJob } from '../pricing/cost.ts';
import { createPriceList } from '../pricing/priceList.ts';
import { readRule, type RuleInput } from '../pricing/rules.ts';
import { findJobGroups } from './previews.queries.ts';
import { whatIfBody } from './schema.ts';

const testApp = await startTestApp();
const { db, recorder } = testApp.app;

const ask = (organization: TestOrganization, body: object) =>
  organization.send('POST', '/api/v1/pricing/what-if', body);

/** Prices every stored paid job separately. */
async function pricedSingly(orgId: string, bookId: string, rules: RuleInput[]): Promise<bigint> {
  const book = shippedBooks.find(({ id }) => id === bookId)!;
  const list = createPriceList(
    book,
    rules.map((rule, index) => ({ ...readRule(rule), id: String(index) })),
    providers,
  );
  const jobs = await db
    .selectFrom('recordedJobs as jobs')
    .innerJoin('runs', (join) =>
      join.onRef('runs.id', '=', 'jobs.runId').onRef('runs.orgId', '=', 'jobs.orgId'),
    )
    .selectAll('jobs')
    .select('runs.provider')
    .where('jobs.orgId', '=', orgId)
    .where('jobs.isCarriedOver', '=', false)
    .execute();
  return jobs.reduce((sum, job) => sum + priceJob(job, list).costNanos, 0n);
}

const anyLabel = fc.constantFrom(
  'ubuntu-latest',
  'windows-2025',
  'self-hosted',
  'depot-4',
  'mystery',
  'team-gpu',
  'linux-8-core',
  'gitlab_linux_small',
  'saas-linux-medium-amd64',
  'macos-15',
  'ubuntu-slim',
);
const anyJob = fc.record({
  // Some are longer than a provider's time limit, or end where it cuts them.
  seconds: fc.oneof(
    fc.integer({ min: 0, max: 4_000 }),
    fc.integer({ min: 9_000, max: 90_000 }),
    fc.constantFrom(1_500, 11_400, 22_200),
  ),
  milliseconds: fc.constantFrom(0, 1, 999),
  labels: fc.array(anyLabel, { minLength: 1, maxLength: 2 }),
  runner_group: fc.constantFrom(undefined, 'GitHub Actions', 'Default', 'Lab', 'instance_type', 'group_type'),
  conclusion: fc.constantFrom('success', 'failure', 'skipped'),
  minuteOfStart: fc.integer({ min: 0, max: 2 * 1_440 }),
});
const anyRule: fc.Arbitrary<RuleInput> = fc
  .record({
    match: fc.constantFrom('label' as const, 'regex' as const, 'runner_group' as const),
    pattern: fc.constantFrom('mystery', 'team', '^ubuntu-.*', 'lab', 'x|4'),
    priced: fc.oneof(
      fc.constantFrom('linux_16_core' as const, 'gitlab_macos_medium_m1' as const).map((runner_kind) => ({
        runner_kind,
      })),
      fc
        // At 30 nano-dollars per minute, every odd second is half a nano-dollar.
        .oneof(fc.constant(30), fc.integer({ min: 0, max: 9_999_999 }))
        .map((nanos) => ({ name: 'Own', usd_per_minute: nanos / 1e9 })),
    ),
    rounding: fc.constantFrom(null, 'minute' as const, 'second' as const),
  })
  .map(({ priced, ...rule }) => ({ ...rule, ...priced }));

const start = Date.parse('2026-03-15T00:00:00Z');

function runOf(jobs: typeof anyJob extends fc.Arbitrary<infer J> ? J[] : never, provider: string) {
  return newRun({
    provider,
    jobs: jobs.map(({ seconds, milliseconds, minuteOfStart, ...job }) => {
      const startedAt = start + minuteOfStart * 60_000;
      return newJob({
        ...job,
        started_at: new Date(startedAt).toISOString(),
        completed_at: new Date(startedAt + seconds * 1_000 + milliseconds).toISOString(),
      });
    }),
  });
}

test('it equals the sum of the jobs priced one by one, to the nano-dollar', async () => {
  const jobs = fc.array(anyJob, { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      jobs,
      jobs,
      fc.array(anyRule, { maxLength: 3 }),
      fc.constantFrom('github_2025', 'github_2026'),
      async (anywhere, atGitLab, rules, book_id) => {
        const organization = await testApp.newOrganization();
        await submit(organization, runOf(anywhere, 'api'), runOf(atGitLab, 'gitlab'));
        const { status, body, text } = await ask(organization, { book_id, rules, days: 5 });
        assert.equal(status, 200, text);
        const { total, workflows } = body.data;
        const exactTotal = /"cost_then":([\d.]+)/.exec(text)![1];
        const expected = await pricedSingly(organization.orgId, book_id, rules);
        assert.equal(exactTotal, formatNanos(expected));
        const summary = await organization.get('/api/v1/dashboard/summary');
        assert.equal(total.cost_now, summary.body.total_cost);
        assert.ok(workflows.length <= 1);
      },
    ),
    { numRuns: 20 },
  );
});

test('jobs of any length between two limits are one group', async () => {
  const organization = await testApp.newOrganization();
  const lengths = [1, 10, 21, 25, 26, 90, 360, 370, 371, 3_000];
  const jobs = lengths.map((minutes) =>
    newJob({
      started_at: '2026-03-15T00:00:00Z',
      completed_at: new Date(start + minutes * 60_000 - minutes).toISOString(),
    }),
  );
  await submit(organization, newRun({ jobs }));
  const grouping = { cutAfterMinutes: [25, 370], bySecond: { always: false, providers: [], kinds: [] } };
  const slice = sliceOfDays('2026-03-15', '2026-03-18');
  const groups = await findJobGroups(db, organization.orgId, slice, grouping, providers);
  assert.deepEqual(
    // The last day has only the longest job.
    groups.map(({ longerThanMinutes, jobs: count }) => `${longerThanMinutes}: ${count}`).toSorted(),
    ['0: 4', '25: 4', '370: 1', '370: 1'],
  );
});

test('it rounds half a nano-dollar up per job, not in total', async () => {
  const organization = await testApp.newOrganization();
  const lasting = (end: string) => newJob({ labels: ['own'], completed_at: `2026-03-18T10:${end}Z` });
  await submit(organization, newRun({ jobs: [lasting('00:01'), lasting('00:01'), lasting('01:01')] }));
  const own = { match: 'label', pattern: 'own', name: 'Own', usd_per_minute: 0.00000003 };
  const { text } = await ask(organization, { rules: [{ ...own, rounding: 'second' }] });
  assert.match(text, /"total":\{[^}]*"cost_then":0\.000000033,/);
});

test('the effect of the change is separate from that of prices chosen since', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ workflow_name: 'Big', jobs: [newJob({ runner: 'linux_16_core' })] }),
    newRun({ workflow_name: 'Odd', jobs: [newJob({ labels: ['mystery'] })] }),
  );
  await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_2026' });
  const rules = [{ match: 'label', pattern: 'mystery', runner_kind: 'linux_4_core' }];
  const { total, workflows } = (await ask(organization, { rules })).body.data;
  const { cost_now: recorded, cost_current: current, cost_then: then, difference, change } = total;
  assert.deepEqual([recorded, current, then, difference, change], [0.32, 0.21, 0.27, -0.05, 0.06]);
  assert.deepEqual(
    workflows.map((each: Json) => [each.workflow_name, each.change, each.difference]),
    [
      ['Odd', 0.06, 0.06],
      ['Big', 0, -0.11],
    ],
  );
});

test('it shows each workflow now, then and the difference, and stores nothing', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ workflow_name: 'Small' }),
    newRun({ workflow_name: 'Big', jobs: [newJob({ runner: 'linux_16_core' })] }),
    newRun({ workflow_name: 'Odd', jobs: [newJob({ labels: ['mystery'] })] }),
  );
  const rules = [{ match: 'label', pattern: 'mystery', runner_kind: 'linux_4_core' }];
  const { body } = await ask(organization, { book_id: 'github_2026', rules, days: 30 });
  assert.deepEqual(body.data.period, { start: '2026-02-17', end: '2026-03-18', days: 30 });
  assert.deepEqual(body.data.total, {
    jobs: 3,
    minutes: 15,
    cost_now: 0.36,
    cost_then: 0.3,
    difference: -0.06,
    cost_current: 0.36,
    change: -0.06,
    unpriced_minutes_now: 5,
    unpriced_minutes_then: 0,
  });
  assert.deepEqual(
    body.data.workflows.map((each: Json) => [
      each.workflow_name,
      each.cost_now,
      each.cost_then,
      each.difference,
    ]),
    [
      ['Big', 0.32, 0.21, -0.11],
      ['Odd', 0, 0.06, 0.06],
      ['Small', 0.04, 0.03, -0.01],
    ],
  );
  const summary = await organization.get('/api/v1/dashboard/summary');
  assert.equal(summary.body.total_cost, 0.36);
  const unchanged = await ask(organization, {});
  assert.equal(unchanged.body.data.total.difference, 0);
});

test('of repeated jobs only the billed ones count', async () => {
  const organization = await testApp.newOrganization();
  const run = { run_id: 'again', jobs: [newJob({ job_id: 'a', name: 'lint' })] };
  await submit(organization, newRun(run));
  await submit(
    organization,
    newRun({ ...run, run_attempt: 2, jobs: [newJob({ job_id: 'b', name: 'lint' })] }),
  );
  const { body } = await ask(organization, { book_id: 'github_2026' });
  assert.deepEqual([body.data.total.jobs, body.data.total.cost_then], [1, 0.03]);
});

test('the fee for self-hosted runners applies only to private repositories at GitHub', async () => {
  const organization = await testApp.newOrganization();
  const add = async (id: number, isPrivate: boolean, fields: object): Promise<void> => {
    const repository = { repository: `octo-org/repo-${id}`, private: isPrivate };
    const at = { created_at: '2026-03-17T10:00:00Z' };
    for (const [event, payload] of [
      ['workflow_run', gitHubRun({ id, ...at, ...repository })],
      ['workflow_job', gitHubJob({ id, run_id: id, ...at, ...repository, ...fields })],
    ] as const) {
      const read = readGitHubEvent(event, payload, testApp.clock.now());
      assert.ok(read.kind === 'report');
      await recorder.record(organization.orgId, [read.report]);
    }
  };
  const own = { labels: ['self-hosted'], runner_group_name: 'Default', runner_name: 'box' };
  await add(1, true, own);
  await add(2, false, own);
  await add(3, true, {});
  await submit(organization, newRun({ jobs: [newJob({ labels: ['self-hosted'] })] }));
  const { body } = await ask(organization, { scenario: 'self_hosted_fee' });
  assert.equal(body.data.scenario, 'self_hosted_fee');
  assert.deepEqual([body.data.total.cost_now, body.data.total.difference], [0.008, 0.002]);
});

describe('it is refused', () => {
  const faults: [why: string, body: object, path: string][] = [
    ['for too many days', { days: 91 }, 'body.days'],
    ['for a book that is not there', { book_id: 'none' }, 'body.book_id'],
    [
      'for a rule that cannot be read',
      { rules: [{ match: 'regex', pattern: '(', runner_kind: 'linux_slim' }] },
      'body.rules[0].pattern',
    ],
  ];
  for (const [why, body, path] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      const answer = await ask(organization, body);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.errors[0].path, path);
    });
  }
});

test('another organization sees nothing of it', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const stranger = await testApp.newOrganization();
  assert.equal((await ask(stranger, {})).body.data.total.jobs, 0);
});

test('workflows without a change are in the order of their cost', async () => {
  const organization = await testApp.newOrganization();
  const minutes = [1, 3, 2];
  const runs = minutes.map((length, index) => {
    const completed_at = `2026-03-17T10:0${length}:00Z`;
    const job = newJob({ labels: ['ubuntu-latest'], started_at: '2026-03-17T10:00:00Z', completed_at });
    return newRun({ run_id: `ordered-${index}`, workflow_name: `${length} minutes`, jobs: [job] });
  });
  await submit(organization, ...runs);
  const { data } = (await ask(organization, {})).body;
  const names = data.workflows.map((workflow: Json) => workflow.workflow_name);
  assert.deepEqual(names, ['3 minutes', '2 minutes', '1 minutes']);
});

test('a proposed rule has the limits of a stored one', () => {
  const proposed = JSON.parse(JSON.stringify(whatIfBody([]))).properties.rules.items.properties;
  const stored = JSON.parse(JSON.stringify(ruleBody([]))).properties;
  const limitsOf = ({ usd_per_minute: rate, later_rates: later }: Json) => {
    const { effective_from: day, usd_per_minute: laterRate } = later.items.properties;
    return [rate.maximum, later.maxItems, laterRate.maximum, day.pattern];
  };
  assert.deepEqual(limitsOf(proposed), limitsOf(stored));
});
