import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { storedCosts, type StoredCosts } from '../../../test/harness/storedCosts.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { newWebhook } from '../../../test/harness/webhooks.ts';
import { repricingPoller } from './doReprice.ts';

const testApp = await startTestApp();
const { app, worker } = testApp;
const start = Date.parse('2026-03-15T00:00:00Z');

const anyJob = fc.record({
  // Mostly few labels, so that some jobs differ in one property only.
  labels: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(['ubuntu-latest'], ['mystery'], ['self-hosted']) },
    fc.array(
      fc.constantFrom(
        'Ubuntu-Latest',
        'macos-15',
        'linux-8-core',
        'team-gpu',
        'a"b\\c,{d}',
        'gitlab_linux_small',
        'saas-linux-medium-amd64',
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  runner_group: fc.constantFrom(undefined, 'Lab', 'Default', 'instance_type'),
  conclusion: fc.constantFrom('success', 'skipped', 'failure'),
  milliseconds: fc.oneof(
    // Around a minute, where rounding matters, and a few hours, which raise a flag.
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 59_999, 60_000, 60_001) },
    fc.constantFrom(10_800_000, 10_800_001, 21_600_000, 21_600_001),
    fc.integer({ min: 0, max: 4_000_000 }),
  ),
  hour: fc.integer({ min: 0, max: 30 }),
});
const anyRuns = fc.array(
  fc.record({
    provider: fc.constantFrom('api', 'gitlab'),
    isRepeated: fc.boolean(),
    jobs: fc.array(anyJob, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 8 },
);
const anyPrices = fc.record({
  book_id: fc.constantFrom('github_2025', 'github_2026'),
  rules: fc.subarray([
    { match: 'regex', pattern: 'myst|gpu', name: 'Own', usd_per_minute: 0.00000003, rounding: 'second' },
    { match: 'label', pattern: 'self-hosted', runner_kind: 'linux_slim' },
    { match: 'runner_group', pattern: 'lab', name: 'Lab', usd_per_minute: 1 },
    { match: 'label', pattern: 'macos-15', runner_kind: 'gitlab_macos_medium_m1' },
  ]),
});

type Runs = typeof anyRuns extends fc.Arbitrary<infer R> ? R : never;
type Prices = typeof anyPrices extends fc.Arbitrary<infer P> ? P : never;

/** Some runs have a second attempt that carries the first job over. */
function submitted(runs: Runs): Record<string, unknown>[] {
  return runs.flatMap(({ provider, isRepeated, jobs }) => {
    const reported = jobs.map(({ milliseconds, hour, ...job }, index) => {
      const startedAt = start + hour * 3_600_000 + index * 1_000;
      return newJob({
        ...job,
        name: `job ${index}`,
        started_at: new Date(startedAt).toISOString(),
        completed_at: new Date(startedAt + milliseconds).toISOString(),
      });
    });
    const run = newRun({ provider, jobs: reported });
    if (!isRepeated) return [run];
    return [run, { ...run, run_attempt: 2, jobs: [{ ...reported[0], job_id: 'again' }] }];
  });
}

async function choose(organization: TestOrganization, { book_id, rules }: Prices): Promise<void> {
  for (const rule of rules) await organization.send('POST', '/api/v1/pricing/rules', rule);
  assert.equal((await organization.send('PUT', '/api/v1/pricing', { book_id })).status, 200);
}

async function storedOf(orgId: string): Promise<StoredCosts> {
  const { jobs, ...stored } = await storedCosts(app.db, orgId, ['org_id', 'observed_at', 'reported_at']);
  // A carried-over job costs nothing at any price, and keeps its price.
  const paid = jobs!.filter((job) => !job['is_carried_over']);
  return { ...stored, jobs: paid.map((job) => ({ ...job, price_rule_id: job['price_rule_id'] !== null })) };
}

test('jobs with the same minutes and different seconds are priced one by one when seconds count', async () => {
  const organization = await testApp.newOrganization();
  const lasting = (end: string) => newJob({ labels: ['own'], completed_at: `2026-03-18T10:${end}Z` });
  await submit(organization, newRun({ jobs: [lasting('00:01'), lasting('00:01'), lasting('00:59')] }));
  const own = { match: 'label', pattern: 'own', name: 'Own', usd_per_minute: 0.06, rounding: 'second' };
  await organization.send('POST', '/api/v1/pricing/rules', own);
  const days = { from: '2026-03-18', to: '2026-03-18' };
  const { body } = await organization.send('POST', '/api/v1/reprices', days);
  await worker.processAll();
  const done = await organization.get(`/api/v1/reprices/${body.data.id}`);
  assert.equal(done.body.data.cost_after, 0.061);
  const { data } = (await organization.get(`/api/v1/reprices/${body.data.id}/changes`)).body;
  assert.deepEqual(
    data.map(({ after }: { after: { cost: number } }) => after.cost),
    [0.001, 0.001, 0.059],
  );
});

test('an undo skips a job that was reported again, even if it costs the same', async () => {
  const organization = await testApp.newOrganization();
  const run = newRun({ jobs: [newJob({ job_id: 'late' })] });
  await submit(organization, run);
  await choose(organization, { book_id: 'github_2026', rules: [] });
  const days = { from: '2026-03-18', to: '2026-03-18' };
  const { body } = await organization.send('POST', '/api/v1/reprices', days);
  await worker.processAll();
  testApp.clock.forward(60);
  const sooner = newJob({ job_id: 'late', completed_at: '2026-03-18T10:04:30Z' });
  await submit(organization, { ...run, jobs: [sooner] });
  const reverted = await organization.send('POST', `/api/v1/reprices/${body.data.id}/revert`);
  await worker.processAll();
  const done = (await organization.get(`/api/v1/reprices/${reverted.body.data.id}`)).body.data;
  assert.deepEqual([done.status, done.changed_jobs, done.skipped_jobs], ['done', 0, 1]);
});

test('a repriced run is not announced to webhooks again', async () => {
  const organization = await testApp.newOrganization();
  await newWebhook(organization, { events: ['workflow.completed'], status: 'paused' });
  await submit(organization, newRun());
  await worker.processAll();
  const events = await eventsOf(testApp, organization, 'workflow.completed');
  assert.equal(events.length, 1);
  await choose(organization, { book_id: 'github_2026', rules: [] });
  const days = { from: '2026-03-18', to: '2026-03-18' };
  const { body } = await organization.send('POST', '/api/v1/reprices', days);
  testApp.clock.forward(3_600);
  await worker.processAll();
  const done = (await organization.get(`/api/v1/reprices/${body.data.id}`)).body.data;
  assert.deepEqual([done.status, done.difference], ['done', -0.01]);
  assert.deepEqual(await eventsOf(testApp, organization, 'workflow.completed'), events);
});

test('a slow piece halves the next one', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun({ jobs: Array.from({ length: 400 }, () => newJob()) }));
  const days = { from: '2026-03-18', to: '2026-03-18' };
  const { body } = await organization.send('POST', '/api/v1/reprices', days);
  let looks = 0;
  const slow = { now: () => new Date(testApp.clock.now().getTime() + 500 * ++looks) };
  const poller = repricingPoller({ ...app, clock: slow }, 200);
  const done: number[] = [];
  while (await poller.run(new AbortController().signal)) {
    const { data } = (await organization.get(`/api/v1/reprices/${body.data.id}`)).body;
    done.push(data.progress.done);
  }
  assert.deepEqual(done, [200, 300, 350, 400, 400]);
});

