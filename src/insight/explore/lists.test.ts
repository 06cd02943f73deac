import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob } from '../../../test/payloads/gitHub.ts';
import { listRuns } from '../../ledger/costs/listing.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { readList } from './readLists.ts';

const testApp = await sharedTestApp();

async function pageOf(organization: TestOrganization, path: string, query: string) {
  const answer = await organization.get(`${path}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { data: { id: string }[]; pagination: { next_cursor: string | null } };
}

const idOf = ({ id }: { id: string }) => id.replace('run_api_', '');

const lists = ['/api/v1/costs/runs', '/api/v1/costs/jobs', '/api/v1/durations'];
const csvOf = (organization: TestOrganization, url: string) =>
  request(testApp.server, {
    method: 'GET',
    url,
    headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
  });

describe('a row', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({
      run_id: 'a',
      branch: 'main',
      event: 'push',
      actor: 'mona',
      pull_request: 42,
      run_number: 12,
      commit: '8f3b2c1d9e0a',
      provider: 'github',
      jobs: [
        newJob({ job_id: '1', name: 'build', runner_group: 'Default' }),
        newJob({ job_id: '2', conclusion: 'skipped', completed_at: '2026-03-18T10:00:00Z' }),
      ],
    }),
  );
  const { workflow_id } = (await organization.get('/api/v1/runs')).body.data[0];
  const ofRun = {
    repo_name: 'acme/api',
    workflow_id,
    workflow_name: 'Build',
    provider: 'github',
    event: 'push',
    branch: 'main',
    actor: 'mona',
    actor_kind: 'person',
    started_by: 'mona',
    pull_request: 42,
    conclusion: 'success',
    url: 'https://github.com/acme/api/actions/runs/a',
  };

  test('of a run has its times, minutes and cost', async () => {
    const { body } = await organization.get('/api/v1/costs/runs');
    assert.deepEqual(body, {
      data: [
        {
          id: 'run_github_a',
          run_number: 12,
          commit: '8f3b2c1d9e0a',
          ...ofRun,
          status: 'completed',
          attempt: 1,
          job_count: 2,
          created_at: '2026-03-18T10:00:00.000Z',
          started_at: '2026-03-18T10:00:00.000Z',
          completed_at: '2026-03-18T10:05:00.000Z',
          duration_seconds: 300,
          queue_seconds: 0,
          billed_minutes: 5,
          cost: 0.04,
        },
      ],
      pagination: { limit: 50, next_cursor: null },
      period: { start: '2026-02-17', end: '2026-03-18', days: 30 },
    });
  });

  test('of a job has its runner too, and no duration if it was skipped', async () => {
    const { data } = (await organization.get('/api/v1/costs/jobs')).body;
    assert.deepEqual(data[0], {
      run_id: 'run_github_a',
      attempt: 1,
      job_id: '1',
      name: 'build',
      ...ofRun,
      raw_conclusion: 'success',
      labels: ['linux_2_core'],
      runner_name: null,
      runner_group: 'Default',
      runner_kind: 'linux_2_core',
      created_at: null,
      started_at: '2026-03-18T10:00:00.000Z',
      completed_at: '2026-03-18T10:05:00.000Z',
      duration_seconds: 300,
      queue_seconds: null,
      billed_minutes: 5,
      cost: 0.04,
    });
    assert.deepEqual(
      [data.length, data[1].job_id, data[1].duration_seconds, data[1].cost],
      [2, '2', null, 0],
    );
  });
});

test('a page is of one list, one sort and one set of filters', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun(), newRun());
  const next = async (path: string, sort: string): Promise<string> =>
    (await organization.get(path, { sort, limit: 1 })).body.pagination.next_cursor;
  const [runs, jobs] = [await next(lists[0]!, '-cost'), await next(lists[1]!, '-cost')];
  const refusal = async (path: string, cursor: string, sort = '-cost') => {
    const answer = await organization.get(path, { cursor, sort });
    assertProblem(answer, 400, 'invalid_request', ['query.cursor']);
    return answer.body.detail;
  };
  assert.match(await refusal(lists[0]!, runs, 'cost'), /with the same sort/);
  assert.match(await refusal(lists[0]!, jobs), /of a page of runs/);
  assert.match(await refusal(lists[1]!, runs), /of a page of jobs/);
  const filtered = await next(`${lists[0]!}?branch=!main&branch=!dev&repository=acme/api`, '-cost');
  const refusalWith = (query: string) => refusal(`${lists[0]!}?${query}`, filtered);
  for (const query of [
    '',
    'branch=!main&branch=!dev',
    'branch=!main&repository=acme/api',
    'ownership=today',
  ]) {
    assert.match(
      await refusalWith(query),
      /with the same filters and ownership; for other ones, leave it out/,
    );
  }
  const reordered = `repository=acme/api&branch=!dev&branch=!main&sort=-cost&cursor=${filtered}`;
  assert.equal((await pageOf(organization, lists[0]!, reordered)).data.length, 1);
  const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const at = Date.parse('2026-03-18T10:00:00Z');
  const mark = JSON.parse(Buffer.from(jobs, 'base64url').toString())[2] as string;
  for (const cursor of [
    'x',
    '!',
    made(),
    made('jobs', '-cost', mark, '1', at, 'run', 1, 'job'),
    made('jobs', '-cost', mark, 1, 'now', 'run', 1, 'job'),
    made('jobs', '-cost', mark, 1, 9e15, 'run', 1, 'job'),
    made('jobs', '-cost', mark, 1, at, 'run', 2 ** 31, 'job'),
    made('jobs', '-cost', mark, 1, at, 'run', 1, 'a\0'),
    made('jobs', '-cost', mark, 1, at, 'run'),
    made('jobs', '-cost', 1, at, 'run', 1, 'job'),
  ]) {
    await refusal(lists[1]!, cursor);
  }
});

test('an unknown filter is not taken for a name that shares no letters with it', async () => {
  const organization = await testApp.newOrganization();
  const { body } = await organization.get('/api/v1/costs/runs?job=build');
  assert.match(body.detail, /^query\.job is unknown; known fields: /);
});

test('a page goes on where the last one ended, although its last row is gone', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, ...['a', 'b', 'c', 'd'].map((run_id) => newRun({ run_id })));
  for (const [sort, expected] of [
    ['-start', ['d', 'c', 'b', 'a']],
    ['cost', ['a', 'b', 'c', 'd']],
  ] as const) {
    const first = await pageOf(organization, lists[0]!, `sort=${sort}&limit=2`);
    const gone = first.data[1]!;
    await organization.send('DELETE', `/api/v1/runs/${gone.id}`);
    const rest = `sort=${sort}&cursor=${first.pagination.next_cursor}`;
    assert.deepEqual((await pageOf(organization, lists[0]!, rest)).data.map(idOf), expected.slice(2));
    await submit(organization, newRun({ run_id: idOf(gone) }));
  }
});

test('a page is right although runs come while it is read', async () => {
  for (const sort of ['-start', 'start', '-cost', 'cost'] as const) {
    const organization = await testApp.newOrganization();
    // All at the same time, so that each new one shifts the positions of others.
    const ids = ['r5', 'r6', 'r7'];
    await submit(organization, ...ids.map((run_id) => newRun({ run_id })));
    const { db } = testApp.app;
    const changing = new Proxy(db, {
      get: (_, name) => {
        if (name !== 'transaction') return (db[name as keyof typeof db] as () => unknown).bind(db);
        const begun = db.transaction().setIsolationLevel('repeatable read');
        const execute: typeof begun.execute = async (work) => {
          const run_id = `r${7 - ids.length}`;
          ids.unshift(run_id);
          await submit(organization, newRun({ run_id }));
          return begun.execute(work);
        };
        return () => ({ setIsolationLevel: () => ({ execute }) });
      },
    });
    const actor = cliActor(organization.orgId);
    const query = { days: 3, sort, limit: 2 } as const;
    const question = readList('runs', query, { clock: testApp.clock, plan: 'team' });
    const { rows } = await listRuns({ ...testApp.app, db: changing, actor }, question);
    const expected = sort.startsWith('-') ? ids.toReversed() : ids;
    assert.deepEqual(
      rows.map(({ runId }) => runId.replace('run_api_', '')),
      expected.slice(0, 2),
      sort,
    );
  }
});

test('durations come as CSV for those who accept it, and one line without groups', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ branch: '=1+1', jobs: [newJob(), newJob({ completed_at: '2026-03-18T10:01:30Z' })] }),
  );
  const grouped = await csvOf(organization, `${lists[2]!}?days=2&group_by=branch`);
  assert.equal(grouped.headers['content-type'], 'text/csv; charset=utf-8; header=present');
  assert.match(
    String(grouped.headers['content-disposition']),
    /filename="runcost-durations-2026-03-17-to-2026-03-18\.csv"/,
  );
  const columns =
    'count,duration_p50_seconds,duration_p95_seconds,queue_p50_seconds,queue_p95_seconds,total_minutes';
  assert.equal(grouped.text, `branch,${columns}\r\n'=1+1,2,90,300,,,6.5\r\n`);
  const whole = await csvOf(organization, `${lists[2]!}?of=runs`);
  assert.equal(whole.text, `${columns}\r\n1,300,300,0,0,5\r\n`);
  const empty = await csvOf(await testApp.newOrganization(), `${lists[2]!}?group_by=workflow`);
  assert.equal(empty.text, `workflow,workflow_name,${columns}\r\n`);
});

