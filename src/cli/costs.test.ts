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

test("filters, and prints the API's JSON and CSV", async () => {
  const filters = ['--filter', 'branch=main', '--filter', 'branch=none', '--filter', 'repository=!acme/web'];
  const json = await costs(...filters, '--json');
  const query = 'group_by=repository&branch=main&branch=none&repository=!acme/web';
  const asked = await fetch(`${server.address}/api/v1/costs?${query}`, { headers });
  assert.deepEqual(JSON.parse(json.stdout), ((await asked.json()) as { data: object }).data);
  assert.equal(JSON.parse(json.stdout).total.value, 0.24);
  const weeks = await costs('--granularity', 'week', '--week-start', 'sunday', '--json');
  const [, second] = (JSON.parse(weeks.stdout) as { total: { series: { start: string }[] } }).total.series;
  assert.equal(new Date(second!.start).getUTCDay(), 0);
  const csv = await costs(...filters, '--csv', '--granularity', 'month');
  assert.match(csv.stdout, /^row,start,repository,cost_usd\r\n/);
  assert.match(csv.stdout, /,acme\/api,0\.24\r\n$/);
});

test('says which option is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['--group-by', 'squad'], /--group-by must be of repository, .*; "squad" is not one/],
    [['--filter', 'main'], /--filter must be NAME=VALUE such as branch=main; "main" has no =/],
    [['--filter', 'brunch=main'], /"brunch" is not one; did you mean branch\?/],
    [['--from', '2026-02-30'], /--from must be a day such as 2026-01-31/],
    [['--days', '7', '--from', '2026-01-01'], /--days cannot be combined with --from or --to/],
    [['--metric', 'runs', '--group-by', 'runner'], /--metric must not be runs with runner/],
    [['--json', '--csv'], /--csv cannot be used with option '--json'|--json.*--csv|--csv.*--json/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await costs(...options);
    assert.deepEqual([code, stdout], [1, ''], options.join(' '));
    assert.match(stderr, message);
  }
  assert.match((await costs('--help')).stdout, /Examples:\n {2}runcost costs --group-by/);
});

test('says so without jobs', async () => {
  const { code, stdout, stderr } = await costs('--filter', 'branch=nowhere');
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /No completed jobs match from .* to .*\./);
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

test("prints the API's JSON and CSV of a change", async () => {
  const json = await costs('change', '--group-by', 'branch', '--filter', 'repository=acme/api', '--json');
  const query = 'group_by=branch&repository=acme/api';
  const asked = await fetch(`${server.address}/api/v1/costs/change?${query}`, { headers });
  assert.deepEqual(JSON.parse(json.stdout), ((await asked.json()) as { data: object }).data);
  const csv = await costs('change', '--compare', 'previous_year', '--csv');
  assert.match(csv.stdout, /^row,workflow,workflow_name,status,cost_usd,/);
  const none = await costs('change', '--filter', 'branch=nowhere');
  assert.deepEqual([none.code, none.stdout], [0, 'No jobs completed in either period.\n']);
});

test('says which option of a change is wrong, and shows help', async () => {
  const cases: [string[], RegExp][] = [
    [['--group-by', 'day'], /--group-by must not be day in a comparison/],
    [['--compared-from', '2026-01-01'], /--compared-to is required with --compared-from/],
    [['--compared-from', '2026-02-30', '--compared-to', '2026-03-01'], /--compared-from must be a day/],
    [['--compare', 'none'], /--compare/],
    [['--metric', 'cost'], /unknown option '--metric'/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await costs('change', ...options);
    assert.deepEqual([code, stdout], [1, ''], options.join(' '));
    assert.match(stderr, message);
  }
  for (const words of [
    ['change', '--help'],
    ['change', 'help'],
  ])
    assert.match((await costs(...words)).stdout, /Usage: runcost costs change/);
  assert.match((await costs('help')).stdout, /Usage: runcost costs /);
  assert.match((await costs('chnage')).stderr, /chnage|too many arguments/);
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
});

test('a team can be asked for by the rules of today', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const added = await run('ownership', 'add', '--team', 'Api', '--repository', 'acme/web', '--from', today);
  assert.equal(added.code, 0, added.stderr);
  const question = ['--filter', 'team=Api', '--days', '60', '--ownership', 'today', '--json'];
  const ask = async (...words: string[]) => JSON.parse((await run(...words, ...question)).stdout);
  assert.equal((await ask('job', 'list')).data.length, 2);
  assert.equal((await ask('run', 'list')).data.length, 2);
  assert.equal((await ask('durations')).total.count, 2);
  assert.equal((await ask('costs', 'change')).total.jobs, 2);
});

test('lists and durations are those of the API as JSON and CSV', async () => {
  const asked = async (path: string) => (await fetch(`${server.address}/api/v1/${path}`, { headers })).json();
  for (const [words, path] of [
    ['run list --limit 1', 'costs/runs?limit=1'],
    ['job list --filter repository=ACME/api', 'costs/jobs?repository=ACME/api'],
    [
      'workflows --limit 1 --waste --compare previous_period --sort -change',
      'costs/workflows?per_page=1&waste=true&compare=previous_period&sort=-change',
    ],
  ] as const) {
    assert.deepEqual(JSON.parse((await run(...words.split(' '), '--json')).stdout), await asked(path));
  }
  const durations = await run('durations', '--of', 'runs', '--json');
  const { data } = (await asked('durations?of=runs&group_by=workflow')) as { data: object };
  assert.deepEqual(JSON.parse(durations.stdout), data);
  const csv = await run('durations', '--group-by', 'branch', '--csv');
  assert.match(csv.stdout, /^branch,count,duration_p50_seconds,.*\r\nmain,2,600,1800,,,40\r\n/);
});

test('says what is wrong with a list, and when it is empty', async () => {
  const cases: [string, RegExp][] = [
    ['run list --filter job=build', /--job is of jobs, and a run has several; list the jobs/],
    ['run list --cursor x', /--cursor must be the text that the page before names/],
    ['job list --sort name', /Allowed choices are -start, start/],
    ['durations --of runs --group-by job', /--of must not be runs with job/],
    ['workflows --sort waste', /--sort must not be waste without --waste/],
    ['durations --json --csv', /cannot be used with option/],
  ];
  for (const [words, message] of cases) {
    const { code, stdout, stderr } = await run(...words.split(' '));
    assert.deepEqual([code, stdout], [1, ''], words);
    assert.match(stderr, message);
  }
  for (const words of ['run list', 'job list', 'durations']) {
    const { code, stdout, stderr } = await run(...words.split(' '), '--filter', 'branch=nowhere');
    assert.deepEqual([code, stdout], [0, ''], stderr);
    assert.match(stderr, /No .* match from .* to .*\./);
  }
});
