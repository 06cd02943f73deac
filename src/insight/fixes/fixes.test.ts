import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestOrganization } from '../../../test/harness/app.ts';
import { daily } from '../../../test/harness/ciHistory.ts';
import { content, limited, main, path, startFixes } from '../../../test/harness/fixes.ts';
import { artifactOf, cacheOf, gigabyte } from '../../../test/harness/gitHubStorage.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newTokenHolder } from '../../../test/harness/sessions.ts';
import { providerOfApi } from '../../intake/gitHubApps/manifest.ts';
import type { RunReport } from '../../ledger/runs/report.ts';
import { PublicError } from '../../platform/lib/errors.ts';

const { fake, testApp, newInstalled, record, newFix } = await startFixes();

const diff = `diff --git a/${path} b/${path}
--- a/${path}
+++ b/${path}
@@ -3,3 +3,4 @@
 jobs:
   test:
     runs-on: ubuntu-latest
+    timeout-minutes: 10
`;

describe('a patch', () => {
  test('changes the file of the default branch that the App reads, with its estimate', async () => {
    const { patch, id } = await newFix();
    const { status, body, text } = await patch();
    assert.equal(status, 200, text);
    const { estimate, ...rest } = body.data;
    assert.deepEqual(rest, {
      fix_id: id,
      repository: 'acme/api',
      branch: 'main',
      diff,
      files: [{ path, content: limited }],
      changed: [
        'Limit the time of test to 10 minutes, twice its longest success: unsuccessful jobs took longer.',
      ],
      by_hand: [],
    });
    assert.equal(estimate.monthly_cost, 0);
    assert.match(estimate.markdown, /Another time limit \(1 job\)/);
    assert.deepEqual(fake.pulls.writes, []);
  });

  test('changes a file that the caller sends, without GitHub, under the name it has there', async () => {
    const organization = await testApp.newOrganization();
    const id = await record(organization);
    const at = `/api/v1/fixes/${id}/patch`;
    const sent = { path: '.github/workflows/renamed.yaml', content };
    const { body } = await organization.send('POST', at, { files: [sent] });
    assert.equal(body.data.branch, null);
    assert.equal(body.data.diff, diff.replaceAll(path, sent.path));
    assertProblem(await organization.send('POST', at), 409, 'github_refused');
    const other = { ...sent, content: content.replace('test:', 'unit:') };
    const left = (await organization.send('POST', at, { files: [other] })).body.data;
    assert.deepEqual([left.diff, left.files, left.changed, left.estimate], ['', [], [], null]);
    const [{ text, ...rest }] = left.by_hand;
    assert.match(text, /^Limit the time of test to 10 minutes/);
    assert.deepEqual(rest, {
      path: sent.path,
      line: null,
      reason: 'The file has no job named test now.',
      yaml: 'timeout-minutes: 10',
    });
    const outside = { files: [{ path: 'ci.yml', content }] };
    assertProblem(await organization.send('POST', at, outside), 400, 'invalid_request', [
      'body.files[0].path',
    ]);
  });

  test('is made with the token of a source, too', async () => {
    const organization = await testApp.newOrganization();
    const source = (await organization.send('POST', '/api/v1/sources', { kind: 'github' })).body.data;
    const credentials = { kind: 'token', token: fake.token };
    await organization.send('PUT', `/api/v1/sources/${source.id}/credentials`, credentials);
    const id = await record(organization);
    const { body } = await organization.send('POST', `/api/v1/fixes/${id}/patch`);
    assert.equal(body.data.diff, diff);
    // A token opens no pull request.
    await organization.send('PUT', '/api/v1/pull-request-settings', { open_fixes: true });
    const refused = await organization.send('POST', `/api/v1/fixes/${id}/pull-request`);
    assertProblem(refused, 409, 'github_refused');
    assert.match(refused.body.detail, /No source has the credentials of a GitHub App/);
    // Another server may have another repository of this name.
    const elsewhere = await record(organization, 'github');
    const unread = await organization.send('POST', `/api/v1/fixes/${elsewhere}/patch`);
    assert.match(unread.body.detail ?? '', /The runs are from github,/);
  });

  test('leaves the lines to people where Runcost cannot change files', async () => {
    const organization = await testApp.newOrganization();
    const id = await record(organization, 'gitlab', ['saas-linux-small-amd64']);
    const { body } = await organization.send('POST', `/api/v1/fixes/${id}/patch`);
    const [{ reason, yaml }] = body.data.by_hand;
    assert.deepEqual(
      [body.data.diff, reason, yaml],
      ['', 'Runcost cannot change files of gitlab: copy the lines.', 'timeout: 10 minutes'],
    );
  });

  test('is made in a thread, because files of strangers can take seconds', async () => {
    const { patch, open } = await newFix();
    const { estimates } = testApp.app;
    const own = estimates.patch;
    estimates.patch = () => Promise.reject(new PublicError('invalid', 'estimate_too_large', 'Too large.'));
    for (const asked of [() => patch(), () => open()])
      assertProblem(await asked(), 400, 'estimate_too_large');
    estimates.patch = own;
  });

  test('needs a fix of the organization, and a member', async () => {
    const { organization, patch, id } = await newFix();
    const other = await testApp.newOrganization();
    assertProblem(await other.send('POST', `/api/v1/fixes/${id}/patch`), 404, 'fix_not_found');
    for (const unknown of ['wf_none.failed', 'wf_none', 'sto_none'])
      assertProblem(await organization.send('POST', `/api/v1/fixes/${unknown}/patch`), 404, 'fix_not_found');
    const { token } = await newTokenHolder(organization, 'Vera', 'viewer');
    assertProblem(await patch({}, token), 403, 'role_too_low');
  });
});

