import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';

const { address, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();

test('a digest has a switch and actions for those who may change it, and words for others', async () => {
  await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
  const scopes = ['costs:read', 'alerts:read'];
  const { data } = await ask('tokens', { name: 'reads alerts', role: 'admin', scopes });
  const reader = await newPage();
  await reader.goto(`${address}/settings/digests`);
  await reader.getByLabel(/^Token/).fill(data['token']!);
  await reader.getByRole('button', { name: 'Sign in' }).click();
  await reader.getByText('View only. Your token does not have the alerts:write scope.').waitFor();
  const row = reader.getByRole('row').filter({ hasText: 'cfo@acme.example' });
  await row.getByRole('cell', { name: 'On', exact: true }).waitFor();
  assert.equal(await reader.getByRole('columnheader', { name: 'Actions' }).count(), 0);
  assert.equal(await reader.getByRole('switch').count(), 0);
  await reader.context().close();

  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/settings/digests`);
  await page.getByRole('switch', { name: 'Weekly, all costs is on', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Actions for Weekly, all costs' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete digest' }).click();
  await page.getByText('No digests').waitFor();
  assertNoConsoleErrors();
});
