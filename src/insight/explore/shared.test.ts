import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newToken, newTokenHolder } from '../../../test/harness/sessions.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const { clock, server } = testApp;
const { newAddress } = browsersOf(testApp);
const path = '/api/v1/share-links';
const view = { query: 'days=7&group_by=repository&granularity=day&compare=previous_period' };

async function create(organization: TestOrganization, body: object = view, token?: string) {
  const answer = await organization.send('POST', path, body, token);
  assert.equal(answer.status, 201, answer.text);
  const { url, ...share } = answer.body.data as {
    id: string;
    url: string;
    query: string;
    expires_at: string;
  };
  return { ...share, url, secret: new URLSearchParams(new URL(url).hash.slice(1)).get('link')! };
}

function open(secret: string | null, { query = '', from = newAddress() } = {}): Promise<Answer> {
  return request(server, {
    method: 'GET',
    url: `/api/v1/shared${query}`,
    headers: secret === null ? {} : { authorization: `Bearer ${secret}` },
    remoteAddress: from,
  });
}

async function spendOn(organization: TestOrganization, repository: string): Promise<void> {
  const at = clock.now();
  const jobs = [newJob({ labels: ['ubuntu-latest'], started_at: at, completed_at: at })];
  await submit(organization, newRun({ repo_name: repository, created_at: at, completed_at: at, jobs }));
}

async function newOrganization(): Promise<TestOrganization> {
  clock.set('2026-03-18T12:00:00Z');
  const organization = await testApp.newOrganization();
  await spendOn(organization, 'acme/api');
  await spendOn(organization, 'acme/web');
  return organization;
}