test('groups of durations are sorted as asked, and cut', async () => {
  const organization = await testApp.newOrganization();
  const jobOf = (name: string, seconds: number) =>
    newJob({
      name,
      completed_at: new Date(Date.parse('2026-03-18T10:00:00Z') + seconds * 1_000).toISOString(),
    });
  await submit(
    organization,
    newRun({
      jobs: [
        jobOf('long', 900),
        jobOf('mixed', 10),
        jobOf('mixed', 20),
        jobOf('mixed', 1_000),
        jobOf('short', 5),
      ],
    }),
  );
  const order = async (sort: string) => {
    const { body } = await organization.get(lists[2]!, { group_by: 'job', sort, limit: 2 });
    assert.equal(body.data.group_count, 3);
    return body.data.groups.map(({ by }: { by: { name: string }[] }) => by[0]!.name);
  };
  assert.deepEqual(await order('-total_minutes'), ['mixed', 'long']);
  assert.deepEqual(await order('total_minutes'), ['short', 'long']);
  assert.deepEqual(await order('-duration_p50'), ['long', 'mixed']);
  assert.deepEqual(await order('-duration_p95'), ['mixed', 'long']);
  assert.deepEqual(await order('-count'), ['mixed', 'long']);
  assert.deepEqual(await order('name'), ['long', 'mixed']);
  assert.deepEqual(await order('-name'), ['short', 'mixed']);
  assert.deepEqual(await order('-queue_p95'), ['long', 'mixed']);
});

