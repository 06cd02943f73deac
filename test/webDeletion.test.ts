import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from './harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = await openDashboard();
const page = await newPage();
await signIn(page);

test('a run is deleted from its page after a confirmation', async () => {
  type Runs = { runs: { id: string }[] };
  const { runs } = await ask<Runs>(`dashboard/recent-runs?org_id=${owner.orgId}`);
  const id = runs.at(-1)!.id;
  await page.goto(`${address}/runs/${encodeURIComponent(id)}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ask(`runs/${encodeURIComponent(id)}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete run' }).click();
  await page.getByText('Run deleted.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  assertNoConsoleErrors();
  await page.goto(`${address}/runs/${encodeURIComponent(id)}`);
  await page.getByText('Run not found').waitFor();
  consoleErrors.length = 0; // the 404
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
