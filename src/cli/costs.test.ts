import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const run = (...args: string[]) => runCommand(args, settings);
const costs = (...args: string[]) => run('costs', ...args);

const created = await run('org', 'create', '--name', 'acme', '--json');
const { token } = JSON.parse(created.stdout) as { token: string };
const server = await serveHere(settings);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

/** Jobs completed today or, for the comparison, 40 days ago. */
function runOf(repo_name: string, branch: string, minutes: number, daysAgo = 0): object {
  const start = Date.now() - daysAgo * 86_400_000 - minutes * 60_000 - 1_000;
  const [created_at, completed_at] = [new Date(start), new Date(start + minutes * 60_000)];
  const job = { job_id: 'job', name: 'build', conclusion: 'success', runner: 'linux_2_core' };
  return {
    run_id: `${repo_name} ${branch} ${daysAgo}`,
    workflow_name: 'CI',
    repo_name,
    branch,
    status: 'completed',
    conclusion: 'success',
    created_at,
    jobs: [{ ...job, started_at: created_at, completed_at }],
  };
}

const runs = [
  runOf('acme/api', 'main', 30),
  runOf('acme/api', 'fix', 20),
  runOf('acme/web', 'main', 10),
  runOf('acme/web', 'main', 40, 40),
];
const answer = await fetch(`${server.address}/api/v1/runs`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ runs }),
});
assert.equal(answer.status, 200, await answer.text());

const cellsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('prints a table with the others and the total', async () => {
  const { code, stdout, stderr } = await costs('--group-by', 'repository,branch', '--limit', '2');
  assert.equal(code, 0, stderr);
  assert.deepEqual(cellsOf(stdout), [
    ['REPOSITORY', 'BRANCH', 'COST', 'SHARE'],
    ['acme/api', 'main', '$0.24', '50.0%'],
    ['acme/api', 'fix', '$0.16', '33.3%'],
    ['1 other', '$0.08', '16.7%'],
    ['total', '$0.48', '100.0%'],
  ]);
  assert.match(stderr, /1 of 3 groups not shown\. To see all: --limit 3/);
});

test('compares with the days before', async () => {
  const { stdout, stderr } = await costs(
    '--compare',
    'previous_period',
    '--sort',
    'change',
    '--metric',
    'minutes',
  );
  assert.deepEqual(cellsOf(stdout), [
    ['REPOSITORY', 'MINUTES', 'SHARE', 'BEFORE', 'CHANGE', '%'],
    ['acme/web', '10', '16.7%', '40', '−30', '−75.0%'],
    ['acme/api', '50', '83.3%', '0', '+50', 'new'],
    ['total', '60', '100.0%', '40', '+20', '+50.0%'],
  ]);
  assert.match(stderr, /compared with \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\./);
});

test('explains what changed, with the sentence on top', async () => {
  const { code, stdout, stderr } = await costs('change', '--group-by', 'repository', '--limit', '1');
  assert.equal(code, 0, stderr);
  const [sentence, empty, ...table] = stdout.trimEnd().split('\n');
  assert.equal(
    sentence,
    'CI cost $0.16 more (+50.0%) than in the 30 days before: the new repository acme/api (+$0.40), partly offset by shorter jobs in acme/web (−$0.24).',
  );
  assert.equal(empty, '');
  assert.deepEqual(cellsOf(table.join('\n')), [
    ['REPOSITORY', 'STATUS', 'COST', 'BEFORE', 'CHANGE', '%', 'VOLUME', 'DURATION', 'PRICE', 'MIX'],
    ['acme/api', 'new', '$0.40', '$0.00', '+$0.40', 'new', '+$0.40', '$0.00', '$0.00', '$0.00'],
    ['1 other', '$0.08', '$0.32', '−$0.24', '−75.0%', '$0.00', '−$0.24', '$0.00', '$0.00'],
    ['total', '$0.48', '$0.32', '+$0.16', '+50.0%', '+$0.40', '−$0.24', '$0.00', '$0.00'],
  ]);
  assert.match(stderr, /compared with .*\n1 of 2 groups not shown\. To see all: --limit 2/);
});

const shown = (text: string, ...columns: string[]) => {
  const [head, ...rows] = cellsOf(text);
  const places = columns.map((column) => head!.indexOf(column));
  return rows.map((row) => places.map((place) => row[place]));
};

test('lists runs and jobs, page by page', async () => {
  const first = await run('run', 'list', '--sort', '-duration', '--limit', '2');
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(shown(first.stdout, 'RUN', 'DURATION', 'COST'), [
    ['run_api_acme/api main 0', '30 min 00 s', '$0.24'],
    ['run_api_acme/api fix 0', '20 min 00 s', '$0.16'],
  ]);
  const [, cursor] = /The next page: --cursor (\S+)/.exec(first.stderr) ?? [];
  const second = await run('run', 'list', '--sort', '-duration', '--limit', '2', '--cursor', cursor!);
  assert.deepEqual(shown(second.stdout, 'REPOSITORY', 'COST'), [['acme/web', '$0.08']]);
  assert.equal(second.stderr, '');
  const jobs = await run('job', 'list', '--sort', 'cost', '--filter', 'branch=main');
  assert.deepEqual(shown(jobs.stdout, 'JOB', 'REPOSITORY', 'RUNNER', 'QUEUED', 'COST'), [
    ['build', 'acme/web', 'linux_2_core', '-', '$0.08'],
    ['build', 'acme/api', 'linux_2_core', '-', '$0.24'],
  ]);
});