test('a reprice gives the same as recording everything with the new prices', async () => {
  await fc.assert(
    fc.asyncProperty(anyRuns, anyPrices, fc.constantFrom(4, 1_000), async (runs, prices, jobsAPiece) => {
      const poller = repricingPoller(app, jobsAPiece);
      const [repriced, fresh] = [await testApp.newOrganization(), await testApp.newOrganization()];
      const reported = submitted(runs);
      await submit(repriced, ...reported);
      await choose(repriced, prices);
      await choose(fresh, prices);
      await submit(fresh, ...reported);
      const days = { from: '2026-03-01', to: '2026-03-31' };
      const { body } = await repriced.send('POST', '/api/v1/reprices', days);
      while (await poller.run(new AbortController().signal));
      await worker.processAll();
      const done = await repriced.get(`/api/v1/reprices/${body.data.id}`);
      assert.equal(done.body.data.status, 'done');
      assert.deepEqual(await storedOf(repriced.orgId), await storedOf(fresh.orgId));
    }),
    { numRuns: 20 },
  );
});

test('a reprice ends when the prices change meanwhile, and newer jobs keep the newer prices; a dry run continues', async () => {
  const organization = await testApp.newOrganization();
  const begin = async (body: object): Promise<string> =>
    (await organization.send('POST', '/api/v1/reprices', { from: '2026-03-01', to: '2026-03-31', ...body }))
      .body.data.id;
  const ended = async (id: string) => {
    await worker.processAll();
    return (await organization.get(`/api/v1/reprices/${id}`)).body.data;
  };
  const addRule = (pattern: string) =>
    organization.send('POST', '/api/v1/pricing/rules', {
      match: 'label',
      pattern,
      name: 'Own',
      usd_per_minute: 1,
    });
  await submit(organization, newRun());
  const id = await begin({});
  await addRule('linux_2_core');
  await submit(organization, newRun());
  const { total_cost } = (await organization.get('/api/v1/dashboard/summary')).body;
  const { status, changed_jobs, error } = await ended(id);
  assert.deepEqual([status, changed_jobs], ['failed', 0]);
  assert.match(error, /^The prices or rules changed while it was running/);
  assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_cost, total_cost);
  const dryId = await begin({ dry_run: true });
  await addRule('another');
  assert.equal((await ended(dryId)).status, 'done');
  const again = await ended(await begin({}));
  assert.deepEqual([again.status, again.changed_jobs], ['done', 1]);
});
