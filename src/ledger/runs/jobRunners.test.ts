import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();

describe("a job's runner", () => {
  test('is a kind, a label, or several labels', async () => {
    const organization = await testApp.newOrganization();
    const costOf = async (job: Record<string, unknown>) => {
      const run = newRun({ jobs: [job], repo_name: `acme/${String(job['job_id'])}` });
      const { id } = (await submit(organization, run)).body.data.results[0];
      return (await organization.get(`/api/v1/runs/${id}`)).body.data.cost;
    };
    assert.equal(await costOf(newJob({ runner: 'linux_16_core' })), 0.32);
    assert.equal(await costOf(newJob({ runner: 'windows-latest' })), 0.08);
    assert.equal(await costOf(newJob({ labels: ['macos-14-large'] })), 0.6);
    assert.equal(await costOf(newJob({ labels: ['self-hosted', 'linux'] })), 0);
    assert.equal(await costOf(newJob({ runner: 'self_hosted' })), 0);
    assert.equal(await costOf(newJob({ labels: ['ubuntu-latest'], runner_group: 'Default' })), 0);
  });

  test('is given as labels or as runner, not both', async () => {
    const organization = await testApp.newOrganization();
    const job = { ...newJob(), labels: ['ubuntu-latest'] };
    const answer = await organization.send('POST', '/api/v1/runs', { runs: [newRun({ jobs: [job] })] });
    assertProblem(answer, 400, 'invalid_request', ['body.runs[0].jobs[0].labels']);
  });

  const unlabelled = (fields = {}) => newJob({ labels: undefined, ...fields });

  test('may be missing for a skipped job, without a flag', async () => {
    const organization = await testApp.newOrganization();
    const skipped = { job_id: '1', conclusion: 'skipped', labels: [] };
    const timed = unlabelled({ job_id: '2', conclusion: 'skipped' });
    const { body } = await submit(organization, newRun({ jobs: [skipped, timed] }));
    const run = (await organization.get(`/api/v1/runs/${body.data.results[0].id}`)).body.data;
    for (const { flags, receipt } of run.jobs)
      assert.deepEqual([flags, receipt.is_unpriced, receipt.cost], [[], false, 0]);
    assert.deepEqual((await organization.get('/api/v1/pricing/unpriced')).body.data, []);
  });

  test('makes any other job unpriced and flagged while it is missing', async () => {
    const organization = await testApp.newOrganization();
    const job = unlabelled();
    const run = newRun({ jobs: [job, newJob()] });
    const { id } = (await submit(organization, run, newRun())).body.data.results[0];
    const shown = async () => {
      const { jobs } = (await organization.get(`/api/v1/runs/${id}`)).body.data;
      const first = jobs.find(({ job_id }: { job_id: string }) => job_id === job['job_id']);
      const { data } = (await organization.get('/api/v1/runs', { flag: 'missing_labels', days: 365 })).body;
      const query = { org_id: organization.orgId };
      const unknowns = (await organization.get('/api/v1/dashboard/unknowns', query)).body.data;
      return {
        flags: first.flags,
        isUnpriced: first.receipt.is_unpriced,
        cost: first.receipt.cost,
        listed: data.map((each: { id: string }) => each.id),
        counted: unknowns.flagged_jobs.missing_labels,
        minutes: unknowns.unpriced.minutes,
      };
    };
    assert.deepEqual(await shown(), {
      flags: ['missing_labels'],
      isUnpriced: true,
      cost: 0,
      listed: [id],
      counted: 1,
      minutes: 5,
    });
    testApp.clock.forward(1);
    await submit(organization, { ...run, jobs: [{ ...job, runner: 'linux_2_core' }] });
    assert.deepEqual(await shown(), {
      flags: [],
      isUnpriced: false,
      cost: 0.04,
      listed: [],
      counted: 0,
      minutes: 0,
    });
  });
});
