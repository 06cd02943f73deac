/** Compares random histories, reported in two parts with questions in between, with a model that adds up job by job. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addRules, anyRuleFrom, type Rule } from '../../../test/harness/anyRules.ts';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import {
  anySaidOfPullRequests,
  saidOf,
  sayOfPullRequests,
  type SaidOfPullRequest,
} from '../../../test/harness/saidOfPullRequests.ts';
import { submit } from '../../../test/harness/submission.ts';
import { dimensionNames, type DimensionName } from './readQuestion.ts';

const testApp = await sharedTestApp();
const now = Date.parse('2026-03-18T12:00:00Z');
const msPerDay = 86_400_000;
const runners: Record<string, bigint> = { linux_2_core: 8_000_000n, macos_3_core: 80_000_000n };

const anyJob = fc.record({
  job: fc.constantFrom('build', 'test (a, b)'),
  runner: fc.constantFrom('linux_2_core', 'macos_3_core', null),
  runner_group: fc.constantFrom('Default', null),
  attempt: fc.constantFrom(1, 1, 2),
  labels: fc.constantFrom(['x64', 'Self-Hosted', 'X64'], ['box'], []),
  startsMs: fc.integer({ min: 0, max: msPerDay }),
  ms: fc.integer({ min: 1, max: 3_600_000 }),
});
const anyRun = fc.record({
  repository: fc.constantFrom('acme/api', 'acme/web', 'Acme/Ops'),
  workflow: fc.constantFrom('CI', 'Deploy'),
  provider: fc.constantFrom('jenkins', 'drone'),
  branch: fc.constantFrom('main', 'release/1', 'release/2', null),
  event: fc.constantFrom('push', 'schedule', null),
  actor: fc.constantFrom('mona', 'Copilot', null),
  started_by: fc.constantFrom('ada', null),
  rerun_by: fc.constantFrom('mona', 'renovate-bot', null),
  pull_request: fc.constantFrom(7, 42, null),
  conclusion: fc.constantFrom('success', 'failure', 'cancelled'),
  daysAgo: fc.integer({ min: 0, max: 20 }),
  createdMs: fc.integer({ min: 0, max: 43_000_000 }),
  jobs: fc.array(anyJob, { minLength: 1, maxLength: 3 }),
});
const anyRule = anyRuleFrom(dayAt);
type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;
type Row = Record<DimensionName, string | null> & { cost: bigint; minutes: number };
type Facts = { runs: Row[]; jobs: Row[] };
type Ownership = { rules: Rule[]; ownership: 'of_day' | 'today'; said: readonly SaidOfPullRequest[] };

function submissionsOf(drawn: Drawn[]) {
  return drawn.map(({ daysAgo, createdMs, jobs, ...run }, index) => {
    const created = now - daysAgo * msPerDay - 43_000_000 + createdMs;
    const all = jobs.map(({ startsMs, ms, ...job }, place) => {
      // Some jobs complete on the next day, but none in the future.
      // No two are alike, because a later attempt would have a copy of the same job.
      const started = Math.min(created + startsMs - (startsMs % 4) + place, now - ms - place);
      return { ...job, id: `${index}-${place}`, started, completed: started + ms };
    });
    const attempts = Math.max(...jobs.map(({ attempt }) => attempt));
    return { ...run, id: `run-${index}`, created, attempts, jobs: all };
  });
}
type Submission = Omit<ReturnType<typeof submissionsOf>[number], 'conclusion'> & {
  conclusion: string | null;
};

const unnamed = { branch: null, event: null, actor: null, started_by: null, rerun_by: null };
/** The fields of a run in progress. */
const undescribed = { ...unnamed, conclusion: null, pull_request: null };

function attemptsOf(runs: Submission[]) {
  return runs.flatMap(({ attempts, rerun_by: rerunBy, actor, jobs, ...run }) =>
    [1, 2].slice(0, attempts).map((number) => ({
      ...run,
      run_attempt: number,
      actor: number === 1 ? actor : rerunBy,
      jobs: jobs.filter(({ attempt }) => attempt === number),
    })),
  );
}

