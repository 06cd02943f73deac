import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';

const { address, newPage, signIn } = await openDashboard();

test('a part of the overview that fails to load says so, and loads on retry', async () => {
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/webhooks`);
  await page.route('**/assets/TopWorkflows-*', (route) => route.abort());
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'The list of workflows failed to load.' });
  await failed.waitFor();
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
  await page.unroute('**/assets/TopWorkflows-*');
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'Most expensive workflows' }).waitFor();
  assert.equal(await failed.count(), 0);
});
