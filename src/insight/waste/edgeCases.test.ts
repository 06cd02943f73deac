import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();

for (const provider of ['github', 'gitlab']) {
  test(`a re-run at ${provider} makes the earlier result waste once it has one of its own`, async () => {
    const organization = await testApp.newOrganization();
    const kind = { runner: 'linux_2_core', name: 'test' };
    const again = { provider, run_id: '1', run_attempt: provider === 'github' ? 2 : 1 };
    const rerunCost = async (job: object): Promise<number> => {
      const started_at = '2026-03-18T11:00:00Z';
      await submit(organization, newRun({ ...again, jobs: [{ ...kind, job_id: '2', started_at, ...job }] }));
      const { data } = (await organization.get('/api/v1/waste')).body;
      return data.categories.find(({ category }: { category: string }) => category === 'rerun').cost;
    };
    await submit(
      organization,
      newRun({ ...again, run_attempt: 1, jobs: [newJob({ ...kind, job_id: '1' })] }),
    );
    assert.equal(await rerunCost({}), 0);
    assert.equal(await rerunCost({ conclusion: 'failure', completed_at: '2026-03-18T11:05:00Z' }), 0.04);
  });
}

test('of a job beyond its limit, only time that is billed can be superseded', async () => {
  const pushed = { event: 'push', branch: 'main', workflow_name: 'CI' };
  const job = {
    runner: 'linux_2_core',
    started_at: '2026-03-18T01:00:00Z',
    completed_at: '2026-03-18T14:53:00Z',
  };
  const older = { ...pushed, run_id: '1', created_at: job.started_at, jobs: [newJob(job)] };
  const supersededMinutes = async (created_at: string): Promise<number> => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun(older), newRun({ ...pushed, run_id: '2', created_at }));
    const { data } = (await organization.get('/api/v1/waste')).body;
    return data.categories.find(({ category }: { category: string }) => category === 'superseded').minutes;
  };
  assert.equal(await supersededMinutes('2026-03-18T06:31:00Z'), 370 - 331);
  assert.equal(await supersededMinutes('2026-03-18T07:40:00Z'), 0);
});

test('a job by the second that starts after a newer run is superseded as a whole', async () => {
  const organization = await testApp.newOrganization();
  const rule = { match: 'label', pattern: 'shed', name: 'Shed', usd_per_minute: 0.0071, rounding: 'second' };
  await organization.send('POST', '/api/v1/pricing/rules', rule);
  const pushed = { event: 'push', branch: 'main', workflow_name: 'CI' };
  const job = newJob({
    labels: ['shed'],
    conclusion: 'failure',
    started_at: '2026-03-18T10:05:00Z',
    completed_at: '2026-03-18T10:05:20Z',
  });
  await submit(
    organization,
    newRun({ ...pushed, run_id: '1', created_at: '2026-03-18T10:00:00Z', jobs: [job] }),
    newRun({ ...pushed, run_id: '2', created_at: '2026-03-18T10:01:00Z' }),
  );
  const { data } = (await organization.get('/api/v1/waste')).body;
  const amountsOf = (name: string) => {
    const { cost, minutes } = data.categories.find((each: { category: string }) => each.category === name);
    return [cost, minutes];
  };
  assert.deepEqual(
    [amountsOf('superseded'), amountsOf('failed')],
    [
      [0.002366667, 1],
      [0, 0],
    ],
  );
});
