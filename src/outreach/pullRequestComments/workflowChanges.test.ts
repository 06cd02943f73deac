import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakePulls } from '../../../test/harness/gitHubPulls.ts';
import { gitHubCommit, pullRequestsOf } from '../../../test/harness/pullRequests.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { endRun, later, newInstalled } = pullRequestsOf(testApp, fake);
const [base, common] = ['b'.repeat(40), 'c'.repeat(40)];
const build = '.github/workflows/build.yml';

beforeEach(() => {
  testApp.clock.forward(3_600);
  fake.pulls = newFakePulls();
  fake.pulls.writer = { id: 7, login: 'runcost-acme[bot]', type: 'Bot' };
  Object.assign(fake, { remaining: 5_000, interruptions: [], requests: [] });
});

const workflowOn = (runner: string) => `name: CI\non: push\njobs:\n  test:\n    runs-on: ${runner}\n`;
const commentText = () => fake.pulls.comments.get('acme/api#42')!.at(-1)!.body;

/** A pull request that moves a workflow to macOS, while its base has changed another one. */
function openPull(changes: object = {}): void {
  const file = { filename: build, status: 'modified' };
  const pull = {
    base,
    head: gitHubCommit,
    common,
    files: [{ filename: 'README.md', status: 'modified' }, file],
  };
  fake.pulls.opened.set('acme/api#42', { ...pull, ...changes });
  const other = { '.github/workflows/other.yml': workflowOn('ubuntu-latest') };
  fake.pulls.trees.set(`acme/api@${common}`, { [build]: workflowOn('ubuntu-latest'), ...other });
  fake.pulls.trees.set(`acme/api@${gitHubCommit}`, { [build]: workflowOn('macos-latest'), ...other });
}

