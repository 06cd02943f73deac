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

test('who keeps runs for a shorter time is asked before any are removed', async () => {
  const created_at = new Date(Date.now() - 200 * 86_400_000).toISOString();
  const run = { provider: 'jenkins', run_id: 'old-1', workflow_name: 'Old', repo_name: 'acme/api' };
  await ask('runs', {
    runs: [{ ...run, status: 'completed', conclusion: 'success', created_at, jobs: [] }],
  });
  await page.goto(`${address}/settings/organization`);
  const form = page.getByRole('region', { name: 'History' });
  const dialog = page.getByRole('dialog', { name: 'Remove older runs?' });
  const keep = async (days: string) => {
    const save = form.getByRole('button', { name: 'Save' });
    // What is typed before this part of the page works is lost.
    do await form.getByLabel('Keep runs and jobs for').fill(days);
    while (await save.isDisabled());
    await save.click();
  };
  const kept = async () => (await ask('retention')).data['run_retention_days'];
  await keep('90');
  await dialog.getByText(/^[\d,]+ runs? from before \w+ \d+, \d{4} will be removed/).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await kept(), null);
  await keep('90');
  await dialog.getByRole('button', { name: 'Save and remove' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await kept(), 90);
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