test('prints durations by group, and their total', async () => {
  const { code, stdout, stderr } = await run('durations', '--group-by', 'repository', '--sort', '-count');
  assert.equal(code, 0, stderr);
  assert.deepEqual(cellsOf(stdout), [
    ['REPOSITORY', 'JOBS', 'P50', 'P95', 'QUEUE P50', 'QUEUE P95', 'MINUTES'],
    ['acme/api', '2', '20 min 00 s', '30 min 00 s', '-', '-', '50'],
    ['acme/web', '1', '10 min 00 s', '10 min 00 s', '-', '-', '10'],
    ['total', '3', '20 min 00 s', '30 min 00 s', '-', '-', '60'],
  ]);
});

test('prints workflows with their costs, runs and durations, and their total', async () => {
  const { code, stdout, stderr } = await run('workflows', '--waste', '--sort', 'cost', '--limit', '1');
  assert.equal(code, 0, stderr);
  assert.deepEqual(cellsOf(stdout), [
    ['WORKFLOW', 'REPOSITORY', 'COST', 'RUNS', 'SUCCESS', 'P50', 'P95', 'WASTE'],
    ['CI', 'acme/web', '$0.08', '1', '100.0%', '10 min 00 s', '10 min 00 s', '$0.00'],
    ['total', '$0.48', '3', '100.0%', '20 min 00 s', '30 min 00 s', '$0.00'],
  ]);
  assert.match(stderr, /1 of 2 workflows not shown/);
  const compared = await run('workflows', '--compare', 'previous_period', '--sort', '-change');
  assert.deepEqual(cellsOf(compared.stdout).at(0)!.slice(2, 5), ['COST', 'CHANGE', '%']);
  assert.deepEqual(
    cellsOf(compared.stdout)
      .slice(1)
      .map((row) => row.slice(-6, -4)),
    [
      ['+$0.40', 'new'],
      ['−$0.24', '−75.0%'],
      ['+$0.16', '+50.0%'],
    ],
  );
});

test('prints what each team spent, and says how to get owners', async () => {
  const { code, stdout, stderr } = await run('showback');
  assert.equal(code, 0, stderr);
  const rows = cellsOf(stdout);
  assert.deepEqual(rows[0], ['TEAM', 'COST', 'SHARE', 'MINUTES', 'JOBS', 'BEFORE', 'CHANGE', '%']);
  assert.equal(rows.at(-1)![0], 'total');
  assert.match(stderr, /No team has costs in this month\. `ownership add` maps/);
});

test('one option has all filters, and --json and --csv print what the API answers', async () => {
  const filters = ['--filter', 'branch=main', '--filter', 'branch=none', '--filter', 'repository=!acme/web'];
  const json = await costs(...filters, '--json');
  const query = 'group_by=repository&branch=main&branch=none&repository=!acme/web';
  const asked = await fetch(`${server.address}/api/v1/costs?${query}`, { headers });
  assert.deepEqual(JSON.parse(json.stdout), ((await asked.json()) as { data: object }).data);
  const csv = await costs(...filters, '--csv', '--granularity', 'month');
  assert.match(csv.stdout, /^row,start,repository,cost_usd\r\n/);
  assert.match(csv.stdout, /,acme\/api,0\.24\r\n$/);
  const rows = await run('job', 'list', '--limit', '1', '--sort', 'cost', '--csv');
  assert.match(rows.stdout, /^name,repo_name,run_id,.*\r\nbuild,acme\/web,run_.*,600,0\.08\r\n$/);
});

test('names the option that is wrong', async () => {
  const cases: [string, RegExp][] = [
    ['costs --group-by squad', /--group-by must be of repository, .*; "squad" is not one/],
    ['costs --filter main', /--filter must be NAME=VALUE such as branch=main; "main" has no =/],
    ['costs --filter brunch=main', /"brunch" is not one; did you mean branch\?/],
    ['costs --filter conclusion=fine', /--filter conclusion must be of success, failure/],
    ['costs --limit 1001', /--limit must be/],
    ['costs --json --csv', /--csv.*--json/],
    ['costs change --compared-from 2026-01-01', /--compared-to is required with/],
    ['costs change --metric cost', /unknown option '--metric'/],
    ['costs chnage', /too many arguments.*chnage/],
    ['run list --filter job=build', /--filter must name one of repository, .*; "job" is not one/],
    ['run list --cursor x', /--cursor must be/],
    ['workflows --limit 0', /--limit <count>.*must be a whole number from 1 to 1,000/],
  ];
  for (const [words, message] of cases) {
    const { code, stdout, stderr } = await run(...words.split(' '));
    assert.deepEqual([code, stdout], [2, ''], words);
    assert.match(stderr, message);
  }
  assert.match((await costs('change', '--help')).stdout, /Usage: runcost costs change[^]*MIX other runners/);
});

test('says so if nothing matches', async () => {
  for (const words of ['costs', 'costs change', 'run list', 'job list', 'durations', 'workflows']) {
    const { code, stdout, stderr } = await run(...words.split(' '), '--filter', 'branch=nowhere');
    assert.equal(code, 0, stderr);
    assert.match(stdout + stderr, /^No .* (match from .* to .*|completed in either period)\.\n$/, words);
  }
});
