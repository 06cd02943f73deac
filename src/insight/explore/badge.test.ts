import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { spend } from '../../../test/harness/alerts.ts';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { badgeSvg, shortDollars } from './badgeSvg.ts';

const testApp = await startTestApp();
const { server, clock } = testApp;
const path = '/api/v1/share-links';

async function create(organization: TestOrganization, body: object): Promise<Answer['body']> {
  const answer = await organization.send('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

function open(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return request(server, { method: 'GET', url: new URL(url).pathname, headers });
}

const textOf = (answer: Answer) => /<title>(.*)<\/title>/.exec(answer.text)?.[1];

describe('a badge', () => {
  test('shows what CI cost, to anyone, until it is revoked', async () => {
    const organization = await testApp.newOrganization();
    await spend(organization, 4, '2026-02-27');
    await spend(organization, 12, '2026-03-17', 'Build');
    await spend(organization, 1, '2026-03-17', 'Docs', '02:00:00', { repo_name: 'acme/docs' });
    const badge = await create(organization, { kind: 'badge', valid_days: null });
    assert.deepEqual([badge.kind, badge.expires_at], ['badge', null]);
    assert.match(badge.url, /\/badge\/runcost_share_[\w-]+\.svg$/);
    const answer = await open(badge.url);
    assert.deepEqual([answer.status, textOf(answer)], [200, 'CI this month: $13']);
    assert.equal(answer.headers['content-type'], 'image/svg+xml; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'public, max-age=300');
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin');
    const again = await open(badge.url, { 'if-none-match': String(answer.headers.etag) });
    assert.equal(again.status, 304);
    const shown = async (fields: object) =>
      textOf(await open((await create(organization, { kind: 'badge', badge: fields })).url));
    assert.equal(await shown({ repository: 'acme/docs' }), 'CI this month: $1.00');
    assert.equal(await shown({ period: 'last_month' }), 'CI last month: $4.00');
    assert.equal(
      await shown({ period: '30_days', label: '<CI> & "co"' }),
      '&lt;CI&gt; &amp; &quot;co&quot;: $17',
    );
    await organization.send('POST', '/api/v1/ownership/rules', {
      kind: 'team',
      owner: 'Web',
      workflow: 'Docs',
    });
    assert.equal(await shown({ period: '7_days', team: 'Web' }), 'CI last 7 days: $1.00');
    await organization.send('DELETE', `${path}/${badge.id}`);
    const ended = await open(badge.url);
    assert.deepEqual([ended.status, textOf(ended)], [404, 'CI cost: not available']);
    assert.equal(ended.headers['cache-control'], 'no-store');
  });

  test('opens nothing but itself, and other links are no badges', async () => {
    const organization = await testApp.newOrganization();
    const badge = await create(organization, { kind: 'badge' });
    const secret = /runcost_share_[\w-]+/.exec(badge.url)![0];
    const headers = { authorization: `Bearer ${secret}` };
    assertProblem(
      await request(server, { method: 'GET', url: '/api/v1/shared', headers }),
      401,
      'link_ended',
    );
    assertProblem(await request(server, { method: 'GET', url: path, headers }), 401, 'invalid_token');
    const link = await create(organization, { query: 'days=7' });
    const other = /runcost_share_[\w-]+/.exec(link.url)![0];
    for (const wrong of [other, 'x', secret.slice(0, -1), organization.token])
      assert.equal((await open(`http://x/badge/${wrong}.svg`)).status, 404);
    assert.ok(!testApp.logged().includes(secret.slice(-43)));
    clock.forward(8 * 86_400);
    assert.equal((await open(badge.url)).status, 404, 'it expires by default');
    clock.forward(-8 * 86_400);
  });

  test('fits its texts, whatever they are', () => {
    const [short, long] = [badgeSvg('CI', '$1'), badgeSvg('x'.repeat(60), '$999.9K')];
    const widthOf = (svg: string) => Number(/ width="(\d+)"/.exec(svg)![1]);
    assert.ok(widthOf(short) < 60 && widthOf(long) > 400);
    for (const label of ['<script>', '費用', '🚀', '\u202E', '', 'a\nb', 'a\uFFFF']) {
      const svg = badgeSvg(label, '$1');
      assert.doesNotMatch(svg, /<script|[\n\uFFFE\uFFFF]/);
      assert.ok(widthOf(svg) >= 40, label);
    }
  });

  test('rounds to few digits', () => {
    const texts = ['0', '0.42', '9.99', '37.5', '999.4', '999.6', '4600.97', '999960', '1250000'].map(
      (amount) => shortDollars(BigInt(Math.round(Number(amount) * 1e9))),
    );
    assert.deepEqual(texts, ['$0.00', '$0.42', '$9.99', '$38', '$999', '$1.0K', '$4.6K', '$1.0M', '$1.3M']);
  });
});

describe('an embed', () => {
  test('may be shown by its sites, and nothing else by anybody', async () => {
    const organization = await testApp.newOrganization();
    const sites = ['https://wiki.acme.example/', 'http://127.0.0.1:9000'];
    const embed = await create(organization, { kind: 'embed', query: 'days=7', sites });
    assert.deepEqual(embed.sites, ['https://wiki.acme.example', 'http://127.0.0.1:9000']);
    const html = { accept: 'text/html' };
    const policyOf = ({ headers }: Answer) => [
      /frame-ancestors ([^;]+)/.exec(String(headers['content-security-policy']))?.[1],
      headers['x-frame-options'],
    ];
    const allowed = ['https://wiki.acme.example http://127.0.0.1:9000', undefined];
    assert.deepEqual(policyOf(await open(embed.url, html)), allowed);
    const refused = ["'none'", 'DENY'];
    const link = await create(organization, { query: 'days=7' });
    const secret = /runcost_share_[\w-]+/.exec(link.url)![0];
    for (const url of [
      '/',
      '/shared',
      '/embed/x',
      `/embed/${secret}`,
      '/explore',
      '/docs',
      '/api/v1/shared',
      '/healthz',
    ])
      assert.deepEqual(policyOf(await open(`http://x${url}`, html)), refused, url);
    const shared = await request(server, {
      method: 'GET',
      url: '/api/v1/shared',
      headers: { authorization: `Bearer ${embed.url.split('/embed/')[1]}` },
    });
    assert.equal(shared.status, 200, shared.text);
    const stranger = await testApp.newOrganization();
    assert.deepEqual((await stranger.get(path)).body.data, []);
    assertProblem(await stranger.send('DELETE', `${path}/${embed.id}`), 404, 'share_link_not_found');
    clock.forward(8 * 86_400);
    assert.deepEqual(policyOf(await open(embed.url, html)), refused, 'it expires');
    clock.forward(-8 * 86_400);
    assert.deepEqual(policyOf(await open(embed.url, html)), allowed);
    await organization.send('DELETE', `${path}/${embed.id}`);
    assert.deepEqual(policyOf(await open(embed.url, html)), refused);
  });

  test('names its sites, and only a badge has no end', async () => {
    const organization = await testApp.newOrganization();
    const embed = { kind: 'embed', query: 'days=7', sites: ['https://wiki.acme.example'] };
    for (const [body, field] of [
      [{ ...embed, sites: [] }, 'body.sites'],
      [{ ...embed, sites: ['https://*.acme.example'] }, 'body.sites[0]'],
      [{ ...embed, sites: ['https://wiki.acme.example/page'] }, 'body.sites[0]'],
      [{ ...embed, sites: ["'self'"] }, 'body.sites[0]'],
      // These would add to the policy of the page.
      [{ ...embed, sites: ['https://x;script-src-elem', 'https://evil.example'] }, 'body.sites[0]'],
      [{ ...embed, sites: ['https://x,y'] }, 'body.sites[0]'],
      [{ ...embed, valid_days: null }, 'body.valid_days'],
      [{ ...embed, badge: {} }, 'body.badge'],
      [{ ...embed, kind: 'link' }, 'body.sites'],
      [{ kind: 'badge', query: 'days=7' }, 'body.query'],
      [{ kind: 'badge', badge: { repository: 'a/b', team: 'x' } }, 'body.badge.team'],
      [{ kind: 'badge', badge: { period: 'year' } }, 'body.badge.period'],
    ] as const)
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', [field]);
  });
});
