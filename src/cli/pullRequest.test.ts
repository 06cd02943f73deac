import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newFakeApp } from '../../test/harness/gitHubApps.ts';
import { newStorage, ownerOf, serveHere } from '../../test/harness/program.ts';

const gitHub = await startFakeGitHub();
const settings = await newStorage();
const server = await serveHere(settings, { GITHUB_API_URL: gitHub.url });
const { run, json, printed } = commandsOf('pull-request', settings);

test('shows and changes whether the App comments', async () => {
  assert.deepEqual(await printed('settings'), ['Comments on pull requests are off.\n', '']);
  const [fixes, without] = await printed('settings', '--open-fixes');
  assert.equal(fixes, 'Comments on pull requests are off. Admins may open pull requests with fixes.\n');
  assert.match(without, /^No GitHub App is connected yet/m);
  await printed('settings', '--no-open-fixes');
  const [on, missing] = await printed('settings', '--on', '--fail-above', '2.50');
  assert.match(missing, /^No GitHub App is connected yet, so nothing is written: connect one on the page/m);
  assert.equal(on, 'The App comments on pull requests. Its check fails above $2.50.\n');
  assert.deepEqual(await json('pull-request', 'settings'), {
    enabled: true,
    fail_above: 2.5,
    open_fixes: false,
  });
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

test('lists what pull requests cost', async () => {
  const [, none] = await printed('list');
  assert.match(none, /^No jobs of pull requests match from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\.\n$/);
  const start = Date.now() - 1_860_000;
  const [created_at, completed_at] = [new Date(start), new Date(start + 1_800_000)];
  const times = { started_at: created_at, completed_at, conclusion: 'success' };
  const job = { job_id: '1', name: 'build', runner: 'linux_2_core', ...times };
  const named = {
    run_id: '1',
    workflow_name: 'CI',
    repo_name: 'acme/api',
    pull_request: 42,
    actor: 'Copilot',
    created_at,
  };
  const recorded = await fetch(`${server.address}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerOf(server).token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs: [{ ...named, status: 'completed', conclusion: 'success', jobs: [job] }] }),
  });
  assert.equal(recorded.status, 200, await recorded.text());
  // Just after midnight, the run was yesterday.
  const [table, notes] = await printed('list', '--days', '2', '--filter', 'repository=acme/api');
  assert.match(
    table,
    /^PULL REQUEST +AUTHOR +STATE +COST +AGENTS +BOTS +IN TOTAL +PUSHES +RERUNS +TITLE *\nacme\/api#42 +- +unknown +\$/,
  );
  assert.match(table, / 100\.0% +- +\$/);
  assert.match(notes, / \(agents 100\.0%, bots -\); IN TOTAL counts from /);
  assert.match(notes, /\nMerged: 0\. Closed without a merge: 0\.\n$/);
});