describe('a share link', () => {
  for (const page of ['overview', 'explore'])
    test(`of ${page} without groups has the cost of each day`, async () => {
      const organization = await newOrganization();
      const { secret } = await create(organization, { query: 'days=7', page });
      const { ranked, listed } = (await open(secret)).body.data;
      assert.deepEqual([ranked.granularity, ranked.total.series.length], ['day', 7]);
      assert.deepEqual([listed.granularity, listed.groups], ['total', []]);
    });

  test('without an interval draws each day of its groups, and of many days each week', async () => {
    const organization = await newOrganization();
    const drawnOf = async (query: string) => {
      const { ranked, listed } = (await open((await create(organization, { query })).secret)).body.data;
      assert.equal(listed.granularity, 'total');
      return [ranked.granularity, ranked.groups.length, ranked.groups[0]?.series.length];
    };
    assert.deepEqual(await drawnOf('days=7&group_by=repository'), ['day', 2, 7]);
    assert.deepEqual(await drawnOf('days=365&group_by=repository'), ['week', 2, 53]);
    assert.deepEqual(await drawnOf('days=7&group_by=day'), ['total', 1, 0]);
    const weeks = 'days=365&group_by=repository&week_start=sunday';
    const { query, ranked } = (await open((await create(organization, { query: weeks })).secret)).body.data;
    assert.match(query, /week_start=sunday/);
    assert.equal(ranked.total.series.at(-1).start, '2026-03-15');
  });

  test('answers its question to whoever has it, and says whose it is', async () => {
    const organization = await newOrganization();
    const mona = await newTokenHolder(organization, 'Mona');
    const asked = 'repository=acme/api&group_by=repository&from=2026-03-12&to=2026-03-18&sort=name';
    const { secret, url, id } = await create(organization, { query: asked, valid_days: 30 }, mona.token);
    assert.match(url, /\/shared#link=runcost_share_[0-9a-f]{32}_[0-9a-f]{20}_[\w-]{43}$/);
    const answer = await open(secret);
    assert.equal(answer.status, 200, answer.text);
    const { ranked, listed, query, ...rest } = answer.body.data;
    assert.deepEqual(rest, {
      organization_name: 'Acme',
      shared_by: 'Mona',
      expires_at: '2026-04-17T12:00:00.000Z',
      page: 'explore',
      chart: 'bars',
      detail: null,
      change: null,
      workflow_names: [],
      time_zone: 'UTC',
    });
    const direct = await organization.get(`/api/v1/costs?${asked}`);
    assert.deepEqual(listed, direct.body.data);
    assert.deepEqual(
      ranked.groups.map(({ by }: { by: { value: string }[] }) => by[0]!.value),
      ['acme/api'],
    );
    assert.equal(new URLSearchParams(query).get('metric'), 'cost', 'names what was left out');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    assert.doesNotMatch(testApp.logged(), new RegExp(secret.slice(-43)));
    const stored = await sql<{ row: string }>`
      select share_links::text as row from share_links where id = ${id}`.execute(testApp.app.db);
    assert.ok(!stored.rows[0]!.row.includes(secret.slice(-43)), 'only the hash is stored');
  });

  test('names the runner kinds that it filters by', async () => {
    const { secret } = await create(await newOrganization(), { query: 'days=7&runner=linux_2_core&runner=' });
    const { workflow_names: names } = (await open(secret)).body.data;
    assert.deepEqual(names, [{ id: 'linux_2_core', name: 'Linux 2-core' }]);
  });

  test('answers no other question, and opens nothing else', async () => {
    const organization = await newOrganization();
    const { secret } = await create(organization, { query: 'repository=acme/api&group_by=repository' });
    for (const query of ['?repository=acme/web', '?days=90', '?group_by=workflow', '?query=days%3D90'])
      assertProblem(await open(secret, { query }), 400, 'invalid_request');
    const own = await open(secret, { query: `?org_id=${organization.orgId}` });
    assert.equal(own.status, 200);
    const other = await open(secret, { query: `?org_id=${crypto.randomUUID()}` });
    assertProblem(other, 403, 'wrong_organization');
    for (const url of ['/api/v1/costs', '/api/v1/session', '/api/v1/share-links', '/api/v1/organization']) {
      const headers = { authorization: `Bearer ${secret}` };
      assertProblem(await request(server, { method: 'GET', url, headers }), 401, 'invalid_token');
    }
    const asSession = {
      headers: { cookie: `runcost_session=${secret}` },
      method: 'GET',
      url: '/api/v1/costs',
    };
    assertProblem(await request(server, asSession as never), 401, 'session_ended');
    assertProblem(
      await request(server, { method: 'POST', url: '/api/v1/session', payload: { token: secret } }),
      401,
      'invalid_token',
    );
  });

  test('also draws areas, and why the cost changed', async () => {
    const organization = await newOrganization();
    const byTree = await create(organization, { ...view, chart: 'treemap' });
    const tree = (await open(byTree.secret)).body.data;
    assert.deepEqual(tree.detail.group_by, ['repository', 'workflow']);
    assert.equal(tree.detail.total.value, tree.listed.total.value);
    const ofHeatMap = await create(organization, view);
    const { db } = testApp.app;
    await sql`update share_links set chart = 'heatmap' where id = ${ofHeatMap.id}`.execute(db);
    const { chart, detail } = (await open(ofHeatMap.secret)).body.data;
    assert.deepEqual([chart, detail], ['bars', null]);
    const overview = await create(organization, { ...view, page: 'overview' });
    const { change, listed } = (await open(overview.secret)).body.data;
    assert.equal(change.total.value, listed.total.value);
    assert.match(change.sentence, /^CI cost /);
  });

  test('ends when it expires, is revoked, or its maker may no longer share', async () => {
    const organization = await newOrganization();
    const [mona, ada] = [
      await newTokenHolder(organization, 'Mona'),
      await newTokenHolder(organization, 'Ada'),
    ];
    const service = await newToken(organization, { role: 'member' });
    const links = {
      expiring: await create(organization, { ...view, valid_days: 1 }),
      revoked: await create(organization, view, mona.token),
      ofRemoved: await create(organization, view, mona.token),
      ofDemoted: await create(organization, view, ada.token),
      ofService: await create(organization, view, service.token),
    };
    const ended = async ({ secret }: { secret: string }) =>
      assertProblem(await open(secret), 401, 'link_ended');
    const revoked = await organization.send('DELETE', `${path}/${links.revoked.id}`, undefined, mona.token);
    assert.deepEqual(revoked.body.data, { id: links.revoked.id, deleted: true });
    await ended(links.revoked);
    await organization.send('DELETE', `/api/v1/members/${mona.id}`);
    await ended(links.ofRemoved);
    await organization.send('PUT', `/api/v1/members/${ada.id}`, { role: 'viewer' });
    await ended(links.ofDemoted);
    await organization.send('DELETE', `/api/v1/tokens/${service.id}`);
    await ended(links.ofService);
    const { data } = (await organization.get(path)).body;
    const listed = data.map(({ id }: { id: string }) => id);
    assert.ok(listed.includes(links.expiring.id));
    assert.ok(listed.includes(links.ofDemoted.id), 'a link that could work again can be revoked');
    assert.ok(!listed.includes(links.revoked.id));
    assert.equal((await organization.send('DELETE', `${path}/${links.ofDemoted.id}`)).status, 200);
    await organization.send('PUT', `/api/v1/members/${ada.id}`, { role: 'member' });
    await ended(links.ofDemoted);
    assert.equal((await open(links.expiring.secret)).status, 200);
    clock.set('2026-03-19T12:00:00Z');
    await ended(links.expiring);
  });

  test('ends with the organization', async () => {
    const organization = await newOrganization();
    const { secret } = await create(organization);
    await organization.send('DELETE', '/api/v1/organization?confirm=Acme');
    assertProblem(await open(secret), 401, 'link_ended');
  });

  test('opens with its own secret only, and few can be tried', async () => {
    const organization = await newOrganization();
    const other = await create(await newOrganization());
    const { secret } = await create(organization);
    const mixed = other.secret.slice(0, -43) + secret.slice(-43);
    for (const wrong of [null, 'wrong', organization.token, mixed, secret.slice(0, -1)])
      assertProblem(await open(wrong), 401, 'link_ended');
    const from = newAddress();
    for (let tried = 0; tried < 20; tried++) assert.equal((await open('wrong', { from })).status, 401);
    const refused = await open('wrong', { from });
    assertProblem(refused, 429, 'rate_limited');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await open(secret, { from })).status, 200, 'a valid link opens');
  });

  test('is listed with its last use, and leaves entries in the audit log', async () => {
    const organization = await newOrganization();
    const { id, secret, query, expires_at } = await create(organization);
    const listed = async () => (await organization.get(path)).body.data[0];
    assert.equal((await listed()).last_used_at, null);
    await open(secret);
    assert.equal((await listed()).last_used_at, '2026-03-18T12:00:00.000Z');
    clock.forward(60);
    await open(secret);
    assert.equal((await listed()).last_used_at, '2026-03-18T12:00:00.000Z', 'accurate to five minutes');
    assert.deepEqual(
      Object.keys(await listed()).filter((name) => /url|secret|hash/.test(name)),
      [],
    );
    await organization.send('DELETE', `${path}/${id}`);
    assertProblem(await organization.send('DELETE', `${path}/${id}`), 404, 'share_link_not_found');
    const { data } = (await organization.get('/api/v1/audit-log')).body;
    const details = { page: 'explore', chart: 'bars', query, expires_at };
    assert.deepEqual(
      data
        .filter(({ target }: { target: string }) => target === id)
        .map(({ action, details: found }: Record<string, unknown>) => [action, found]),
      [
        ['share.revoke', details],
        ['share.create', details],
      ],
    );
  });
});

