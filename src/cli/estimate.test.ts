import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme', '--json'], settings);
const { token } = JSON.parse(created.stdout) as { token: string };
const { address } = await serveHere(settings);

const folder = mkdtempSync(join(tmpdir(), 'runcost-estimate-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const workflows = join(folder, '.github/workflows');
mkdirSync(workflows, { recursive: true });

const ci = (runner: string) =>
  `name: CI\non: push\njobs:\n  test: { runs-on: ${runner} }\n  lint: { runs-on: ubuntu-latest }\n`;
const write = (runner: string) => writeFileSync(join(workflows, 'ci.yml'), ci(runner));
const git = (...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=mona', '-c', 'user.email=mona@acme.test', ...args], {
    stdio: 'pipe',
  });

git('init', '--quiet', '--initial-branch=main');
git('remote', 'add', 'origin', 'git@github.com:acme/api.git');
write('ubuntu-latest');
git('add', '.');
git('commit', '--quiet', '--message=First');
git('switch', '--quiet', '--create', 'topic');
write('windows-latest');
git('commit', '--quiet', '--all', '--message=Second');
write('macos-latest');

/** One run per day in the last 28 days. */
const day = 86_400_000;
const midnight = Math.floor(Date.now() / day) * day;
const runs = Array.from({ length: 28 }, (_, index) => {
  const start = midnight - (index + 1) * day + day / 2;
  const job = (name: string, minutes: number) => ({
    job_id: `${index}-${name}`,
    name,
    labels: ['ubuntu-latest'],
    conclusion: 'success',
    started_at: new Date(start),
    completed_at: new Date(start + minutes * 60_000),
  });
  return {
    provider: 'github',
    run_id: `run-${index}`,
    workflow_name: 'CI',
    repo_name: 'acme/api',
    event: 'push',
    branch: 'main',
    commit: `c${index}`,
    status: 'completed',
    conclusion: 'success',
    created_at: new Date(start),
    jobs: [job('test', 4), job('lint', 1)],
  };
});
const recorded = await fetch(`${address}/api/v1/runs`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ runs }),
});
assert.equal(recorded.status, 200, await recorded.text());

/** Runs in process, so the folder is the process's own. */
async function run(args: string[], environment: Record<string, string> = {}) {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await runCommand(['estimate', ...args], environment);
  } finally {
    process.chdir(before);
  }
}

test('compares the working tree with where the branch began, on the local database', async () => {
  const { code, stdout, stderr } = await run([], settings);
  assert.deepEqual([code, stderr], [0, '']);
  // 4 minutes a day at $0.08 instead of $0.008.
  assert.match(stdout, /^CI \/ test +changed +ubuntu-latest → macos-latest +\$0\.96 +\$9\.60 +\+\$8\.64 /m);
  assert.match(
    stdout,
    /^\+\$8\.64 in 30 days \(likely \+\$8\.64 to \+\$8\.64\): \$9\.84 instead of \$1\.20\.$/m,
  );
  assert.match(stdout, /^Assumptions:\n {2}Coming days are like those/m);
});

test('asks a server with a token, as JSON and as a comment', async () => {
  const remote = { RUNCOST_URL: address, RUNCOST_TOKEN: token, DATA_DIR: '/nowhere' };
  const json = await run(['--head', 'topic', '--json'], remote);
  assert.equal(json.code, 0, json.stderr);
  const answer = JSON.parse(json.stdout);
  assert.deepEqual(answer.change, { monthly_cost: 0.96, low: 0.96, high: 0.96 });
  assert.deepEqual([answer.repository, answer.currency, answer.jobs.length], ['acme/api', 'USD', 2]);
  const args = ['--url', address, '--token', token, '--markdown'];
  const markdown = await run([...args, '--base', folder, '--head', folder], { DATA_DIR: '/nowhere' });
  assert.deepEqual([markdown.code, markdown.stdout], [0, 'No workflow changes.\n']);
});

