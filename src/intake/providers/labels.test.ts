import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';

const testApp = await startTestApp();

async function receiptsOf(organization: TestOrganization, id: string) {
  const { status, body, text } = await organization.get(`/api/v1/runs/${id}`);
  assert.equal(status, 200, text);
  return body.data.jobs.map((job: { receipt: object }) => job.receipt);
}

/** The cost of a five-minute job with these fields. */
async function reported(provider: string | undefined, fields: Record<string, unknown>) {
  const organization = await testApp.newOrganization();
  const run = newRun({ ...(provider && { provider }), jobs: [newJob(fields)] });
  const { id } = (await submit(organization, run)).body.data.results[0];
  const [receipt] = await receiptsOf(organization, id);
  const { runner_kind, cost, is_unpriced, rounding } = receipt;
  return { runner_kind, cost, is_unpriced, rounding };
}

const unpriced = { runner_kind: null, cost: 0, is_unpriced: true, rounding: 'minute' };
const linux = { runner_kind: 'linux_2_core', cost: 0.04, is_unpriced: false, rounding: 'minute' };

describe('labels are read by the rules of the run’s provider', () => {
  for (const label of [
    'ubuntu-latest',
    'macos-14-large',
    'self-hosted',
    'depot-ubuntu-24.04',
    'linux-8-core',
  ]) {
    test(`${label} of a Jenkins job is unpriced`, async () => {
      assert.deepEqual(await reported('jenkins', { labels: [label] }), unpriced);
    });
  }

  test('a provider that only starts like another one is a different provider', async () => {
    for (const provider of ['github-like', 'gitlabx', 'api-2']) {
      assert.deepEqual(await reported(provider, { labels: ['ubuntu-latest'] }), unpriced, provider);
    }
  });

  test('a run without a provider has GitHub’s labels', async () => {
    assert.deepEqual(await reported(undefined, { labels: ['ubuntu-latest'] }), linux);
    assert.deepEqual(await reported('github', { labels: ['ubuntu-latest'] }), linux);
  });

  test('a runner named like a runner kind is priced for any provider', async () => {
    for (const provider of [undefined, 'github', 'jenkins', 'bitbucket']) {
      assert.deepEqual(await reported(provider, { runner: 'linux_2_core' }), linux, provider);
    }
    const small = { runner_kind: 'gitlab_linux_small', cost: 0.05, is_unpriced: false, rounding: 'second' };
    assert.deepEqual(await reported('jenkins', { runner: 'GitLab_Linux_Small' }), small);
    assert.deepEqual(await reported('gitlab', { runner: 'linux_2_core' }), { ...linux, rounding: 'second' });
  });

  test('servers of GitHub Enterprise have GitHub’s labels', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    const times = { created_at: '2026-03-17T10:00:00Z' };
    for (const [event, payload] of [
      ['workflow_run', gitHubRun(times)],
      ['workflow_job', gitHubJob(times)],
    ] as const) {
      const { repository } = payload as { repository: Record<string, unknown> };
      const html_url = `https://git.acme.example/${String(repository['full_name'])}`;
      const answer = await source.deliver(event, { ...payload, repository: { ...repository, html_url } });
      assert.equal(answer.status, 202, answer.text);
    }
    const [run] = (await organization.get('/api/v1/runs')).body.data;
    assert.match(run.id, /^run_github\.git\.acme\.example_/);
    const [receipt] = await receiptsOf(organization, run.id);
    assert.deepEqual([receipt.runner_kind, receipt.is_unpriced], ['linux_2_core', false]);
    const { url } = (await organization.get(`/api/v1/runs/${run.id}`)).body.data;
    assert.match(url, /^https:\/\/git\.acme\.example\/[^/]+\/[^/]+\/actions\/runs\/\d+$/);
  });

  test('a rule of the organization prices them', async () => {
    const organization = await testApp.newOrganization();
    const rule = { match: 'label', pattern: 'ubuntu-latest', name: 'Our box', usd_per_minute: 0.5 };
    assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
    const run = newRun({ provider: 'jenkins', jobs: [newJob({ labels: ['ubuntu-latest'] })] });
    const { id } = (await submit(organization, run)).body.data.results[0];
    const [receipt] = await receiptsOf(organization, id);
    assert.deepEqual([receipt.runner_kind, receipt.cost], ['custom:Our box', 2.5]);
  });
});

