import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';
import { openObjectStorage } from '../harness/objectStorage.ts';

const { address, newPage, signIn, assertNoConsoleErrors, consoleErrors } = await openDashboard();
const storage = await openObjectStorage();
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
  await dialog.getByRole('textbox', { name: 'From' }).fill('2026-03-10');
  await dialog.getByRole('textbox', { name: 'To' }).fill('2026-03-09');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(/must not be before/).waitFor();
  consoleErrors.splice(0); // Browsers log the refused days.
});

test('a day is chosen in a calendar, which Escape closes without its dialog', async () => {
  await page.goto(`${address}/exports`);
  await page.getByRole('button', { name: 'New export' }).click();
  const dialog = page.getByRole('dialog', { name: 'New export' });
  const from = dialog.getByRole('textbox', { name: 'From' });
  await from.fill('2026-03-10');
  const calendar = page.getByRole('dialog', { name: 'From' });
  await dialog.getByRole('button', { name: 'Choose: From' }).click();
  await calendar.getByRole('button', { name: 'Mar 10, 2026' }).waitFor();
  await page.keyboard.press('Escape');
  await calendar.waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Choose: From' }).click();
  await calendar.getByRole('button', { name: 'Mar 9, 2026' }).click();
  assert.equal(await from.inputValue(), 'Mar 9, 2026');
  await from.fill('tomorrow');
  await from.blur();
  assert.equal(await from.inputValue(), 'tomorrow');
  await dialog.getByText('Enter a day such as Nov 1, 2026').waitFor();
  await from.fill('Mar 8, 2026');
  assert.equal(await dialog.getByText('Enter a day such as Nov 1, 2026').count(), 0);
  await dialog.getByRole('button', { name: 'Choose: From' }).click();
  await calendar
    .getByRole('button', { name: 'Mar 8, 2026', pressed: true })
    .or(calendar.locator('[data-selected]'))
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  assertNoConsoleErrors();
});

test('a scheduled export is created, tested, edited, turned off and deleted', async () => {
  await page.goto(`${address}/exports`);
  await page.getByRole('button', { name: 'New scheduled export' }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of [
    ['Endpoint', storage.endpoint],
    ['Bucket', 'costs'],
    ['Access key ID', 'AKIATEST'],
    ['Secret access key', 'secret-of-the-storage'],
  ] as const)
    await dialog.getByLabel(label).fill(value);
  storage.secret = 'secret-of-the-storage';
  await dialog.getByRole('button', { name: 'Create scheduled export' }).click();
  const list = page.getByRole('table', { name: 'Scheduled exports' });
  await list.getByText('Daily: FOCUS 1.3, Parquet').waitFor();
  const act = async (item: string) => {
    await list.getByRole('button', { name: 'Actions for Daily: FOCUS 1.3, Parquet' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await act('Test the destination');
  await page.getByText('The storage took the file runcost-test.txt.').waitFor();
  assert.ok(storage.files.has('costs/runcost-test.txt'));

  await act('Edit');
  assert.equal(await dialog.getByLabel('Secret access key').inputValue(), '');
  await dialog.getByLabel('Prefix').fill('finops');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await list.getByText('/costs/finops').waitFor();
  storage.files.clear();
  await act('Test the destination');
  while (!storage.files.has('costs/finops/runcost-test.txt')) await page.waitForTimeout(50);

  await list.getByRole('switch').press('Space');
  await list.getByRole('switch', { checked: false }).waitFor();
  await act('Delete');
  await dialog.getByRole('button', { name: 'Delete scheduled export' }).click();
  await page.getByText('No scheduled exports').waitFor();
  assertNoConsoleErrors();
});

test('exports are a tab of connections, and the navigation has nine entries', async () => {
  await page.goto(`${address}/sources`);
  const tabs = page.getByRole('navigation', { name: 'Connections' });
  for (const name of ['History', 'Webhooks', 'Exports', 'Sources']) {
    await tabs.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    assert.equal(await tabs.locator('[aria-current="page"]').innerText(), name);
  }
  const areas = page.getByRole('navigation', { name: 'Main' });
  assert.equal(await areas.getByRole('link').count(), 9);
  assert.equal(await areas.locator('[aria-current="page"]').innerText(), 'Connections');
  assertNoConsoleErrors();
});
