import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = await openDashboard({
  environment: { RETENTION_DAYS: 'free=90' },
});
const page = await newPage();
await signIn(page);

test('a run is deleted from its page after a confirmation', async () => {
  type Runs = { runs: { id: string }[] };
  const { runs } = await ask<Runs>(`dashboard/recent-runs?org_id=${owner.orgId}`);
  const id = runs.at(-1)!.id;
  await page.goto(`${address}/runs/${encodeURIComponent(id)}`);
  const choose = async () => {
    await page.getByRole('button', { name: 'Actions for this run' }).click();
    await page.getByRole('menuitem', { name: 'Delete run' }).click();
  };
  await choose();
  const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ask(`runs/${encodeURIComponent(id)}`);
  await choose();
  await dialog.getByRole('button', { name: 'Delete run' }).click();
  await page.getByText('Run deleted.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  assertNoConsoleErrors();
  await page.goto(`${address}/runs/${encodeURIComponent(id)}`);
  await page.getByText('Run not found').waitFor();
  consoleErrors.length = 0; // the 404
});

test('a plan that keeps runs for a shorter time asks before it removes any', async () => {
  const created_at = new Date(Date.now() - 200 * 86_400_000).toISOString();
  const run = { provider: 'jenkins', run_id: 'old-1', workflow_name: 'Old', repo_name: 'acme/api' };
  await ask('runs', {
    runs: [{ ...run, status: 'completed', conclusion: 'success', created_at, jobs: [] }],
  });
  await page.goto(`${address}/settings/organization`);
  const form = page.getByRole('region', { name: 'Name and plan' });
  const dialog = page.getByRole('dialog', { name: 'Remove older runs?' });
  const choose = async (plan: string) => {
    const save = form.getByRole('button', { name: 'Save' });
    // A choice before this part of the page works is lost.
    do await form.getByLabel('Plan', { exact: true }).selectOption(plan);
    while (await save.isDisabled());
    await save.click();
  };
  const plan = async () => (await ask('organization')).data['plan'];
  await choose('free');
  await dialog
    .getByText(
      /^On the plan Free, runs are kept for 90 days\. [\d,]+ runs? from before \w+ \d+, \d{4} will be/,
    )
    .waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await plan(), 'team');
  await choose('pro');
  await page.getByText('Organization saved.').waitFor();
  // The form starts again with the reloaded organization.
  await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  assert.equal(await plan(), 'pro');
  await choose('free');
  await dialog.getByRole('button', { name: 'Save and remove' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await plan(), 'free');
  assertNoConsoleErrors();
});

test('an owner deletes the organization by typing its name, and everyone is signed out', async () => {
  await page.goto(`${address}/settings/organization`);
  const panel = page.getByRole('region', { name: 'Delete organization' });
  await panel.getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Delete My organization?' });
  const deletion = dialog.getByRole('button', { name: 'Delete everything' });
  assert.equal(await deletion.isDisabled(), true);
  const name = dialog.getByLabel(/^Type the organization name/);
  await name.fill('my organization');
  assert.equal(await deletion.isDisabled(), true);
  await name.fill('My organization');
  await deletion.click();
  await page.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  await page.getByText('My organization was deleted.').waitFor();
  assertNoConsoleErrors();
  const headers = { authorization: `Bearer ${owner.token}` };
  assert.equal((await fetch(`${address}/api/v1/session`, { headers })).status, 401);
});
