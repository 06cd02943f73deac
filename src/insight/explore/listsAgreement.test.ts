/** Compares lists and durations of random histories with a model that looks at each job and run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { RunReport } from '../../ledger/runs/report.ts';

const testApp = await sharedTestApp();
const now = Date.parse('2026-03-18T12:00:00Z');
const msPerDay = 86_400_000;

type Facts = 'runs' | 'jobs';
type Row = {
  id: string;
  facts: Record<string, string | null>;
  at: number;
  start: number | null;
  /** Null if the row does not count. */
  duration: number | null;
  queue: number | null;
  cost: bigint;
};

const anyJob = fc.record({
  job: fc.constantFrom('build', 'test'),
  runner: fc.constantFrom('linux_2_core', 'macos_3_core'),
  // Few distinct times, so that many rows tie.
  waits: fc.constantFrom(null, 0, 500, 60_000),
  starts: fc.constantFrom(0, 1_000, msPerDay),
  ms: fc.constantFrom(1, 60_000, 61_000, 600_000, -1_000),
  ending: fc.constantFrom('success', 'success', 'skipped', 'unclaimed'),
});
const anyRun = fc.record({
  repository: fc.constantFrom('acme/api', 'Acme/Web'),
  workflow: fc.constantFrom('CI', 'Deploy'),
  branch: fc.constantFrom('main', 'release/1', '!odd', '=odd', '50%_\\', 'İstanbul', null),
  conclusion: fc.constantFrom('success', 'skipped', null),
  daysAgo: fc.integer({ min: 0, max: 6 }),
  createdMs: fc.constantFrom(0, 1, 40_000_000),
  startsMs: fc.constantFrom(null, 0, 3_000),
  jobs: fc.array(anyJob, { maxLength: 4 }),
});
type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

let made = 0;

function reportOf(
  { daysAgo, createdMs, startsMs, jobs, conclusion, ...run }: Drawn,
  number: number,
): RunReport {
  const created = now - 2 * msPerDay - daysAgo * msPerDay + createdMs;
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  return {
    provider: 'api',
    runId: `r${number}`,
    attempt: 1,
    repository: run.repository,
    isPrivate: null,
    workflowName: run.workflow,
    workflowPath: null,
    event: null,
    branch: run.branch,
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: null,
    observedAt: new Date(now),
    state: {
      status: conclusion === null ? 'in_progress' : 'completed',
      rawConclusion: conclusion,
      createdAt: new Date(created),
      startedAt: date(startsMs === null ? null : created + startsMs),
      completedAt: conclusion === null ? null : new Date(created + 7_777),
    },
    jobs: jobs.map(({ job, runner, waits, starts, ms, ending }, place) => ({
      jobId: `j${number % 3}-${place}`,
      attempt: 1,
      // Jobs of the same name, start and end are copies only in a later attempt.
      name: job,
      labels: [runner],
      runnerName: null,
      runnerGroup: null,
      status: 'completed' as const,
      rawConclusion: ending === 'skipped' ? 'skipped' : 'success',
      createdAt: date(waits === null ? null : created + starts - waits),
      startedAt: new Date(created + starts),
      completedAt: new Date(created + starts + ms),
      ran: ending === 'unclaimed' ? false : null,
      observedAt: new Date(now),
    })),
  };
}

const rates: Record<string, bigint> = { linux_2_core: 8_000_000n, macos_3_core: 80_000_000n };

function modelOf(reports: readonly RunReport[]): Record<Facts, Row[]> {
  const model: Record<Facts, Row[]> = { runs: [], jobs: [] };
  for (const { runId, repository, workflowName, branch, state, jobs } of reports) {
    const { createdAt, startedAt, completedAt, rawConclusion } = state!;
    const facts = { repository, workflow: workflowName, branch, conclusion: rawConclusion };
    const created = createdAt.getTime();
    const ofRun = jobs.map((job) => {
      const hasRun = job.rawConclusion !== 'skipped' && job.ran !== false;
      const [start, end] = [job.startedAt!.getTime(), job.completedAt!.getTime()];
      const waited = job.createdAt && start - job.createdAt.getTime();
      const duration = hasRun ? Math.max(0, end - start) : null;
      return {
        id: `${runId} ${job.jobId}`,
        facts: { ...facts, job: job.name, runner: job.labels[0]! },
        at: end,
        start: hasRun ? Math.min(start, end) : null,
        reportedStart: hasRun ? start : null,
        duration,
        queue: hasRun && waited !== null ? Math.max(0, waited) : null,
        cost: rates[job.labels[0]!]! * BigInt(Math.ceil((duration ?? 0) / 60_000)),
      };
    });
    model.jobs.push(...ofRun);
    const starts = ofRun.flatMap(({ reportedStart }) => reportedStart ?? []);
    const firstStart =
      jobs.length === 0 ? startedAt?.getTime() : starts.length > 0 ? Math.min(...starts) : undefined;
    const runStart =
      startedAt?.getTime() ??
      (jobs.length > 0 ? Math.min(...jobs.map((job) => job.startedAt!.getTime())) : null);
    const counts = completedAt && runStart !== null && rawConclusion !== 'skipped';
    model.runs.push({
      id: runId,
      facts,
      at: created,
      start: runStart,
      duration: counts ? Math.max(0, completedAt.getTime() - runStart) : null,
      queue: firstStart === undefined ? null : Math.max(0, firstStart - created),
      cost: ofRun.reduce((sum, { cost }) => sum + cost, 0n),
    });
  }
  return model;
}