async function report(organization: TestOrganization, runs: Submission[]): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  const present = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  await submit(
    organization,
    ...attemptsOf(runs).map(({ id, repository, workflow, created, jobs, ...fields }) => ({
      ...present(fields),
      run_id: id,
      repo_name: repository,
      workflow_name: workflow,
      status: fields.conclusion === null ? 'in_progress' : 'completed',
      created_at: iso(created),
      jobs: jobs.map(({ id: jobId, job, started, completed, runner, labels, runner_group }) => ({
        ...present(runner ? { runner, runner_group } : { labels, runner_group }),
        job_id: jobId,
        name: job,
        conclusion: 'success',
        started_at: iso(started),
        completed_at: iso(completed),
      })),
    })),
  );
}

const kinds: Record<string, string> = { Copilot: 'agent', 'renovate-bot': 'bot' };

/** The owner by the first rule that applies on the day and matches. */
function ownerOf(
  kind: string,
  { rules, ownership }: Ownership,
  job: { repository: string; workflow: string; labels: readonly string[]; day: string },
): string | null {
  const day = ownership === 'today' ? dayAt(0) : job.day;
  const fits = (pattern: string | null, values: readonly string[]) =>
    pattern === null || values.some((value) => matches('repository', pattern, value));
  const rule = rules.find(
    (each) =>
      each.kind === kind &&
      (each.valid_from ?? '') <= day &&
      (each.valid_until ?? '9') >= day &&
      fits(each.repository, [job.repository]) &&
      fits(each.workflow, [job.workflow]) &&
      fits(each.label, job.labels),
  );
  return rule?.owner ?? null;
}

function factsOf(runs: Submission[], ownership: Ownership): Facts {
  const time = (ms: number) => {
    const at = new Date(ms);
    const weekday = at.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' }).toLowerCase();
    return { day: at.toISOString().slice(0, 10), hour: at.toISOString().slice(11, 13), weekday };
  };
  const facts: Facts = { runs: [], jobs: [] };
  for (const { repository, workflow, created, jobs, pull_request, ...rest } of runs) {
    const { provider, branch, event, conclusion, attempts } = rest;
    const starter = rest.started_by ?? rest.actor;
    const acted = (attempt: number) => {
      const actor = (attempt === 1 ? rest.actor : rest.rerun_by) ?? starter;
      const other = event === 'schedule' && actor === starter ? 'bot' : 'person';
      return { actor, actor_kind: actor && (kinds[actor] ?? other) };
    };
    const number = pull_request === null ? null : String(pull_request);
    const pullRequest = saidOf({ provider, repository, pull_request }, ownership.said);
    const named = `${workflow} (${repository})`;
    const run = {
      product: 'compute',
      repository,
      workflow: named,
      provider,
      branch,
      event,
      ...acted(attempts),
      started_by: starter,
      conclusion,
      pull_request: number,
      ...pullRequest,
      visibility: null, // Which the API cannot name.
    };
    const ownersOf = (labels: readonly string[], at: number) => {
      const job = { repository, workflow, labels, day: time(at).day };
      return {
        team: ownerOf('team', ownership, job),
        cost_center: ownerOf('cost_center', ownership, job),
      };
    };
    const ofNoJob = { job: null, runner: null, runner_group: null, label: null, cost: 0n, minutes: 0 };
    facts.runs.push({ ...run, ...ofNoJob, ...time(created), ...ownersOf([], created) });
    for (const { job, attempt, runner, runner_group, labels, started, completed } of jobs) {
      const minutes = Math.ceil((completed - started) / 60_000);
      const cost = runner ? runners[runner]! * BigInt(minutes) : 0n;
      const sorted = [...new Set(labels.map((text) => text.toLowerCase()))].toSorted();
      const label = runner ?? (sorted.join(', ') || null);
      const owners = ownersOf(runner ? [runner] : labels, completed);
      const ofJob = { job, runner, runner_group, label, cost, minutes };
      facts.jobs.push({ ...run, ...acted(attempt), ...owners, ...ofJob, ...time(completed) });
    }
  }
  return facts;
}