/** Paths of requests that read the pull request and its files. */
const readings = () =>
  fake.requests
    .splice(0)
    .filter(({ path }) => /\/(pulls|compare|contents)\//.test(path))
    .map(({ path }) => path.replace('/repos/acme/api', '').replace(/\?.*$/, ''));

async function noteOf({ get }: Awaited<ReturnType<typeof newInstalled>>): Promise<string | null> {
  return (await get('/api/v1/pull-request-comments')).body.data[0].note;
}

test('the comment and the check estimate what the pull request changes itself, of a fork too', async () => {
  const organization = await newInstalled();
  openPull({ fork: 'eve/api' });
  await endRun(organization);
  assert.match(
    commentText(),
    /\n### Workflow changes\n\n\*\*(?:What )?CI costs [^]*macos[^]*\[Open in Runcost\]/,
  );
  assert.equal(commentText().match(/^\| `CI/gm)!.length, 1, 'the other workflow is the same');
  const { summary } = (fake.pulls.checks[0] as { output: { summary: string } }).output;
  assert.match(summary, /### Workflow changes/);
  assert.equal(await noteOf(organization), null);
  const first = readings();
  assert.equal(first.filter((each) => each.includes('/contents/')).length, 4, first.join('\n'));
  await later(61);
  const { remaining } = fake;
  await endRun(organization);
  assert.equal(remaining - fake.remaining, 2, 'only the comment and the check count');
  // Content is requested once per file, and whatever can change is requested with its ETag.
  assert.deepEqual(readings(), [
    '/pulls/42/files',
    '/pulls/42',
    `/compare/${base}...${gitHubCommit}`,
    '/contents/.github/workflows',
  ]);
});

test('reads no workflow file where none changed', async () => {
  openPull({ files: [{ filename: 'docs/.github/workflows/a.yml', status: 'added' }] });
  await endRun(await newInstalled());
  assert.deepEqual(readings(), ['/pulls/42/files']);
  assert.doesNotMatch(commentText(), /Workflow changes/);
});

test('an added, renamed and removed workflow count on their side only', async () => {
  const [old, renamed, added] = ['old', 'new', 'added'].map((name) => `.github/workflows/${name}.yml`);
  openPull({
    files: [
      { filename: build, status: 'removed' },
      { filename: renamed, previous_filename: old, status: 'renamed' },
      { filename: added, status: 'added' },
    ],
  });
  const [before, after] = [workflowOn('ubuntu-latest'), workflowOn('windows-latest')];
  fake.pulls.trees.set(`acme/api@${common}`, { [build]: before, [old!]: before });
  fake.pulls.trees.set(`acme/api@${gitHubCommit}`, { [renamed!]: before, [added!]: after });
  await endRun(await newInstalled());
  const paths = readings().filter((each) => each.includes('.yml'));
  const names = new Set(paths.map((each) => each.split('/').at(-1)));
  assert.deepEqual(names, new Set(['added.yml', 'build.yml', 'new.yml', 'old.yml']));
  assert.match(commentText(), /### Workflow changes/);
});

test('says what is missing, or too large, and comments without the estimate', async () => {
  const organization = await newInstalled();
  const many = Array.from({ length: 1_000 }, (_, id) => ({ filename: `${id}.txt`, status: 'added' }));
  const missing = { status: 404, message: 'Not Found' };
  const openMany = () => {
    const names = Array.from({ length: 51 }, (_, id) => `.github/workflows/${id}.yml`);
    openPull({ files: names.map((filename) => ({ filename, status: 'modified' })) });
    const tree = Object.fromEntries(names.map((name) => [name, workflowOn('ubuntu-latest')]));
    for (const commit of [common, gitHubCommit]) fake.pulls.trees.set(`acme/api@${commit}`, tree);
  };
  const huge = { [build]: `# ${'x'.repeat(300_000)}` };
  const cases: [change: () => void, note: RegExp][] = [
    [() => (fake.pulls.mayRead = false), /^The App needs the repository permission "Contents: read"\.$/],
    [() => openPull({ files: many }), /^The pull request changes 1000 files or more\.$/],
    [() => fake.pulls.trees.set(`acme/api@${gitHubCommit}`, huge), /^\.github.*has more than 256 KiB\.$/],
    [openMany, /^There are more than 100 workflow files\.$/],
    // The first three answers are a token, the changed files and the pull request.
    [() => (fake.interruptions = [null, null, missing]), /^GitHub does not find the commits or workflow/],
  ];
  for (const [change, note] of cases) {
    openPull();
    fake.pulls.mayRead = true;
    change();
    await endRun(organization);
    assert.match((await noteOf(organization))!, note);
    assert.match(commentText(), /### Workflow changes\n\nNo estimate: /);
    assert.match(commentText(), /CI cost of this pull request so far/);
    await later(61);
  }
});

test('after a second failure or a minute, the comment is written without the estimate', async (context) => {
  const organization = await newInstalled();
  openPull();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  let isLate = false;
  context.mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    if (!isLate) return timeout(milliseconds);
    isLate = false;
    return AbortSignal.abort();
  });
  const away = { status: 502 };
  fake.interruptions = [null, away, null, away];
  await endRun(organization);
  assert.equal(fake.pulls.comments.size, 0);
  await later(61);
  assert.match(commentText(), /No estimate: GitHub cannot be reached: GitHub answered 502\./);
  await endRun(organization);
  for (const seconds of [61, 61]) {
    isLate = true;
    await later(seconds);
  }
  assert.match(commentText(), /No estimate: GitHub took more than 60 seconds for the workflow files\./);
});

test('workflow files that nobody can read leave the comment as it is', async () => {
  openPull();
  const hostile = `on: push\njobs: &a\n  b: *a\n  "@everyone ![](http://x)": {runs-on: [*a]}\n`;
  fake.pulls.trees.set(`acme/api@${gitHubCommit}`, { [build]: hostile });
  await endRun(await newInstalled());
  assert.match(commentText(), /CI cost of this pull request so far: \$0\.01/);
  assert.doesNotMatch(commentText().replaceAll(/`[^`\n]*`/g, ''), /@everyone|!\[/);
});