test('an unknown repository fails if it was named or judged', async () => {
  const mistyped = ['--repository', 'acme/apo'];
  const named = await run(mistyped, settings);
  assert.equal(named.code, 7);
  assert.equal(named.stderr, 'error: Nothing of acme/apo is recorded yet. Did you mean acme/api?\n');
  assert.match(named.stdout, /^What CI costs is not known: no job of the repository is recorded from/m);
  assert.doesNotMatch(named.stdout, /\$0\.00/);
  assert.equal((await run([...mistyped, '--allow-unknown', '--fail-above', '1'], settings)).code, 0);
  const remote = { RUNCOST_URL: address, RUNCOST_TOKEN: token, DATA_DIR: '/nowhere' };
  const { code, stderr, stdout } = await run([...mistyped, '--markdown'], remote);
  assert.deepEqual([code, stderr], [7, 'error: Nothing of acme/apo is recorded yet.\n']);
  assert.match(stdout, /^Nothing of acme\/apo is recorded yet\.\n/);
});

test('fails above an amount, with one line', async () => {
  const above = await run(['--fail-above', '8.5', '--json'], settings);
  assert.equal(above.code, 6);
  assert.match(above.stderr, /^error: The change costs \$8\.64, which is above \$8\.50\.\n$/);
  assert.equal((await run(['--fail-above', '9'], settings)).code, 0);
});

test('an unknown cost fails, and names cannot give commands to the log of a CI system', async () => {
  const strange = join(workflows, 'strange.yml');
  const unread = join(workflows, 'unread.yml');
  const links = ['folder.yml', 'file.yml'].map((file) => join(workflows, file));
  const outside = join(mkdtempSync(join(tmpdir(), 'runcost-outside-')), 'outside.yml');
  after(() => [strange, unread, ...links, outside].forEach((path) => rmSync(path, { force: true })));
  const name = '::error::you ##[error]were ##vso[task.x]y';
  writeFileSync(strange, `name: "${name}"\non: push\njobs:\n  a: { runs-on: "\${{ inputs.runner }}" }\n`);
  writeFileSync(outside, 'on: push\njobs: { outside: { runs-on: "${{ inputs.runner }}" } }\n');
  symlinkSync(folder, links[0]!);
  symlinkSync(outside, links[1]!);
  const unknown = await run(['--fail-above', '9'], settings);
  assert.equal(unknown.code, 7, unknown.stderr);
  assert.match(unknown.stderr, /^error: What .* \/ a will cost is unknown\. With --allow-unknown/);
  const { stdout: comment } = await run(['--markdown'], settings);
  assert.match(comment, /## vso/);
  assert.doesNotMatch(unknown.stdout + unknown.stderr + comment, /^\s*::|##\w*\[/m);
  assert.doesNotMatch(unknown.stdout, /outside/);
  assert.equal((await run(['--fail-above', '9', '--allow-unknown'], settings)).code, 0);
  assert.equal((await run(['--fail-above', '8', '--allow-unknown'], settings)).code, 6);
  rmSync(strange);
  writeFileSync(unread, 'jobs: [');
  const file = await run(['--fail-above', '9'], settings);
  assert.equal(file.code, 7, file.stderr);
  assert.match(file.stderr, /What \.github\/workflows\/unread\.yml will cost/);
  writeFileSync(unread, 'on: push # \0');
  assert.match((await run([], settings)).stderr, /\.github\/workflows\/unread\.yml has a null character/);
});

test('says what is wrong', async () => {
  const cases: [string[], Record<string, string>, RegExp, number][] = [
    [['--base', 'nosuch'], settings, /--base is not a folder or a commit: nosuch/, 2],
    [['--head', '--upload-pack=x'], settings, /--head is not a folder or a commit/, 2],
    [['--url', 'ftp://x'], settings, /--url must be an http/, 2],
    [['--url', 'https://ada:hidden@x'], settings, /--url must be an http.* without user, password/, 2],
    [['--url', address, '--token', 'a\nhidden'], {}, /--token must be one word/, 2],
    [['--url', address], {}, /RUNCOST_TOKEN is required for/, 3],
    [['--url', address, '--token', 'runcost_wrong'], {}, /token/, 3],
    [['--url', 'http://127.0.0.1:9', '--token', 'x'], {}, /cannot be reached/, 5],
    [['--repository', 'api'], settings, /must be owner\/name/, 2],
    [['--fail-above', 'x'], settings, /--fail-above must be an amount/, 2],
    [[], { ...settings, PATH: '/nowhere' }, /git is not installed/, 2],
  ];
  for (const [args, environment, message, expected] of cases) {
    const { code, stderr } = await run(args, environment);
    assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /hidden/);
  }
});