test('questions that cannot be answered are refused by field', async () => {
  const organization = await testApp.newOrganization();
  const cases: [string, string][] = [
    ['costs/runs?job=build', 'job'],
    ['costs/runs?runner=linux', 'runner'],
    ['costs/runs?sort=name', 'sort'],
    ['costs/jobs?limit=0', 'limit'],
    ['costs/jobs?limit=1001', 'limit'],
    ['costs/jobs?repo=acme/api', 'repo'],
    ['costs/jobs?page=2', 'page'],
    ['costs/jobs?days=7&from=2026-03-01', 'days'],
    ['costs/jobs?conclusion=succes', 'conclusion'],
    ['durations?of=people', 'of'],
    ['durations?of=runs&group_by=job', 'of'],
    ['durations?of=runs&label=x', 'of'],
    ['durations?group_by=squad', 'group_by'],
    ['durations?group_by=branch,actor,event', 'group_by'],
    ['durations?sort=-p95', 'sort'],
    ['durations?limit=1001', 'limit'],
  ];
  for (const [query, field] of cases) {
    assertProblem(await organization.get(`/api/v1/${query}`), 400, 'invalid_request', [`query.${field}`]);
  }
});

test('need the right to read costs, and have nothing of another organization', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun(), newRun());
  const stranger = await testApp.newOrganization();
  for (const path of lists) {
    const answerTo = (token?: string, url = path) =>
      request(testApp.server, {
        method: 'GET',
        url,
        headers: token ? { authorization: `Bearer ${token}` } : {},
      });
    assert.equal((await answerTo()).status, 401);
    assert.equal((await answerTo(await organization.newToken('owner', ['alerts:read']))).status, 403);
    assert.equal((await answerTo(stranger.token, `${path}?org_id=${organization.orgId}`)).status, 403);
    const viewer = await answerTo(await organization.newToken('viewer', ['costs:read']));
    // Equal questions at the same time share an answer only within an organization.
    const [own, theirs] = await Promise.all([answerTo(organization.token), answerTo(stranger.token)]);
    const countOf = ({ body }: typeof own) =>
      Array.isArray(body.data) ? body.data.length : body.data.total.count;
    assert.deepEqual([viewer, own, theirs].map(countOf), [2, 2, 0], path);
  }
  const { next_cursor: cursor } = (await organization.get(lists[1]!, { limit: 1 })).body.pagination;
  assert.deepEqual((await stranger.get(lists[1]!, { cursor })).body.data, []);
});

