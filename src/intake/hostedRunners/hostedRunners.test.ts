import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { deleteEarlierSources, newReadingSource } from '../../../test/harness/backfills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const [list, read] = ['/api/v1/hosted-runners', '/api/v1/hosted-runners/read'];
const provider = 'github';

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  testApp.clock.set('2026-03-18T12:00:00Z');
  fake.hostedRunners.clear();
  fake.requests.length = 0;
});

const runnerAtGitHub = (name: string, platform = 'linux-x64', cores = 16, display_name = 'Ubuntu 24.04') => ({
  name,
  platform,
  machine_size_details: { id: `${cores}-core`, cpu_cores: cores, memory_gb: cores * 4, storage_gb: 150 },
  image_details: { id: '2306', size_gb: 86, display_name, source: 'github' },
});

async function organizationWith(...repositories: string[]): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  await submit(organization, ...repositories.map((repo_name) => newRun({ provider, repo_name })));
  return organization;
}

const onBig = (minute: number) =>
  newRun({
    provider,
    repo_name: 'Acme/api',
    jobs: [newJob({ labels: ['Acme-Big'], completed_at: `2026-03-18T10:0${minute}:00Z` })],
  });

async function jobOf(organization: TestOrganization) {
  const [run] = (await organization.get('/api/v1/runs', { per_page: 1 })).body.data;
  const detail = (await organization.get(`/api/v1/runs/${run.id}`)).body.data;
  return detail.jobs[0];
}

test('reads all pages, prices new jobs, and leaves recorded jobs alone', async () => {
  const organization = await organizationWith('Acme/api');
  await submit(organization, onBig(5));
  const others = Array.from({ length: 100 }, (_, index) => runnerAtGitHub(`r${index}`, 'win-x64', 8));
  fake.hostedRunners.set('acme', [...others, runnerAtGitHub('Acme-Big')]);
  const { status, body } = await organization.send('POST', read);
  assert.equal(status, 200);
  const { runners, problems, tried_at } = body.data;
  assert.deepEqual([runners.length, problems, tried_at], [101, [], '2026-03-18T12:00:00.000Z']);
  assert.deepEqual(
    runners.find(({ name }: { name: string }) => name === 'acme-big'),
    {
      name: 'acme-big',
      owner: 'acme',
      platform: 'linux-x64',
      size: '16-core',
      cores: 16,
      image: 'Ubuntu 24.04',
      runner_kind: 'linux_16_core',
      usd_per_minute: 0.064,
      first_day: '2026-03-18',
      read_at: '2026-03-18T12:00:00.000Z',
    },
  );
  assert.deepEqual(
    fake.requests.map(({ path }) => path).slice(1),
    [1, 2].map((page) => `/orgs/acme/actions/hosted-runners?per_page=100&page=${page}`),
  );
  const recorded = await jobOf(organization);
  assert.deepEqual([recorded.receipt.is_unpriced, recorded.receipt.cost], [true, 0]);
  testApp.clock.forward(1);
  await submit(organization, { ...onBig(9), created_at: '2026-03-18T10:30:00Z' });
  const job = await jobOf(organization);
  assert.deepEqual([job.receipt.runner_kind, job.receipt.cost], ['linux_16_core', 0.576]);
  assert.equal(
    job.receipt.runner_rule_text,
    'Runner acme-big is a 16-core Linux x64 larger runner, as GitHub listed it on 2026-03-18.',
  );
});

test('a size that changes is another fact from that day, and a runner that is gone stays known', async () => {
  const organization = await organizationWith('acme/api');
  fake.hostedRunners.set('acme', [runnerAtGitHub('big'), runnerAtGitHub('gone')]);
  await organization.send('POST', read);
  testApp.clock.set('2026-03-20T12:00:00Z');
  fake.hostedRunners.set('acme', [runnerAtGitHub('big', 'linux-x64', 32)]);
  await organization.send('POST', read);
  const { runners } = (await organization.get(list)).body.data;
  assert.deepEqual(
    runners.map((each: Record<string, string>) => [
      each['name'],
      each['size'],
      each['first_day'],
      each['read_at'],
    ]),
    [
      ['big', '32-core', '2026-03-20', '2026-03-20T12:00:00.000Z'],
      ['gone', '16-core', '2026-03-18', '2026-03-18T12:00:00.000Z'],
    ],
  );
});

test('says which permission is missing, keeps what is known, and reads the others', async () => {
  const organization = await organizationWith('acme/api', 'mona/dotfiles', 'umbrella/web');
  fake.hostedRunners.set('umbrella', [runnerAtGitHub('wide')]);
  fake.interruptions.push({ status: 403, message: 'Resource not accessible by integration' });
  const { runners, problems } = (await organization.send('POST', read)).body.data;
  assert.equal(runners.length, 1);
  assert.deepEqual(
    problems.map(({ owner }: { owner: string }) => owner),
    ['acme', 'mona'],
  );
  assert.match(problems[0].message, /\(403\).* organization permission "Administration: read"/);
  assert.match(problems[1].message, /\(404\).*there is no such organization/);
  assert.ok(!JSON.stringify(problems).includes(fake.token));
  fake.interruptions.push(null, null, { status: 401 });
  const after = (await organization.send('POST', read)).body.data;
  assert.equal(after.runners.length, 1);
  assert.match(after.problems[2].message, /rejects the credentials/);
});

test('waits and outages are problems in words too', async () => {
  const organization = await organizationWith('acme/api');
  const problemAfter = async (interruption: (typeof fake.interruptions)[number]) => {
    fake.interruptions.push(interruption);
    return (await organization.send('POST', read)).body.data.problems[0].message;
  };
  assert.match(
    await problemAfter({ status: 429, headers: { 'retry-after': '60' } }),
    /wait until 2026-03-18T12:01/,
  );
  assert.match(await problemAfter({ status: 502 }), /cannot be reached: GitHub answered 502/);
  assert.match(await problemAfter({ cut: true }), /cannot be reached/);
  fake.mayDeviate = true;
  assert.match(await problemAfter({ status: 200 }), /something other than a list/);
  fake.mayDeviate = false;
});

