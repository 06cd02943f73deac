import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newFakeApp } from '../../test/harness/gitHubApps.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const gitHub = await startFakeGitHub();
const settings = await newStorage();
await serveHere(settings, { GITHUB_API_URL: gitHub.url, ALLOW_PRIVATE_ADDRESSES: 'true' });
const { run, json, printed } = commandsOf('pull-request', settings);

test('shows and changes whether the App comments', async () => {
  assert.deepEqual(await printed('settings'), ['Comments on pull requests are off.\n', '']);
  const [on, missing] = await printed('settings', '--on', '--fail-above', '2.50');
  assert.match(missing, /^No GitHub App is connected yet, so nothing is written: connect one on the page/m);
  assert.equal(on, 'The App comments on pull requests. Its check fails above $2.50.\n');
  assert.deepEqual(await json('pull-request', 'settings'), { enabled: true, fail_above: 2.5 });
  const { id } = await json('source', 'create', '--kind', 'github');
  const key = ['--kind', 'app', '--app-id', '1234', '--installation-id', '5678'];
  await json('source', 'credentials', 'set', id, ...key, '--private-key', newFakeApp().pem);
  const unlimited = 'The App comments on pull requests. Its check never fails.\n';
  assert.deepEqual(await printed('settings', '--no-limit'), [unlimited, '']);
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
    assert.deepEqual([code, /--(off|fail-above|no-limit)/.test(stderr)], [2, true], stderr);
  }
});
