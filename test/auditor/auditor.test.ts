/** Random histories, recorded by the program, agree with the auditor. AUDITOR_RUNS and AUDITOR_SEED try more. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { verifyReports } from '../../src/ledger/runs/verifyReports.ts';
import { openTestApp, type TestOrganization } from '../harness/app.ts';
import { audit } from './audit.ts';
import { textOf, type Step } from './history.ts';

const numRuns = Number(process.env['AUDITOR_RUNS'] ?? 5);
const { AUDITOR_SEED: seed, AUDITOR_PATH: place } = process.env;
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
  run_id: fc.constantFrom('1', '2', '3', '4', '5'),
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
      const found = await audit(history, ask, testApp.clock.now(), { pick });
      if (found.length > 0) assert.fail(textOf(found, history));
      const faults: string[] = [];
      const note = (_: string, more: string[]) => void faults.push(...more);
      await testApp.app.db.transaction().execute((tx) => verifyReports(tx, organization.orgId, note));
      assert.deepEqual(faults, []);
    }),
    {
      numRuns,
      ...(place ? { path: place } : {}),
      endOnFailure: !seed,
      ...(seed ? { seed: Number(seed) } : {}),
    },
  );
});
