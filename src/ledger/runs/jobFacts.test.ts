import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { storedCosts } from '../../../test/harness/storedCosts.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { verifyRollups } from './verifyRollups.ts';

const { app, newOrganization, worker } = await startTestApp();

const jobs = [
  newJob({ labels: ['ubuntu-latest', 'a "quoted", label'], runner_group: 'Own' }),
  newJob({ labels: [], runner: 'linux_slim', conclusion: 'failure' }),
  newJob({ labels: ['gpu'], conclusion: 'cancelled' }),
  newJob({ labels: ['own'] }),
];

async function countOf(orgId: string) {
  const { rows } = await sql<{ jobs: number; wide: number; facts: number }>`
    select count(*)::integer as jobs, (count(*) filter (where facts_id is null))::integer as wide,
      (select count(*)::integer from job_facts where org_id = ${orgId}) as facts
    from jobs where org_id = ${orgId} and (facts_id is null) = (labels is not null)
  `.execute(app.db);
  return rows[0];
}

const setStoring = (isOn: boolean) =>
  sql`update organizations set stores_job_facts = ${isOn}`.execute(app.db);

test('a day after the migration, jobs with labels of their own refer to their facts, and nothing else differs', async () => {
  const organization = await newOrganization();
  const { orgId } = organization;
  await organization.send('POST', '/api/v1/pricing/rules', {
    match: 'label',
    pattern: 'own',
    name: 'Own',
    usd_per_minute: 0.06,
    rounding: 'second',
  });
  await setStoring(false);
  await submit(organization, newRun({ run_id: 'old', jobs }));
  await worker.processAll();
  assert.deepEqual(await countOf(orgId), { jobs: 4, wide: 4, facts: 0 });
  const before = await storedCosts(app.db, orgId);
  const days = { from: '2026-03-01', to: '2026-03-18' };
  const exported = await organization.get('/api/v1/costs', { ...days, group_by: 'label', metric: 'minutes' });

  await sql`update migrations set ran_at = ${'2026-03-17T11:00:00Z'}`.execute(app.db);
  await worker.processAll();
  assert.deepEqual(await countOf(orgId), { jobs: 4, wide: 0, facts: 4 });
  assert.deepEqual(await storedCosts(app.db, orgId), before);
  assert.deepEqual(
    (await organization.get('/api/v1/costs', { ...days, group_by: 'label', metric: 'minutes' })).body,
    exported.body,
  );
  const { rows } = await sql`select needs from migrations where name = '0001_schema.sql'`.execute(app.db);
  assert.deepEqual(rows, [{ needs: '0069' }]);

  // Facts of a new run that equal stored ones are not stored again.
  await submit(organization, newRun({ run_id: 'new', jobs: jobs.map((job) => ({ ...job })) }));
  assert.deepEqual(await countOf(orgId), { jobs: 8, wide: 0, facts: 4 });
});

test('a report of a job with facts is recorded by both layouts', async () => {
  const organization = await newOrganization();
  const report = (known: object) => {
    const job = newJob({ job_id: 'one', name: undefined, labels: ['ubuntu-latest'], ...known });
    return submit(organization, newRun({ run_id: 'one', jobs: [job] }));
  };
  await report({});
  await setStoring(false);
  await report({ runner_group: 'Own' });
  const [wide] = (await storedCosts(app.db, organization.orgId))['jobs']!;
  assert.deepEqual(await countOf(organization.orgId), { jobs: 1, wide: 1, facts: 1 });
  await setStoring(true);
  await report({ runner_group: 'Own', name: 'Named' });
  assert.deepEqual(await countOf(organization.orgId), { jobs: 1, wide: 0, facts: 2 });
  const [narrow] = (await storedCosts(app.db, organization.orgId))['jobs']!;
  assert.deepEqual(narrow, { ...wide, name: 'Named', observed_at: narrow!['observed_at'] });
});

test('facts that a failover lost are stored again', async () => {
  const organization = await newOrganization();
  const { orgId } = organization;
  await submit(organization, newRun({ jobs: [newJob({ labels: ['own'] })] }));
  await sql`delete from jobs where org_id = ${orgId}`.execute(app.db);
  await sql`delete from job_facts where org_id = ${orgId}`.execute(app.db);
  await submit(organization, newRun({ jobs: [newJob({ labels: ['own'] })] }));
  assert.deepEqual(await countOf(orgId), { jobs: 1, wide: 0, facts: 1 });
});

test('answers about many jobs are the same wherever the facts are stored', async () => {
  const organization = await newOrganization();
  const { orgId } = organization;
  const unpriced = (job_id: string) => newJob({ job_id, labels: ['unknown'], runner_group: 'Own' });
  const runs = ['old', 'new', 'changed'].map((run_id) =>
    newRun({ run_id, jobs: [...jobs, unpriced('one'), newJob({ labels: ['ubuntu-latest', 'large'] })] }),
  );
  const answers = async () => {
    const { differences } = await app.db
      .transaction()
      .execute((tx) => verifyRollups(tx, orgId, { providers: app.providers, report: () => {} }));
    assert.deepEqual(differences, []);
    const { body: quality } = await organization.get('/api/v1/dashboard/unknowns', {});
    const { body: flagged } = await organization.get('/api/v1/runs', { flag: 'guessed_runner' });
    const rule = { match: 'label', pattern: 'unknown', name: 'Own', usd_per_minute: 0.5, rounding: 'second' };
    const whatIf = await organization.send('POST', '/api/v1/pricing/what-if', { rules: [rule] });
    assert.equal(whatIf.status, 200);
    assert.equal(flagged.data.length, 3);
    assert.equal(quality.data.flagged_jobs.guessed_runner, 3);
    return { quality, flagged, whatIf: whatIf.body };
  };
  await setStoring(false);
  await submit(organization, runs[0]!);
  await setStoring(true);
  await submit(organization, ...runs.slice(1));
  // Changes a job like the previous version, which leaves `facts_id` with outdated facts.
  await sql`
    update jobs j set labels = f.labels, runner_group = f.runner_group, raw_conclusion = f.raw_conclusion, ran = f.ran,
      runner_kind = f.runner_kind, runner_rule = f.runner_rule, nanos_per_minute = f.nanos_per_minute,
      rounding = f.rounding, price_book_id = f.price_book_id, price_rule_id = f.price_rule_id,
      is_unpriced = f.is_unpriced, flags = f.flags, facts_id = (select min(id) from job_facts where org_id = ${orgId})
    from job_facts f
    where j.org_id = ${orgId} and f.org_id = j.org_id and f.id = j.facts_id and j.run_id like '%changed'
  `.execute(app.db);
  const { rows } = await sql`select from jobs where org_id = ${orgId} and labels is not null`.execute(app.db);
  assert.equal(rows.length, 12);
  const mixed = await answers();
  await worker.processAll();
  assert.equal((await countOf(orgId))!.wide, 0);
  assert.deepEqual(await answers(), mixed);
});
