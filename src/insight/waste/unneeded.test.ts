/** Runs that nobody needs: what must be found in a simulated history, and what looks alike and must not be. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Static } from 'typebox';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newGitLabSource, newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { gitLabBuild, gitLabPipeline } from '../../../test/payloads/gitLab.ts';
import { addDays } from '../../platform/lib/days.ts';
import type { FixesSchema } from './schema.ts';

const testApp = await startTestApp();
const path = '/api/v1/waste/fixes';

type Fix = Static<typeof FixesSchema>['data']['fixes'][number];
type Suggestions = [Fix['suggestions'][number]];
type Found = Omit<Fix, 'saving'> & {
  evidence: NonNullable<Fix['evidence']>;
  suggestions: Suggestions;
  saving: number;
};
beforeEach(() => testApp.clock.set('2026-03-18T12:00:00Z'));

type Run = {
  day: number;
  commit?: string | null;
  hour?: number;
  minutes?: number;
  jobs?: Record<string, number>;
} & Record<string, unknown>;

/** `day` 0 is four weeks ago, a Wednesday. Jobs take minutes at 0.008 each. */
function runOf({ day, hour = 4, minutes = 10, jobs = { test: minutes }, commit = 'a1', ...fields }: Run) {
  const started_at = `${addDays('2026-02-18', day)}T${String(hour).padStart(2, '0')}:00:00Z`;
  const ended = (took: number) => new Date(Date.parse(started_at) + took * 60_000).toISOString();
  const { conclusion = 'success' } = fields;
  return newRun({
    workflow_name: 'Nightly',
    event: 'schedule',
    branch: 'main',
    ...(commit && { commit }),
    created_at: started_at,
    started_at,
    completed_at: ended(Math.max(...Object.values(jobs))),
    jobs: Object.entries(jobs).map(([name, took]) =>
      newJob({ name, conclusion, started_at, completed_at: ended(took) }),
    ),
    ...fields,
  });
}

const nights = Array.from({ length: 28 }, (_, day) => day);

async function found(runs: object[], query: object = {}) {
  const organization = await testApp.newOrganization();
  await submit(organization, ...(runs as Record<string, unknown>[]));
  return { organization, ...(await unneededOf(organization, query)) };
}

async function unneededOf(organization: TestOrganization, query: object = {}) {
  const answer = await organization.get(path, { days: 30, ...query });
  assert.equal(answer.status, 200, answer.text);
  const all: (Omit<Found, 'evidence'> & Pick<Fix, 'evidence'>)[] = answer.body.data.fixes;
  return { all, fixes: all.filter((fix): fix is Found => fix.evidence !== null), data: answer.body.data };
}

const kinds = (fixes: readonly Pick<Fix, 'workflow' | 'category'>[]) =>
  fixes.map(({ workflow, category }) => `${workflow} ${category}`);

