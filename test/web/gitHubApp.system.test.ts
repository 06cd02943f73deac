import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';
import { startFakeGitHub } from '../harness/gitHubApi.ts';
import { newFakeApp } from '../harness/gitHubApps.ts';

const gitHub = await startFakeGitHub();
const { address, newPage, signIn, assertNoConsoleErrors, ask, owner } = await openDashboard({
  environment: { GITHUB_API_URL: gitHub.url },
});

const page = await newPage();
await signIn(page);

test('connects GitHub with an App: from Sources to GitHub and back, twice', async () => {
  const app = newFakeApp();
  gitHub.app = app;
  gitHub.repositories.set('acme/app', { runs: [] });
  gitHub.repositories.set('acme/old', { runs: [] });
  await page.goto(`${address}/sources`);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByLabel('Organization at GitHub').fill('acme');
  assert.equal(await page.getByLabel(/^GitHub sends them at once/).isChecked(), false, 'on this machine');
  await page.getByLabel('Allow comments on pull requests').check();
  await page.getByRole('button', { name: 'Create the App at GitHub' }).click();
  await page.getByText('asks it for new runs every 10 minutes').waitFor();
  assert.equal(new URL(page.url()).search, `?source=${(await sources())[0]!.id}`);
  assert.equal(app.manifest!.hook_attributes, undefined);
  const { default_permissions: rights } = app.manifest as unknown as { default_permissions: object };
  assert.deepEqual(rights, {
    actions: 'read',
    metadata: 'read',
    contents: 'read',
    pull_requests: 'write',
    checks: 'write',
  });
  assertNoConsoleErrors();

  await page.goto(`${address}/sources/github-app?code=used&state=${(await sources())[0]!.id}.x`);
  await page
    .getByRole('alert')
    .getByText(/Start again/)
    .waitFor();
  await page.getByRole('link', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Create the App at GitHub' }).waitFor();
});

test('turns comments on pull requests on, with a limit of the check', async () => {
  const saved = async () => (await ask<{ data: object }>('pull-request-settings')).data;
  // The App exists, but its key does not.
  const keyless = { ...(await sources())[0]!, has_app_key: false };
  await page.route(/\/api\/v1\/sources(\?|$)/, (route) => route.fulfill({ json: { data: [keyless] } }));
  await page.goto(`${address}/settings/pull-requests`);
  await waitUntilLoaded(page);
  await page.getByText('It writes the comment and the check. Without one, nothing is written.').waitFor();
  assert.ok(await page.getByLabel('Comment on pull requests').isDisabled());
  assert.ok(await page.getByLabel('Fail the check above').isDisabled());
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await waitUntilLoaded(page);
  await page.getByLabel('Comment on pull requests').check();
  const limit = page.getByLabel('Fail the check above');
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  };
  await limit.fill('.');
  await limit.press('Enter');
  await page.getByText('Enter an amount, or leave it empty.').waitFor();
  await limit.clear();
  await limit.pressSequentially('2.50');
  await save();
  await page.getByText('Pull request settings saved.').waitFor();
  assert.deepEqual(await saved(), { enabled: true, fail_above: 2.5, open_fixes: false });
  // The pressed button is gone.
  await page.locator('form :focus').waitFor({ state: 'attached' });
  await page.getByText('No comments yet').waitFor();

  // Another admin turns it off meanwhile.
  await limit.clear();
  await limit.pressSequentially('05');
  // The App's key is removed, as the next refresh of the sources shows.
  await page.route(/\/api\/v1\/sources(\?|$)/, (route) => route.fulfill({ json: { data: [keyless] } }));
  await page.getByText('Connect a GitHub App').waitFor();
  assert.equal(await limit.inputValue(), '$05');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
  const url = `${address}/api/v1/pull-request-settings`;
  const other = await fetch(url, { method: 'PUT', headers, body: '{"enabled": false}' });
  assert.equal(other.status, 200);
  await save();
  assert.deepEqual(await saved(), { enabled: false, fail_above: 5, open_fixes: false });
  await page.getByText('No comments yet').waitFor({ state: 'detached' });
});

const sources = async () => (await ask<{ data: { id: string }[] }>('sources')).data;
