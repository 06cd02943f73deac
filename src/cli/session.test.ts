import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, ownerOf, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const server = await serveHere(settings);
const { token } = ownerOf(server);

async function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await runCommand(args, settings);
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

/** Returns the cookie. */
async function signIn(body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${server.address}/api/v1/session`, sent);
  assert.equal(answer.status, 201, await answer.clone().text());
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

async function asOwner(path: string, body: object): Promise<{ id: string; token: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${server.address}/api/v1/${path}`, sent);
  return ((await answer.json()) as { data: { id: string; token: string } }).data;
}

const statusOf = async (cookie: string) =>
  (await fetch(`${server.address}/api/v1/session`, { headers: { cookie } })).status;

async function signInByLink(): Promise<string> {
  const { stdout } = await run('sign-in');
  return signIn({ code: stdout.trim().split('#code=')[1] });
}

test('lists sessions, and ends them one by one, by member, and all at once', async () => {
  const ada = await asOwner('members', { email: 'Ada@acme.test', role: 'admin' });
  const adas = await asOwner('tokens', { name: 'laptop', role: 'admin', member_id: ada.id });
  const cookies = [
    await signIn({ token }),
    await signIn({ token: adas.token }),
    await signInByLink(),
  ] as const;
  const listed = JSON.parse((await run('sessions', 'list', '--json')).stdout) as {
    id: string;
    member: { email: string } | null;
    token: { name: string } | null;
    address: string;
  }[];
  const holders = listed.map(({ member, token: of }) => member?.email ?? of?.name ?? 'link');
  assert.deepEqual(
    holders.toSorted((a, b) => a.localeCompare(b)),
    ['Ada@acme.test', 'first start', 'link'],
  );
  assert.ok(listed.every(({ address }) => address === '127.0.0.1'));
  const { stdout: table } = await run('sessions', 'list');
  for (const holder of ['Ada@acme.test', 'first start']) assert.ok(table.includes(holder), table);
  const { stdout: ofAda } = await run('sessions', 'list', '--member', ada.id);
  assert.ok(ofAda.includes('Ada@acme.test') && !ofAda.includes('first start'), ofAda);

  const { stderr: one } = await run('sessions', 'revoke', listed.find(({ token: of }) => of === null)!.id);
  assert.match(one, /^Ended ses_\w+\.$/m);
  assert.deepEqual(await Promise.all(cookies.map(statusOf)), [200, 200, 401]);
  const { stderr: member } = await run('sessions', 'revoke', '--member', 'ada@ACME.test');
  assert.match(member, /^Ended 1 session\./m);
  assert.deepEqual(await Promise.all(cookies.map(statusOf)), [200, 401, 401]);
  const again = [await signIn({ token: adas.token }), await signInByLink()];
  assert.match((await run('sessions', 'revoke', '--all')).stderr, /^Ended 3 sessions\./m);
  assert.deepEqual(await Promise.all([cookies[0], ...again].map(statusOf)), [401, 401, 401]);
});

test('needs exactly one existing choice', async () => {
  for (const [args, exit, message] of [
    [[], 2, /Give exactly one of <id>, --member, --all\./],
    [['ses_x', '--all'], 2, /Give exactly one of <id>, --member, --all\./],
    [['ses_x'], 4, /session/],
    [['--member', 'zoe@acme.test'], 4, /--member: there is no member zoe@acme\.test/],
  ] as const) {
    const { code, stderr } = await runCommand(['sessions', 'revoke', ...args], settings);
    assert.equal(code, exit);
    assert.match(stderr, message);
  }
  for (const args of [[], ['tok_x', '--all']]) {
    const { code, stderr } = await runCommand(['token', 'revoke', ...args], settings);
    assert.equal(code, 2);
    assert.match(stderr, /Give exactly one of <id>, --all\./);
  }
});

test('revoking all tokens ends every session, also those of links', async () => {
  const cookies = [await signIn({ token }), await signInByLink()];
  assert.match((await run('token', 'revoke', '--all')).stderr, /^Revoked tokens: 2\.$/m);
  assert.deepEqual(await Promise.all(cookies.map(statusOf)), [401, 401]);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${server.address}/api/v1/session`, { headers })).status, 401);
  assert.equal(await statusOf(await signInByLink()), 200);
});
