/**
 * Compares random months of GitHub runs, reported repeatedly and in any order, with a model that charges job by job.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Terms } from '../../../test/auditor/ledger.ts';
import { netsOf, type Charge } from '../../../test/auditor/net.ts';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { JobReport, RunReport } from '../../ledger/runs/report.ts';
import { derivedId } from '../../platform/lib/ids.ts';

const testApp = await sharedTestApp();
const { recorder } = testApp.app;
const now = Date.parse('2026-03-18T12:00:00Z');
const msPerDay = 86_400_000;
const msPerMinute = 60_000;

type Runner = { labels: string[]; nanos: bigint; draws: bigint; isStandard: boolean; isHosted: boolean };
/**
 * Prices in the chosen list (2025), and in the current list (2026), which decides how many included minutes are used.
 */
const runners: Record<string, Runner> = {
  linux: hosted(['ubuntu-latest'], 8_000_000n, 6_000_000n),
  windows: hosted(['windows-latest'], 16_000_000n, 10_000_000n),
  macos: hosted(['macos-latest'], 80_000_000n, 62_000_000n),
  large: { ...hosted(['ubuntu-latest-4-cores'], 16_000_000n, 12_000_000n), isStandard: false },
  own: { labels: ['self-hosted'], nanos: 0n, draws: 0n, isStandard: false, isHosted: false },
};

function hosted(labels: string[], nanos: bigint, draws: bigint): Runner {
  return { labels, nanos, draws, isStandard: true, isHosted: true };
}

const anyJob = fc.record({
  runner: fc.constantFrom(...Object.keys(runners)),
  name: fc.constantFrom('build', 'test'),
  startsMs: fc.integer({ min: 0, max: msPerDay }),
  ms: fc.integer({ min: 1, max: 90 * msPerMinute }),
});
const anyRun = fc.record({
  provider: fc.constantFrom('github', 'github', 'github', 'github', 'jenkins'),
  repository: fc.constantFrom('acme/api', 'acme/web'),
  workflow: fc.constantFrom('CI', 'Deploy'),
  isPrivate: fc.constantFrom(true, true, false, null),
  /** Fields that only the report of the run itself has. */
  late: fc.subarray(['visibility', 'path']),
  isDependabot: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  // Often the same days, so that included minutes partly cover several workflows' jobs.
  daysAgo: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(2, 3) }, fc.integer({ min: 0, max: 45 })),
  createdMs: fc.integer({ min: 0, max: 43_000_000 }),
  jobs: fc.array(anyJob, { minLength: 1, maxLength: 4 }),
  isRerun: fc.boolean(),
});
type Drawn = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

const anyTerms = fc
  .uniqueArray(
    fc.record({
      effective_from: fc.constantFrom('1970-01-01', '2026-02-01', '2026-02-20', '2026-03-10'),
      minutes: fc.constantFrom(10, 60, 250, 701, 0, null),
      /** As many dollars as the minutes cost on Linux, which larger runners use too. */
      isInDollars: fc.boolean(),
      discount: fc.constantFrom(0, 12.5, 33.33, 100),
    }),
    { selector: ({ effective_from }) => effective_from, maxLength: 3 },
  )
  .map((all) =>
    all
      .toSorted((a, b) => (a.effective_from < b.effective_from ? -1 : 1))
      .map(({ effective_from, minutes, isInDollars, discount: discount_percent }) => {
        const included = isInDollars
          ? { unit: 'usd', usd: ((minutes ?? 0) * 6) / 1_000 }
          : { minutes: minutes ?? 0 };
        return { effective_from, included_minutes: minutes === null ? null : included, discount_percent };
      }),
  );

type Job = {
  key: string[];
  day: string;
  workflowId: string;
  repository: string;
  runner: string;
  visibility: string | null;
  cost: bigint;
  charge: Charge;
  draws: bigint;
};

