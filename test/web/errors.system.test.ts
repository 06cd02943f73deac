import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import {
  follow,
  leave,
  openAccountMenu,
  openDashboard,
  signOut,
  waitUntilLoaded,
} from '../harness/dashboard.ts';
import { runCommand } from '../harness/program.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, consoleErrors } = dashboard;
const other = await newOrganization('Beta');

async function newOrganization(name: string): Promise<{ orgId: string; token: string }> {
  const created = await runCommand(['org', 'create', '--name', name, '--json'], dashboard.settings);
  const { org_id: orgId, token } = JSON.parse(created.stdout) as { org_id: string; token: string };
  return { orgId, token };
}

const first = await newPage();
const context = first.context();

/** The first page, which keeps the files that it has loaded. */
async function signedIn(path: string): Promise<Page> {
  await signIn(first);
  await first.goto(`${address}${path}`);
  return first;
}

afterEach(async () => {
  await context.setOffline(false);
  // An open page would keep sending requests, and log errors during the next test.
  const pages = context
    .browser()!
    .contexts()
    .flatMap((each) => each.pages());
  for (const page of pages) if (page !== first) await page.close();
  await first.unrouteAll({ behavior: 'ignoreErrors' });
  await first.setViewportSize({ width: 1_280, height: 900 });
  if (first.url() !== 'about:blank') await leave(first);
  // Browsers log failed requests to the console, and these tests cause them on purpose.
  consoleErrors.length = 0;
});

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
/** The first page, as a viewer of the overview. */
async function signedInAsViewer(token: object): Promise<Page> {
  const { data } = await ask('tokens', { role: 'viewer', ...token });
  await context.clearCookies();
  await first.goto(address);
  await first.getByLabel(/^Token/).fill(data['token']!);
  await first.getByRole('button', { name: 'Sign in' }).click();
  return first;
}

/** Opens the page by a link, so that the browser requests the figures instead of getting them with the page. */
const open = (page: Page, area: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: area }).click();
const again = (page: Page) => page.getByRole('button', { name: 'Try again' });
const fail = (route: Route) => route.abort();

test('a page whose file fails to load says so, keeps the frame, and loads on retry', async () => {
  const page = await signedIn('/webhooks');
  await page.route('**/assets/alerts-*', fail);
  await open(page, 'Budgets');
  await heading(page, 'This page failed to load');
  await open(page, 'Bill');
  await heading(page, 'Bill');
  await open(page, 'Budgets');
  await heading(page, 'This page failed to load');
  await page.unroute('**/assets/alerts-*');
  await again(page).click();
  await heading(page, 'Alerts');
});

test('an open page reloads once after an update has replaced its files', async () => {
  const page = await signedIn('/webhooks');
  let loads = 0;
  const count = () => loads++;
  page.on('load', count);
  await page.route('**/assets/{alerts,Bill}-*', fail);
  await page.route(`${address}/`, (route) =>
    route.fulfill({ body: '<script src="/assets/index-newer.js">' }),
  );
  await open(page, 'Budgets');
  await page.waitForEvent('load');
  await heading(page, 'This page failed to load');
  await open(page, 'Bill');
  await again(page).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(loads, 1);
  page.off('load', count);
});

test('shows a table in place of a chart that fails', async () => {
  const page = await signedIn('/webhooks');
  // Only charts ask for their width on this page.
  await page.evaluate('ResizeObserver = class { constructor() { throw new Error("no width"); } }');
  await open(page, 'Overview');
  const panel = page.getByRole('region', { name: 'Daily cost' });
  await panel.getByText('The chart cannot be shown').waitFor();
  assert.ok((await panel.getByRole('row').count()) > 30);
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
});

test('keeps the page and the other periods where the calendar fails to load', async () => {
  const page = await signedIn('/');
  await page.route('**/assets/RangeCalendar-*', fail);
  await page.getByRole('button', { name: 'Last 30 days', exact: true }).click();
  const period = page.getByRole('dialog', { name: 'Period' });
  await period.getByText('The calendar did not load. Reload the page.').waitFor();
  await period.getByRole('button', { name: 'Last 7 days' }).click();
  await page.locator('.range-title', { hasText: 'Last 7 days' }).waitFor();
});