describe('a schedule whose result changed nothing', () => {
  test('is found, with what one run a week would save, runs as evidence, and lines to copy', async () => {
    const { organization, fixes } = await found(nights.map((day) => runOf({ day, run_number: day + 1 })));
    assert.deepEqual(kinds(fixes), ['Nightly idle_schedule']);
    const [fix] = fixes as [Found];
    assert.match(fix.id, /^wf_\w+\.idle_schedule$/);
    // 27 nights at $0.08, of which one in each of five weeks stays.
    assert.deepEqual([fix.cost, fix.saving, fix.saving_per_month], [2.16, 1.76, 1.76]);
    const { newest, ...evidence } = fix.evidence;
    assert.deepEqual(evidence, {
      runs: 27,
      of_runs: 28,
      events: ['schedule'],
      every: 'week',
      duplicate_of: null,
      pull_requests: null,
    });
    assert.deepEqual(
      newest.map(({ number, cost }: Record<string, unknown>) => [number, cost]),
      [28, 27, 26, 25, 24].map((number) => [number, 0.08]),
    );
    assert.equal((await organization.get(`/api/v1/runs/${newest[0]?.id}`)).status, 200);
    const [suggestion] = fix.suggestions;
    assert.deepEqual([suggestion.action, suggestion.jobs], ['run_less_often', ['test']]);
    assert.match(suggestion.text, /^27 of 28 scheduled runs repeated the commit .* Once a week is enough/);
  });

  test('every hour is enough once a day', async () => {
    const hours = nights.slice(20).flatMap((day) => [0, 6, 12, 18].map((hour) => runOf({ day, hour })));
    const { fixes } = await found(hours);
    assert.deepEqual([fixes[0]!.evidence.every, fixes[0]!.evidence.runs], ['day', 31]);
    // Of each of eight days, one idle run stays.
    assert.equal(fixes[0]!.saving, 23 * 0.08);
  });

  test('counts failures that nobody acted on, but not what another fix saves of them', async () => {
    const failing = nights.map((day) => runOf({ day, ...(day % 2 === 0 && { conclusion: 'failure' }) }));
    const { fixes, data } = await found(failing);
    assert.deepEqual(kinds(fixes), ['Nightly idle_schedule']);
    assert.ok(data.saving_per_month <= data.total_cost);
    assert.ok(fixes[0]!.saving < 1.76);
  });

  test('of GitLab is one too, unless somebody retried a job of it', async () => {
    for (const isRetried of [false, true]) {
      const organization = await testApp.newOrganization();
      const source = await newGitLabSource(testApp, organization);
      for (const day of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const at = (time: string) => `2026-03-0${day} ${time} UTC`;
        const build = (id: number, status: string, from: string, to: string) =>
          gitLabBuild({ id, status, created_at: at('04:00:00'), started_at: at(from), finished_at: at(to) });
        const builds = [
          ...(isRetried && day === 5 ? [build(day, 'failed', '04:00:10', '04:05:00')] : []),
          build(100 + day, 'success', '04:05:10', '04:15:00'),
        ];
        const times = { created_at: at('04:00:00'), finished_at: at('04:15:00') };
        await source.deliver(
          'Pipeline Hook',
          gitLabPipeline({ id: day, source: 'schedule', ...times }, { builds }),
        );
      }
      const { fixes } = await unneededOf(organization);
      assert.deepEqual(
        fixes.map(({ category, evidence }) => [category, evidence.runs]),
        isRetried ? [] : [['idle_schedule', 7]],
      );
    }
  });

  for (const [what, runs] of Object.entries({
    'a nightly that failed once and was fixed by a commit': nights.map((day) =>
      runOf({
        day,
        commit: day <= 14 ? 'a1' : 'b2',
        ...(day === 14 && { conclusion: 'failure' }),
      }),
    ),
    'a nightly whose failure somebody re-ran': nights.map((day) =>
      runOf({ day, ...(day === 14 && { run_attempt: 2 }) }),
    ),
    'a nightly of new commits': nights.map((day) => runOf({ day, commit: `c${day}` })),
    'a nightly of unknown commits': nights.map((day) => runOf({ day, commit: null })),
    'a release on a schedule': nights.map((day) => runOf({ day, workflow_name: 'Release' })),
    'a schedule with a job that deploys': nights.map((day) =>
      runOf({ day, jobs: { build: 5, 'deploy-docs': 5 } }),
    ),
    'a weekly run': [0, 7, 14, 21].map((day) => runOf({ day })),
    'pushes that repeat a commit': nights.map((day) => runOf({ day, event: 'push' })),
  }))
    test(`is not ${what}`, async () => {
      assert.deepEqual(kinds((await found(runs)).fixes), []);
    });
});

