import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings, ofColors } from '../harness/axe.ts';
import { follow, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';
import { runCommand } from '../harness/program.ts';

const dashboard = await openDashboard();
const { address, ask, newPage, paths, settings, assertNoConsoleErrors, consoleErrors } = dashboard;
const rule = { alert_type: 'budget', threshold_amount: 1 };
await ask(`alerts?org_id=${dashboard.owner.orgId}`, { ...rule, name: 'Over a dollar' });
const { data: webhook } = await ask('webhooks', {
  url: 'http://127.0.0.1:9/hook',
  events: ['alert.triggered'],
});
const created = await runCommand(['org', 'create', '--name', 'Fresh', '--json'], settings);
const fresh = JSON.parse(created.stdout) as { token: string };
const { data: viewer } = await ask('tokens', { name: 'costs only', role: 'viewer', scopes: ['costs:read'] });

const all = await paths();
const ofOne = all.filter((path) => !/\d|^.confirm|^.no-such/.test(path));

async function signedIn(token: string): Promise<Page> {
  const page = await newPage();
  const headers = { origin: address };
  const answer = await page.request.post(`${address}/api/v1/session`, { headers, data: { token } });
  assert.equal(answer.status(), 201);
  await page.goto(`${address}/no-such-page`);
  await waitUntilLoaded(page);
  return page;
}

const answers = /\/api\/v1\/(?!session)/;

let theme: 'light' | 'dark' = 'light';

/** In light and dark. The navigation is the same on all pages. */
async function assertAccessible(page: Page, place: string): Promise<void> {
  const before = theme;
  for (const scheme of [theme, theme === 'light' ? 'dark' : 'light'] as const) {
    theme = scheme;
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await page.evaluate(twoFrames);
    const rules = scheme === before ? {} : { rules: ofColors };
    assert.deepEqual(await axeFindings(page, { exclude: ['#menu'], ...rules }), [], `${place} in ${scheme}`);
  }
}

for (const [state, token, listed] of [
  ['has nothing yet', fresh.token, ofOne],
  ['may not be read', viewer['token']!, ['/', '/alerts', '/alerts/new', '/history', '/settings/members']],
] as const) {
  test(`no page that ${state} has axe findings`, async () => {
    const page = await signedIn(token);
    for (const path of listed) {
      await follow(page, path);
      await waitUntilLoaded(page);
      await assertAccessible(page, path);
    }
    await page.context().close();
    consoleErrors.splice(0); // The refused questions.
  });
}

test('no page that waits for its answers has axe findings', async () => {
  const page = await signedIn(dashboard.owner.token);
  await page.route(answers, () => {});
  for (const path of all) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(await axeFindings(page, { exclude: ['#menu'] }), [], path);
  }
  await page.context().close();
  assertNoConsoleErrors();
});

test('no page whose questions fail has axe findings', async () => {
  const page = await signedIn(dashboard.owner.token);
  // Unlike the faults of a server, these are not tried again.
  await page.route(answers, (route) => route.fulfill({ status: 409, json: { detail: 'Not now.' } }));
  for (const path of ['/explore', '/workflows', '/alerts', '/webhooks', '/settings/pricing', '/bill']) {
    await follow(page, path);
    await page.getByRole('main').getByText('Not now.').filter({ visible: true }).first().waitFor();
    await assertAccessible(page, path);
  }
  await page.context().close();
  consoleErrors.splice(0); // The failed questions.
});

test('no message over a page has axe findings, and one replaces that of the act before', async () => {
  const page = await signedIn(dashboard.owner.token);
  await follow(page, `/webhooks/${webhook['id']}`);
  const message = page.locator('.messages').getByRole('alert');
  for (const [button, text] of [
    ['Pause', /^Paused/],
    ['Resume', /^Resumed/],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).press('Enter');
    await message.filter({ hasText: text }).hover();
  }
  assert.equal(await message.count(), 1);
  await assertAccessible(page, 'a message');
  await page.route(answers, (route) => route.fulfill({ status: 409, json: { detail: 'Not now.' } }));
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter');
  await message.filter({ hasText: 'Something went wrong' }).hover();
  await assertAccessible(page, 'a failure');
  await page.context().close();
  consoleErrors.splice(0); // The refused change.
});

test('neither the sign-in page nor a link that has ended has axe findings', async () => {
  const page = await newPage();
  for (const path of ['/', '/#code=used', '/invitation#code=used', '/shared#link=ended']) {
    await page.goto(`${address}${path}`);
    await waitUntilLoaded(page);
    await assertAccessible(page, path);
  }
  consoleErrors.splice(0); // The refused codes.
});