test('shows the savings that came where those of storage fail', async () => {
  const page = await signedIn('/webhooks');
  await page.route('**/api/v1/storage?*', (route) =>
    route.fulfill({ status: 409, json: { detail: 'Not now.' } }),
  );
  await open(page, 'Overview');
  await page.getByText(/^\$.+ by fixes, .*storage failed to load$/).waitFor();
  await page.getByRole('link', { name: /^Up to \$/ }).waitFor();
});

test('a hint that fails to load does not affect the page', async () => {
  const page = await signedIn('/');
  await page.route('**/assets/Hint-*', fail);
  const refused = page.waitForEvent('requestfailed');
  await page.getByRole('link', { name: ': workflows by cost' }).hover();
  await refused;
  await open(page, 'Workflows');
  await heading(page, 'Workflows');
});

test('uses the browser’s own dialog where the file of a dialog or explanation fails to load', async () => {
  const page = await signedIn('/');
  await page.route('**/assets/{modal,PopoverOpened}-*', fail);
  const projected = page.getByTitle('How the forecast is made');
  await projected.click();
  await page.getByRole('dialog').getByText('Spent so far').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.locator(':focus').getAttribute('title'), 'How the forecast is made');
  await follow(page, '/alerts/new');
  await page.getByLabel('Name').fill('Typed');
  await open(page, 'Bill');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Typed');
  await open(page, 'Bill');
  await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
  await heading(page, 'Bill');
});

test('shows an unknown filter of the address, and can remove it', async () => {
  const { data } = await ask('webhooks', { url: 'http://127.0.0.1:9/hook', events: ['alert.triggered'] });
  const page = await signedIn(`/webhooks/${data['id']}?event=no.such`);
  await page.getByText('must be one of').first().waitFor();
  await page.getByRole('button', { name: 'Event no.such' }).click();
  await page.getByRole('menuitemradio', { name: 'All' }).click();
  await page.getByText('No deliveries yet').waitFor();
});

test('rows can be added to a form over plain http, without crypto.randomUUID', async () => {
  const page = await first.context().newPage();
  await signIn(page);
  await page.addInitScript('delete Crypto.prototype.randomUUID');
  await page.goto(`${address}/settings/price-history`);
  // Panels above the button move it while they load.
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'Set rates' }).click();
  const add = page.getByRole('button', { name: 'Add rate' });
  await add.click();
  await add.click();
  await page.getByRole('button', { name: 'Remove this rate' }).nth(1).waitFor();
});

test('when another tab changes the session, no tab keeps showing the previous organization', async () => {
  const page = await signedIn('/');
  const tab = await page.context().newPage();
  await tab.goto(`${address}/webhooks`);
  await signOut(tab);
  await heading(page, /Sign in/);
  await page.getByText('Your session ended').waitFor();
  await tab.getByLabel(/^Token/).fill(other.token);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  const account = page.getByRole('button', { name: /^Beta .*account menu$/ });
  await account.waitFor();
  await page.getByText('you signed out in another tab').waitFor({ state: 'detached' });

  const link = /\S+#code=\S+/.exec(
    (await runCommand(['sign-in', '--org', owner.orgId], dashboard.settings)).stdout,
  )![0];
  await tab.goto(link);
  await page.getByText(/^You signed in to .+ in another tab/).waitFor();
  await account.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
});

test('a change meant for one organization is never made in another', async () => {
  const page = await signedIn('/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  await page.getByLabel('URL', { exact: false }).first().fill('https://first.example/hook');
  await waitUntilLoaded(page);
  // Without a message to other tabs, as from another profile or an extension.
  const answer = await page.context().request.post(`${address}/api/v1/session`, {
    data: { token: other.token },
    headers: { origin: address },
  });
  assert.equal(answer.status(), 201);
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: /^Beta .*account menu$/ }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { data } = (await (
    await fetch(`${address}/api/v1/webhooks`, { headers: { authorization: `Bearer ${other.token}` } })
  ).json()) as { data: { webhooks: object[] } };
  assert.deepEqual(data.webhooks, []);
});