describe('share links', () => {
  test('are made by members, seen by viewers, and revoked by their makers and admins', async () => {
    const organization = await newOrganization();
    const [mona, ada] = [
      await newTokenHolder(organization, 'Mona'),
      await newTokenHolder(organization, 'Ada'),
    ];
    const viewer = await newTokenHolder(organization, 'Vera', 'viewer');
    assertProblem(await organization.send('POST', path, view, viewer.token), 403, 'role_too_low');
    const limited = await organization.newToken('owner', ['costs:read']);
    assertProblem(await organization.send('POST', path, view, limited), 403, 'scope_missing');
    const blind = await organization.newToken('owner', ['shares:write']);
    assertProblem(await organization.send('POST', path, view, blind), 403, 'scope_missing');
    const { id } = await create(organization, view, mona.token);
    const listedBy = async (token: string) =>
      (await request(server, { method: 'GET', url: path, headers: { authorization: `Bearer ${token}` } }))
        .body.data;
    assert.deepEqual(
      [await listedBy(viewer.token), await listedBy(mona.token)].map(([each]) => [
        each.author,
        each.can_revoke,
      ]),
      [
        ['Mona', false],
        ['Mona', true],
      ],
    );
    assertProblem(
      await organization.send('DELETE', `${path}/${id}`, undefined, ada.token),
      403,
      'not_your_share_link',
    );
    const stranger = await testApp.newOrganization();
    assert.deepEqual(await listedBy(stranger.token), []);
    assertProblem(await stranger.send('DELETE', `${path}/${id}`), 404, 'share_link_not_found');
    assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 200);
  });

  test('have a question that can be asked, and expire', async () => {
    const organization = await newOrganization();
    for (const [body, ...fields] of [
      [{}, 'body.query'],
      [{ query: 'x'.repeat(4_001) }, 'body.query'],
      [{ query: 'metric=dollars' }, 'body.query.metric'],
      [{ query: 'colour=red' }, 'body.query.colour'],
      [{ query: 'from=2026-03-18&to=2026-03-12' }, 'body.query.from'],
      [{ query: 'group_by=planet' }, 'body.query.group_by'],
      [{ ...view, valid_days: 0 }, 'body.valid_days'],
      [{ ...view, valid_days: 91 }, 'body.valid_days'],
      [{ ...view, page: 'settings' }, 'body.page'],
      [{ ...view, chart: 'pie' }, 'body.chart'],
      [{ ...view, colour: 'x' }, 'body.colour'],
      [{ ...view, name: 'x'.repeat(256) }, 'body.name'],
    ] as const)
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', [...fields]);
  });

  test('are at most 200', async () => {
    const organization = await newOrganization();
    for (let made = 0; made < 200; made++) await create(organization);
    assertProblem(await organization.send('POST', path, view), 409, 'too_many_share_links');
    clock.set('2026-03-25T12:00:00Z');
    await create(organization);
  });
});
