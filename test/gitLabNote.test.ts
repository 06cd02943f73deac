/** The job of GitLab CI in `action/gitLabNote.ts`: started as GitLab's runner does, with a stand-in for GitLab. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { readChange } from '../action/gitLabFiles.ts';
import { startTestApp } from './harness/app.ts';
import { ownUser, startFakeGitLab } from './harness/gitLabApi.ts';
import { newJob, newRun, submit } from './harness/submission.ts';

const fake = await startFakeGitLab();
const testApp = await startTestApp();
const url = await testApp.listen();
const organization = await testApp.newOrganization();
const token = await organization.newToken('viewer', ['costs:read']);
const of42 = { provider: 'gitlab', pull_request: 42 };
await submit(organization, newRun({ ...of42, jobs: [newJob({ name: 'test' })] }));

const checkout = mkdtempSync(join(tmpdir(), 'runcost-gitlab-'));
after(() => rmSync(checkout, { recursive: true, force: true }));
const git = (...args: string[]) => {
  const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@acme.test'];
  return execFileSync('git', [...author, ...args], { cwd: checkout, encoding: 'utf8' }).trim();
};
function commit(tag: string): string {
  writeFileSync(join(checkout, '.gitlab-ci.yml'), `include:\n  - local: /ci.yml\n`);
  writeFileSync(join(checkout, 'ci.yml'), `test:\n  script: make\n  tags: [${tag}]\n`);
  git('add', '.');
  git('commit', '-q', '-m', tag);
  return git('rev-parse', 'HEAD');
}
git('init', '-q');
const [base, head] = [commit('saas-linux-small-amd64'), commit('saas-macos-medium-m1')];

beforeEach(() => {
  fake.notes.clear();
  Object.assign(fake, { scopes: ['api'], refusals: [], requests: [] });
});

async function runJob(changes: Record<string, string> = {}) {
  const environment = {
    PATH: process.env['PATH'],
    RUNCOST_URL: `${url}/`,
    RUNCOST_TOKEN: token,
    GITLAB_TOKEN: fake.token,
    CI_MERGE_REQUEST_IID: '42',
    CI_MERGE_REQUEST_PROJECT_ID: '12',
    CI_API_V4_URL: `${fake.url}/api/v4`,
    CI_MERGE_REQUEST_PROJECT_PATH: 'acme/api',
    CI_SERVER_URL: 'https://gitlab.com',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
    CI_COMMIT_SHA: head,
    ...changes,
  };
  const program = join(import.meta.dirname, '../action/gitLabNote.ts');
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [program], { env: environment, cwd: checkout }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

const notes = () => fake.notes.get('12!42') ?? [];

test('keeps one note of its own up to date, with the estimate, and fails above the limit', async () => {
  const theirs = {
    id: 5,
    body: '<!-- runcost -->\n\ntheirs',
    system: false,
    author: { id: 8, username: 'eve' },
  };
  fake.notes.set('12!42', [
    theirs,
    ...Array.from({ length: 100 }, (_, id) => ({ ...theirs, id: 100 + id, body: '' })),
  ]);
  const first = await runJob();
  assert.equal(first.code, 0, first.output);
  const own = notes().at(-1)!;
  assert.deepEqual([notes().length, own.author], [102, ownUser]);
  assert.match(own.body, /^<!-- runcost -->\n\n### CI cost of this pull request so far: \$0\.\d\d\n/);
  assert.match(own.body, /### Workflow changes[^]*saas-macos-medium-m1/);
  await submit(organization, newRun(of42));
  const second = await runJob({ RUNCOST_FAIL_ABOVE: '0.01' });
  assert.equal(second.code, 1);
  assert.match(second.output, /above the limit of \$0\.01/);
  assert.deepEqual([notes().length, theirs.body], [102, '<!-- runcost -->\n\ntheirs']);
  const before = fake.requests.length;
  assert.equal((await runJob()).code, 0);
  assert.deepEqual(
    fake.requests.slice(before).filter((each) => !each.startsWith('GET')),
    [],
  );
});

test('is green without secrets, as in forks, and says what is wrong with others', async () => {
  for (const changes of [{ GITLAB_TOKEN: '' }, { RUNCOST_TOKEN: '' }, { CI_MERGE_REQUEST_IID: '' }])
    assert.deepEqual([(await runJob(changes)).code, notes()], [0, []]);
  const cases: [change: Record<string, string>, expected: RegExp][] = [
    [{ GITLAB_TOKEN: 'glpat-abc\ndef' }, /GITLAB_TOKEN has a space, a line break/],
    [{ GITLAB_TOKEN: 'unknown' }, /answers 401 \(401 Unauthorized\)\. GITLAB_TOKEN needs the scope api/],
    [{ RUNCOST_TOKEN: 'unknown' }, /answers 401.*RUNCOST_TOKEN needs the scope costs:read/],
    [{ RUNCOST_FAIL_ABOVE: '$5' }, /RUNCOST_FAIL_ABOVE must be US dollars/],
    [{ RUNCOST_URL: '' }, /RUNCOST_URL is empty/],
    [{ RUNCOST_URL: 'https://ada:abc@x.example' }, /RUNCOST_URL has a user name or a password\. It is/],
  ];
  for (const [change, expected] of cases) {
    const { code, output } = await runJob(change);
    assert.equal(code, 1, output);
    assert.match(output, expected);
    assert.doesNotMatch(output, /abc|def/);
  }
  fake.scopes = ['read_api'];
  assert.match(
    (await runJob()).output,
    /answers 403 \(It requires higher privileges\.\)\. GITLAB_TOKEN needs/,
  );
  fake.scopes = ['api'];
  fake.refusals = [{ status: 429, body: {}, headers: { 'retry-after': '900' } }];
  assert.match((await runJob()).output, /^Runcost: [\d.:]+ answers 429 and asks to wait 900 seconds\. Run/m);
  fake.refusals = [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }];
  assert.match(
    (await runJob()).output,
    /^Runcost: [\d.:]+ answers with a web page in place of data\. Is it/m,
  );
  for (const [body, expected] of [
    [undefined, /^Runcost: [\d.:]+ answers with something other than JSON\./m],
    [{ id: 1 }, /^Runcost: [\d.:]+ answers without a report\. Is it the address of your Runcost server/m],
  ] as const) {
    fake.refusals = [{ status: 200, body }];
    assert.match((await runJob({ RUNCOST_URL: fake.url })).output, expected);
  }
  const other = await startFakeGitLab();
  fake.refusals = [{ status: 302, body: {}, headers: { location: `${other.url}/api/v4/user` } }];
  assert.match((await runJob()).output, /gives no answer: unexpected redirect/);
  assert.deepEqual(other.requests, [], 'the token stays at its host');
  const shallow = await runJob({ CI_MERGE_REQUEST_DIFF_BASE_SHA: 'e'.repeat(40) });
  assert.match(shallow.output, /The checkout lacks a commit[^]*GIT_DEPTH/);
  assert.doesNotMatch(notes()[0]!.body, /Workflow changes/);
});

test('sends only what is included, in a large repository too', ({ mock }) => {
  const write = (path: string, content: string) => writeFileSync(join(checkout, path), content);
  const job = (tag: string) => `${tag}:\n  script: make\n  tags: [${tag}]\n`;
  for (const name of ['deploy', 'jobs', 'jobs/deep']) mkdirSync(join(checkout, name));
  for (const path of ['values.yaml', 'deploy/ci.yml', 'file.yml', 'exists.yml', 'later.yml', 'plain.yml'])
    write(path, job(path.replaceAll(/\W/g, '-')));
  for (const path of ['jobs/one.yml', 'jobs/two.yml', 'jobs/deep/three.yml'])
    write(path, job(path.replaceAll(/\W/g, '-')));
  write('odd.yml', job('odd').concat('# \0\n'));
  write('large.yml', job('large').padEnd(256 * 1024 + 1, '#'));
  const [first, second] = [includes('small'), includes('large')];
  const log = mock.method(console, 'log', () => {});
  const change = readChange(checkout, first, second) as Record<string, { files: { path: string }[] }>;
  const logged = new Set(log.mock.calls.map((call) => call.arguments[0]));
  log.mock.restore();
  const sent = ['.gitlab-ci.yml', 'ci.yml', 'jobs/one.yml', 'jobs/two.yml', 'later.yml', 'plain.yml'];
  for (const files of [change['base']!.files, change['head']!.files])
    assert.deepEqual(
      files.map(({ path }) => path),
      sent,
    );
  const files = ['large.yml has more than 256 KiB', 'odd.yml has a null character'];
  assert.deepEqual(
    logged,
    new Set(files.map((fault) => `${fault}, so the estimate does not include its jobs.`)),
  );

  function includes(tag: string): string {
    write(
      '.gitlab-ci.yml',
      `include:
  # - local: values.yaml
  - local: '/ci.yml' # deploy/ci.yml
    rules:
      - exists:
          - exists.yml
  - project: acme/other
    file:
      - file.yml
  - rules: [{ if: $CI }]
    local: later.yml
  - "plain.yml"
  - local: /jobs/*.yml
  - large.yml
  - odd.yml
${tag}:
  script: helm --values values.yaml
`,
    );
    git('add', '.');
    const blob = git('hash-object', 'ci.yml');
    const many = Array.from(
      { length: 6_000 },
      (_, index) => `100644 ${blob}\t${'x'.repeat(200)}${index}.go\n`,
    );
    execFileSync('git', ['update-index', '--index-info'], { cwd: checkout, input: many.join('') });
    git('commit', '-q', '-m', tag);
    return git('rev-parse', 'HEAD');
  }
});