const jobSorts = ['-start', 'start', '-cost', 'cost', '-duration', 'duration'] as const;
const runSorts = [...jobSorts, '-created', 'created'] as const;

function sorted(rows: readonly Row[], sort: (typeof runSorts)[number]): string[] {
  const isDown = sort.startsWith('-');
  const named = sort.replace('-', '') as 'created' | 'start' | 'cost' | 'duration';
  const name = named === 'created' ? 'at' : named;
  const sign = isDown ? -1 : 1;
  const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return rows
    .toSorted((a, b) => {
      const [x, y] = [a[name], b[name]];
      if (x === null || y === null)
        return x === y ? sign * (a.at - b.at || byText(a.id, b.id)) : x === null ? 1 : -1;
      return sign * (Number(x) - Number(y) || a.at - b.at || byText(a.id, b.id));
    })
    .map(({ id }) => id);
}

const anyFilter = fc.constantFrom(
  '',
  'branch=main',
  'branch=!main',
  'branch=',
  'branch=!',
  'branch=release/*&branch=main',
  `branch=${encodeURIComponent('=!odd')}`,
  `branch=${encodeURIComponent('==odd')}`,
  `branch=${encodeURIComponent('50%_\\')}`,
  `branch=${encodeURIComponent('i̇*')}`,
  `branch=${encodeURIComponent('İ*')}`,
  'repository=acme/WEB',
  'workflow=CI',
  'workflow=!C*',
  'conclusion=',
  'conclusion=!success',
);

function passes({ facts }: Row, filter: string): boolean {
  return [...Map.groupBy(new URLSearchParams(filter), ([name]) => name)].every(([name, all]) => {
    const matches = (pattern: string) => {
      const value = facts[name] ?? null;
      if (pattern === '' || value === null) return pattern === '' && value === null;
      if (pattern.startsWith('=')) return value === pattern.slice(1);
      const source = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');
      return new RegExp(`^${source}$`, name === 'repository' ? 'i' : '').test(value);
    };
    const values = all.map(([, value]) => value);
    const wanted = values.filter((value) => !value.startsWith('!'));
    const unwanted = values.filter((value) => value.startsWith('!')).map((value) => value.slice(1));
    return (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches);
  });
}

type Listed = { id?: string; run_id?: string; job_id?: string; cost: number };

const idOf = ({ id, run_id, job_id }: Listed) => (id ?? `${run_id} ${job_id}`).replace('run_api_', '');

type Page = { data: Listed[]; pagination: { next_cursor: string | null } };