test('when the session ends, the sign-in page says why and leads back to the page', async () => {
  const page = await signedIn('/webhooks');
  await waitUntilLoaded(page);
  await page.context().clearCookies();
  await open(page, 'Budgets');
  await heading(page, /Sign in/);
  await page.getByText('Your session ended').waitFor();
  await page.getByLabel(/^Token/).fill(owner.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Alerts');
  await page.getByText('Your session ended').waitFor({ state: 'detached' });
});

test('figures that fail to reload stay, with the time of their last update', async () => {
  const page = await newPage();
  await page.clock.install();
  await signIn(page);
  await page.goto(address);
  const runs = page.getByRole('region', { name: 'Recent runs' });
  await runs.getByRole('row').nth(1).waitFor();
  await waitUntilLoaded(page);
  const before = await runs.boundingBox();
  const body = JSON.stringify({ detail: 'The database cannot be reached.', request_id: 'req-1' });
  await page.route('**/api/v1/dashboard/**', (route) => route.fulfill({ status: 503, body }));
  const notice = page.getByText(/Not updated since .+, \d\d:\d\d UTC: The database cannot.*req-1/);
  for (let step = 0; step < 12 && !(await notice.isVisible()); step++) await page.clock.runFor(5_000);
  await notice.waitFor();
  assert.deepEqual(await runs.boundingBox(), before);
  assert.equal(await again(page).count(), 1);
  await page.unroute('**/api/v1/dashboard/**');
  await again(page).click();
  await notice.waitFor({ state: 'detached' });
});

test('an unreachable database is said once, with one button that tries all parts again', async () => {
  const page = await signedIn('/webhooks');
  const body = JSON.stringify({ detail: 'The database cannot be reached.', request_id: 'req-1' });
  await page.route('**/api/v1/dashboard/**', (route) => route.fulfill({ status: 503, body }));
  await open(page, 'Overview');
  await page.getByText(/Parts of this page failed to load: The database cannot.*req-1/).waitFor();
  await page.getByText('Failed to load', { exact: true }).nth(1).waitFor();
  assert.equal(await page.getByText('The database cannot').count(), 1);
  assert.equal(await again(page).count(), 1);
  await page.unroute('**/api/v1/dashboard/**');
  await again(page).click();
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
  await again(page).waitFor({ state: 'detached' });
});

test('a panel that fails alone says why, keeps its height and loads again by itself', async () => {
  const page = await signedIn('/webhooks');
  const body = JSON.stringify({ detail: 'The database took too long.', request_id: 'req-2' });
  await page.route('**/api/v1/dashboard/recent-runs*', (route) => route.fulfill({ status: 503, body }));
  await open(page, 'Overview');
  const panel = page.getByRole('region', { name: 'Recent runs' });
  await panel.getByText('Failed to load: The database took too long. (request req-2)').waitFor();
  assert.ok((await panel.boundingBox())!.height > 400);
  assert.equal(await page.getByText('The database took too long').count(), 1);
  assert.equal(await again(page).count(), 1);
  await page.unroute('**/api/v1/dashboard/recent-runs*');
  await panel.getByRole('button', { name: 'Try again' }).click();
  await panel.getByRole('row').nth(1).waitFor();
  await again(page).waitFor({ state: 'detached' });
});

test('alerts whose amounts fail to load say so, and load them again', async () => {
  await ask(`alerts?org_id=${owner.orgId}`, { name: 'Kept', alert_type: 'budget', threshold_amount: 5 });
  const page = await signedIn('/webhooks');
  await page.route('**/api/v1/alerts/measurements*', (route) => route.fulfill({ status: 503, body: '{}' }));
  await open(page, 'Overview');
  await page.getByRole('region', { name: 'Budgets' }).getByText('Failed to load').waitFor();
  await open(page, 'Budgets');
  const row = page.getByRole('row').filter({ hasText: 'Kept' });
  await row.getByText('The amounts failed to load').waitFor();
  await page.unroute('**/api/v1/alerts/measurements*');
  await again(page).click();
  await row.getByText(/^\$[\d.,]+ of \$5$/).waitFor();
});

test('a page without access names the missing scope and offers no retry', async () => {
  const page = await signedInAsViewer({ name: 'costs only', scopes: ['costs:read'] });
  await page.getByRole('region', { name: 'Budgets' }).getByText('No access').waitFor();
  for (const [path, title, scope] of [
    ['/alerts', 'Alerts', 'alerts:read'],
    ['/webhooks', 'Webhooks', 'webhooks:read'],
    ['/history', 'History', 'admin'],
  ] as const) {
    await follow(page, path);
    await heading(page, title);
    await page.getByRole('note').getByText(`no scope ${scope}`).waitFor();
    assert.equal(await again(page).count(), 0);
  }
});

test('a viewer sees how alerts stand, without controls that do nothing', async () => {
  const { id } = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, {
    name: 'Seen',
    alert_type: 'budget',
    threshold_amount: 7,
  });
  const page = await signedInAsViewer({ name: 'sees' });
  await open(page, 'Budgets');
  const row = page.getByRole('row').filter({ hasText: 'Seen' });
  await row.getByText(/^\$[\d.,]+ of \$7$/).waitFor();
  await row.getByRole('cell', { name: 'On', exact: true }).waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'Actions' }).count(), 0);
  assert.equal(await page.getByRole('switch').count(), 0);
  await follow(page, `/alerts/${id}/edit`);
  await page.getByText('Only members, admins, and owners can do this').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
});

