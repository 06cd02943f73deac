import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';
import { newPlace, startFakeGitLab } from '../harness/gitLabApi.ts';
import { gitLabPipeline } from '../payloads/gitLab.ts';

const gitLab = await startFakeGitLab();
const { address, newPage, signIn } = await openDashboard();
gitLab.groups = [newPlace(1, 'acme')];
gitLab.hasGroupHooks = false;
gitLab.projects = Array.from({ length: 12 }, (_, index) => newPlace(20 + index, `acme/p${index}`));
gitLab.closedProjects.add(24);
gitLab.sendTest = async ({ url, token }) => {
  const headers = {
    'content-type': 'application/json',
    'x-gitlab-event': 'Pipeline Hook',
    'x-gitlab-token': token,
  };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(gitLabPipeline()) })).status;
};

test('connects GitLab with a token: a webhook for each project, and the test event as the first one', async () => {
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/sources`);
  await page.getByRole('button', { name: 'Connect GitLab' }).click();
  await page.getByLabel('Address of GitLab').fill(gitLab.url);
  await page.getByLabel('Access token').fill('glpat-wrong');
  const find = page.getByRole('button', { name: 'Find groups and projects' });
  const warning = page.getByText('Your GitLab may not reach this address');
  assert.ok((await warning.boundingBox())!.y < (await find.boundingBox())!.y);
  await find.click();
  await page.getByText('is unknown to this GitLab').waitFor();
  assert.match((await page.getByLabel('Access token').getAttribute('aria-describedby')) ?? '', /error/);
  await page.getByLabel('Access token').fill(gitLab.token);
  await find.click();
  await page.getByText('The token reaches 1 group').waitFor();
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText('each project has one: 11 webhooks').waitFor();
  await page.getByText('1 project without a webhook').waitFor();
  await page.getByText('GitLab sent its last pipeline as a test').waitFor();
  await page.getByText('First event received').waitFor();
});
