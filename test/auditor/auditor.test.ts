/**
 * Random histories, recorded by the program, agree with the auditor. `AUDITOR_RUNS=1000 AUDITOR_SEED=7 npm test -- auditor`
 * tries others and writes their section of docs/reliability.md. AUDITOR_PATH repeats one and makes it smaller.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { verifyReports } from '../../src/ledger/runs/verifyReports.ts';
import { count, measuredHere, writeSection } from '../faults/reliabilityPage.ts';
import { openTestApp, type TestOrganization } from '../harness/app.ts';
import { exported } from '../harness/exports.ts';
import { audit } from './audit.ts';
import { textOf, type Step } from './history.ts';
import type { ExportedRow } from './views.ts';

const numRuns = Number(process.env['AUDITOR_RUNS'] ?? 5);
const seed = Number(process.env['AUDITOR_SEED'] ?? 1);
const place = process.env['AUDITOR_PATH'];
const testApp = await openTestApp({});
after(testApp.close);
const start = Date.parse('2026-03-18T12:00:00Z');
const dayMs = 86_400_000;

const anyJob = fc.record({
  job_id: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('build', 'test', undefined),
  on: fc.constantFrom<object>(
    { runner: 'linux_2_core' },
    { runner: 'macos_3_core' },
    { labels: ['ubuntu-latest'] },
    { labels: ['windows-2022', 'x64'] },
    { labels: ['self-hosted', 'linux'] },
    { labels: ['box'] },
    { labels: ['ubuntu-22.04'], runner_group: 'Big' },
    {},
  ),
  status: fc.constantFrom('completed', 'completed', 'completed', 'in_progress', 'queued'),
  conclusion: fc.constantFrom('success', 'success', 'failure', 'cancelled', 'timed_out', 'skipped'),
  startsMs: fc.oneof(fc.constantFrom(0, 60_000), fc.integer({ min: 0, max: 40_000_000 })),
  ms: fc.oneof(
    fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 25_000_000),
    fc.integer({ min: 0, max: 3_000_000 }),
  ),
});
const anyRun = fc.record({
  run_id: fc.constantFrom('1', '2', '3'),
  provider: fc.constantFrom('github', 'github', 'api', 'jenkins', 'gitlab'),
  run_attempt: fc.constantFrom(1, 1, 1, 2, 3),
  repo_name: fc.constantFrom('acme/api', 'acme/web'),
  workflow_name: fc.constantFrom('CI', 'Deploy'),
  status: fc.constantFrom('completed', 'completed', 'in_progress', 'queued'),
  conclusion: fc.constantFrom('success', 'failure', 'cancelled', 'skipped', 'stale'),
  event: fc.constantFrom('push', 'pull_request', 'schedule', undefined),
  branch: fc.constantFrom('main', 'feature', undefined),
  actor: fc.constantFrom('mona', 'ada', undefined),
  pull_request: fc.constantFrom(7, undefined),
  daysAgo: fc.constantFrom(0, 1, 1, 2, 16, 17, 29, 30, 80),
  createdMs: fc.integer({ min: 0, max: 1_200_000 }),
  jobs: fc.uniqueArray(anyJob, { maxLength: 3, selector: ({ job_id }) => job_id }),
});
type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;
const request = (method: string, path: string, body: object) => ({ method, path: `/api/v1/${path}`, body });
const anyOther = fc.constantFrom(
  request('PUT', 'pricing', { book_id: 'github_2026' }),
  request('PUT', 'pricing', { book_id: 'github_by_date' }),
  request('POST', 'pricing/rules', { match: 'label', pattern: 'BOX', runner_kind: 'linux_2_core' }),
  request('POST', 'pricing/rules', { match: 'label', pattern: 'x64', name: 'Big', usd_per_minute: 0.0123 }),
  request('POST', 'pricing/rules', {
    match: 'runner_group',
    pattern: 'big',
    name: 'Group',
    usd_per_minute: 0.0071,
    rounding: 'second',
  }),
  request('PUT', 'pricing/terms', {
    terms: [{ included_minutes: { minutes: 60 }, discount_percent: 33.33 }],
  }),
  request('PUT', 'pricing/terms', {
    terms: [
      { included_minutes: { unit: 'usd', usd: 1.5 } },
      { effective_from: '2026-03-10', discount_percent: 12.5 },
    ],
  }),
  request('POST', 'reprices', { from: '2026-01-01', to: '2026-03-18' }),
  request('POST', 'reprices', { from: '2026-03-17', to: '2026-03-18', unpriced_only: true }),
  request('POST', 'reprices/last/revert', {}),
  request('POST', 'alerts', { name: 'CI', alert_type: 'budget', threshold_amount: 4 }),
  request('POST', 'alerts', { name: 'Day', alert_type: 'budget', threshold_amount: 0.9, period: 'day' }),
  request('PUT', 'alerts/last', { threshold_amount: 1 }),
  request('DELETE', 'alerts/last', {}),
  { hours: 1 },
  { hours: 13 },
  { hours: 14 * 24 },
  request('PUT', 'organization', { run_retention_days: 90 }),
);
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ runs: fc.array(anyRun, { minLength: 1, maxLength: 3 }) }) },
  { weight: 3, arbitrary: anyOther },
  { weight: 1, arbitrary: fc.constant({ again: true }) },
  { weight: 1, arbitrary: fc.constant({ rerun: true }) },
);
type DrawnStep = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;
const anyHistory = fc.array(anyStep, { minLength: 1, maxLength: 14 });

/** A report that the API accepts: ends only where the status is completed, and none in the future. */
function submissionOf({ daysAgo, createdMs, jobs, status, conclusion, ...run }: Drawn): object {
  // A run keeps its creation through its attempts.
  const created = start - Number(run.run_id) * 3_600_000 - daysAgo * dayMs + (createdMs % 60_000);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...run,
    status,
    ...(status === 'completed' ? { conclusion } : {}),
    created_at: iso(created),
    jobs: jobs.map(({ on, startsMs, ms, ...job }) => {
      const started = Math.min(created + startsMs, start - ms);
      const times = { started_at: iso(started), completed_at: iso(started + ms) };
      const shared = { job_id: job.job_id, name: job.name, ...on, status: job.status };
      if (job.status === 'queued') return shared;
      if (job.status === 'in_progress') return { ...shared, started_at: times.started_at };
      const isUnstarted = ['skipped', 'cancelled'].includes(job.conclusion) && startsMs % 3 === 1;
      if (isUnstarted && ms % 2 === 1)
        return { ...shared, conclusion: job.conclusion, completed_at: times.completed_at };
      return { ...shared, conclusion: job.conclusion, ...(isUnstarted ? {} : times) };
    }),
  };
}