async function pageOf(organization: TestOrganization, path: string, query: string): Promise<Page> {
  const answer = await organization.get(`${path}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Reads all pages, and runs `meanwhile` during each. */
async function allPages(
  organization: TestOrganization,
  path: string,
  query: string,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Listed[]> {
  const rows: Listed[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const asked: string = `${query}${cursor && `&cursor=${cursor}`}`;
    const [page] = await Promise.all([pageOf(organization, path, asked), meanwhile()]);
    rows.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return rows;
}

test('all pages together are the sorted list, also while runs are recorded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 6 }),
      fc.array(anyRun, { minLength: 1, maxLength: 4 }),
      fc.record({
        list: fc.oneof(
          fc.record({ facts: fc.constant('runs' as const), sort: fc.constantFrom(...runSorts) }),
          fc.record({ facts: fc.constant('jobs' as const), sort: fc.constantFrom(...jobSorts) }),
        ),
        filter: anyFilter,
        limit: fc.integer({ min: 1, max: 4 }),
      }),
      async (first, later, { list: { facts, sort }, filter, limit }) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        const record = (reports: RunReport[]) => testApp.app.recorder.record(organization.orgId, reports);
        const reports = [...first, ...later].map((run) => reportOf(run, ++made));
        const [early, late] = [reports.slice(0, first.length), reports.slice(first.length)];
        await record(early);
        const query = `days=20&sort=${sort}&limit=${limit}&${filter}`;
        const expected = (part: RunReport[]) =>
          sorted(
            modelOf(part)[facts].filter((row) => passes(row, filter)),
            sort,
          );
        const path = `/api/v1/costs/${facts}`;
        assert.deepEqual((await allPages(organization, path, query)).map(idOf), expected(early), query);
        const waiting = [...late];
        const meanwhile = async () => {
          const next = waiting.shift();
          if (next) await record([next]);
        };
        const seen = (await allPages(organization, path, query, meanwhile)).map(idOf);
        const earlier = new Set(expected(early));
        // A new row is in the list unless its position had already been passed.
        assert.deepEqual(
          seen.filter((id) => earlier.has(id)),
          expected(early),
          query,
        );
        assert.equal(new Set(seen).size, seen.length, query);
        await record(waiting);
        const whole = await allPages(organization, path, query);
        assert.deepEqual(whole.map(idOf), expected(reports), query);
        const total = async (metric: string) =>
          (await organization.get(`/api/v1/costs?days=20&metric=${metric}&${filter}`)).body.data.total.value;
        assert.equal(whole.length, await total(facts), query);
        const nanos = whole.reduce((sum, { cost }) => sum + Math.round(cost * 1e9), 0);
        if (facts === 'jobs') assert.equal(nanos, Math.round((await total('cost')) * 1e9), query);
      },
    ),
    { numRuns: 8 },
  );
});

function percentile(values: readonly (number | null)[], percent: number): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  // The definition itself: the first value that at least this percentage does not exceed.
  const found = known.find(
    (value) => known.filter((other) => other <= value).length * 100 >= percent * known.length,
  );
  return found === undefined ? null : found / 1_000;
}

function timesOf(rows: readonly Row[]) {
  const counted = rows.filter(({ duration }) => duration !== null);
  const durations = counted.map(({ duration }) => duration);
  const queues = counted.map(({ queue }) => queue);
  const total = durations.reduce<number>((sum, duration) => sum + duration!, 0);
  return {
    count: counted.length,
    duration_p50_seconds: percentile(durations, 50),
    duration_p95_seconds: percentile(durations, 95),
    queue_p50_seconds: percentile(queues, 50),
    queue_p95_seconds: percentile(queues, 95),
    total_minutes: Math.round(total / 600) / 100,
  };
}

test('durations are those of a model, for every filter and grouping', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 12 }),
      fc.array(
        fc.record({
          of: fc.constantFrom('runs' as const, 'jobs' as const),
          groupBy: fc.uniqueArray(fc.constantFrom('branch', 'repository', 'job', 'conclusion'), {
            maxLength: 2,
          }),
          filter: anyFilter,
        }),
        { minLength: 4, maxLength: 4 },
      ),
      async (drawn, questions) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        const reports = drawn.map((run) => reportOf(run, ++made));
        await testApp.app.recorder.record(organization.orgId, reports);
        for (const { of, groupBy, filter } of questions) {
          const names = groupBy.filter((name) => of === 'jobs' || name !== 'job');
          const query = `days=20&of=${of}&group_by=${names.join(',')}&${filter}`;
          const answer = await organization.get(`/api/v1/durations?${query}`);
          assert.equal(answer.status, 200, answer.text);
          const { total, groups, group_count: count } = answer.body.data;
          const rows = modelOf(reports)[of].filter((row) => passes(row, filter) && row.duration !== null);
          assert.deepEqual(total, timesOf(rows), query);
          const keyOf = ({ facts }: Row) => JSON.stringify(names.map((name) => facts[name] ?? null));
          const expected = Map.groupBy(names.length === 0 ? [] : rows, keyOf);
          const found = (groups as { by: { value: string | null }[] }[]).map(({ by, ...times }) => [
            JSON.stringify(by.map(({ value }) => value)),
            times,
          ]);
          assert.equal(count, expected.size, query);
          assert.deepEqual(
            Object.fromEntries(found),
            Object.fromEntries([...expected].map(([key, part]) => [key, timesOf(part)])),
            query,
          );
        }
      },
    ),
    { numRuns: 6 },
  );
});