describe('runs that are always canceled', () => {
  const canceled = (event: string, workflow_name = 'CI') =>
    nights
      .slice(10)
      .map((day) => runOf({ day, event, workflow_name, commit: `c${day}`, conclusion: 'cancelled' }));

  test('are found by event, with the events that stay in the lines to copy', async () => {
    const pulls = nights.slice(10).map((day) => runOf({ day, event: 'pull_request', workflow_name: 'CI' }));
    const { fixes, all } = await found([...canceled('push'), ...pulls]);
    assert.deepEqual(kinds(fixes), ['CI always_canceled']);
    const [fix] = fixes as [Found];
    assert.deepEqual(
      [fix.evidence.runs, fix.evidence.of_runs, fix.evidence.events, fix.suggestions[0].action],
      [18, 18, ['push'], 'remove_trigger'],
    );
    assert.match(fix.suggestions[0].text, /^All 18 runs on push were canceled/);
    assert.equal(fix.saving, 18 * 0.08);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });

  test('of GitHub have lines to copy, unless GitHub itself starts them', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    const paths = ['.github/workflows/ci.yml', 'dynamic/dependabot/dependabot-updates'];
    for (const day of [1, 2, 3, 4, 5])
      for (const [index, file] of paths.entries()) {
        const id = 10 * day + index;
        const created_at = `2026-03-0${day}T04:00:00Z`;
        const ended = `2026-03-0${day}T04:10:00Z`;
        const ran = { created_at, conclusion: 'cancelled' };
        await source.deliver('workflow_run', gitHubRun({ id, ...ran, path: file, name: file }));
        const took = { started_at: created_at, completed_at: ended };
        await source.deliver('workflow_job', gitHubJob({ id, run_id: id, ...ran, ...took }));
      }
    const { fixes } = await unneededOf(organization);
    assert.equal(fixes.length, 1);
    assert.equal(
      fixes[0]!.suggestions[0].yaml,
      'on: # keep what else the file has\n  # not: push\n  workflow_dispatch:',
    );
  });

  test('are not those of a workflow that sometimes finishes', async () => {
    const runs = canceled('push');
    runs[3] = runOf({ day: 13, event: 'push', workflow_name: 'CI', commit: 'c13' });
    assert.deepEqual(kinds((await found(runs)).fixes), []);
    assert.deepEqual(kinds((await found(canceled('push').slice(0, 4))).fixes), []);
  });
});

describe('workflows that do the same', () => {
  const days = nights.slice(10);
  const noise = (day: number, by: number) => 1 + (((day * 7919) % 21) - 10) / by;
  const pushes = (workflow_name: string, jobs: Record<string, number>, fields: Partial<Run> = {}) =>
    days.map((day) =>
      runOf({
        day,
        event: 'push',
        commit: `c${day}`,
        workflow_name,
        jobs: Object.fromEntries(
          Object.entries(jobs).map(([name, took]) => [name, took * noise(day, workflow_name.length * 20)]),
        ),
        ...fields,
      }),
    );
  const jobs = { build: 6, test: 12 };

  test('are found once: the one that runs less can go', async () => {
    const more = runOf({ day: 3, event: 'push', commit: 'x', workflow_name: 'CI', jobs });
    const { organization, fixes, data } = await found([
      ...pushes('CI', jobs),
      more,
      ...pushes('Checks', jobs),
    ]);
    assert.deepEqual(kinds(fixes), ['Checks duplicate_workflow']);
    const [{ evidence, suggestions, id, workflow_id }] = fixes as [Found];
    assert.deepEqual(
      [evidence.runs, evidence.of_runs, evidence.duplicate_of?.workflow, suggestions[0].jobs],
      [18, 18, 'CI', ['build', 'test']],
    );
    assert.match(suggestions[0].text, /^18 of 18 runs on push repeated what CI ran/);
    assert.ok(data.saving_per_month < data.total_cost);
    // The other workflow is read too if only one is asked for.
    assert.deepEqual(
      (await unneededOf(organization, { workflow_id })).fixes.map((fix) => fix.id),
      [id],
    );
    const { fixes: ofKind } = await unneededOf(organization, { category: 'duplicate_workflow' });
    assert.deepEqual(kinds(ofKind), ['Checks duplicate_workflow']);
  });

  test('may have more jobs in the one that stays, and be three', async () => {
    const { fixes } = await found([
      ...pushes('CI', { ...jobs, lint: 2 }),
      ...pushes('Checks', jobs),
      ...pushes('Copy', jobs),
    ]);
    assert.deepEqual(kinds(fixes).toSorted(), ['Checks duplicate_workflow', 'Copy duplicate_workflow']);
  });

  for (const [what, runs] of Object.entries({
    'matrix twins of one workflow': pushes('CI', { 'test (18)': 6, 'test (20)': 6 }),
    'other job names': [...pushes('CI', jobs), ...pushes('Web', { build: 6, e2e: 12 })],
    'jobs that take longer': [...pushes('CI', jobs), ...pushes('Web', { build: 6, test: 30 })],
    'one job of a usual name': [...pushes('CI', { build: 6 }), ...pushes('Docs', { build: 6 })],
    'another repository': [...pushes('CI', jobs), ...pushes('Copy', jobs, { repo_name: 'acme/web' })],
    'other commits': [
      ...pushes('CI', jobs),
      ...pushes('Web', jobs).map((run) => ({ ...run, commit: `w${String(run['commit'])}` })),
    ],
    'other results': [
      ...pushes('CI', jobs),
      ...pushes('Web', jobs).map((run, index) => ({
        ...run,
        ...(index % 4 === 0 && { conclusion: 'failure' }),
      })),
    ],
    'another event': [...pushes('CI', jobs), ...pushes('Pulls', jobs, { event: 'pull_request' })],
    'a deployment of the same build': [...pushes('CI', { ...jobs, lint: 1 }), ...pushes('Deploy', jobs)],
  }))
    test(`are not ${what}`, async () => {
      assert.deepEqual(kinds((await found(runs)).fixes), []);
    });
});

