import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openDashboard } from './harness/dashboard.ts';

const { address, newPage, signIn, assertNoConsoleErrors } = await openDashboard();
const page = await newPage();
await signIn(page);

test('an export is created, shows its progress, and downloads with the browser session', async () => {
  await page.goto(`${address}/exports`);
  await page.getByText('No exports yet').waitFor();
  await page.getByRole('button', { name: 'New export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Daily costs').check();
  await dialog.getByLabel('Format').selectOption('jsonl');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const link = page.getByRole('link', { name: /^Download Daily costs, JSON Lines/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.match(download.suggestedFilename(), /^runcost-daily-\d{4}-\d\d-01-to-\d{4}-\d\d-\d\d\.jsonl$/);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of lines) assert.equal(typeof JSON.parse(line).cost, 'number');
  assertNoConsoleErrors();
});

test('shows a server error next to its field', async () => {
  await page.goto(`${address}/exports`);
  await page.getByRole('button', { name: 'New export' }).click();
  const dialog = page.getByRole('dialog');
  // The browser itself would reject days in this order.
  await dialog.getByLabel('From').fill('2026-03-10');
  await dialog.getByLabel('To').fill('2026-03-09');
  await dialog.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(/must not be before/).waitFor();
});