function jobsOf(drawn: readonly Drawn[]): { jobs: Job[]; reports: RunReport[] } {
  const jobs: Job[] = [];
  const reports: RunReport[] = [];
  for (const [index, run] of drawn.entries()) {
    const { provider, repository, isPrivate, isDependabot, isRerun } = run;
    const created = now - run.daysAgo * msPerDay - 43_000_000 + run.createdMs;
    const runId = String(1_000 + index);
    const path = isDependabot
      ? 'dynamic/dependabot/dependabot-updates'
      : `.github/workflows/${run.workflow}.yml`;
    const base = {
      provider,
      runId,
      attempt: 1,
      repository,
      isPrivate: run.late.includes('visibility') ? null : isPrivate,
      workflowName: run.workflow,
      workflowPath: run.late.includes('path') ? null : path,
      event: 'push',
      branch: 'main',
      actor: 'mona',
      pullRequest: null,
      runNumber: null,
      commit: null,
      observedAt: new Date(created),
    };
    const reported = run.jobs.map(({ runner, name, startsMs, ms }, place): JobReport => {
      const started = Math.min(created + startsMs, now - ms - place);
      const [startedAt, completedAt] = [new Date(started), new Date(started + ms)];
      const jobId = `${runId}${place}`;
      const { labels, nanos, draws, isStandard, isHosted } = runners[runner]!;
      const minutes = BigInt(Math.ceil(ms / msPerMinute));
      const isCharged = isHosted && provider === 'github';
      const isFree = isPrivate === false || isDependabot;
      const workflowId = derivedId('wf', repository, path);
      jobs.push({
        key: [workflowId, completedAt.toISOString(), `run_${provider}_${runId}`, '1', jobId],
        day: completedAt.toISOString().slice(0, 10),
        workflowId,
        repository,
        runner,
        visibility: isPrivate === null ? null : isPrivate ? 'private' : 'public',
        cost: isCharged ? minutes * nanos : 0n,
        charge: !isCharged ? 'own' : !isStandard ? 'charged' : isFree ? 'free' : 'included',
        draws: minutes * draws,
      });
      return {
        jobId,
        attempt: 1,
        name: `${name} ${place}`,
        labels,
        runnerName: null,
        runnerGroup: null,
        status: 'completed',
        rawConclusion: 'success',
        ran: true,
        observedAt: completedAt,
        createdAt: startedAt,
        startedAt,
        completedAt,
      };
    });
    for (const job of reported) reports.push({ ...base, state: null, jobs: [job] });
    const state = { status: 'completed', rawConclusion: 'success', createdAt: new Date(created) } as const;
    const described = { ...base, isPrivate, workflowPath: path, observedAt: new Date(now) };
    reports.push({ ...described, state: { ...state, startedAt: null, completedAt: null }, jobs: [] });
    // "Re-run failed jobs" lists the successful jobs again, with their old times.
    if (isRerun) {
      const repeated = reported.map((job) => ({ ...job, jobId: `${job.jobId}9`, attempt: 2 }));
      reports.push({ ...described, attempt: 2, state: null, jobs: repeated });
    }
  }
  return { jobs, reports };
}

async function shuffledInto(orgId: string, reports: readonly RunReport[], random: number[]): Promise<void> {
  const repeated = reports.filter((_, index) => random[index % random.length]! % 3 === 0);
  const all = [...reports, ...repeated].map((report, index) => ({
    report,
    order: (random[index % random.length]! * (index + 7)) % 1_009,
  }));
  const ordered = all.toSorted((a, b) => a.order - b.order).map(({ report }) => report);
  for (let start = 0; start < ordered.length; start += 5)
    await recorder.record(orgId, ordered.slice(start, start + 5));
}

const exact = (value: number) => BigInt(Math.round(value * 1e9));
const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n);
const dayAt = (ago: number) => new Date(now - ago * msPerDay).toISOString().slice(0, 10);

