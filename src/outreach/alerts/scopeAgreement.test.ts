/** Compares, for random runs, an alert on part of them with an alert on an organization that has only that part. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkAlert, newAlert, triggersOf } from '../../../test/harness/alerts.ts';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();

const anyRun = fc.record({
  repo_name: fc.constantFrom('acme/api', 'Acme/Web', 'acme/ops'),
  workflow_name: fc.constantFrom('Build', 'Deploy'),
  branch: fc.constantFrom('main', 'release/1', 'release/2', undefined),
  daysAgo: fc.integer({ min: 0, max: 60 }),
  minutes: fc.integer({ min: 1, max: 400 }),
  runner: fc.constantFrom('linux_2_core', 'macos_3_core'),
});
type AnyRun = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

const anyScope = fc.constantFrom<{ scope: object; filter: object; has: (run: AnyRun) => boolean }>(
  {
    scope: { type: 'repository', value: 'ACME/web' },
    filter: { repository: 'ACME/web' },
    has: ({ repo_name }) => repo_name === 'Acme/Web',
  },
  {
    scope: { type: 'repository', value: 'acme/*p*' },
    filter: { repository: 'acme/*p*' },
    has: ({ repo_name }) => repo_name !== 'Acme/Web',
  },
  {
    scope: { type: 'branch', value: 'release/*' },
    filter: { branch: 'release/*' },
    has: ({ branch }) => branch?.startsWith('release/') ?? false,
  },
  {
    scope: { type: 'branch', value: 'main', repository: 'ACME/o*' },
    filter: { branch: 'main', repository: 'ACME/o*' },
    has: ({ branch, repo_name }) => branch === 'main' && repo_name === 'acme/ops',
  },
  {
    scope: { type: 'team', value: 'Platform' },
    filter: { team: 'Platform' },
    has: ({ repo_name, runner }) => repo_name === 'acme/ops' || runner === 'macos_3_core',
  },
  {
    scope: { type: 'repository', value: 'acme/none' },
    filter: { repository: 'acme/none' },
    has: () => false,
  },
);

type NamedRun = AnyRun & { run_id: string };

async function report(organization: TestOrganization, runs: NamedRun[]): Promise<void> {
  const asSent = runs.map(({ daysAgo, minutes, runner, ...names }) => {
    const end = new Date(Date.parse('2026-03-18T11:00:00Z') - daysAgo * 86_400_000);
    const times = { started_at: new Date(end.getTime() - minutes * 60_000), completed_at: end };
    const jobs = [newJob({ ...times, runner })];
    return newRun({ created_at: times.started_at, ...times, jobs, ...names });
  });
  if (asSent.length > 0) await submit(organization, ...asSent);
}

test('a scope is judged, previewed and explained like an organization that has only its runs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 30 }),
      anyScope,
      fc.constantFrom(
        { alert_type: 'budget', period: 'month' },
        { alert_type: 'budget', period: 'week' },
        { alert_type: 'anomaly', check_frequency: 'daily' },
        { alert_type: 'anomaly', check_frequency: 'weekly' },
      ),
      async (anyRuns, { scope, filter, has }, type) => {
        // An explanation names runs, so both organizations have them with the same ids.
        const runs = anyRuns.map((run, index) => ({ ...run, run_id: `run-${index}` }));
        const [whole, part] = [await testApp.newOrganization(), await testApp.newOrganization()];
        await report(whole, runs);
        for (const rule of [{ repository: 'acme/ops' }, { label: 'MacOS_*' }]) {
          const added = await whole.send('POST', '/api/v1/ownership/rules', {
            kind: 'team',
            owner: 'Platform',
            ...rule,
          });
          assert.equal(added.status, 201, added.text);
        }
        await report(part, runs.filter(has));
        const rule = { name: 'x', threshold_amount: 0.5, ...type };
        const previewOf = async (organization: TestOrganization, fields: object) =>
          (await organization.send('POST', '/api/v1/alerts/preview', { ...rule, ...fields })).body.data;
        assert.deepEqual(await previewOf(whole, { scope }), await previewOf(part, {}));

        const ids = [await newAlert(whole, { ...rule, scope }), await newAlert(part, rule)];
        const checks = [await checkAlert(whole, ids[0]!), await checkAlert(part, ids[1]!)];
        assert.deepEqual(checks[0], checks[1]);
        const { period, observed } = checks[0];
        const asked = { ...filter, from: period.start, to: '2026-03-18' };
        const query = await whole.get('/api/v1/costs', asked);
        assert.equal(query.body.data.total.value, observed);
        const explained = async (organization: TestOrganization, id: string) => {
          const [trigger] = await triggersOf(organization, id);
          if (!trigger) return null;
          const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
          // What is new depends on all runs of an organization.
          const { happened: _, ...compared } = data.explanation;
          return compared;
        };
        assert.deepEqual(await explained(whole, ids[0]!), await explained(part, ids[1]!));
      },
    ),
    { numRuns: 20 },
  );
});
