import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { checkAlert, newAlert, spend } from '../../../test/harness/alerts.ts';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource, runBackfill, serveRuns, totalsOf } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { auditOf, newWebhook } from '../../../test/harness/webhooks.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, worker } = testApp;
const idOf = (run: Record<string, unknown>) => `run_api_${String(run['run_id'])}`;
const pathOf = (id: string) => `/api/v1/runs/${encodeURIComponent(id)}`;

function deleteMany(organization: TestOrganization, body: object): Promise<Answer> {
  return organization.send('POST', '/api/v1/runs/delete', body);
}

/** Deletes request by request, and returns what each request deleted. */
async function deleteAll(organization: TestOrganization, body: object): Promise<Answer['body'][]> {
  const steps = [];
  do {
    const answer = await deleteMany(organization, body);
    assert.equal(answer.status, 200, answer.text);
    steps.push(answer.body.data);
  } while (steps.at(-1).has_more);
  return steps;
}

async function idsOf(organization: TestOrganization): Promise<string[]> {
  const { body } = await organization.get('/api/v1/runs', { days: 365, per_page: 100 });
  return body.data.map((run: { id: string }) => run.id).toSorted();
}

const tables = ['runs', 'jobs', 'workflows', 'run_completions'] as const;

/** Everything stored about runs, row by row, including rollup rows that have only zeros. */
async function storedOf(organization: TestOrganization): Promise<object> {
  const stored: Record<string, string[]> = {};
  for (const table of tables) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - 'org_id')::text as row from ${sql.table(table)} t
      where org_id = ${organization.orgId} order by 1
    `.execute(app.db);
    stored[table] = rows.map(({ row }) => row);
  }
  return { ...stored, ...(await totalsOf(testApp, organization)) };
}

const anyJob = fc.record({
  label: fc.constantFrom('ubuntu-latest', 'macos-latest', 'self-hosted', 'mystery-runner'),
  minutes: fc.nat({ max: 200 }),
  attempt: fc.integer({ min: 1, max: 2 }),
});
const anyRun = fc.record({
  workflow: fc.constantFrom('CI', 'Deploy'),
  repository: fc.constantFrom('acme/api', 'Acme/API', 'acme/web'),
  hoursAgo: fc.nat({ max: 72 }),
  conclusion: fc.constantFrom('success', 'failure', 'skipped', undefined),
  jobs: fc.array(anyJob, { maxLength: 3 }),
  isDeleted: fc.boolean(),
});
type DrawnRun = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

/** The reports of a run, one per attempt. */
function reportsOf({ workflow, repository, hoursAgo, conclusion, jobs }: DrawnRun, index: number): object[] {
  const created = Date.parse('2026-03-18T10:00:00Z') - hoursAgo * 3_600_000;
  return [1, 2].slice(0, Math.max(1, ...jobs.map(({ attempt }) => attempt))).map((attempt) =>
    newRun({
      run_id: `drawn-${index}`,
      run_attempt: attempt,
      workflow_name: workflow,
      repo_name: repository,
      ...(conclusion
        ? {
            status: 'completed',
            conclusion,
          }
        : {
            status: 'in_progress',
            conclusion: undefined,
          }),
      created_at: new Date(created),
      started_at: new Date(created),
      jobs: jobs
        .filter((job) => job.attempt <= attempt)
        .map(({ label, minutes }, place) => ({
          job_id: String(place),
          name: `job ${place}`,
          labels: [label],
          conclusion: 'success',
          started_at: new Date(created),
          completed_at: new Date(created + minutes * 6e4),
        })),
    }),
  );
}

describe('deleted runs', () => {
  test('leave everything as if nobody had reported them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRun, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (drawn, isOneByOne) => {
          const reports = drawn.map(reportsOf);
          const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
          for (const each of [organization, other])
            await newWebhook(each, { events: ['workflow.completed'] });
          const ids: string[] = [];
          for (const [index, attempts] of reports.entries()) {
            for (const attempt of attempts) {
              await submit(organization, attempt as never);
              if (!drawn[index]!.isDeleted) await submit(other, attempt as never);
            }
            if (drawn[index]!.isDeleted) ids.push(`run_api_drawn-${index}`);
          }
          if (isOneByOne) for (const id of ids) await organization.send('DELETE', pathOf(id));
          else if (ids.length > 0) await deleteAll(organization, { ids });
          assert.deepEqual(await storedOf(organization), await storedOf(other));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('are gone for everybody, with one audit entry', async () => {
    const organization = await testApp.newOrganization();
    const [kept, gone] = [newRun(), newRun({ run_id: 'folder/job/12' })];
    await submit(organization, kept, gone);
    const id = 'run_api_folder/job/12';
    const answer = await organization.send('DELETE', pathOf(id));
    assert.deepEqual([answer.status, answer.body], [200, { data: { id, deleted: true } }]);
    assertProblem(await organization.send('DELETE', pathOf(id)), 404, 'run_not_found');
    assertProblem(await organization.get(pathOf(id)), 404, 'run_not_found');
    assert.deepEqual(await idsOf(organization), [idOf(kept)]);
    const { body } = await organization.get('/api/v1/dashboard/summary');
    assert.deepEqual([body.total_cost, body.total_runs], [0.04, 1]);
    const [entry, ...others] = await auditOf(organization, id);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [entry.action, entry.details],
      ['run.delete', { repository: 'acme/api', jobs: 1, cost: '0.04' }],
    );
  });

  test('are recorded again when they are reported again', async () => {
    const organization = await testApp.newOrganization();
    const run = newRun();
    await submit(organization, run);
    const before = await storedOf(organization);
    await organization.send('DELETE', pathOf(idOf(run)));
    await submit(organization, run);
    assert.deepEqual(await storedOf(organization), before);
  });

  test('are recorded again by a backfill, even if the list of their jobs has not changed', async () => {
    serveRuns(fake, 'acme/app', 3);
    const organization = await testApp.newOrganization({ plan: 'team' });
    await newReadingSource(testApp, organization, fake);
    await runBackfill(testApp, organization);
    const before = await totalsOf(testApp, organization);
    const [step] = await deleteAll(organization, { repo: 'acme/app' });
    assert.equal(step.runs, 3);
    assert.deepEqual(await idsOf(organization), []);
    await runBackfill(testApp, organization);
    assert.deepEqual(await totalsOf(testApp, organization), before);
  });

  test('are not announced to webhooks, and keep no worker busy', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    await newWebhook(organization, { url: receiver.url, events: ['workflow.completed'] });
    testApp.clock.forward(1);
    const at = testApp.clock.now();
    const run = newRun({ created_at: at, started_at: at, completed_at: at, jobs: [] });
    await submit(organization, run);
    await organization.send('DELETE', pathOf(idOf(run)));
    testApp.clock.forward(3_600);
    await worker.processAll();
    assert.deepEqual(receiver.received, []);
  });

  test('no longer count for alerts', async () => {
    const organization = await testApp.newOrganization();
    await spend(organization, 12, '2026-03-17');
    const alert = await newAlert(organization);
    assert.equal((await checkAlert(organization, alert)).triggered, true);
    await deleteAll(organization, { provider: 'api' });
    const { triggered, current_value: value } = await checkAlert(organization, alert);
    assert.deepEqual([triggered, value], [false, 0]);
  });
});

describe('many runs', () => {
  test('are selected by provider, repository, workflow, ids and days, and counted first', async () => {
    const organization = await testApp.newOrganization();
    const on = (day: string, fields: object) =>
      newRun({
        created_at: `${day}T23:30:00Z`,
        started_at: `${day}T23:30:00Z`,
        ...fields,
        jobs: [
          newJob({
            started_at: `${day}T23:30:00Z`,
            completed_at: `${day}T23:35:00Z`,
          }),
        ],
      });
    await submit(
      organization,
      on('2026-03-10', { run_id: 'a', provider: 'jenkins', repo_name: 'acme/api' }),
      on('2026-03-11', { run_id: 'b', provider: 'jenkins', repo_name: 'acme/web' }),
      on('2026-03-12', { run_id: 'c', provider: 'ci', repo_name: 'acme/web', workflow_name: 'Deploy' }),
      on('2026-03-13', { run_id: 'd', provider: 'ci', repo_name: 'acme/web' }),
    );
    const { body } = await organization.get('/api/v1/runs');
    const deploy = body.data.find((run: { id: string }) => run.id === 'run_ci_c').workflow_id;
    for (const [choice, runs] of [
      [{ provider: 'jenkins' }, 2],
      [{ repo: 'Acme/WEB' }, 3],
      [{ repo: 'web', provider: 'ci' }, 2],
      [{ workflow_id: deploy }, 1],
      [{ workflow_id: deploy, repo: 'api' }, 0],
      [{ repo: 'acme/web', from: '2026-03-12' }, 2],
      [{ repo: 'acme/web', from: '2026-03-11', to: '2026-03-12' }, 2],
      [{ ids: ['run_ci_c', 'run_jenkins_a', 'run_none'], to: '2026-03-11' }, 1],
      [{ repo: 'acme/none' }, 0],
    ] as const) {
      const answer = await deleteMany(organization, { ...choice, dry_run: true });
      assert.equal(answer.status, 200, answer.text);
      const { cost, ...counts } = answer.body.data;
      const unknown_ids = 'ids' in choice ? ['run_none'] : [];
      assert.deepEqual(counts, { runs, jobs: runs, has_more: false, unknown_ids }, JSON.stringify(choice));
      assert.equal(cost, (4 * runs) / 100);
    }
    const choice = { repo: 'acme/web', from: '2026-03-12', to: '2026-03-13' };
    const deleted = await deleteMany(organization, choice);
    const rest = { has_more: false, unknown_ids: [] };
    assert.deepEqual(deleted.body.data, { runs: 2, jobs: 2, cost: 0.08, ...rest });
    assert.deepEqual(await idsOf(organization), ['run_jenkins_a', 'run_jenkins_b']);
    const nothing = await deleteMany(organization, choice);
    assert.deepEqual(nothing.body.data, { runs: 0, jobs: 0, cost: 0, ...rest });
    const entries = await auditOf(organization, organization.orgId);
    assert.deepEqual(
      entries.filter(({ action }) => action === 'run.delete_many').map(({ details }) => details),
      [{ ...choice, runs: 2, jobs: 2, cost: '0.08' }],
    );
  });

  test('are deleted in batches, by runs and by jobs', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, ...Array.from({ length: 501 }, () => newRun({ provider: 'small', jobs: [] })));
    const large = () =>
      newRun({
        provider: 'large',
        jobs: Array.from({ length: 1_000 }, () => newJob({ conclusion: 'skipped' })),
      });
    await submit(organization, ...Array.from({ length: 6 }, large));
    const counted = (steps: Answer['body'][]) => steps.map(({ runs, jobs }) => [runs, jobs]);
    assert.deepEqual(counted(await deleteAll(organization, { provider: 'small' })), [
      [500, 0],
      [1, 0],
    ]);
    assert.deepEqual(counted(await deleteAll(organization, { provider: 'large' })), [
      [5, 5_000],
      [1, 1_000],
    ]);
  });

  test('need more than days as a selection', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    for (const body of [
      {},
      { from: '2026-03-01', to: '2026-03-31' },
      { dry_run: true },
      { ids: [] },
      { repo: '' },
      { repo: 'acme/api', from: '2026-03-02', to: '2026-03-01' },
      { repo: 'acme/api', from: 'yesterday' },
      { repository: 'acme/api' },
    ]) {
      assertProblem(await deleteMany(organization, body), 400, 'invalid_request');
    }
    assert.equal((await idsOf(organization)).length, 1);
  });
});
