import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const dashboard = await openDashboard();
const page = await dashboard.newPage();
const maxStops = 80;

type Stop = { name: string; isSeen: boolean; isInDialog: boolean; isInMain: boolean };

/** An element around a hidden input may show the focus. */
const lookAtFocus = `(() => {
  const focused = document.activeElement;
  const around = [focused, focused.parentElement, focused.nextElementSibling, focused.parentElement?.firstElementChild];
  const look = () => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
    return around.filter(Boolean).map((element) => {
      const { outline, borderColor, boxShadow, transform } = getComputedStyle(element);
      return [outline, borderColor, boxShadow, transform].join();
    }).join();
  };
  const seen = look();
  focused.blur();
  const unseen = look();
  focused.focus();
  const name = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent;
  return { name: name.trim(), isSeen: seen !== unseen, 
    isInDialog: focused.closest('[role="dialog"]') !== null, isInMain: focused.closest('main') !== null };
})()`;

async function stop(): Promise<Stop> {
  return (await page.evaluate(lookAtFocus)) as Stop;
}

/** Presses Tab until an element with this name has the focus. Each stop on the way must show it. */
async function tabTo(name: RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < maxStops; count++) {
    await page.keyboard.press(key);
    const at = await stop();
    assert.ok(at.isSeen, `the focus on “${at.name}” cannot be seen`);
    if (name.test(at.name)) return;
    passed.push(at.name);
  }
  assert.fail(`${String(name)} is not among ${passed.join(', ')}`);
}

/** Opens a page as a link does, without loading its scripts again. */
const open = (path: string) => follow(page, path);

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

test('a keyboard user signs in and skips to the content', async () => {
  await page.goto(`${dashboard.address}/sign-in`);
  await page.getByLabel(/^Token/).waitFor();
  await tabTo(/^Token/);
  await page.keyboard.type(dashboard.owner.token);
  await page.keyboard.press('Enter');
  await heading('Overview');
  await page.goto(dashboard.address);
  await heading('Overview');
  await page.locator('main a, main button').first().waitFor();
  await page.keyboard.press('Tab');
  const { name, isSeen } = await stop();
  assert.deepEqual([name, isSeen], ['Skip to content', true]);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok((await stop()).isInMain);
  dashboard.assertNoConsoleErrors();
});

