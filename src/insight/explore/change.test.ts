import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/costs/change';
const msPerDay = 86_400_000;

type Query = Record<string, string | number>;

async function ask(organization: TestOrganization, query: Query = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** A run of one job whose minutes are on 2-core Linux, at 0.008 USD each. */
function runOf(day: string, minutes: number, fields: object = {}, job: object = {}) {
  const started_at = `${day}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  const jobs = [newJob({ name: 'build', started_at, completed_at, ...job })];
  return newRun({ workflow_name: 'CI', created_at: started_at, started_at, jobs, ...fields });
}

type Part = Record<'change' | 'volume' | 'duration' | 'price' | 'mix', number>;
const partsOf = ({ change, volume, duration, price, mix }: Part) => [change, volume, duration, price, mix];
type Group = Part & { by: { name: string }[]; status: string; narrow: string };
const named = ({ groups }: { groups: Group[] }) =>
  groups.map((group) => [group.by.map(({ name }) => name).join(' / '), group.status, ...partsOf(group)]);

const march = { from: '2026-03-01', to: '2026-03-18' };
const february = { compared_from: '2026-02-01', compared_to: '2026-02-10' };

describe('a change', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const macos = { runner: 'macos_3_core' };
  await submit(
    organization,
    ...[1, 2].map((day) => runOf(`2026-02-0${day}`, 10)),
    ...[1, 2, 3].map((day) => runOf(`2026-03-0${day}`, 20)),
    runOf('2026-02-03', 5, { workflow_name: 'Old' }),
    runOf('2026-03-03', 50, { workflow_name: 'Nightly', branch: 'main' }),
    runOf('2026-02-04', 10, { workflow_name: 'App' }),
    runOf('2026-03-04', 10, { workflow_name: 'App' }, macos),
  );

  test('is split by workflow, the largest change first', async () => {
    const answer = await ask(organization, { ...march, ...february });
    assert.deepEqual(named(answer), [
      ['App (acme/api)', 'continued', 0.72, 0, 0, 0, 0.72],
      ['Nightly (acme/api)', 'new', 0.4, 0.4, 0, 0, 0],
      ['CI (acme/api)', 'continued', 0.32, 0.08, 0.24, 0, 0],
      ['Old (acme/api)', 'vanished', -0.04, -0.04, 0, 0, 0],
    ]);
    const { total, other, period, previous_period } = answer;
    assert.deepEqual(partsOf(total), [1.4, 0.44, 0.24, 0, 0.72]);
    assert.deepEqual([total.value, total.previous_value, total.change_percent], [1.68, 0.28, 500]);
    assert.deepEqual(
      [total.jobs, total.previous_jobs, total.minutes, total.previous_minutes],
      [5, 4, 120, 35],
    );
    assert.deepEqual(
      [answer.new, answer.vanished],
      [
        { groups: 1, change: 0.4 },
        { groups: 1, change: -0.04 },
      ],
    );
    assert.equal(other, null);
    assert.deepEqual(
      [period.days, previous_period],
      [18, { start: '2026-02-01', end: '2026-02-10', days: 10 }],
    );
    assert.equal(
      answer.sentence,
      'From Mar 1 to Mar 18, 2026 (18 days), CI cost $1.40 more (+500.0%) than from Feb 1 to Feb 10, 2026 (10 days): mostly more expensive runners in App (acme/api) (+$0.72) and the new workflow Nightly (acme/api) (+$0.40).',
    );
  });

  test('adds up beyond the limit, and the sentence stays', async () => {
    const whole = await ask(organization, { ...march, ...february });
    const answer = await ask(organization, { ...march, ...february, limit: 1 });
    assert.deepEqual(named(answer), named(whole).slice(0, 1));
    assert.deepEqual([answer.other.groups, ...partsOf(answer.other)], [3, 0.68, 0.44, 0.24, 0, 0]);
    assert.deepEqual([answer.total, answer.sentence], [whole.total, whole.sentence]);
  });

  test('is of any dimensions and filters, or of none', async () => {
    const runners = await ask(organization, { ...march, ...february, group_by: 'runner' });
    assert.deepEqual(named(runners), [
      ['macOS 3-core', 'new', 0.8, 0.8, 0, 0, 0],
      ['Linux 2-core', 'continued', 0.6, 0, 0.6, 0, 0],
    ]);
    const ci = await ask(organization, { ...march, ...february, group_by: '', workflow: 'CI' });
    assert.deepEqual([ci.groups, ci.other, ...partsOf(ci.total)], [[], null, 0.32, 0.08, 0.24, 0, 0]);
    assert.match(
      ci.sentence,
      /the selected jobs cost \$0\.32 more \(\+200\.0%\) .*: longer jobs \(\+\$0\.24\) and more jobs \(\+\$0\.08\)\.$/,
    );
  });

  test('leads on to the same question about one group', async () => {
    const { groups } = await ask(organization, { ...march, ...february });
    for (const { narrow, change } of groups) {
      const { total, group_by, previous_period } = (await organization.get(narrow)).body.data;
      assert.deepEqual(
        [total.change, group_by, previous_period.end],
        [change, ['job'], '2026-02-10'],
        narrow,
      );
    }
  });

  test('is against the days before, or the year before', async () => {
    const before = await ask(organization);
    assert.deepEqual(
      [before.period.start, before.previous_period.start, before.previous_period.end, before.group_by],
      ['2026-02-17', '2026-01-18', '2026-02-16', ['workflow']],
    );
    assert.match(before.sentence, /^CI cost \$1\.40 more \(\+500\.0%\) than in the 30 days before: /);
    const year = await ask(organization, { ...march, compare: 'previous_year' });
    assert.deepEqual([year.previous_period.start, year.total.previous_value], ['2025-03-01', 0]);
  });

  test('comes as CSV for those who accept it', async () => {
    const query =
      'from=2026-03-01&to=2026-03-18&compared_from=2026-02-01&compared_to=2026-02-10&limit=1&group_by=repository,runner';
    const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
    const { text, headers: sent } = await request(testApp.server, {
      method: 'GET',
      url: `${path}?${query}`,
      headers,
    });
    assert.match(
      String(sent['content-disposition']),
      /filename="runcost-change-2026-03-01-to-2026-03-18\.csv"/,
    );
    assert.match(String(sent.vary), /\baccept\b/i);
    assert.deepEqual(text.split('\r\n'), [
      'row,repository,runner,status,cost_usd,previous_cost_usd,change_cost_usd,volume_usd,duration_usd,price_usd,mix_usd,jobs,previous_jobs,minutes,previous_minutes',
      'group,acme/api,macos_3_core,new,0.8,0,0.8,0.8,0,0,0,1,0,10,0',
      'other,,,,0.88,0.28,0.6,0,0.6,0,0,4,4,110,35',
      '',
    ]);
    const total = await request(testApp.server, { method: 'GET', url: `${path}?group_by=&days=1`, headers });
    assert.match(total.text, /\r\ntotal,,0,0,0,0,0,0,0,0,0,0,0\r\n$/);
  });

  test('names the price where a reprice or a rule changed it', async () => {
    const priced = await testApp.newOrganization();
    const rule = { match: 'label', pattern: 'box', name: 'Box', usd_per_minute: 0.01 };
    const { body } = await priced.send('POST', '/api/v1/pricing/rules', rule);
    const box = { runner: undefined, labels: ['box'] };
    await submit(priced, runOf('2026-03-16', 10, {}, box));
    await priced.send('PUT', `/api/v1/pricing/rules/${body.data.id}`, { usd_per_minute: 0.03 });
    await submit(priced, runOf('2026-03-17', 10, {}, box));
    const answer = await ask(priced, { from: '2026-03-17', to: '2026-03-17' });
    assert.deepEqual(partsOf(answer.total), [0.2, 0, 0, 0.2, 0]);
    assert.equal(
      answer.sentence,
      'CI cost $0.20 more (+200.0%) than on the day before: higher prices in CI (acme/api) (+$0.20).',
    );
  });
});

test('without jobs there is nothing to explain', async () => {
  const organization = await testApp.newOrganization();
  const answer = await ask(organization);
  assert.deepEqual([answer.groups, answer.other, answer.total.change], [[], null, 0]);
  assert.equal(answer.sentence, 'No jobs completed in either period.');
});

test('days that the plan does not compare are cut, or refused', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  await submit(organization, runOf('2026-01-18', 5), runOf('2026-01-17', 5));
  const earlier = { compared_from: '2025-06-01', compared_to: '2026-01-31' };
  const { previous_period, total } = await ask(organization, earlier);
  assert.deepEqual([previous_period.start, total.previous_value], ['2026-01-18', 0.04]);
  const future = await ask(organization, { compared_from: '2026-03-01', compared_to: '2027-01-01' });
  assert.equal(future.previous_period.end, '2026-03-18');
  const before = await organization.get(path, { compared_from: '2025-06-01', compared_to: '2026-01-17' });
  assertProblem(before, 400, 'invalid_request', ['query.compared_to']);
});

test('questions that cannot be answered are refused by field', async () => {
  const organization = await testApp.newOrganization();
  const cases: [string, string][] = [
    ['group_by=team,branch,actor', 'group_by'],
    ['group_by=day', 'group_by'],
    ['group_by=workflows', 'group_by'],
    ['compare=none', 'compare'],
    ['compare=previous_year&compared_from=2026-01-01&compared_to=2026-01-31', 'compare'],
    ['compared_from=2026-01-01', 'compared_to'],
    ['compared_to=2026-01-01', 'compared_from'],
    ['compared_from=2026-01-02&compared_to=2026-01-01', 'compared_from'],
    ['compared_from=2026-03-19&compared_to=2026-03-20', 'compared_from'],
    ['compared_from=2026-02-30&compared_to=2026-03-20', 'compared_from'],
    ['from=2026-03-10&to=2026-03-09', 'from'],
    ['limit=0', 'limit'],
    ['metric=cost', 'metric'],
    ['conclusion=!succes', 'conclusion'],
  ];
  for (const [query, field] of cases) {
    const answer = await organization.get(`${path}?${query}`);
    assertProblem(answer, 400, 'invalid_request', [`query.${field}`]);
  }
});

test('needs the right to read costs, and has nothing of another organization', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, runOf('2026-03-18', 5));
  const answerTo = (token: string) =>
    request(testApp.server, { method: 'GET', url: path, headers: { authorization: `Bearer ${token}` } });
  assert.equal((await answerTo(await organization.newToken('owner', ['alerts:read']))).status, 403);
  const reader = await organization.newToken('viewer', ['costs:read']);
  const stranger = await testApp.newOrganization();
  // Equal questions at the same time share an answer only within an organization.
  const answers = await Promise.all([reader, stranger.token, reader, stranger.token].map(answerTo));
  assert.deepEqual(
    answers.map(({ body }) => body.data.total.value),
    [0.04, 0, 0.04, 0],
  );
});

const anyJob = fc.record({
  repository: fc.constantFrom('acme/api', 'acme/web'),
  workflow: fc.constantFrom('CI', 'Deploy'),
  branch: fc.constantFrom('main', 'fix', null),
  // GitLab bills by the second. `box` has its own price, which changes; `stray` has none.
  provider: fc.constantFrom('jenkins', 'gitlab'),
  runner: fc.constantFrom('linux_2_core', 'macos_3_core', 'box', 'stray'),
  daysAgo: fc.integer({ min: 0, max: 12 }),
  seconds: fc.integer({ min: 0, max: 900 }),
});
type Job = typeof anyJob extends fc.Arbitrary<infer T> ? T & { boxRate: bigint } : never;

const rates: Record<string, bigint> = { linux_2_core: 8_000_000n, macos_3_core: 80_000_000n, stray: 0n };
const now = Date.parse('2026-03-18T12:00:00Z');
const dayAt = (daysAgo: number) => new Date(now - daysAgo * msPerDay).toISOString().slice(0, 10);

const rateOf = ({ runner, boxRate }: Job) => rates[runner] ?? boxRate;
/** Billed seconds, or started minutes for jobs that cost nothing. */
const timeOf = (job: Job) =>
  BigInt(job.provider === 'gitlab' && rateOf(job) > 0n ? job.seconds : Math.ceil(job.seconds / 60) * 60);
const costOf = (job: Job) => (timeOf(job) * rateOf(job) + 30n) / 60n;
const sum = (jobs: Job[], of: (job: Job) => bigint) => jobs.reduce((total, job) => total + of(job), 0n);

/** Follows the definition, job by job and in seconds. */
function modelOf(jobs: Job[], before: Job[]) {
  const [cost, former] = [sum(jobs, costOf), sum(before, costOf)];
  if (jobs.length === 0 || before.length === 0) return [cost - former, 0n, 0n, 0n];
  const withJobs = (BigInt(jobs.length) * former) / BigInt(before.length);
  if (sum(before, timeOf) === 0n) return [withJobs - former, cost - withJobs, 0n, 0n];
  const withTime = (sum(jobs, timeOf) * former) / sum(before, timeOf);
  const price = Object.keys({ ...rates, box: 0 }).reduce((total, runner) => {
    const own = jobs.filter((job) => job.runner === runner);
    const formerOwn = before.filter((job) => job.runner === runner);
    if (sum(own, timeOf) === 0n || sum(formerOwn, timeOf) === 0n) return total;
    return total + sum(own, costOf) - (sum(own, timeOf) * sum(formerOwn, costOf)) / sum(formerOwn, timeOf);
  }, 0n);
  return [withJobs - former, withTime - withJobs, price, cost - withTime - price];
}

const dimensionsOf: Record<string, (job: Job) => string | null> = {
  repository: ({ repository }) => repository,
  workflow: ({ workflow, repository }) => `${workflow} (${repository})`,
  branch: ({ branch }) => branch,
  runner: ({ runner }) => (runner === 'box' ? 'custom:Box' : runner === 'stray' ? null : runner),
};
const anyDays = fc
  .tuple(fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 13 }))
  .map(([a, b]) => ({ from: Math.max(a, b), to: Math.min(a, b) }));
const anyQuestion = fc.record({
  groupBy: fc.uniqueArray(fc.constantFrom(...Object.keys(dimensionsOf)), { maxLength: 2 }),
  filter: fc.constantFrom(null, ['branch', 'main'], ['runner', '!linux_2_core'], ['repository', 'acme/w*']),
  days: anyDays,
  compared: anyDays,
  limit: fc.integer({ min: 1, max: 4 }),
});
type Question = typeof anyQuestion extends fc.Arbitrary<infer T> ? T : never;

function passes(filter: Question['filter'], job: Job): boolean {
  if (filter === null) return true;
  if (filter[0] === 'branch') return job.branch === 'main';
  return filter[0] === 'runner' ? job.runner !== 'linux_2_core' : job.repository === 'acme/web';
}

const nanos = (value: number) => BigInt(Math.round(value * 1e9));
const figuresOf = (part: Part & { value: number; previous_value: number }) => ({
  parts: [part.volume, part.duration, part.price, part.mix].map(nanos),
  change: nanos(part.change),
  value: nanos(part.value),
  previous: nanos(part.previous_value),
});
const add = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The model rounds at other steps. */
function assertClose(parts: bigint[], expected: bigint[], message: string): void {
  parts.forEach((part, index) => {
    const difference = part - expected[index]!;
    assert.ok(
      difference < 1_000n && difference > -1_000n,
      `${message}: ${String(parts)} ${String(expected)}`,
    );
  });
}

async function assertAgrees(organization: TestOrganization, question: Question, jobs: Job[]): Promise<void> {
  const { groupBy, filter, days, compared, limit } = question;
  const query = {
    group_by: groupBy.join(','),
    limit,
    from: dayAt(days.from),
    to: dayAt(days.to),
    compared_from: dayAt(compared.from),
    compared_to: dayAt(compared.to),
    ...(filter && { [filter[0]!]: filter[1]! }),
  };
  const message = JSON.stringify(query);
  const { total, groups, other, sentence } = await ask(organization, query);
  const within = ({ from, to }: Question['days']) =>
    jobs.filter((job) => job.daysAgo <= from && job.daysAgo >= to && passes(filter, job));
  const [current, previous] = [within(days), within(compared)];
  const keyOf = (job: Job) => JSON.stringify(groupBy.map((name) => dimensionsOf[name]!(job)));
  const models = new Map(
    [...new Set([...current, ...previous].map(keyOf))].map((key) => {
      const of = (all: Job[]) => all.filter((job) => keyOf(job) === key);
      return [key, modelOf(of(current), of(previous))];
    }),
  );
  for (const part of [total, ...groups, ...(other ? [other] : [])].map(figuresOf)) {
    assert.equal(add(part.parts), part.change, message);
    assert.equal(part.value - part.previous, part.change, message);
  }
  const listed = [...groups, ...(other ? [other] : [])].map(figuresOf);
  if (groupBy.length > 0) {
    for (const [index, part] of figuresOf(total).parts.entries())
      assert.equal(add(listed.map(({ parts }) => parts[index]!)), part, message);
    assert.equal(groups.length + (other?.groups ?? 0), models.size, message);
  }
  assert.equal(figuresOf(total).value, sum(current, costOf), message);
  assert.equal(figuresOf(total).previous, sum(previous, costOf), message);
  assert.equal(total.jobs, current.length, message);
  for (const group of groups) {
    const key = JSON.stringify(
      group.by.map(({ dimension, value, name }: Record<string, string>) =>
        dimension === 'workflow' ? name : value,
      ),
    );
    assertClose(figuresOf(group).parts, models.get(key)!, message);
  }
  const sums = [0, 1, 2, 3].map((index) => add([...models.values()].map((parts) => parts[index]!)));
  assertClose(figuresOf(total).parts, sums, message);
  assert.match(sentence, /^[^\n]+\.$/);
}

test('every split adds up, and agrees with the definition by job', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyJob, { minLength: 1, maxLength: 20 }),
      fc.array(anyQuestion, { minLength: 6, maxLength: 6 }),
      async (drawn, questions) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        const rule = { match: 'label', pattern: 'box', name: 'Box', usd_per_minute: 0.05 };
        const { body } = await organization.send('POST', '/api/v1/pricing/rules', rule);
        const half = Math.ceil(drawn.length / 2);
        const jobs: Job[] = [];
        for (const [part, usd_per_minute] of [
          [drawn.slice(0, half), 0.05],
          [drawn.slice(half), 0.07],
        ] as const) {
          await organization.send('PUT', `/api/v1/pricing/rules/${body.data.id}`, { usd_per_minute });
          const priced = part.map((job) => ({ ...job, boxRate: nanos(usd_per_minute) }));
          if (priced.length > 0) await submit(organization, ...priced.map((job) => submissionOf(job)));
          jobs.push(...priced);
        }
        for (const question of questions) await assertAgrees(organization, question, jobs);
      },
    ),
    { numRuns: 6 },
  );
});

function submissionOf({ repository, workflow, branch, provider, runner, daysAgo, seconds }: Job) {
  const started_at = new Date(now - daysAgo * msPerDay - 3_600_000).toISOString();
  const completed_at = new Date(Date.parse(started_at) + seconds * 1_000).toISOString();
  const on = rates[runner] ? {} : { runner: undefined, labels: [runner] };
  return newRun({
    provider,
    repo_name: repository,
    workflow_name: workflow,
    created_at: started_at,
    started_at,
    ...(branch && { branch }),
    jobs: [newJob({ runner, started_at, completed_at, ...on })],
  });
}