async function ask(organization: TestOrganization, path: string, query: Record<string, string> = {}) {
  const answer = await organization.get(`/api/v1/${path}`, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

type Group = { by: { value: string | null }[]; value: number; series: { value: number }[] };

async function assertAgrees(
  organization: TestOrganization,
  jobs: Job[],
  terms: readonly Terms[],
): Promise<void> {
  const nets = netsOf(jobs, terms);
  const within = jobs.filter(({ day }) => day >= dayAt(29));
  const of = (part: readonly Job[]) => sum(part.map((job) => nets.get(job)!));
  const total = of(within);
  assert.ok(total <= sum(within.map(({ cost }) => cost)));
  const daily = (part: readonly Job[]) =>
    Array.from({ length: 30 }, (_, index) => of(part.filter(({ day }) => day === dayAt(29 - index))));

  const { data: costs } = await ask(organization, 'costs', { metric: 'net_cost', granularity: 'day' });
  assert.equal(exact(costs.total.value), total);
  assert.deepEqual(
    costs.total.series.map(({ value }: { value: number }) => exact(value)),
    daily(within),
  );
  for (const [dimension, valueOf] of [
    ['repository', (job: Job) => job.repository],
    ['visibility', (job: Job) => job.visibility],
    ['workflow', (job: Job) => job.workflowId],
    ['day', (job: Job) => job.day],
  ] as const) {
    const { data } = await ask(organization, 'costs', {
      metric: 'net_cost',
      group_by: dimension,
      limit: '100',
    });
    const found = data.groups.map(({ by, value }: Group) => [by[0]!.value, exact(value)]);
    const expected = [...Map.groupBy(within, valueOf)].map(([value, own]) => [value, of(own)]);
    assert.deepEqual(new Map(found), new Map(expected as [string, bigint][]), dimension);
  }
  const two = await ask(organization, 'costs', { metric: 'net_cost', group_by: 'job,runner', limit: '2' });
  const parts = [...two.data.groups, ...(two.data.other ? [two.data.other] : [])];
  assert.equal(sum(parts.map(({ value }: Group) => exact(value))), total);
  const web = await ask(organization, 'costs', { metric: 'net_cost', repository: 'acme/web' });
  assert.equal(exact(web.data.total.value), of(within.filter(({ repository }) => repository === 'acme/web')));

  const summary = await ask(organization, 'dashboard/summary');
  assert.equal(exact(summary.net_total_cost), total);
  const trends = await ask(organization, 'dashboard/trends');
  assert.deepEqual(
    trends.data.map(({ net_cost }: { net_cost: number }) => exact(net_cost)),
    daily(within),
  );
  const ofWorkflow = new Map(
    [...Map.groupBy(within, ({ workflowId }) => workflowId)].map(([id, own]) => [id, of(own)]),
  );
  for (const [part, query, size] of [
    ['workflows', {}, ofWorkflow.size],
    ['workflows', { page: '2', per_page: '1' }, ofWorkflow.size > 1 ? 1 : 0],
    ['top-workflows', { limit: '2' }, Math.min(2, ofWorkflow.size)],
  ] as const) {
    const { workflows } = await ask(organization, `dashboard/${part}`, query);
    assert.equal(workflows.length, size);
    for (const { workflow_id, net_total_cost } of workflows)
      assert.equal(exact(net_total_cost), ofWorkflow.get(workflow_id), part);
  }
  for (const [id, nanos] of ofWorkflow)
    assert.equal(exact((await ask(organization, `workflows/${id}`)).data.net_total_cost), nanos);
  const overview = await ask(organization, 'dashboard/workflows/summary');
  assert.equal(exact(overview.net_total_cost), total);
  const api = await ask(organization, 'dashboard/workflows/summary', { repo: 'api' });
  assert.equal(exact(api.net_total_cost), of(within.filter(({ repository }) => repository === 'acme/api')));
}

async function setTerms(organization: TestOrganization, terms: readonly Terms[]): Promise<void> {
  const answer = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
  assert.equal(answer.status, 200, answer.text);
}

test('net cost agrees with the model in any order and repetition of reports, by every grouping', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 8 }),
      anyTerms,
      fc.array(fc.nat(1_000), { minLength: 7, maxLength: 7 }),
      async (drawn, terms, random) => {
        const organization = await testApp.newOrganization({ plan: 'team' });
        await setTerms(organization, terms);
        const { jobs, reports } = jobsOf(drawn);
        const half = Math.ceil(drawn.length / 2);
        const early = jobsOf(drawn.slice(0, half));
        await shuffledInto(organization.orgId, early.reports, random);
        await assertAgrees(organization, early.jobs, terms);
        await shuffledInto(organization.orgId, reports, random.toReversed());
        await assertAgrees(organization, jobs, terms);
        // Changed terms apply to past days too, because net cost is computed on demand.
        await setTerms(organization, terms.slice(1));
        await assertAgrees(organization, jobs, terms.slice(1));
      },
    ),
    { numRuns: 5 },
  );
});

test('jobs become free when their run turns out to be of a public repository', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const drawn: Drawn = {
    provider: 'github',
    repository: 'acme/api',
    workflow: 'CI',
    isPrivate: false,
    late: ['visibility'],
    isDependabot: false,
    daysAgo: 3,
    createdMs: 0,
    isRerun: false,
    jobs: [
      { runner: 'linux', name: 'build', startsMs: 0, ms: 5 * msPerMinute },
      { runner: 'linux', name: 'test', startsMs: msPerDay, ms: 5 * msPerMinute },
      { runner: 'large', name: 'build', startsMs: 0, ms: 5 * msPerMinute },
    ],
  };
  const { jobs, reports } = jobsOf([drawn]);
  await recorder.record(organization.orgId, reports.slice(0, 3));
  assert.equal((await ask(organization, 'dashboard/summary')).net_total_cost, 0.16);
  await recorder.record(organization.orgId, reports.slice(3));
  const { total_cost, net_total_cost } = await ask(organization, 'dashboard/summary');
  assert.deepEqual([total_cost, net_total_cost], [0.16, 0.08]);
  await assertAgrees(organization, jobs, []);
});

test('workflows that share included minutes have the same net cost in each answer, to the nano-dollar', async () => {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const terms: Terms[] = [{ effective_from: '2026-03-10', included_minutes: { minutes: 10 } }];
  await setTerms(organization, terms);
  const drawn = (['CI', 'Deploy'] as const).flatMap((workflow) =>
    (['acme/api', 'acme/web'] as const).map((repository): Drawn => ({
      provider: 'github',
      repository,
      workflow,
      isPrivate: true,
      late: [],
      isDependabot: false,
      daysAgo: 3,
      createdMs: 0,
      isRerun: false,
      jobs: [{ runner: 'linux', name: 'build', startsMs: 0, ms: 7 * msPerMinute }],
    })),
  );
  const { jobs, reports } = jobsOf(drawn.slice(0, 3));
  await recorder.record(organization.orgId, reports);
  // Each job costs 56,000,000 nano-dollars; ten of 21 minutes cover a third of 80,000,000.
  assert.deepEqual([...netsOf(jobs, terms).values()], [29_333_334n, 29_333_333n, 29_333_333n]);
  await assertAgrees(organization, jobs, terms);
});