test('a keyboard user creates an alert, and every stop on the way is visible', async () => {
  await tabTo(/^Budgets$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await heading('Alerts');
  await tabTo(/^New alert$/);
  await page.keyboard.press('Enter');
  await heading('New alert');
  await page.getByRole('form', { name: 'Alert' }).waitFor();
  await tabTo(/^Name/);
  await page.keyboard.type('Typed');
  await tabTo(/^Threshold in US dollars/);
  await page.keyboard.type('25');
  await tabTo(/^Send emails/);
  await page.keyboard.press('Space');
  await tabTo(/^Create alert$/);
  await page.keyboard.press('Enter');
  await heading('Typed');
  const { alerts } = await dashboard.ask<{ alerts: { name: string; notify_email: boolean }[] }>(
    `alerts?org_id=${dashboard.owner.orgId}`,
  );
  assert.deepEqual(
    alerts.map(({ name, notify_email }) => [name, notify_email]),
    [['Typed', false]],
  );
  dashboard.assertNoConsoleErrors();
});

test('a dialog keeps the focus, Escape closes it, and the focus returns to what opened it', async () => {
  await tabTo(/^Delete/);
  const opener = (await stop()).name;
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await dialog.locator(':focus').waitFor();
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    const { name, isInDialog, isSeen } = await stop();
    assert.ok(isInDialog, `${key} leaves the dialog for “${name}”`);
    assert.ok(isSeen, `the focus on “${name}” cannot be seen`);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator(':focus').waitFor();
  assert.equal((await stop()).name, opener);
  dashboard.assertNoConsoleErrors();
});

test('a hint shows on hover and on focus, and Escape hides it', async () => {
  const hint = page.getByRole('tooltip');
  await page.goto(dashboard.address);
  const total = page.getByRole('link', { name: ': workflows by cost' });
  await total.waitFor();
  const exact = (await total.getAttribute('aria-description'))!;
  assert.match(exact, /^\$[\d,]+\.\d+\. Click to see workflows by cost\.$/);
  await tabTo(/: workflows by cost$/);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await hint.getByText(exact, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await hint.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).hover();
  await total.hover();
  await hint.getByText(exact, { exact: true }).waitFor();
  // The same happens when the figure reloads.
  await total.evaluate((element) => element.setAttribute('aria-description', 'By now more'));
  await hint.getByText('By now more', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).hover();
  await hint.waitFor({ state: 'detached' });
  dashboard.assertNoConsoleErrors();
});

test('amounts and times show a hint on hover, and are not keyboard stops', async () => {
  const hint = page.getByRole('tooltip');
  for (const path of ['/', '/workflows', '/waste']) {
    await open(path);
    // Whatever loads above the amount moves it away from the pointer.
    await waitUntilLoaded(page);
    const amount = page.getByRole('cell', { name: /^\$/ }).locator('[aria-description]').first();
    await amount.waitFor();
    const stops = page.locator('main [tabindex="0"]:not(:is(a, button, input, select, .wide-table))');
    assert.deepEqual(await stops.allInnerTexts(), [], path);
    await amount.hover();
    await hint.getByText((await amount.getAttribute('aria-description'))!, { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1 }).hover();
    await hint.waitFor({ state: 'detached' });
  }
  dashboard.assertNoConsoleErrors();
});

test('a fix of waste is opened, dismissed with a reason and reopened by keyboard, and the address keeps the filter', async () => {
  await open('/waste?days=90');
  await page.getByRole('button', { name: 'Failed', exact: true }).press('Enter');
  const fix = page.getByRole('button', { name: /Fix jobs that often fail .* a month$/ }).first();
  await fix.waitFor();
  await waitUntilLoaded(page);
  assert.equal(new URL(page.url()).search, '?days=90&category=failed');
  const saving = page.getByText(/^Fixes save up to \$/);
  const [before, name] = [await saving.innerText(), await fix.innerText()];
  await fix.press('Enter');
  await page
    .getByRole('table', { name: 'Runs to look at' })
    .getByRole('link', { name: /^#/ })
    .first()
    .waitFor();
  const dismiss = page.getByRole('button', { name: 'Dismiss', exact: true });
  await dismiss.press('Enter');
  await page.getByRole('dialog', { name: 'Dismiss this fix?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal((await stop()).name, 'Dismiss');
  await dismiss.press('Enter');
  await page.getByLabel('Reason').fill('Each failure found a fault');
  await page.keyboard.press('Enter');
  // The button that opened the dialog is gone with its fix.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('#content:focus').waitFor();
  await page.getByRole('tab', { name: 'Dismissed 1' }).click();
  assert.notEqual(await saving.innerText(), before);
  const dismissed = page.getByRole('button', { name: /Each failure found a fault$/ });
  assert.ok((await dismissed.innerText()).startsWith(name.split('\n')[0]!));
  await dismissed.press('Enter');
  await page.getByRole('button', { name: 'Reopen' }).press('Enter');
  await page.getByText('Nothing is dismissed.').waitFor();
  assert.equal(await saving.innerText(), before);
  dashboard.assertNoConsoleErrors();
});

test('a click explains a figure, and Escape returns to it', async () => {
  const explanation = page.getByRole('dialog', { name: 'How the forecast is made' });
  await open('/');
  await page.getByTitle('How the forecast is made').waitFor();
  await page.getByTitle('How the forecast is made').focus();
  await page.keyboard.press('Enter');
  await explanation.getByText('Spent so far').waitFor();
  await explanation.locator(':focus').or(page.locator('[role="dialog"]:focus')).first().waitFor();
  await page.keyboard.press('Escape');
  await explanation.waitFor({ state: 'detached' });
  assert.match((await stop()).name, /^\$/);
  dashboard.assertNoConsoleErrors();
});

test('the first use of a row’s menu keeps the focus, and so does a dialog opened from it', async () => {
  const more = page.getByRole('button', { name: /^Actions for/ }).first();
  const item = page.getByRole('menuitem').first();
  for (const isDialog of [false, true]) {
    await page.goto(`${dashboard.address}/settings/price-history`);
    await more.waitFor();
    await waitUntilLoaded(page);
    const name = await more.getAttribute('aria-label');
    await more.press('Enter');
    await item.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="menuitem"]:focus').waitFor();
    if (isDialog) {
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').locator(':focus').waitFor();
    }
    await page.keyboard.press('Escape');
    await (isDialog ? page.getByRole('dialog') : item).waitFor({ state: 'detached' });
    await page.locator(':focus').waitFor();
    assert.equal((await stop()).name, name);
  }
  dashboard.assertNoConsoleErrors();
});

test('letters open pages, rows and the filter, but not in a field, in a dialog or when turned off', async () => {
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const row = (index: number) => page.locator('main tbody > tr').nth(index).locator(':focus');
  await open('/exports');
  await heading('Exports');
  await page.keyboard.press('?');
  await shortcuts.getByRole('row', { name: 'Go to Workflows g w' }).waitFor();
  await shortcuts.locator(':focus').waitFor();
  await page.keyboard.type('go');
  await page.keyboard.press('Escape');
  await shortcuts.waitFor({ state: 'detached' });
  await heading('Exports');
  await page.keyboard.type('gw');
  await heading('Workflows');
  await page.locator('main tbody a').first().waitFor();
  await waitUntilLoaded(page);
  await page.keyboard.type('jj');
  await row(1).waitFor();
  assert.ok((await stop()).isSeen);
  await page.keyboard.press('k');
  await row(0).waitFor();
  await page.keyboard.press('/');
  await page.locator('main input[type="search"]:focus').waitFor();
  await page.keyboard.type('gojk?/');
  assert.equal(await page.locator('main input[type="search"]').inputValue(), 'gojk?/');
  await open('/workflows');
  await waitUntilLoaded(page);
  await page.keyboard.type('j');
  const name = await page.locator(':focus').innerText();
  await page.keyboard.press('Enter');
  await heading(name);
  await open('/explore');
  await page.locator('.add-filter').waitFor();
  await page.keyboard.press('/');
  await page.getByRole('dialog', { name: 'New filter' }).locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await shortcuts.getByRole('switch', { name: 'Shortcuts of single letters' }).press('Space');
  await page.keyboard.press('Escape');
  await shortcuts.waitFor({ state: 'detached' });
  await page.keyboard.type('go?');
  assert.equal(await shortcuts.count(), 0);
  await heading('Explore');
  await page.evaluate('localStorage.removeItem("runcost-letter-keys")');
  dashboard.assertNoConsoleErrors();
});

test('the palette finds values once with their kind, and leads to their costs of 90 days', async () => {
  type Costs = { data: { groups: { by: [{ name: string; value: string | null }] }[] } };
  const costs: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/costs?')) costs.push(request.url());
  });
  for (const [dimension, kind] of [
    ['runner', 'Runner'],
    ['actor', 'Person or bot'],
    ['label', 'Label'],
    ['repository', 'Repository'],
    ['team', 'Team'],
  ] as const) {
    const address = `costs?org_id=${dashboard.owner.orgId}&days=90&group_by=${dimension}`;
    const { data } = await dashboard.ask<Costs>(address);
    const { name, value } = data.groups.map(({ by: [first] }) => first).find((each) => each.value)!;
    await open('/exports');
    await heading('Exports');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(name);
    await page.getByRole('option', { name: `${name} ${kind}`, exact: true }).click();
    await heading('Explore');
    const { searchParams: asked } = new URL(page.url());
    assert.deepEqual([asked.get(dimension), asked.get('days')], [value, '90']);
  }
  // The values are asked for once.
  assert.equal(costs.filter((url) => url.includes('limit=1000')).length, 4);
  dashboard.assertNoConsoleErrors();
});

test('the palette selects an exact name that comes late, but not after a choice', async () => {
  const rule = { alert_type: 'budget', threshold_amount: 1_000_000, name: 'Hist' };
  await dashboard.ask(`alerts?org_id=${dashboard.owner.orgId}`, rule);
  const selected = page.getByRole('option', { selected: true });
  for (const isChosen of [false, true]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/alerts\?/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(`${dashboard.address}/exports`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('hist');
    await selected.getByText('History', { exact: true }).waitFor();
    if (isChosen) for (const key of ['ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    resolve();
    await page.getByRole('option', { name: /^Hist Budget/ }).waitFor();
    await selected.getByText(isChosen ? 'History' : 'Hist', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.unrouteAll();
  }
  dashboard.assertNoConsoleErrors();
});

test('no letter is lost that is typed while the palette opens, or when it is open already', async () => {
  await open('/exports');
  await heading('Exports');
  const field = page.getByRole('combobox', { name: /^Search pages/ });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('was');
  await page.keyboard.press('CapsLock');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('te');
  await field.and(page.locator('[value="waste"]')).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('d');
  await field.and(page.locator('[value="wasted"]')).waitFor();
  await page.keyboard.press('Escape');
  dashboard.assertNoConsoleErrors();
});

test('on a small screen the menu is a drawer, which keeps the keyboard until it closes', async () => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`${dashboard.address}/webhooks`);
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  const isInMenu = () => page.evaluate(`document.activeElement.closest('#menu') !== null`);
  assert.equal(await menu.getAttribute('aria-expanded'), 'false');
  await page.getByRole('banner').getByRole('button', { name: 'Search' }).focus();
  await page.keyboard.press('Tab');
  assert.equal(await isInMenu(), false);
  await menu.press('Enter');
  await page.locator('#menu :focus').waitFor();
  for (const key of ['Shift+Tab', 'Shift+Tab', 'Tab', 'Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(key);
    assert.equal(await isInMenu(), true, key);
  }
  await page.keyboard.press('Escape');
  await page.locator('#menu[inert]').waitFor({ state: 'attached' });
  await page.locator('header :focus').waitFor();
  assert.equal(await menu.evaluate('document.activeElement.ariaLabel'), 'Menu');
  await menu.press('Enter');
  const links = page.getByRole('navigation', { name: 'Main' });
  await links.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  assert.equal(await menu.getAttribute('aria-expanded'), 'false');
  dashboard.assertNoConsoleErrors();
});