test('a run counts in one fix only, whatever finds it', async () => {
  const jobs = { build: 6, test: 12 };
  const canceled = { conclusion: 'cancelled' };
  const { fixes, all, data } = await found([
    ...nights.map((day) => runOf({ day, jobs })),
    ...nights.map((day) => runOf({ day, jobs, workflow_name: 'Copy' })),
    ...nights.map((day) => runOf({ day, jobs, workflow_name: 'Old', ...canceled })),
  ]);
  assert.deepEqual(
    new Set(kinds(fixes).map((kind) => kind.split(' ')[0])),
    new Set(['Nightly', 'Copy', 'Old']),
  );
  const saving = all.reduce((sum, fix) => sum + Math.round(fix.saving * 1e9), 0);
  assert.ok(saving <= Math.round(data.total_cost * 1e9));
});

test('what was promised is compared with what happened, for each fix and in sum', async () => {
  const { organization, fixes } = await found(nights.map((day) => runOf({ day })));
  const decided = await organization.send('PUT', `${path}/${fixes[0]!.id}/decision`, { status: 'done' });
  assert.equal(decided.status, 200, decided.text);
  const outcome = async () => {
    const { data, all } = await unneededOf(organization, { status: 'done' });
    return { past: data.past_savings, ...all[0]!.outcome };
  };
  const early = await outcome();
  assert.deepEqual([early.state, early.promised_per_month, early.past], ['too_early', 1.76, null]);
  testApp.clock.set('2026-04-01T12:00:00Z');
  await submit(organization, runOf({ day: 33 }), runOf({ day: 40 }));
  const { past, sentence, promised_per_month: promised, saved_per_month: saved } = await outcome();
  assert.equal(
    sentence,
    '$0.56 a week before, $0.08 since: saved $0.48 a week. Promised $1.76 a month, saved $2.06.',
  );
  assert.deepEqual([promised, saved], [1.76, 2.06]);
  assert.deepEqual(past, { fixes: 1, promised_per_month: 1.76, saved_per_month: 2.06 });
  const stranger = await testApp.newOrganization();
  const { data, all } = await unneededOf(stranger);
  assert.deepEqual([data.past_savings, all], [null, []]);
});