test('a job has the same price in its receipt, the sums, a preview, a reprice and an export', async () => {
  const organization = await testApp.newOrganization();
  const seconds = { completed_at: '2026-03-18T10:01:01Z' };
  const run = (provider: string | undefined, ...jobs: Record<string, unknown>[]) =>
    newRun({ ...(provider && { provider }), jobs: jobs.map((job) => newJob({ ...job, ...seconds })) });
  await submit(
    organization,
    run(
      'jenkins',
      { labels: ['ubuntu-latest'] },
      { runner: 'linux_4_core' },
      { runner: 'gitlab_linux_small' },
    ),
    run(undefined, { labels: ['ubuntu-latest'] }, { labels: ['self-hosted'] }),
    run('gitlab', { runner: 'linux_4_core' }, { labels: ['ubuntu-latest'] }),
  );
  // 2 × 0.016, 61 s × 0.01 / 60 and 2 × 0.008; then 61 s × 0.016 / 60, and two unpriced jobs.
  const cost = 0.032 + 0.010166667 + 0.016 + 0.016266667;
  const total = (await organization.get('/api/v1/dashboard/summary')).body.total_cost;
  assert.equal(total, Number(cost.toFixed(9)));
  const preview = (await organization.send('POST', '/api/v1/pricing/what-if', {})).body.data.total;
  assert.deepEqual(
    [preview.cost_now, preview.cost_current, preview.cost_then, preview.change],
    [total, total, total, 0],
  );
  const list = (await organization.get('/api/v1/pricing/unpriced')).body.data;
  assert.deepEqual(
    list.map(({ labels, jobs, minutes }: Record<string, unknown>) => [labels, jobs, minutes]),
    [[['ubuntu-latest'], 2, 4]],
  );
  const days = { from: '2026-03-18', to: '2026-03-18' };
  const { id } = (await organization.send('POST', '/api/v1/reprices', days)).body.data;
  await testApp.worker.processAll();
  const repriced = (await organization.get(`/api/v1/reprices/${id}`)).body.data;
  assert.deepEqual([repriced.status, repriced.changed_jobs], ['done', 0]);
  const file = await exported(testApp, organization, { dataset: 'focus' });
  const rows = parse(file, { columns: true }) as Record<string, string>[];
  assert.equal(
    rows.reduce((sum, row) => sum + Number(row['BilledCost']), 0).toFixed(9),
    (total as number).toFixed(9),
  );
  const skus = rows.map((row) => `${row['ServiceProviderName']} ${row['SkuId']}`).toSorted();
  assert.deepEqual(skus, [
    'GitLab linux_4_core',
    'GitLab unpriced',
    'api linux_2_core',
    'api self_hosted',
    'jenkins gitlab_linux_small',
    'jenkins linux_4_core',
    'jenkins unpriced',
  ]);
});

test('the page of a run is known if its provider is', async () => {
  const organization = await testApp.newOrganization();
  const urlOf = async (provider: string) => {
    const { id } = (await submit(organization, newRun({ provider, run_id: '42' }))).body.data.results[0];
    return (await organization.get(`/api/v1/runs/${id}`)).body.data.url;
  };
  assert.equal(await urlOf('github'), 'https://github.com/acme/api/actions/runs/42');
  assert.equal(await urlOf('gitlab'), 'https://gitlab.com/acme/api/-/pipelines/42');
  assert.equal(await urlOf('jenkins'), null);
});

describe('source kinds', () => {
  test("come with steps for the caller's organization", async () => {
    const organization = await testApp.newOrganization();
    const { status, body } = await organization.get('/api/v1/sources/kinds');
    assert.equal(status, 200);
    const [gitHub, gitLab] = body.data;
    assert.deepEqual([gitHub.kind, gitHub.title, gitHub.has_backfills], ['github', 'GitHub', true]);
    assert.match(gitHub.how_to_connect.intro, /github\.com\/organizations\/acme\/settings\/hooks\/new/);
    assert.equal(gitHub.how_to_connect.url_label, 'Payload URL');
    assert.ok(gitHub.how_to_connect.steps.some((step: string) => step.includes('**Workflow jobs**')));
    assert.deepEqual([gitLab.kind, gitLab.has_backfills], ['gitlab', false]);
    for (const { how_to_connect } of body.data) assert.ok(how_to_connect.steps.length >= 3);
    const shown = body.data.map(({ icon, guided_page: page }: Record<string, string>) => [icon, page]);
    assert.deepEqual(shown, [
      ['github', '/sources/github-app'],
      ['gitlab', '/sources/gitlab'],
      ['circle', null],
      ['pipeline', null],
    ]);
    const uuid = '5f1e2d3c-0a1b-4c5d-8e9f-001122334455';
    const found = (text: string) =>
      body.data.flatMap(({ kind, run_pattern }: Record<string, string>) => {
        const id = new RegExp(run_pattern!).exec(text)?.[1];
        return id === undefined ? [] : [`${kind} ${id}`];
      });
    assert.deepEqual(found('https://github.com/acme/api/actions/runs/4711/job/5'), ['github 4711']);
    assert.deepEqual(found('https://gitlab.com/acme/api/-/pipelines/4711'), ['gitlab 4711']);
    assert.deepEqual(found('4711'), ['github 4711', 'gitlab 4711']);
    assert.deepEqual(found(uuid), [`circleci ${uuid}`, `buildkite ${uuid}`]);
    assert.deepEqual(found(`https://app.circleci.com/workflow/${uuid}`), [`circleci ${uuid}`]);
    assert.deepEqual(found('build'), []);
  });

  test('can all be created, with their title as the name', async () => {
    const organization = await testApp.newOrganization();
    for (const { kind, title } of (await organization.get('/api/v1/sources/kinds')).body.data) {
      const created = await organization.send('POST', '/api/v1/sources', { kind });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.body.data.name, title);
    }
  });

  test('need the right to see sources', async () => {
    const organization = await testApp.newOrganization();
    const token = await organization.newToken('viewer', ['costs:read']);
    assert.equal(
      (await organization.send('GET' as 'POST', '/api/v1/sources/kinds', undefined, token)).status,
      403,
    );
    assert.equal(
      (await organization.send('GET' as 'POST', '/api/v1/sources/kinds', undefined, 'x')).status,
      401,
    );
    const stranger = await testApp.newOrganization();
    const query = { org_id: stranger.orgId };
    assert.equal((await organization.get('/api/v1/sources/kinds', query)).status, 403);
  });

  test('of a later version receive nothing here', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    await testApp.app.db.updateTable('sources').set({ kind: 'later' }).where('id', '=', source.id).execute();
    assert.equal((await source.deliver('workflow_run', gitHubRun())).status, 404);
  });
});
