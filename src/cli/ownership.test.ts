import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { run: ownership, json, printed } = commandsOf('ownership', settings);
const { token }: { token: string } = await json('org', 'create', '--name', 'acme');
const gitHub = await startFakeGitHub();
const { address } = await serveHere(settings, { GITHUB_API_URL: gitHub.url });

async function ask(method: string, path: string, body: object): Promise<Json> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

test('rules are added, listed and deleted', async () => {
  const [id] = await printed(
    'add',
    '--team',
    'Platform',
    '--repository',
    'acme/api-*',
    '--from',
    '2026-01-01',
  );
  await json('ownership', 'add', '--cost-center', 'CC-1', '--label', 'gpu', '--position', '1');
  const [table] = await printed('list');
  assert.match(table, /2 +Platform +team +acme\/api-\* +- +- +2026-01-01 +- +manual\n/);
  const listed: Json = await json('ownership', 'list');
  assert.deepEqual(
    listed.map(({ owner, label }: Json) => [owner, label]),
    [
      ['CC-1', 'gpu'],
      ['Platform', null],
    ],
  );
  assert.deepEqual(await printed('delete', id.trim()), ['', 'The ownership rule has been deleted.\n']);
});

test('a fault names the option', async () => {
  for (const [args, message] of [
    [['--repository', 'a'], /--team or --cost-center is required: one of them/],
    [['--team', 'X', '--cost-center', 'Y', '--repository', 'a'], /one of them/],
    [['--team', ' ', '--repository', 'a'], /--team or --cost-center must not be blank/],
    [['--team', 'X'], /--repository is required, unless there is a workflow or a label/],
    [['--team', 'X', '--label', '!a'], /--label must not begin with !/],
    [['--team', 'X', '--label', 'a', '--until', '31.1.2026'], /--until must be a calendar day/],
    [
      ['--team', 'X', '--label', 'a', '--from', '2026-02-01', '--until', '2026-01-01'],
      /--until must not be before/,
    ],
    [['--team', 'X', '--label', 'a', '--position', '9'], /--position must be from 1 to/],
  ] as [string[], RegExp][]) {
    const { code, stderr } = await ownership('add', ...args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

test('a file is exported, tried and imported', async () => {
  const [before] = await printed('export');
  assert.match(before, /^kind,owner,repository,workflow,label,valid_from,valid_until\r\ncost_center,CC-1,/);
  const file = join(settings.DATA_DIR, 'owners.csv');
  await writeFile(file, 'kind,owner,repository\nteam,Web,acme/web\n');
  const [changes, notes] = await printed('import', file, '--dry-run');
  assert.match(changes, /-  CC-1 +cost center +label gpu +all\n\+  Web +team +repository acme\/web +all/);
  assert.match(notes, /Nothing was changed\. It would be: 1 added, 1 removed, 0 unchanged\./);
  assert.deepEqual(await printed('export'), [before, '']);
  const imported: Json = await json('ownership', 'import', file);
  assert.deepEqual([imported.added, imported.removed], [1, 1]);
  await writeFile(file, 'kind,owner,repository\n');
  const emptied = await ownership('import', file);
  assert.match(emptied.stderr, /line 1 is the only line, .* the only rule: confirm it with remove_all/);
  assert.equal((await json('ownership', 'import', file, '--remove-all')).removed, 1);
  await writeFile(file, 'kind,owner,repository\nteam,,acme/web\n');
  const faulty = await ownership('import', file);
  assert.deepEqual([faulty.code, faulty.stdout], [2, '']);
  assert.match(faulty.stderr, /line 2, owner is required/);
  const missing = await ownership('import', join(settings.DATA_DIR, 'none.csv'));
  assert.match(missing.stderr, /none\.csv cannot be read: ENOENT/);
});

test('an import from GitHub needs a source with credentials', async () => {
  const none = await ownership('import', '--from', 'codeowners');
  assert.equal(none.code, 2);
  assert.match(none.stderr, /--source is missing\. Give a source a token or a GitHub App/);
  for (const args of [[], ['owners.csv', '--from', 'codeowners']]) {
    const { code, stderr } = await ownership('import', ...args);
    assert.equal(code, 2);
    assert.match(stderr, /<file> or --from is required: one of them/);
  }
  assert.deepEqual(await printed('imports'), [
    '',
    'No imports yet. Start one with `ownership import --from`.\n',
  ]);
  const cancelled = await ownership('cancel', 'oimp_none');
  assert.deepEqual([cancelled.code, cancelled.stdout], [4, '']);
  assert.match(cancelled.stderr, /no such ownership import/);
});

const { printed: showback } = commandsOf('showback', settings);

test('showback prints a table, CSV or the data of the API, and refuses what is no month', async () => {
  const [table, notes] = await showback();
  assert.match(table, /^TEAM +COST +SHARE +MINUTES +JOBS +BEFORE +CHANGE +%\ntotal +\$0\.00/);
  assert.match(notes, /compared with .*\nNo team has costs in this month\./);
  await printed('add', '--team', 'Web', '--repository', 'acme/web');
  assert.match((await showback())[1], /\nNo team has costs in this month\. /);
  const [csv] = await showback('--by', 'cost_center', '--csv');
  assert.equal(csv, 'month,by,owner,cost_usd,share_percent,minutes,jobs,previous_cost_usd,change_usd\r\n');
  const [net] = await showback('--metric', 'net_cost');
  assert.match(net, /^TEAM +NET COST +SHARE /);
  const data: Json = await json('showback', '--ownership', 'today');
  assert.deepEqual([data.by, data.ownership, data.total.cost], ['team', 'today', 0]);
  const { code, stderr } = await commandsOf('showback', settings).run('--month', 'March');
  assert.equal(code, 2);
  assert.match(stderr, /--month must be a month such as 2026-01/);
});

test('an import from GitHub says what it found, and exits with 1 if it could not read all', async () => {
  const now = new Date(Date.now() - 60_000);
  const jobs = [{ job_id: '1', runner: 'linux_2_core', started_at: now, completed_at: now }];
  const run = { workflow_name: 'CI', status: 'completed', conclusion: 'success', created_at: now, jobs };
  const names = ['acme/api', 'acme/web2'];
  const runs = names.map((repo_name) => ({ ...run, provider: 'github', run_id: repo_name, repo_name }));
  await ask('POST', '/runs', { runs });
  const { data } = await ask('POST', '/sources', { kind: 'github', name: 'GitHub' });
  await ask('PUT', `/sources/${data.id}/credentials`, { kind: 'token', token: gitHub.token });
  gitHub.files.set('acme/api/CODEOWNERS', '* @acme/platform\n');
  const [found] = await printed('import', '--from', 'codeowners');
  assert.equal(found, 'Found 1 owner.\n');
  gitHub.interruptions.push({ status: 403, message: 'Resource not accessible by personal access token' });
  const partly = await ownership('import', '--from', 'codeowners');
  assert.equal(partly.code, 1);
  assert.match(partly.stderr, /acme\/api could not be read/);
  const [latest] = await json('ownership', 'imports');
  assert.deepEqual([latest.status, latest.problems.length], ['done', 1]);
});