test('an enterprise is read too, now and at night, until it is forgotten', async () => {
  const organization = await organizationWith('acme/api');
  fake.hostedRunners.set('acme', []);
  fake.mayDeviate = true;
  fake.hostedRunners.set('enterprises/acme-inc', [runnerAtGitHub('shared', 'win-arm64', 4)]);
  const first = (await organization.send('POST', read, { enterprise: 'acme-inc' })).body.data;
  assert.deepEqual(
    [first.enterprise, first.runners[0].owner, first.runners[0].runner_kind],
    ['acme-inc', 'enterprises/acme-inc', 'windows_4_core_arm'],
  );
  testApp.clock.set('2026-03-19T07:00:00Z');
  await testApp.worker.processAll();
  const night = (await organization.get(list)).body.data;
  assert.deepEqual([night.tried_at, night.enterprise], ['2026-03-19T07:00:00.000Z', 'acme-inc']);
  const asked = fake.requests.length;
  await testApp.worker.processAll();
  assert.equal(fake.requests.filter(({ path }) => path.includes('hosted')).length, 4);
  assert.ok(fake.requests.length >= asked);
  const last = (await organization.send('POST', read, { enterprise: null })).body.data;
  assert.equal(last.enterprise, null);
  fake.mayDeviate = false;
});

test('needs an admin and credentials, refuses a wrong name, and another organization gets nothing', async () => {
  const organization = await organizationWith('acme/api');
  fake.hostedRunners.set('acme', [runnerAtGitHub('big')]);
  await organization.send('POST', read);
  const stranger = await testApp.newOrganization();
  assert.deepEqual((await stranger.get(list)).body.data, {
    runners: [],
    enterprise: null,
    tried_at: null,
    problems: [],
  });
  assertProblem(await stranger.send('POST', read), 409, 'no_credentials');
  assertProblem(await organization.send('POST', read, { enterprise: '../x' }), 400, 'invalid_request', [
    'body.enterprise',
  ]);
  const viewer = await organization.newToken('viewer');
  assertProblem(await organization.send('POST', read, {}, viewer), 403, 'role_too_low');
});

test('unpriced minutes that the list explains are priced by one reprice, which leaves other jobs alone', async () => {
  const organization = await organizationWith('acme/api');
  const unknown = newJob({ labels: ['mystery'] });
  const wide = newJob({ labels: ['wide'] });
  await submit(organization, onBig(5), onBig(7), newRun({ provider, jobs: [unknown, wide] }));
  const unpriced = async () => (await organization.get('/api/v1/pricing/unpriced')).body;
  assert.equal((await unpriced()).priceable, null);
  fake.hostedRunners.set('acme', [runnerAtGitHub('acme-big'), runnerAtGitHub('wide', 'linux-x64', 128)]);
  await organization.send('POST', read);
  const { data, priceable } = await unpriced();
  assert.deepEqual(
    data.map((each: Record<string, unknown>) => [
      each['labels'],
      each['runner_kind'],
      each['estimated_cost'],
    ]),
    [
      [['acme-big'], 'linux_16_core', 0.768],
      [['mystery'], null, null],
      [['wide'], null, null],
    ],
  );
  assert.match(data[2].explanation, /128-core .* No price list has this size/);
  const [day] = ['2026-03-18'];
  assert.deepEqual(priceable, {
    runners: 1,
    jobs: 2,
    minutes: 12,
    estimated_cost: 0.768,
    from: day,
    to: day,
  });
  // A rule that came later would change other jobs, too.
  const rule = { match: 'label', pattern: 'linux_2_core', runner_kind: 'linux_slim' };
  await organization.send('POST', '/api/v1/pricing/rules', rule);
  const started = await organization.send('POST', '/api/v1/reprices', {
    from: day,
    to: day,
    unpriced_only: true,
  });
  assert.equal(started.status, 202, started.text);
  await testApp.worker.processAll();
  const reprice = (await organization.get(`/api/v1/reprices/${started.body.data.id}`)).body.data;
  assert.deepEqual(
    [reprice.status, reprice.unpriced_only, reprice.changed_jobs, reprice.difference],
    ['done', true, 3, 0.768],
  );
  assert.equal((await unpriced()).priceable, null);
  const undone = await organization.send('POST', `/api/v1/reprices/${reprice.id}/revert`);
  assert.equal(undone.status, 202);
  await testApp.worker.processAll();
  assert.equal((await unpriced()).priceable.minutes, 12);
});

test('the audit log names what a read found', async () => {
  const organization = await organizationWith('acme/api');
  fake.hostedRunners.set('acme', [runnerAtGitHub('big')]);
  await organization.send('POST', read);
  const [entry] = (await organization.get('/api/v1/audit-log', { per_page: 1 })).body.data;
  assert.equal(entry.action, 'hosted_runners.read');
});

test('a fetched bill names its organization before any run is recorded', async () => {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  fake.hostedRunners.set('acme', [runnerAtGitHub('big')]);
  assert.deepEqual((await organization.send('POST', read)).body.data.runners, []);
  const connected = await organization.send('POST', '/api/v1/bills/accounts', { login: 'Acme' });
  assert.equal(connected.status, 201, connected.text);
  const { runners, problems } = (await organization.send('POST', read)).body.data;
  assert.deepEqual([runners.map(({ owner }: { owner: string }) => owner), problems], [['acme'], []]);
});