type Sent = { run_attempt: number; jobs: { job_id: string }[] };

/** "Re-run failed jobs" has the jobs of the attempt before with their old times, and ids of their own. */
function rerunOf(run: Sent): Sent {
  const jobs = run.jobs.map((job) => ({ ...job, job_id: `${job.job_id} again` }));
  return { ...run, run_attempt: run.run_attempt + 1, jobs };
}

/** Another price list, which a repeated report does not apply but a reprice does, a re-run with copies, and the revert. */
const example: DrawnStep[] = [
  {
    runs: [
      {
        run_id: '1',
        provider: 'github',
        run_attempt: 1,
        repo_name: 'acme/api',
        workflow_name: 'CI',
        status: 'completed',
        conclusion: 'failure',
        event: 'push',
        branch: 'main',
        actor: 'mona',
        pull_request: 7,
        daysAgo: 2,
        createdMs: 0,
        jobs: (['a', 'b'] as const).map((job_id) => ({
          job_id,
          name: 'test',
          on: { labels: ['ubuntu-latest'] },
          status: 'completed',
          conclusion: job_id === 'a' ? 'success' : 'failure',
          startsMs: 46_500_000,
          ms: job_id === 'a' ? 60_001 : 3_000_000,
        })),
      },
    ],
  },
  request('PUT', 'pricing', { book_id: 'github_by_date' }),
  { again: true },
  { rerun: true },
  request('POST', 'reprices', { from: '2026-01-01', to: '2026-03-18' }),
  request('POST', 'reprices/last/revert', {}),
];

