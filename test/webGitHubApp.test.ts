import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from './harness/dashboard.ts';
import { startFakeGitHub } from './harness/gitHubApi.ts';
import { newFakeApp } from './harness/gitHubApps.ts';

const gitHub = await startFakeGitHub();
const { address, newPage, signIn, assertNoConsoleErrors, ask } = await openDashboard({
  environment: { GITHUB_API_URL: gitHub.url, ALLOW_PRIVATE_ADDRESSES: 'true' },
});

test('connects GitHub with an App: from Sources to GitHub and back, twice', async () => {
  const app = newFakeApp();
  gitHub.app = app;
  gitHub.repositories.set('acme/app', { runs: [] });
  gitHub.repositories.set('acme/old', { runs: [] });
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/sources`);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByLabel('Organization at GitHub').fill('acme');
  assert.equal(await page.getByLabel('GitHub can reach this server').isChecked(), false, 'on this machine');
  await page.getByRole('button', { name: 'Create the App at GitHub' }).click();
  await page.getByText('asks it for new runs every 10 minutes').waitFor();
  assert.equal(new URL(page.url()).search, `?source=${(await sources())[0]!.id}`);
  assert.equal(app.manifest!.hook_attributes, undefined);
  assertNoConsoleErrors();

  await page.goto(`${address}/sources/github-app?code=used&state=${(await sources())[0]!.id}.x`);
  await page
    .getByRole('alert')
    .getByText(/Start again/)
    .waitFor();
  await page.getByRole('link', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Create the App at GitHub' }).waitFor();
});

const sources = async () => (await ask<{ data: { id: string }[] }>('sources')).data;