const anyValue: Record<DimensionName, fc.Arbitrary<string>> = {
  product: fc.constantFrom('compute', '!storage', 'c*', 'storage'),
  repository: fc.constantFrom('acme/API', 'acme/ops', 'acme/*', '!acme/web', 'acme/none'),
  workflow: fc.constantFrom('CI', '!CI', 'De*'),
  job: fc.constantFrom('build', '!build', 'test (*', ''),
  runner: fc.constantFrom('linux_2_core', '', '!'),
  runner_group: fc.constantFrom('Default', '', '!Default'),
  label: fc.constantFrom('self-hosted, x64', '*box', ''),
  provider: fc.constantFrom('jenkins', '!jenkins'),
  branch: fc.constantFrom('main', 'release/*', '!main', ''),
  event: fc.constantFrom('push', '!push', ''),
  actor: fc.constantFrom('mona', 'renovate-bot', '!'),
  actor_kind: fc.constantFrom('agent', '!person', 'b*', ''),
  started_by: fc.constantFrom('ada', '!mona', ''),
  pull_request: fc.constantFrom('7', '!42', ''),
  pull_request_state: fc.constantFrom('merged', 'unknown', '!open', ''),
  pull_request_author: fc.constantFrom('mona', '!mona', ''),
  conclusion: fc.constantFrom('success', '!success', '*l*'),
  visibility: fc.constantFrom('', '!public'),
  team: fc.constantFrom('Platform', '!Web', '', '!'),
  cost_center: fc.constantFrom('Ops', '*a*', '', '!Platform'),
  day: fc.constantFrom('2026-03-17', '!2026-03-18'),
  weekday: fc.constantFrom('monday', '!sunday', 's*'),
  hour: fc.constantFrom('09', '!11', '0*'),
};
const ofJobsOnly = new Set(['job', 'runner', 'runner_group', 'label', 'cost_center']);
const anyQuestion = fc
  .record({
    metric: fc.constantFrom('cost', 'minutes', 'jobs', 'runs'),
    group_by: fc.uniqueArray(fc.constantFrom(...dimensionNames), { maxLength: 2 }),
    filters: fc.uniqueArray(fc.constantFrom(...dimensionNames), { maxLength: 2 }),
    values: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    granularity: fc.constantFrom('total', 'day', 'week', 'month'),
    week_start: fc.constantFrom('monday', 'sunday'),
    compare: fc.constantFrom('none', 'previous_period'),
    ownership: fc.constantFrom('of_day', 'today'),
    days: fc.integer({ min: 1, max: 15 }),
    limit: fc.integer({ min: 1, max: 6 }),
    picks: fc.tuple(
      ...dimensionNames.map((name) => fc.array(anyValue[name], { minLength: 1, maxLength: 2 })),
    ),
  })
  .filter(
    ({ metric, group_by, filters }) =>
      metric !== 'runs' || ![...group_by, ...filters].some((name) => ofJobsOnly.has(name)),
  )
  .filter(({ compare, group_by }) => compare === 'none' || !group_by.includes('day'));
type Question = typeof anyQuestion extends fc.Arbitrary<infer T> ? T : never;

function matches(name: DimensionName, pattern: string, value: string | null): boolean {
  if (pattern === '') return value === null;
  if (value === null) return false;
  const source = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');
  return new RegExp(`^${source}$`, name === 'repository' ? 'i' : '').test(value);
}

function passes(row: Row, { filters, picks }: Question): boolean {
  return filters.every((name) => {
    const values = picks[dimensionNames.indexOf(name)]!;
    const wanted = values.filter((value) => !value.startsWith('!'));
    const unwanted = values.filter((value) => value.startsWith('!')).map((value) => value.slice(1));
    const value = name === 'workflow' ? row.workflow!.split(' ')[0]! : row[name];
    const has = (pattern: string) => matches(name, pattern, value);
    return (wanted.length === 0 || wanted.some(has)) && !unwanted.some(has);
  });
}

function amountOf({ metric }: Question, row: Row): bigint {
  if (metric === 'cost') return row.cost;
  return metric === 'minutes' ? BigInt(row.minutes) : 1n;
}

function dayAt(days: number): string {
  return new Date(now - days * msPerDay).toISOString().slice(0, 10);
}

function modelOf(question: Question, { runs, jobs }: Facts) {
  const { days, group_by, granularity, week_start, metric } = question;
  const rows = (metric === 'runs' ? runs : jobs).filter((row) => passes(row, question));
  const within = (first: number, last: number) =>
    rows.filter(({ day }) => day! >= dayAt(first) && day! <= dayAt(last));
  const sum = (part: Row[]) => part.reduce((total, row) => total + amountOf(question, row), 0n);
  const keyOf = (row: Row) => JSON.stringify(group_by.map((name) => row[name]));
  const groups = (part: Row[]) =>
    Object.fromEntries([...Map.groupBy(part, keyOf)].map(([key, own]) => [key, sum(own)]));
  const current = within(days - 1, 0);
  const spanOf = (day: string) => {
    if (granularity === 'day') return day;
    if (granularity === 'month') return day.slice(0, 7);
    const date = new Date(day);
    const since = (date.getUTCDay() + (week_start === 'monday' ? 6 : 0)) % 7;
    return dayAt((now - date.getTime()) / msPerDay + since);
  };
  const series = new Map<string, bigint>();
  for (let ago = days - 1; ago >= 0; ago--) {
    const span = spanOf(dayAt(ago));
    series.set(span, (series.get(span) ?? 0n) + sum(current.filter(({ day }) => day === dayAt(ago))));
  }
  const earlier = within(2 * days - 1, days);
  return {
    total: sum(current),
    previous: sum(earlier),
    groups: groups(current),
    earlier: groups(earlier),
    series: granularity === 'total' ? [] : [...series.values()],
  };
}