/** Sends the drawn steps, and returns what was acknowledged. */
async function record(organization: TestOrganization, drawn: readonly DrawnStep[]): Promise<Step[]> {
  const history: Step[] = [];
  const last: Record<string, string> = {};
  testApp.clock.set(new Date(start));
  const send = async (method: string, path: string, body: object): Promise<void> => {
    testApp.clock.forward(1);
    const {
      status,
      body: said,
      text,
    } = await organization.send(
      method as 'POST',
      path === '/api/v1/alerts' ? `${path}?org_id=${organization.orgId}` : path,
      body,
    );
    // Retention refuses old runs, and two reprices at once are refused.
    if (status >= 400 && status !== 409 && !/removed/.test(text)) assert.fail(`${path}: ${text}`);
    history.push({ at: testApp.clock.now(), method, path, body, answer: { status, body: said } });
    const [, , , noun, of] = path.split('/');
    if (method === 'POST' && of === undefined) last[noun!] = said.data?.id ?? said.id;
    if (method === 'DELETE') delete last[noun!];
  };
  const settle = async (): Promise<void> => {
    await testApp.worker.processAll();
    history.push({ at: testApp.clock.now(), path: 'settled' });
  };
  for (const step of drawn) {
    if ('hours' in step) testApp.clock.forward(step.hours * 3_600);
    else if ('again' in step) {
      const before = history.findLast(({ path }) => path === '/api/v1/runs');
      if (before) await send('POST', before.path, before.body as object);
    } else if ('rerun' in step) {
      const before = history.findLast(({ path }) => path === '/api/v1/runs');
      if (before)
        await send('POST', before.path, { runs: (before.body as { runs: Sent[] }).runs.map(rerunOf) });
    } else if ('runs' in step) {
      const attempts = step.runs.map(
        (run) => [`${run.provider} ${run.run_id} ${run.run_attempt}`, run] as const,
      );
      await send('POST', '/api/v1/runs', { runs: [...new Map(attempts).values()].map(submissionOf) });
    } else {
      const id = last[step.path.split('/')[3]!];
      if (step.path.includes('last') && !id) continue;
      await send(step.method, step.path.replace('last', id ?? ''), step.body);
    }
    if ('hours' in step || 'method' in step) await settle();
  }
  await settle();
  return history;
}

const counted = { histories: 0, requests: 0 };

function sectionOf(): string {
  const { histories, requests } = counted;
  return `\`\`\`sh
AUDITOR_RUNS=${histories} AUDITOR_SEED=${seed} npm test -- auditor
\`\`\`

Measured on ${measuredHere()}: ${count(histories)} random histories of ${count(requests)} requests, and no difference.

The auditor (\`test/auditor\`) is a second implementation of what a cost is. It shares no code with the program: it follows the words of
this documentation. A history has reports of a few runs, repeated, contradicting and out of order, with re-runs, jobs without an end and
jobs over midnight; changes of price lists, rules and billing terms; reprices and their reverts; budgets; retention; and time that passes.
From what was sent and acknowledged, the auditor computes each total again: the dashboard, the cost query by its dimensions, each job and
run, net costs, waste, showback, exports, and the percentages and triggers of budgets. They must be those of the program to the last billionth of
a dollar. It also judges each trial of the section above. Bills, pools and ownership are left to other tests.`;
}

test('random histories agree with the auditor', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (drawn) => {
      const organization = await testApp.newOrganization({ plan: 'team' });
      const history = await record(organization, drawn);
      const ask = async (path: string, query = {}) => {
        const answer = await organization.get(path, query);
        assert.equal(answer.status, 200, answer.text);
        return answer.body;
      };
      const pick = (question: string) => (question.length * 7 + history.length) % 8 === 0;
      const rowsOf = async (dataset: string, from: string): Promise<ExportedRow[]> => {
        const to = testApp.clock.now().toISOString().slice(0, 10);
        const file = await exported(testApp, organization, { dataset, format: 'jsonl', from, to });
        return file
          .toString()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as ExportedRow);
      };
      // An export takes as long as all other questions.
      const exports = history.length % 3 === 0 ? { exported: rowsOf } : {};
      const found = await audit(history, ask, testApp.clock.now(), { pick, ...exports });
      if (found.length > 0) assert.fail(textOf(found, history));
      const faults: string[] = [];
      const note = (_: string, more: string[]) => void faults.push(...more);
      await testApp.app.db.transaction().execute((tx) => verifyReports(tx, organization.orgId, note));
      assert.deepEqual(faults, []);
      counted.histories++;
      counted.requests += history.filter(({ answer }) => answer).length;
    }),
    {
      examples: [[example]],
      numRuns,
      seed,
      endOnFailure: place === undefined,
      ...(place === undefined ? {} : { path: place }),
    },
  );
  if (process.env['AUDITOR_RUNS']) writeSection('By an auditor', sectionOf());
});
