/** The GitHub Action of `action.yml`, with stand-ins for GitHub and a real server. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import { startTestApp } from './harness/app.ts';
import { startFakeGitHub } from './harness/gitHubApi.ts';
import { newFakePulls } from './harness/gitHubPulls.ts';
import { runFile } from './harness/program.ts';
import { newJob, newRun, submit } from './harness/submission.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'runcost-action-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fake = await startFakeGitHub();
const testApp = await startTestApp();
const url = await testApp.listen();
const organization = await testApp.newOrganization();
const token = await organization.newToken('viewer', ['costs:read']);
const of42 = { provider: 'github', pull_request: 42 };
await submit(organization, newRun({ ...of42, run_id: '77', jobs: [newJob({ name: 'test' })] }));

beforeEach(() => {
  fake.pulls = newFakePulls();
  fake.remaining = 5_000;
});

const headSha = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

function pullRequestFrom(fork: string | null, number = 42, baseSha = 'f'.repeat(40)): object {
  const base = { sha: baseSha, repo: { full_name: 'acme/api' } };
  return { pull_request: { number, head: { sha: headSha, repo: { full_name: fork ?? 'acme/api' } }, base } };
}

const program = join(root, 'action/main.ts');

/** As GitHub's runner does. */
function startAction(env: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Inputs by their names in `action.yml`; the others have their defaults. */
async function runAction(
  inputs: Record<string, string> = {},
  { event = pullRequestFrom(null), env = {} }: { event?: object; env?: Record<string, string> } = {},
  run = (environment: Record<string, string>) => runFile(program, environment),
) {
  const files = { event: join(folder, 'event.json'), summary: join(folder, 'summary.md') };
  writeFileSync(files.event, JSON.stringify(event));
  writeFileSync(files.summary, '');
  const given = {
    url: `${url}/`,
    token,
    'github-token': fake.token,
    report: 'pull-request',
    comment: 'true',
  };
  const asVariables = Object.entries({ ...given, 'fail-above': '', ...inputs });
  const environment = {
    PATH: process.env['PATH']!,
    GITHUB_REPOSITORY: 'acme/api',
    GITHUB_RUN_ID: '77',
    GITHUB_ACTOR: 'ada',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_API_URL: fake.url,
    GITHUB_GRAPHQL_URL: `${fake.url}/graphql`,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_EVENT_PATH: files.event,
    GITHUB_STEP_SUMMARY: files.summary,
    ...Object.fromEntries(asVariables.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...env,
  };
  const { code, stdout, stderr } = await run(environment);
  return { code, output: stdout + stderr, summary: readFileSync(files.summary, 'utf8') };
}

/** A proxy that shows a sign-in page. */
const signIn = createServer((_asked, answer) => {
  answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Sign in</html>');
});
await once(signIn.listen(0, '127.0.0.1'), 'listening');
after(() => signIn.close());
const signInUrl = `http://127.0.0.1:${(signIn.address() as AddressInfo).port}`;

/** Servers that are not Runcost's or break, selected by the first part of the path. */
const brokenAsked: string[] = [];
const broken = createServer(({ url: path = '' }, answer) => {
  brokenAsked.push(path);
  const json = { 'content-type': 'application/json' };
  switch (path.split('/')[1]) {
    case 'empty':
      return answer.writeHead(200, json).end();
    case 'other':
      return answer.writeHead(200, json).end('{"data":{"markdown":1}}');
    case 'gzip':
      return answer.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('no gzip');
    case 'cut':
      answer.writeHead(200, { ...json, 'content-length': 100 }).write('{');
      return setImmediate(() => answer.destroy());
    case 'large':
      answer.writeHead(200, json);
      return Readable.from(endless())
        .on('error', () => {})
        .pipe(answer);
    case 'moved':
      return answer.writeHead(307, { location: `${signInUrl}/away` }).end();
    default:
      return answer.writeHead(500, json).end('{"detail":"It broke"}');
  }
});
await once(broken.listen(0, '127.0.0.1'), 'listening');
after(() => {
  broken.close();
  broken.closeAllConnections();
});
const brokenUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;

function* endless(): Generator<Buffer> {
  const part = Buffer.alloc(1024 * 1024, ' ');
  for (;;) yield part;
}

const commentsOf = (number: number) => fake.pulls.comments.get(`acme/api#${number}`) ?? [];

test('keeps one comment up to date, with a check and a job summary', async () => {
  // A comment of a person that starts with the same mark, and more comments than fit on a page.
  const ada = { id: 1, login: 'ada', type: 'User' } as const;
  const others = Array.from({ length: 101 }, (_, id) => ({ id, body: '<!-- runcost --> mine', user: ada }));
  fake.pulls.comments.set('acme/api#42', others);
  const first = await runAction({ 'fail-above': '0.05' }, {}, startAction);
  assert.equal(first.code, 0, first.output);
  const comment = commentsOf(42).at(-1)!;
  assert.match(comment.body, /^<!-- runcost -->\n\n### CI cost of this pull request so far: \$0\.04\n/);
  assert.equal(first.summary.trim(), comment.body.trim());
  assert.equal((await runAction()).code, 0);
  assert.deepEqual(fake.pulls.writes, ['add'], 'the same text is not written again');

  await submit(organization, newRun(of42));
  const second = await runAction({ 'fail-above': '0.05' });
  assert.equal(second.code, 0, 'the check fails, not the step');
  assert.deepEqual([fake.pulls.writes, commentsOf(42).length], [['add', 'edit'], 102]);
  assert.match(comment.body, /so far: \$0\.08\n/);
  assert.deepEqual(
    fake.pulls.checks.map(({ name, head_sha, conclusion, output }) => [
      name,
      head_sha,
      conclusion,
      (output as { title: string }).title,
    ]),
    [
      ['Runcost', headSha, 'success', '$0.04 so far, limit $0.05'],
      ['Runcost', headSha, 'neutral', '$0.04 so far'],
      ['Runcost', headSha, 'failure', '$0.08 so far, above the limit of $0.05'],
    ],
  );
});

test('keeps the comment of whose token it is, of a person or a bot', async () => {
  const marked = '<!-- runcost -->\n\ntheirs';
  const [ada, app] = [
    { id: 1, login: 'ada', type: 'User' } as const,
    { id: 2, login: 'runcost-acme[bot]', type: 'Bot' } as const,
  ];
  const theirs = [ada, app].map((user, id) => ({ id, body: marked, user }));
  fake.pulls.comments.set('acme/api#42', theirs);
  for (const writer of [{ ...fake.pulls.writer }, { id: 3, login: 'bea', type: 'User' } as const]) {
    fake.pulls.writer = writer;
    assert.equal((await runAction()).code, 0);
    commentsOf(42).at(-1)!.body += 'older';
    const { code, output } = await runAction();
    assert.equal(code, 0, output);
  }
  assert.deepEqual(fake.pulls.writes, ['add', 'edit', 'add', 'edit']);
  assert.deepEqual(
    theirs.map(({ body }) => body),
    [marked, marked],
  );
});

test('waits as long as GitHub asks, unless that is too long', async () => {
  const busy = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });
  fake.interruptions = [busy(0)];
  const { code, output } = await runAction();
  assert.deepEqual([code, fake.pulls.writes], [0, ['add']], output);
  fake.interruptions = [busy(3_600)];
  const long = await runAction();
  assert.equal(long.code, 1);
  assert.match(long.output, /^::error.*127\.0\.0\.1:\d+ answers 429 and asks to wait 3600 seconds\. Run/m);
});

test('after the other workflows, it finds the pull request of their run', async () => {
  const pull_requests = [{ number: 7, head: { sha: headSha } }];
  const event = { workflow_run: { head_sha: headSha, pull_requests } };
  const { code, output } = await runAction({ comment: 'false' }, { event });
  assert.equal(code, 0, output);
  assert.deepEqual([fake.pulls.writes, fake.pulls.checks.length], [[], 1]);
  const push = await runAction({}, { event: {}, env: { GITHUB_EVENT_NAME: 'push' } });
  assert.deepEqual([push.code, push.summary], [0, '']);
  assert.match(push.output, /^::notice title=Runcost::The event push belongs to no pull request\.$/m);
});

test('estimates workflow changes, from the checkout or by the API of GitHub', async () => {
  const repository = mkdtempSync(join(tmpdir(), 'runcost-checkout-'));
  after(() => rmSync(repository, { recursive: true, force: true }));
  const git = (...args: string[]) => {
    const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@acme.test'];
    return execFileSync('git', [...author, ...args], { cwd: repository, encoding: 'utf8' }).trim();
  };
  const commit = (runner: string) => {
    mkdirSync(join(repository, '.github/workflows'), { recursive: true });
    const text = `name: Build\non: push\njobs:\n  test:\n    runs-on: ${runner}\n`;
    writeFileSync(join(repository, '.github/workflows/build.yml'), text);
    git('add', '.');
    git('commit', '-q', '-m', runner);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  const [base, head] = [commit('ubuntu-latest'), commit('macos-latest')];
  const event = pullRequestFrom(null, 42, base);
  const env = { GITHUB_SHA: head, GITHUB_WORKSPACE: repository };
  const { code, output, summary } = await runAction({}, { event, env });
  assert.equal(code, 0, output);
  assert.match(summary, /### Workflow changes\n\n\*\*(?:What )?CI costs /);
  assert.doesNotMatch(
    (await runAction({}, { event, env: { ...env, GITHUB_SHA: base } })).summary,
    /Workflow/,
  );

  const path = '.github/workflows/build.yml';
  fake.files.set(`acme/api/${path}`, 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n');
  fake.pulls.folders.set('acme/api/.github/workflows', [path]);
  const same = await runAction({}, { event, env: { GITHUB_SHA: head, GITHUB_WORKSPACE: folder } });
  assert.equal(same.code, 0, same.output);
  const asked = fake.requests.map((each) => each.path).filter((each) => each.includes('/contents/'));
  const expected = [base, head].flatMap((ref) => [
    `/repos/acme/api/contents/.github/workflows?ref=${ref}`,
    `/repos/acme/api/contents/${path}?ref=${ref}`,
  ]);
  assert.deepEqual(asked.slice(-4), expected);
});

test('is green with a notice where GitHub gives no secrets', async () => {
  const fork = await runAction({ token: '' }, { event: pullRequestFrom('eve/api') });
  assert.deepEqual([fork.code, fake.pulls.writes], [0, []]);
  assert.match(fork.output, /^::notice title=Runcost::This pull request comes from a fork, so/m);
  const bot = await runAction({ token: '' }, { env: { GITHUB_ACTOR: 'dependabot[bot]' } });
  assert.equal(bot.code, 0, bot.output);
});

test('reports what a job cost beside its minutes', async () => {
  const writer = await organization.newToken('member', ['runs:write']);
  const amounts = JSON.stringify([{ product: 'ai_credits', cost: 1.2, unit: 'tokens', quantity: 40_000 }]);
  const given = { report: 'amounts', token: writer, amounts };
  const ofJob = { event: {}, env: { GITHUB_JOB: 'review', GITHUB_RUN_ATTEMPT: '1' } };
  for (const _ of ['first', 'again']) assert.equal((await runAction(given, ofJob)).code, 0);
  const { data } = (await organization.get('/api/v1/runs/run_github_77')).body;
  assert.deepEqual(data.amounts, [{ product: 'ai_credits', unit: 'tokens', quantity: 40_000, cost: 1.2 }]);

  const unreadable = await runAction({ ...given, amounts: 'two dollars' }, ofJob);
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.output, /Input amounts is no JSON list/);
  const wrong = await runAction({ ...given, amounts: '[{"product": "ai"}]' }, ofJob);
  assert.match(wrong.output, /amounts\[0\]/);
  const readOnly = await runAction({ report: 'amounts', amounts }, ofJob);
  assert.match(readOnly.output, /Input token is refused/);
});

test("appends the run's receipt to the job summary", async () => {
  const { code, summary, output } = await runAction({ report: 'run' }, { event: {} });
  assert.equal(code, 0, output);
  assert.match(summary, /^### Cost of this run so far: \$0\.04\n[^]*`test`/);
  const unknown = await runAction({ report: 'run' }, { event: {}, env: { GITHUB_RUN_ID: '78' } });
  assert.deepEqual([unknown.code, unknown.summary], [0, '']);
  assert.match(unknown.output, /^::notice title=Runcost::Runcost has no event of this run yet/m);
});

test('an error names the input and the fix', async () => {
  const wrongScope = await organization.newToken('viewer', ['alerts:read']);
  const cases: [inputs: Record<string, string>, expected: RegExp][] = [
    [{ url: '' }, /Input url is missing\. It is the address/],
    [{ url: 'runcost.acme.example' }, /Input url is "runcost\.acme\.example"/],
    [{ url: 'https://ada:abc@runcost.acme.example' }, /Input url has a user name or a password\. It is/],
    [
      { url: 'http://127.0.0.1:65535' },
      /Input url http:\/\/127\.0\.0\.1:65535 gives no answer \(ECONNREFUSED\)/,
    ],
    [{ token: '' }, /Input token is empty\. Create one with `runcost token create/],
    [{ token: 'nonsense' }, /Input token is not a token of this Runcost server/],
    [{ token: wrongScope }, /Input token is refused: .*costs:read/],
    [{ 'fail-above': '$5' }, /Input fail-above is "\$5"\. Write US dollars/],
    [{ comment: 'no' }, /Input comment is "no"\. Write true or false/],
    [{ report: 'all' }, /Input report is "all"\. Write pull-request or run/],
    [{ token: 'rc_abc\ndef' }, /Input token has a space, a line break or another .* Store the secret again/],
    [{ 'github-token': 'ghp_abc\ndef' }, /Input github-token has a space, a line break/],
    [{ 'github-token': 'x' }, /GitHub refuses the comment \(401: Bad credentials\)/],
  ];
  for (const [index, [inputs, expected]] of cases.entries()) {
    const { code, output } = await runAction(inputs, {}, index === 0 ? startAction : undefined);
    assert.equal(code, 1, output);
    assert.match(output, /^::error title=Runcost::/m);
    assert.match(output, expected);
    assert.doesNotMatch(output, /abc|def/);
  }
  for (const given of [{ url: signInUrl }, { url: signInUrl, report: 'run' }]) {
    const { code, output, summary } = await runAction(given);
    assert.deepEqual([code, summary], [1, '']);
    assert.match(output, /::error .*127\.0\.0\.1:\d+ answers with a web page in place of data\. Is it/);
  }
  const asked = await runAction({}, { env: { GITHUB_API_URL: signInUrl } });
  assert.match(asked.output, /::error .* answers with a web page/);
  fake.pulls.mayComment = false;
  assert.match((await runAction({}, { event: pullRequestFrom(null, 8) })).output, /pull-requests: write/);
});

test('says what is wrong with the answer of another or a broken server, and sends its token no further', async () => {
  const cases: [path: string, expected: RegExp][] = [
    ['empty', /[\d.:]+ answers with something other than JSON\. Is it the right address\?/],
    ['other', /[\d.:]+ answers without a report\. Is it the address of your Runcost server\?/],
    ['gzip', /[\d.:]+ sends an incomplete answer \(.*\)\. Run the job again later\./],
    ['cut', /[\d.:]+ sends an incomplete answer \(.*\)\./],
    ['large', /[\d.:]+ answers with more than 32 MiB\./],
    ['moved', /Input url .*\/moved redirects to http:[\d.:/]+\. Write the address that answers\./],
    ['fails', /Runcost at .*\/fails answers: It broke/],
  ];
  for (const [path, expected] of cases) {
    const { code, output, summary } = await runAction({ url: `${brokenUrl}/${path}` });
    assert.deepEqual([code, summary], [1, ''], path);
    assert.match(output, /^::error title=Runcost::/m);
    assert.match(output, expected);
    assert.ok(!output.includes(token) && !output.includes(fake.token));
  }
  assert.equal(brokenAsked.length, cases.length);
  assert.deepEqual(fake.pulls.writes, []);
});

test('without the right to set checks, the step fails above the limit', async () => {
  fake.pulls.mayCheck = false;
  const within = await runAction({ 'fail-above': '5' });
  assert.equal(within.code, 0, within.output);
  assert.match(within.output, /::notice .*limit \$5\.00\. Give the job `permissions: checks: write`/);
  assert.equal((await runAction({ 'fail-above': '0.01' })).code, 1);
});

test('action.yml describes the inputs that the program reads', () => {
  const described = readFileSync(join(root, 'action.yml'), 'utf8');
  const [, inputs] = /^inputs:\n([^]*?)^runs:\n {2}using: node24\n {2}main: action\/main\.ts$/m.exec(
    described,
  )!;
  const names = [...inputs!.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name!);
  const source = readFileSync(join(root, 'action/inputs.ts'), 'utf8');
  const read = [...source.matchAll(/read\('([\w-]+)'\)/g)].map(([, name]) => name!);
  assert.deepEqual(names.toSorted(), [...new Set(read)].toSorted());
});