test('a page of something that does not exist leads back to the list and offers no retry', async () => {
  const page = await signedIn('/webhooks');
  for (const [path, list] of [
    ['/alerts/nope', 'Alerts'],
    ['/alerts/nope/edit', 'Alerts'],
    ['/webhooks/nope', 'Webhooks'],
    ['/workflows/nope', 'Workflows'],
    ['/runs/nope', 'Workflows'],
  ] as const) {
    await follow(page, path);
    await page.getByRole('heading', { name: / not found$/ }).waitFor();
    assert.equal(await again(page).count(), 0);
    await page.getByRole('main').getByRole('link').click();
    await heading(page, list);
  }
});

test('drops a day in the address that does not exist or cannot be shown', async () => {
  const page = await signedIn('/webhooks');
  const { workflows } = await ask<{ workflows: { workflow_id: string }[] }>(
    `dashboard/workflows?org_id=${owner.orgId}`,
  );
  const workflow = `/workflows/${workflows[0]!.workflow_id}`;
  for (const path of ['/?day=', `${workflow}?days=90&created_on=`, `${workflow}?days=90&completed_on=`]) {
    for (const day of ['2026-02-30', '1999-12-31']) {
      await follow(page, path + day);
      await page.waitForURL(`${address}${path.replace(/[?&]\w+=$/, '')}`);
      await waitUntilLoaded(page);
      assert.equal(await page.getByRole('dialog').count(), 0);
      await page.getByRole('region', { name: /uns$/ }).last().getByRole('row').nth(1).waitFor();
    }
  }
});

test('signing out while the server is unreachable shows an error', async () => {
  const page = await signedIn('/webhooks');
  await waitUntilLoaded(page);
  await openAccountMenu(page);
  await page.context().setOffline(true);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('Something went wrong').waitFor();
  await page.context().setOffline(false);
  await signOut(page);
  await heading(page, /Sign in/);
  assert.deepEqual(
    consoleErrors.filter((line) => !line.includes('ERR_INTERNET_DISCONNECTED')),
    [],
  );
});
