import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestOrganization } from '../../../test/harness/app.ts';
import { limited, main, path, startFixes } from '../../../test/harness/fixes.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { gitHubCommit } from '../../../test/harness/pullRequests.ts';
import { newTokenHolder } from '../../../test/harness/sessions.ts';

const { fake, installApp, newFix } = await startFixes();

async function audited(organization: TestOrganization): Promise<object[]> {
  const { data } = (await organization.get('/api/v1/audit-log', { per_page: 100 })).body;
  return data
    .filter(({ action }: { action: string }) => action === 'waste_fix.open')
    .map(({ details }: { details: object }) => details);
}

describe('a pull request', () => {
  test('is one commit on a branch of its own, with evidence and estimate, and is opened once', async () => {
    const { organization, open, id } = await newFix();
    const { status, body, text } = await open();
    assert.equal(status, 200, text);
    const { number, ...rest } = body.data;
    assert.deepEqual(rest, {
      url: `https://github.com/acme/api/pull/${number}`,
      state: 'open',
      is_new: true,
    });
    const branch = `runcost/${id.replace('.', '-')}`;
    assert.deepEqual(fake.pulls.writes, [`branch ${branch}`, 'pull request Limit the time of jobs in CI']);
    const heads = fake.pulls.branches.get('acme/api')!;
    assert.equal(heads.get('main'), main, 'the default branch stays');
    assert.deepEqual(fake.pulls.trees.get(`acme/api@${heads.get(branch)}`), {
      [path]: limited,
      'README.md': '# Hello',
    });
    const opened = fake.pulls.opened.get(`acme/api#${number}`)!;
    assert.match(
      opened.body!,
      /^\*\*Saves up to \$2\.32 of the last 30 days\*\*, at list prices, all on days marked unusual\./,
    );
    assert.match(opened.body!, /Limit the time of test to 10 minutes/);
    assert.match(opened.body!, /- \[Run \d+\]\(http.*\/runs\/run_\S+\)/);
    assert.match(opened.body!, /### Estimate of the change\n\n\*\*CI costs about the same a month/);

    const again = await open();
    assert.deepEqual(again.body.data, { ...body.data, is_new: false });
    opened.state = 'closed';
    assert.equal((await open()).body.data.state, 'closed');
    assert.equal(fake.pulls.writes.length, 2);
    assert.deepEqual(await audited(organization), [{ repository: 'acme/api', pull_request: number }]);
  });

  test('is opened from the branch that an earlier request left, if it has the change', async () => {
    const { open } = await newFix();
    const { number } = (await open()).body.data;
    fake.pulls.opened.clear();
    const { body } = await open();
    assert.deepEqual([body.data.number, body.data.is_new], [number, true]);
    assert.equal(fake.pulls.writes.filter((write) => write.startsWith('branch')).length, 1);
  });

  test('leaves a branch of its name that has something else, and takes another', async () => {
    const { open, id } = await newFix();
    const branch = `runcost/${id.replace('.', '-')}`;
    const heads = fake.pulls.branches.get('acme/api')!;
    heads.set(branch, gitHubCommit);
    const { body } = await open();
    assert.equal(body.data.is_new, true);
    assert.equal(fake.pulls.opened.get(`acme/api#${body.data.number}`)!.branch, `${branch}-2`);
    assert.equal(heads.get(branch), gitHubCommit);
    assert.equal((await open()).body.data.number, body.data.number);
  });

  test('is opened again if the fix comes back after a merge', async () => {
    const { organization, open, id } = await newFix();
    const first = (await open()).body.data;
    const merged = { state: 'closed', merged_at: '2026-03-18T12:00:00Z' } as const;
    Object.assign(fake.pulls.opened.get(`acme/api#${first.number}`)!, merged);
    const { body } = await open();
    assert.deepEqual([body.data.number, body.data.is_new], [first.number + 1, true]);
    const branch = `runcost/${id.replace('.', '-')}-2`;
    assert.equal(fake.pulls.opened.get(`acme/api#${body.data.number}`)!.branch, branch);
    assert.equal((await audited(organization)).length, 2);
  });

  test('is recorded once if the program ended after it was opened', async () => {
    const { organization, open, id } = await newFix();
    const branch = `runcost/${id.replace('.', '-')}`;
    const opened = { base: main, head: gitHubCommit, common: main, files: [], branch };
    fake.pulls.opened.set('acme/api#7', opened);
    const answers = await Promise.all([open(), open()]);
    assert.deepEqual(
      [...answers, await open()].map(({ body }) => body.data.is_new),
      [false, false, false],
    );
    assert.deepEqual(await audited(organization), [{ repository: 'acme/api', pull_request: 7 }]);
  });

  test('is off until an admin turns it on, and only admins open one', async () => {
    const { organization, open } = await newFix({});
    assertProblem(await open(), 409, 'fixes_off');
    await organization.send('PUT', '/api/v1/pull-request-settings', { open_fixes: true });
    const { token } = await newTokenHolder(organization, 'Mem', 'member');
    assertProblem(await open(token), 403, 'role_too_low');
    assert.deepEqual(fake.pulls.writes, []);
  });

  test('says which permissions the App lacks, and what GitHub refuses', async () => {
    const { open } = await newFix();
    for (const status of [403, 404] as const) {
      fake.pulls.mayPropose = status;
      const refused = await open();
      assertProblem(refused, 409, 'github_refused');
      assert.match(refused.body.detail, /"Contents: write", "Workflows: write" and "Pull requests: write"/);
    }
    fake.pulls.mayPropose = true;
    fake.pulls.mayRead = false;
    assert.match((await open()).body.detail, /"Contents: read"/);
    fake.pulls.mayRead = true;
    fake.interruptions = [null, { status: 502 }];
    assertProblem(await open(), 503, 'github_unavailable');
    assert.deepEqual(fake.pulls.writes, []);
  });

  test('is opened by another App of the organization if the first may not', async () => {
    const { organization, open } = await newFix();
    const source = (await organization.send('POST', '/api/v1/sources', { kind: 'github' })).body.data;
    await installApp(organization, source.id);
    // The first answer is a token, the second the list of pull requests.
    fake.interruptions = [null, { status: 404 }];
    assert.equal((await open()).body.data.is_new, true);
    // A token, or the list, is refused.
    for (const refused of [[{ status: 403 }], [null, { status: 403 }]]) {
      fake.interruptions = refused;
      assert.equal((await open()).body.data.is_new, false);
    }
  });

  test('is not opened where nothing can change safely, and says why', async () => {
    const { open } = await newFix();
    fake.pulls.trees.set(`acme/api@${main}`, { [path]: limited });
    const refused = await open();
    assertProblem(refused, 409, 'nothing_to_change');
    assert.match(refused.body.detail, /Its limit is 10 minutes already\./);
    assert.deepEqual(fake.pulls.writes, []);
  });
});
