import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newFakeApp } from '../../test/harness/gitHubApps.ts';
import { newStorage, ownerOf, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme'], settings);
assert.equal(created.code, 0, created.stderr);
const { run, json, printed } = commandsOf('pull-request', settings);

test('shows and changes whether the App comments', async () => {
  assert.deepEqual(await printed('settings'), ['Comments on pull requests are off.\n', '']);
  const [on, missing] = await printed('settings', '--on', '--fail-above', '2.50');
  assert.match(
    missing,
    /^No GitHub App is connected yet, so nothing is written: connect one on the page Sources\.$/m,
  );
  assert.equal(on, 'The App comments on pull requests. Its check fails above $2.50.\n');
  assert.deepEqual(await json('pull-request', 'settings'), { enabled: true, fail_above: 2.5 });
  const [unlimited] = await printed('settings', '--no-limit');
  assert.equal(unlimited, 'The App comments on pull requests. Its check never fails.\n');
  assert.deepEqual(await printed('settings', '--off'), ['Comments on pull requests are off.\n', '']);
  const note = 'No comments yet. `pull-request settings --on` turns them on.\n';
  assert.deepEqual(await printed('comments'), ['', note]);
  assert.deepEqual(await json('pull-request', 'comments'), []);
  for (const options of [
    ['--on', '--off'],
    ['--fail-above', '$5'],
    ['--fail-above', '1', '--no-limit'],
  ]) {
    const { code, stderr } = await run('settings', ...options);
    assert.deepEqual([code, /--(off|fail-above|no-limit)/.test(stderr)], [1, true], stderr);
  }
});

test('an App whose key a person set may comment', async () => {
  const gitHub = await startFakeGitHub();
  const served = await newStorage();
  const server = await serveHere(served, { GITHUB_API_URL: gitHub.url, ALLOW_PRIVATE_ADDRESSES: 'true' });
  const headers = {
    authorization: `Bearer ${ownerOf(server).token}`,
    'content-type': 'application/json',
  };
  const send = async (method: string, path: string, body: object) => {
    const url = `${server.address}/api/v1/sources${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return (JSON.parse(text) as { data: { id: string } }).data;
  };
  const { id } = await send('POST', '', { kind: 'github' });
  const key = { kind: 'app', app_id: '1234', installation_id: '5678', private_key: newFakeApp().pem };
  await send('PUT', `/${id}/credentials`, key);
  const { code, stderr } = await runCommand(['pull-request', 'settings', '--on'], served);
  assert.deepEqual([code, stderr], [0, '']);
});
