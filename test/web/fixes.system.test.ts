import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';
import { startFakeGitHub } from '../harness/gitHubApi.ts';
import { newFakeApp } from '../harness/gitHubApps.ts';

const fake = await startFakeGitHub();
const environment = { GITHUB_API_URL: fake.url, ALLOW_PRIVATE_ADDRESSES: 'true' };
const dashboard = await openDashboard({ environment });
const { address, ask, newPage, signIn } = dashboard;

type Run = { workflow_id: string; workflow_name: string; repo_name: string };
const [workflow] = (await ask<{ data: Run[] }>('runs?per_page=1')).data as [Run];
const content = `name: ${workflow.workflow_name}\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n`;

/** An App that may read the repository of the workflow, where a branch runs on macOS. */
async function connect(): Promise<void> {
  const { repo_name: repository } = workflow;
  fake.repositories.set(repository, { runs: [], about: { default_branch: 'main' } });
  const commits = { main: 'd'.repeat(40), 'to-macos': 'e'.repeat(40) };
  fake.pulls.branches.set(repository, new Map(Object.entries(commits)));
  const { workflow_path: path } = (
    await ask<{ data: { workflow_path: string } }>(`workflows/${workflow.workflow_id}`)
  ).data;
  fake.pulls.trees.set(`${repository}@${commits.main}`, { [path]: content });
  const changed = content.replace('ubuntu-latest', 'macos-latest');
  fake.pulls.trees.set(`${repository}@${commits['to-macos']}`, { [path]: changed });
  const { data: source } = await ask('sources', { kind: 'github' });
  const key = { kind: 'app', app_id: '1', installation_id: '2', private_key: newFakeApp().pem };
  const { token } = dashboard.owner;
  const answer = await fetch(`${address}/api/v1/sources/${source['id']}/credentials`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(key),
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function openTry() {
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/workflows/${workflow.workflow_id}`);
  const panel = page.getByRole('region', { name: 'Try a change' });
  await panel.getByRole('button', { name: 'Try a change' }).press('Enter');
  return { page, panel };
}

test('a pasted change is estimated without an App, and a file that cannot be read says so', async () => {
  const { panel } = await openTry();
  await panel.getByText(/Nothing can read .+: add a GitHub App or a token/).waitFor();
  const button = panel.getByRole('button', { name: 'Estimate' });
  assert.equal(await button.isDisabled(), true);
  await panel.getByLabel('The file now').fill(content);
  await panel.getByLabel('The file with the change').fill(content);
  await button.press('Enter');
  await panel.getByText('No job changes, so CI costs the same.').waitFor();
  await panel.getByLabel('The file with the change').fill(content.replace('ubuntu', 'macos'));
  await button.press('Enter');
  await panel.getByRole('table', { name: 'Changed jobs' }).getByText('test').first().waitFor();
  await panel.getByText('How this is estimated').waitFor();
});

test('the App reads the file to change, and a branch to compare', async () => {
  await connect();
  const { panel } = await openTry();
  const changed = panel.getByLabel('The file with the change');
  assert.equal(await changed.inputValue(), content);
  await changed.fill(content.replace('ubuntu', 'macos'));
  await panel.getByRole('button', { name: 'Estimate' }).click();
  const jobs = panel.getByRole('table', { name: 'Changed jobs' });
  await jobs.getByText('ubuntu-latest to macos-latest').waitFor();
  await panel.getByText('A branch').click();
  await panel.getByRole('textbox', { name: 'Branch' }).fill('gone');
  await panel.getByRole('button', { name: 'Estimate' }).click();
  await panel.getByText(/has no branch gone/).waitFor();
  await panel.getByRole('textbox', { name: 'Branch' }).fill('to-macos');
  await panel.getByRole('textbox', { name: 'Branch' }).press('Enter');
  await jobs.getByText('ubuntu-latest to macos-latest').waitFor();
  // The browser itself logs refused requests.
  dashboard.consoleErrors.splice(0);
});

test('a fix that cannot be opened says why, and the setting turns pull requests on', async () => {
  // The second run starts while the first one runs.
  const at = (minute: number) => new Date(Date.now() - 86_400_000 + 60_000 * minute).toISOString();
  const runs = [0, 5].map((minute) => {
    const times = { started_at: at(minute), completed_at: at(minute + 30) };
    const jobs = [
      { job_id: `j${minute}`, name: 'test', labels: ['ubuntu-latest'], conclusion: 'success', ...times },
    ];
    const of = {
      provider: 'github',
      workflow_name: 'Superseded',
      repo_name: workflow.repo_name,
      branch: 'topic',
    };
    const ended = {
      status: 'completed',
      conclusion: 'success',
      event: 'push',
      created_at: at(minute),
      ...times,
    };
    return { ...of, run_id: `90000${minute}`, ...ended, jobs };
  });
  await ask('runs', { runs });
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/settings/pull-requests`);
  await page.getByLabel('Open pull requests with fixes').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Pull request settings saved.').waitFor();
  await page.goto(`${address}/waste?category=superseded`);
  await page.getByRole('list', { name: 'To do' }).getByRole('button').first().click();
  await page.getByRole('button', { name: 'Open a pull request' }).first().click();
  await page.getByText(/The runs are from github, but GITHUB_API_URL names another server/).waitFor();
  await page.getByRole('button', { name: 'Download patch' }).first().waitFor();
  dashboard.consoleErrors.splice(0);
});

test('fixes that save less than 1% of the total are one line with their sum, which opens', async () => {
  type Fixes = { data: { saving_per_month: number; fixes: { saving_per_month: number }[] } };
  const { data } = await ask<Fixes>('waste/fixes?days=30&status=open&per_page=100');
  const savings = data.fixes.map(({ saving_per_month: saving }) => saving);
  const small = savings.filter((saving) => saving < data.saving_per_month / 100);
  const sum = small.reduce((dollars, saving) => dollars + saving, 0);
  assert.ok(small.length > 1, savings.join());
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/waste`);
  const heads = page.getByRole('list', { name: 'To do' }).getByRole('button');
  const line = page.getByRole('button', { name: `${small.length} small fixes, $${sum.toFixed(2)} in total` });
  await line.waitFor();
  assert.equal(await heads.count(), savings.length - small.length + 1);
  await line.click();
  await page
    .getByRole('list', { name: 'Small fixes' })
    .getByRole('button')
    .nth(small.length - 1)
    .waitFor();
  dashboard.assertNoConsoleErrors();
});
