import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { startGitHub } from '../../../test/harness/gitHubOAuth.ts';
import { browsersOf, sessionPath } from '../../../test/harness/sessions.ts';
import { cookieNamed } from '../../../test/harness/signIns.ts';
import { commandLine, commandPrefix } from '../../platform/lib/commandLine.ts';

const gitHub = await startGitHub();
const secret = (gitHub.client as { client_secret: string }).client_secret;
const testApp = await startTestApp({
  GITHUB_OAUTH_URL: gitHub.address,
  GITHUB_OAUTH_CLIENT_ID: 'github-client',
  GITHUB_OAUTH_CLIENT_SECRET: secret,
  SIGN_IN_ORGANIZATION: 'acme',
  SIGN_IN_DOMAINS: 'acme.test',
  SIGN_IN_ROLE: 'none',
  SIGN_IN_GROUP_ROLES: 'acme/platform=admin,acme/ci=viewer',
  SIGN_IN_CHECK_MINUTES: '5',
});
const organization = await testApp.newOrganization();
const { browse, assertEnded } = browsersOf(testApp);

async function enter() {
  const get = (url: string, cookie?: string) =>
    request(testApp.server, { method: 'GET', url, ...(cookie && { headers: { cookie } }) });
  const { body } = await get('/api/v1/sign-in-options');
  assert.deepEqual(
    body.data.providers.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
    [['GitHub', 'github']],
  );
  const started = await get(body.data.providers[0].address);
  const authorize = await fetch(String(started.headers.location), { redirect: 'manual' });
  const callback = new URL(authorize.headers.get('location')!);
  return get(callback.pathname + callback.search, String(started.headers['set-cookie']).split(';')[0]);
}

test('GitHub of the environment signs in by primary verified email, with the roles of teams', async () => {
  Object.assign(gitHub.user, { email: 'ada@acme.test', isVerified: false, teams: ['acme/ci'] });
  assert.match((await enter()).text, /has not verified/);
  Object.assign(gitHub.user, { isVerified: true, teams: ['other/platform'] });
  assert.match((await enter()).text, /None of your groups/);
  const many = Array.from({ length: 150 }, (_, index) => `acme/team-${index}`);
  gitHub.user.teams = [...many, 'acme/platform'];
  const answer = await enter();
  assert.equal(answer.status, 302, answer.text);
  const cookie = cookieNamed(answer, 'runcost_session');
  const session = async () => (await browse(cookie, 'GET', sessionPath)).body.data;
  assert.deepEqual((await session()).member, { email: 'ada@acme.test', name: 'ada' });
  assert.equal((await session()).role, 'admin');
  gitHub.user.teams = ['acme/ci'];
  testApp.clock.forward(5 * 60 + 1);
  assert.equal((await session()).role, 'viewer');
  assert.equal((await browse(cookie, 'DELETE', sessionPath)).body.data.provider_address, null);
  const next = cookieNamed(await enter(), 'runcost_session');
  gitHub.user.isRevoked = true;
  testApp.clock.forward(5 * 60 + 1);
  await assertEnded(next);
});

test('a suspended account loses its session, and nothing else that GitHub refuses takes one', async () => {
  Object.assign(gitHub.user, { email: 'ada@acme.test', isRevoked: false, teams: ['acme/ci'] });
  const cookie = cookieNamed(await enter(), 'runcost_session');
  const ipAllowList = 'The `acme` organization has an IP allow list enabled, and your IP is not permitted.';
  for (const answer of [
    { status: 503, message: 'Unicorn!' },
    { status: 403, message: 'You have exceeded a secondary rate limit.' },
    { status: 403, message: 'Forbidden', headers: { 'x-ratelimit-remaining': '0' } },
    { status: 403, message: 'Forbidden', headers: { 'retry-after': '60' } },
    { status: 403, message: ipAllowList, path: '/api/v3/user/emails' },
    { status: 403, message: ipAllowList, path: '/api/v3/user/teams' },
  ]) {
    gitHub.user.answer = answer;
    testApp.clock.forward(5 * 60 + 1);
    assert.equal((await browse(cookie, 'GET', sessionPath)).status, 200, answer.message);
  }
  assert.equal((await enter()).status, 503);
  assert.match(testApp.logged(), /user\/teams\S* answered 403: .*has an IP allow list/);
  gitHub.user.answer = { status: 403, message: 'Sorry. Your account was suspended.' };
  testApp.clock.forward(5 * 60 + 1);
  await assertEnded(cookie);
  gitHub.user.answer = null;
});

test('a provider of the environment is listed, and changed there only', async () => {
  const path = '/api/v1/identity-providers';
  const { data } = (await organization.get(path)).body;
  assert.deepEqual([data[0].id, data[0].is_fixed, data[0].issuer], ['github', true, gitHub.address]);
  for (const method of ['PUT', 'DELETE'] as const) {
    const answer = await organization.send(
      method,
      `${path}/github`,
      method === 'PUT' ? { name: 'X' } : undefined,
    );
    assert.deepEqual([answer.status, answer.body.code], [409, 'provider_is_fixed']);
  }
  const { text } = await organization.get(path);
  assert.ok(!text.includes(secret) && !testApp.logged().includes(secret));
});

// Last, because a request through a proxy ends the trial on one machine, in which the provider may use http.
test("the ways to sign in and a bad token's answer name the server's own folder on its machine only", async () => {
  const commandFor = async (more: { remoteAddress?: string; headers?: Record<string, string> }) => {
    const asked = { method: 'GET', url: '/api/v1/sign-in-options', ...more } as const;
    const headers = { ...more.headers, authorization: 'Bearer nonsense' };
    const refused = await request(testApp.server, { ...asked, ...more, url: '/api/v1/members', headers });
    const { command_line } = (await request(testApp.server, asked)).body.data;
    assert.ok(refused.body.detail.endsWith(`"${command_line} token create".`), refused.body.detail);
    return command_line;
  };
  const own = commandLine(testApp.app.config);
  assert.match(own, /^DATA_DIR=/);
  assert.equal(await commandFor({}), own);
  for (const more of [
    { remoteAddress: '10.1.1.1' },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { host: 'runcost.acme.test' } },
  ])
    assert.equal(await commandFor(more), commandPrefix, JSON.stringify(more));
});