describe('the fix of runs that nobody needs', () => {
  const nightly = { workflow: 'nightly', event: 'schedule', jobs: [{ name: 'test', minutes: 10 }] };
  const nightlyPath = '.github/workflows/nightly.yml';
  const scheduled = `on:
  schedule:
    - cron: '0 9 * * *' # after standup
jobs:
  test:
    runs-on: ubuntu-latest
`;

  /** Its id, once the organization has these runs and the default branch these files. */
  async function unneededFix(organization: TestOrganization, runs: RunReport[], files: object) {
    fake.pulls.trees.set(`acme/api@${main}`, files as Record<string, string>);
    const provider = providerOfApi(fake.url);
    const reports = runs.map((run) => ({ ...run, provider }));
    await testApp.app.recorder.record(organization.orgId, reports);
    const { fixes } = (await organization.get('/api/v1/waste/fixes')).body.data;
    const fix = fixes.find(({ evidence }: { evidence: object | null }) => evidence);
    return { fix, at: `/api/v1/fixes/${fix.id}` };
  }

  test('makes a schedule rarer, and its pull request links the newest runs', async () => {
    const organization = await newInstalled({ open_fixes: true });
    const runs = daily('2026-02-18', '2026-03-17', { ...nightly, commit: 'a1' });
    const { fix, at } = await unneededFix(organization, runs, { [nightlyPath]: scheduled });
    assert.equal(fix.category, 'idle_schedule');
    const { body } = await organization.send('POST', `${at}/patch`);
    assert.deepEqual(body.data.files, [
      { path: nightlyPath, content: scheduled.replace('0 9 * * *', '0 9 * * 1') },
    ]);
    assert.match(body.data.diff, /^-    - cron: '0 9 \* \* \*' # after standup$/m);
    assert.deepEqual(body.data.by_hand, []);
    assert.ok(body.data.estimate.monthly_cost < 0, body.data.estimate.markdown);

    const opened = await organization.send('POST', `${at}/pull-request`);
    assert.equal(opened.status, 200, opened.text);
    const pull = fake.pulls.opened.get(`acme/api#${opened.body.data.number}`)!;
    assert.equal(fake.pulls.writes.at(-1), 'pull request Run less often in nightly');
    const [, linked] = /The newest of 27 that nobody needed:\n\n((?:- .*\n)+)/.exec(pull.body!)!;
    const links = fix.evidence.newest.map(
      ({ id, number }: { id: string; number: number }) =>
        `- \\[Run ${number}\\]\\(http\\S+/runs/${encodeURIComponent(id)}\\)\n`,
    );
    assert.match(linked!, new RegExp(`^${links.join('')}$`));
    assert.equal(links.length, 5);
  });

  test('removes the events of a duplicate, as long as its twin starts on them', async () => {
    const organization = await newInstalled();
    const jobs = ['build', 'test'].map((name) => ({ name, minutes: 10 }));
    const runs = ['ci', 'old'].flatMap((workflow) =>
      daily('2026-03-01', '2026-03-17', { workflow, jobs }).map((run, index) => ({
        ...run,
        commit: `c${index}`,
      })),
    );
    const file = 'on: push\njobs:\n  build: { runs-on: ubuntu-latest }\n  test: { runs-on: ubuntu-latest }\n';
    const files = { [path]: file, '.github/workflows/old.yml': file };
    const { fix, at } = await unneededFix(organization, runs, files);
    assert.equal(fix.category, 'duplicate_workflow');
    const removed = `.github/workflows/${fix.workflow === 'CI' ? 'ci' : 'old'}.yml`;
    const { data } = (await organization.send('POST', `${at}/patch`)).body;
    assert.deepEqual(data.files, [{ path: removed, content: file.replace('push', 'workflow_dispatch') }]);

    fake.pulls.trees.set(`acme/api@${main}`, { [removed]: file });
    const left = (await organization.send('POST', `${at}/patch`)).body.data;
    assert.deepEqual([left.files, left.by_hand[0].line], [[], 1]);
    assert.match(
      left.by_hand[0].reason,
      /^These files do not show that \S+\.yml starts on push, as it did\.$/,
    );
  });
});

test('fixes of storage change the step that uploads, or saves', async () => {
  const organization = await newInstalled({ open_fixes: true });
  const [run] = daily('2026-03-01', '2026-03-01', { jobs: [{ name: 'test', minutes: 5 }] });
  await testApp.app.recorder.record(organization.orgId, [run!]);
  const [created, expires] = ['2026-03-01T09:00:00Z', '2026-05-30T09:00:00Z'] as const;
  const artifacts = [Number(run!.runId), 7].map((id) =>
    artifactOf({ run: id, name: `dist-${id === 7 ? 'x' : 'y'}`, bytes: 10 * gigabyte, created, expires }),
  );
  const caches = [cacheOf({ key: 'npm', ref: 'refs/pull/1/merge', bytes: 20 * gigabyte, created })];
  fake.repositories.set('acme/api', { runs: [], about: { default_branch: 'main' }, artifacts, caches });
  const started = await organization.send('POST', '/api/v1/storage/readings', { repositories: ['acme/api'] });
  assert.equal(started.status, 202, started.text);
  await testApp.worker.processAll();
  const { items } = (await organization.get('/api/v1/storage')).body.data;
  const idOf = (name: string) =>
    items.find((item: { name: string; fix: { id: string } }) => item.name === name).fix.id;
  const step = (uses: string, input: string) => `      - uses: ${uses}\n        with:\n          ${input}\n`;
  const upload = step('actions/upload-artifact@v4', 'name: dist-y');
  const save = step('actions/cache/save@v4', 'key: npm');
  const sent = { path, content: `${content}    steps:\n${save}${upload}` };
  fake.pulls.trees.set(`acme/api@${main}`, { [path]: sent.content });

  const patchOf = async (name: string, body?: object) =>
    (await organization.send('POST', `/api/v1/fixes/${idOf(name)}/patch`, body)).body.data;
  assert.deepEqual((await patchOf('dist-y', { files: [sent] })).files, [
    { path, content: `${sent.content}          retention-days: 7\n` },
  ]);
  const [left] = (await patchOf('dist-x')).by_hand;
  assert.deepEqual([left.path, left.reason], [null, 'The workflow of its runs is not recorded.']);
  const condition = "        if: github.event_name != 'pull_request'\n";
  const [saved] = (await patchOf('npm')).files;
  assert.equal(saved.content, sent.content.replace('save@v4\n', `save@v4\n${condition}`));

  const opened = await organization.send('POST', `/api/v1/fixes/${idOf('npm')}/pull-request`);
  assert.equal(opened.status, 200, opened.text);
  assert.equal(fake.pulls.writes.at(-1), 'pull request Save caches on the default branch only');
});

test('the workflow files of a branch are listed for an estimate', async () => {
  const { organization, patch } = await newFix();
  const filesOf = (query: Record<string, string>) =>
    organization.get('/api/v1/workflow-files', { repository: 'acme/api', ...query });
  const { body } = await filesOf({});
  assert.deepEqual(body.data, { branch: 'main', commit: main, files: [{ path, content }] });
  const { data } = (await filesOf({ branch: 'feature/a b' })).body;
  assert.deepEqual([data.branch, data.files[0].content], ['feature/a b', limited]);
  const asked = fake.requests.length;
  for (const repository of ['../user', 'acme/..', './api'])
    assertProblem(await filesOf({ repository }), 400, 'invalid_request', ['query.repository']);
  assert.equal(fake.requests.length, asked);
  const { detail } = (await filesOf({ repository: 'api' })).body;
  assert.equal(detail, 'query.repository must be owner/name, such as acme/api');
  const { body: refused } = await patch({ files: [{ path: 'ci.yml', content }] });
  assert.match(refused.detail, /must be a file of a repository, such as .github.workflows.ci.yml$/);
  const missing = await filesOf({ branch: 'gone' });
  assertProblem(missing, 409, 'github_refused');
  assert.match(missing.body.detail, /has no branch gone/);
});