type Part = { value: number; series: { value: number }[] };

const exact = (question: Question, value: number) =>
  question.metric === 'cost' ? BigInt(Math.round(value * 1e9)) : BigInt(value);

async function assertAgrees(organization: TestOrganization, question: Question, facts: Facts): Promise<void> {
  const { metric, group_by, filters, picks, granularity, week_start, compare, ownership, days, limit } =
    question;
  const numbers = { days: `${days}`, limit: `${limit}` };
  const query = new URLSearchParams({ metric, granularity, week_start, compare, ownership, ...numbers });
  query.set('group_by', group_by.join(','));
  for (const name of filters)
    for (const value of picks[dimensionNames.indexOf(name)]!) query.append(name, value);
  const answer = await organization.get(`/api/v1/costs?${query.toString()}`);
  assert.equal(answer.status, 200, answer.text);
  const { total, groups, other } = answer.body.data;
  const model = modelOf(question, facts);
  const message = query.toString();
  assert.equal(exact(question, total.value), model.total, message);
  if (compare !== 'none') assert.equal(exact(question, total.previous_value), model.previous, message);
  assert.deepEqual(
    total.series.map(({ value }: { value: number }) => exact(question, value)),
    model.series,
    message,
  );
  if (group_by.length === 0) return assert.deepEqual([groups, other], [[], null]);
  const keys = new Set([
    ...Object.keys(model.groups),
    ...(compare === 'none' ? [] : Object.keys(model.earlier)),
  ]);
  assert.equal(groups.length + (other?.groups ?? 0), keys.size, message);
  const parts = [...groups, ...(other ? [other] : [])];
  const added = (of: (part: Part) => number) =>
    parts.reduce((sum, part) => sum + exact(question, of(part)), 0n);
  assert.equal(
    added(({ value }) => value),
    model.total,
    message,
  );
  model.series.forEach((value, span) => {
    assert.equal(
      added(({ series }) => series[span]!.value),
      value,
      message,
    );
  });
  for (const group of groups) {
    const named = group.by.map(({ dimension, value, name }: Record<string, string>) =>
      dimension === 'workflow' ? name : value,
    );
    assert.equal(exact(question, group.value), model.groups[JSON.stringify(named)] ?? 0n, message);
  }
}

test('every question agrees with the sums over jobs and runs, also right after a change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 8 }),
      fc.array(anyQuestion, { minLength: 4, maxLength: 4 }),
      fc.array(anyRule, { maxLength: 6 }),
      anySaidOfPullRequests,
      async (drawn, questions, drawnRules, pullRequests) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        const runs = submissionsOf(drawn);
        const half = Math.ceil(runs.length / 2);
        const open = runs.slice(0, half).map((run) => ({ ...run, ...undescribed }));
        // The same runs complete, in reports without jobs.
        const completed = runs.slice(0, half).map((run) => ({ ...run, jobs: [] }));
        const parts = [
          { part: open, reported: open, added: drawnRules.slice(0, 3), said: [] },
          {
            part: runs,
            reported: [...completed, ...runs.slice(half)],
            added: drawnRules.slice(3),
            said: pullRequests,
          },
        ];
        const rules: Rule[] = [];
        for (const { part, reported, added, said } of parts) {
          await report(organization, reported);
          await sayOfPullRequests(testApp, organization, said);
          rules.push(...(await addRules(organization, added)));
          for (const question of questions) {
            const facts = factsOf(part, { rules, ownership: question.ownership, said });
            await assertAgrees(organization, question, facts);
          }
        }
        const { body } = await organization.get('/api/v1/dashboard/summary');
        const costs = await organization.get('/api/v1/costs', { days: 30 });
        assert.equal(costs.body.data.total.value, body.total_cost);
      },
    ),
    { numRuns: 8 },
  );
});