test('lists go as far back as the plan shows', async () => {
  const organization = await testApp.newOrganization({ plan: 'free' });
  const at = (day: string) => ({ created_at: `${day}T10:00:00Z`, started_at: `${day}T10:00:00Z`, jobs: [] });
  await submit(
    organization,
    newRun({ run_id: 'in', ...at('2026-02-17') }),
    newRun({ run_id: 'out', ...at('2026-02-16') }),
  );
  assert.deepEqual((await pageOf(organization, lists[0]!, 'days=90')).data.map(idOf), ['in']);
});

describe('a job that waited for an approval', () => {
  const times = { created_at: '2026-03-18T01:00:00Z', id: 551, run_id: 9005 };
  const ran = { ...times, started_at: '2026-03-18T09:00:20Z' };
  const events = [
    gitHubJob({ ...times, status: 'waiting' }),
    gitHubJob({ ...times, status: 'queued' }),
    gitHubJob({ ...ran, status: 'in_progress' }),
    gitHubJob({ ...ran, completed_at: '2026-03-18T09:02:25Z' }),
  ];
  const orders = [
    [0, 1, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 2, 3, 0, 3, 0],
    [0, 3],
  ];
  for (const order of orders) {
    test(`has no queue time if its reports arrive as ${order.join()}`, async () => {
      const organization = await testApp.newOrganization();
      const source = await newSource(testApp, organization);
      for (const place of order) await source.deliver('workflow_job', events[place]!);
      const other = { ...times, id: 552, run_id: 9006, name: 'other' };
      const atOnce = { started_at: '2026-03-18T01:00:20Z', completed_at: '2026-03-18T01:02:25Z' };
      await source.deliver('workflow_job', gitHubJob({ ...other, ...atOnce }));
      for (const rowKind of ['jobs', 'runs']) {
        const { total } = (await organization.get('/api/v1/durations', { of: rowKind })).body.data;
        const { count, queue_p50_seconds, queue_p95_seconds } = total;
        assert.deepEqual([count, queue_p50_seconds, queue_p95_seconds], [2, 20, 20], rowKind);
      }
      const run = (await organization.get('/api/v1/runs/run_github_9005')).body.data;
      const [job] = run.jobs;
      assert.deepEqual([run.jobs.length, job.awaited_approval, job.receipt.seconds], [1, true, 125]);
      assert.equal(job.receipt.cost, 0.024);
    });
  }
});
