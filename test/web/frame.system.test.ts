import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Request } from 'playwright-core';
import { axeFindings } from '../harness/axe.ts';
import { follow, leave, openAccountMenu, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = dashboard;

type Workflow = { workflow_id: string; workflow_name: string; repo_name: string };
const { workflows } = await ask<{ workflows: Workflow[] }>(`dashboard/workflows?org_id=${owner.orgId}`);
const { runs } = await ask<{ runs: { id: string }[] }>(`dashboard/recent-runs?org_id=${owner.orgId}`);

/** Keeps the files that it has loaded. */
const page = await newPage();

afterEach(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await leave(page);
  dashboard.consoleErrors.length = 0;
});

async function open(path: string, { width = 1_280, dark = false } = {}): Promise<void> {
  await signIn(page);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  await page.goto(`${address}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Types the token of a viewer with one scope, at the page of the address. */
async function typeTokenOfViewer(path: string): Promise<void> {
  const { data } = await ask('tokens', { name: 'costs', role: 'viewer', scopes: ['costs:read'] });
  await leave(page);
  await page.context().clearCookies();
  await page.goto(`${address}${path}`);
  await page.getByLabel(/^Token/).fill(data['token']!);
}

const signInAsTyped = () => page.getByRole('button', { name: 'Sign in' }).click();

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const search = () => page.getByRole('combobox', { name: /^Search pages/ });
const option = (name: string | RegExp) => page.getByRole('option', { name });

const exactly = (name: string) =>
  page.getByRole('group', { name: 'Exact name' }).getByRole('option', { name, exact: true });

/** Types at once, because no letter may get lost while the palette opens. */
async function find(text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const first = text.slice(0, 3);
  await page.keyboard.type(first);
  await search().waitFor();
  while ((await search().inputValue()) !== first);
  await search().fill(text);
}

/** The text of the option that Enter would choose, as a screen reader finds it. */
async function chosen(): Promise<string> {
  const id = (await search().getAttribute('aria-activedescendant'))!;
  return page.locator(`[id="${id}"]`).innerText();
}

const faults = () => axeFindings(page);

test('the palette finds pages, settings, repositories, workflows and runs by keyboard alone', async () => {
  await open('/exports');
  await find('webh');
  await option(/^Webhooks/).waitFor();
  await page.keyboard.press('Enter');
  await heading('Webhooks');
  await find('audit');
  await page.keyboard.press('Enter');
  await heading('Audit log');
  await find('create alert');
  await option('Create an alert').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address}/alerts/new`);
  const { repo_name: repository, workflow_name: name } = workflows[0]!;
  await find(repository);
  await exactly(`${repository} Repository`).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(({ searchParams }) => searchParams.get('repository') === repository);
  await find(name);
  await page.getByText(/^\d+ results?$/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  assert.match(await chosen(), new RegExp(`^${name}\\W+Workflow in `));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/workflows\/wf_/);
  await find(runs[0]!.id.replace('run_github_', ''));
  await option(/^Run #\d+ of /).waitFor();
  await page.keyboard.press('Enter');
  await heading(/^Run #\d+ of /);
  assertNoConsoleErrors();
});

test('the palette finds every page of the settings, and by other words too', async () => {
  await open('/settings');
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  assert.equal(await links.count(), 7);
  await find('settings');
  for (const [text, title] of [
    ['organization', 'Organization'],
    ['sso', 'Single sign-on'],
    ['members and sign-in', 'Sessions'],
    ['digest', 'Digests'],
    ['notifications', 'Channels'],
    ['reprice', 'Price history'],
    ['single sign', 'Single sign-on'],
    ['pull req', 'Pull requests'],
  ] as const) {
    await search().fill(text);
    await option(new RegExp(`^${title}\\W*Settings$`)).waitFor();
  }
  await search().fill('pull req');
  const found = option(/^Pull requests/);
  assert.deepEqual(await found.locator('mark').allInnerTexts(), ['Pull', 'req']);
  await page.keyboard.press('Enter');
  await heading('Pull requests');
});

test('the palette finds alerts, webhooks and saved views by name, for whoever may read them', async () => {
  const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
  const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'Platform team' });
  const url = 'http://127.0.0.1:9/hooks/costs';
  const { data: webhook } = await ask('webhooks', { url, events: ['alert.triggered'] });
  const { data: named } = await ask('webhooks', { name: 'Chargeback', url, events: ['alert.resolved'] });
  const { data: view } = await ask('views', {
    name: 'Quarterly',
    query: 'days=90&group_by=team',
    is_shared: true,
  });
  const ways: [text: string, group: string, name: RegExp, address: string][] = [
    ['budget', 'Alerts', /^Platform team\W*Budget alert/, `/alerts/${alert.id}`],
    ['team platf', 'Alerts', /^Platform team\W*Budget alert/, `/alerts/${alert.id}`],
    ['hooks/costs', 'Webhooks', /hooks\/costs\W*Webhook$/, `/webhooks/${webhook['id']}`],
    ['chargeb', 'Webhooks', /^Chargeback\W*Webhook$/, `/webhooks/${named['id']}`],
    ['quarter', 'Views', /^Quarterly\W*Saved view$/, `/explore?${view['query']}`],
  ];
  await open('/exports');
  for (const [text, group, name, place] of ways) {
    await find(text);
    await page.getByRole('group', { name: group }).getByRole('option', { name }).click();
    await page.waitForURL(`${address}${place}`);
  }

  await typeTokenOfViewer('/exports');
  const asked: string[] = [];
  const note = (request: Request) => void asked.push(new URL(request.url()).pathname);
  page.on('request', note);
  await signInAsTyped();
  await heading('Exports');
  await find('quarter');
  await option(/^Quarterly/).waitFor();
  for (const text of ['hooks/costs', 'team platf']) {
    await search().fill(text);
    await page.getByText(`No matches for “${text}”`).waitFor();
  }
  page.off('request', note);
  assert.deepEqual(
    asked.filter((path) => /webhooks|alerts/.test(path)),
    [],
  );
});

test('the palette lists what was opened before once', async () => {
  const { repo_name: repository } = workflows[0]!;
  await open(`/repositories/${repository}`);
  await waitUntilLoaded(page);
  await page.getByRole('link', { name: 'Bill', exact: true }).click();
  await heading('Bill');
  await find(repository);
  await page.getByRole('group', { name: 'Workflows' }).waitFor();
  assert.equal(await option(new RegExp(`^${repository}`)).count(), 1);
  await exactly(`${repository} Repository`).click();
  await page.waitForURL(`${address}/repositories/${repository}`);
});

test('while the palette searches, it offers nothing of the search before', async () => {
  const { repo_name: repository } = workflows[0]!;
  await open('/exports');
  await find(repository);
  await exactly(`${repository} Repository`).waitFor();
  await page.route(/dashboard\/workflows\?.*search=nothing/, () => {}); // Never answered.
  await search().fill('nothing like it');
  await page.getByText('Searching …').waitFor();
});

test('results that come late do not take the selection, nor move what someone chooses from', async () => {
  const held: (() => Promise<void>)[] = [];
  await open('/exports');
  await page.route(/search=(web|api)$/, (route) => void held.push(() => route.continue()));
  const titles = () =>
    page
      .getByRole('listbox')
      .getByRole('group')
      .evaluateAll((groups) => groups.map((group) => group.getAttribute('aria-label')));
  for (const [text, key] of [
    ['web', 'Shift'],
    ['api', 'ArrowDown'],
  ] as const) {
    await find(text);
    while (held.length === 0) await page.waitForTimeout(20);
    await page.keyboard.press(key);
    const before = { titles: await titles(), chosen: await chosen() };
    assert.ok(before.titles.includes('Pages'));
    for (const answer of held.splice(0)) await answer();
    await option(new RegExp(`/${text}\\W+Repository$`)).waitFor();
    const [first] = await titles();
    assert.equal(first, key === 'ArrowDown' ? before.titles[0] : 'Exact name');
    assert.equal(await chosen(), before.chosen);
    await page.keyboard.press('Escape');
    await search().waitFor({ state: 'detached' });
  }
  assertNoConsoleErrors();
});

test('the palette starts with what was opened last, says when nothing matches, and gives the focus back', async () => {
  await open(`/workflows/${workflows[0]!.workflow_id}`);
  await heading(workflows[0]!.workflow_name);
  await page.getByRole('link', { name: 'Bill', exact: true }).click();
  await heading('Bill');
  const button = page.getByRole('button', { name: 'Search' });
  await button.press('Enter');
  await search().waitFor();
  const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
  assert.match(await recent.innerText(), new RegExp(`^${workflows[0]!.workflow_name}\\W+Workflow in `));
  assert.equal(await chosen(), await recent.innerText());
  await search().fill('no such thing');
  await page.getByText('No matches for “no such thing”').waitFor();
  assert.equal(await page.getByText(/^\d+ results?$/).count(), 0);
  await page.keyboard.press('Escape');
  await search().waitFor({ state: 'detached' });
  await button.and(page.locator(':focus')).waitFor();
});

test('the palette offers what the role and scopes allow', async () => {
  await open('/exports');
  await find('create token');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New service account' }).waitFor();
  assert.equal(new URL(page.url()).search, '');
  await page.keyboard.press('Escape');

  await typeTokenOfViewer('/');
  await signInAsTyped();
  await heading('Overview');
  await find('create');
  await page.getByText('No matches for “create”').waitFor();
});

test('the palette asks before it leaves a form with changes', async () => {
  await open('/alerts/new');
  await page.getByLabel('Name').fill('Typed');
  await find('waste');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Typed');
});

test('an unknown address leads to pages with one like it, and to the search', async () => {
  await open('/setings/single-signon');
  const near = page.getByRole('navigation', { name: 'Similar pages' });
  assert.match(await near.getByRole('link').first().innerText(), /^Single sign-on/);
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await search().waitFor();
  await page.keyboard.press('Escape');
  await near.getByRole('link', { name: /^Single sign-on/ }).click();
  await heading('Single sign-on');
  await follow(page, '/qqq');
  await heading('Page not found');
  assert.equal(await near.count(), 0);
  assertNoConsoleErrors();
});

test('the theme is remembered, and is there before the first script of the page', async () => {
  await open('/exports');
  const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
  assert.equal(await scheme(), 'light');
  await openAccountMenu(page);
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  assert.equal(await scheme(), 'dark');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload({ waitUntil: 'load' });
  assert.equal(await scheme(), 'dark');
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(19, 20, 23)');
  await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'auto')`);
  await page.reload({ waitUntil: 'load' });
  assert.equal(await scheme(), 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload({ waitUntil: 'load' });
  assert.equal(await scheme(), 'dark');
});

test('the navigation collapses to icons on middle widths, and where someone chose it', async () => {
  await open('/exports', { width: 1_000 });
  const link = page.getByRole('link', { name: 'Workflows', exact: true });
  const width = () => page.locator('#menu').evaluate((menu) => menu.getBoundingClientRect().width);
  assert.equal(await width(), 60);
  await link.hover();
  await page.getByRole('tooltip').getByText('Workflows').waitFor();
  await page.setViewportSize({ width: 1_440, height: 900 });
  const buttonTo = (verb: string) => page.getByRole('button', { name: `${verb} navigation` });
  const [collapse, expand] = [buttonTo('Collapse'), buttonTo('Expand')];
  await collapse.click();
  await expand.waitFor();
  assert.equal(await width(), 60);
  await page.reload();
  await expand.waitFor();
  await page.keyboard.press('Control+b');
  await collapse.waitFor();
  assert.equal(await width(), 240);
  assertNoConsoleErrors();
});

test('the current page is marked, each page has its title, and the content is never too wide', async () => {
  await open('/exports', { width: 1_920 });
  for (const [path, area] of [
    [`/runs/${encodeURIComponent(runs[0]!.id)}`, 'Workflows'],
    ['/alerts/new', 'Budgets'],
    ['/exports', 'Connections'],
    ['/settings/audit', 'Settings'],
    ['/', 'Overview'],
  ] as const) {
    await follow(page, path);
    await waitUntilLoaded(page);
    const current = page.locator('#menu [aria-current="page"]');
    assert.deepEqual(await current.allInnerTexts(), [area], path);
    const title = await page.getByRole('heading', { level: 1 }).innerText();
    assert.equal(await page.title(), `${title} · Runcost`);
    const wide = await page.locator('.page').evaluate((element) => element.getBoundingClientRect().width);
    assert.equal(wide, 1_440);
  }
});

test('the organization sets the zone of times and its fiscal year, and the audit log says so', async () => {
  await open('/settings/members', { width: 390 });
  await page.getByRole('combobox', { name: 'Settings' }).selectOption('Organization');
  await heading('Organization');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByLabel('Fiscal year starts in').selectOption('April');
  await page.getByRole('region', { name: 'Times and periods' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Times and periods saved.').waitFor();
  await page.getByRole('combobox', { name: 'Settings' }).selectOption('Audit log');
  await page
    .getByText(/changed the organization: time zone from UTC to Asia\/Tokyo, .*from January to April/)
    .waitFor();
  await page.getByText('GMT+9').first().waitFor();
  await page.getByRole('button', { name: 'Kind All' }).click();
  await page.getByRole('menuitemradio', { name: 'Members' }).click();
  await page.waitForURL(/[?&]kind=member/);
  await page.getByText('No matching entries').waitFor();
  await follow(page, '/explore');
  await page.getByRole('button', { name: 'Last 30 days' }).click();
  await page.getByRole('button', { name: 'This fiscal year' }).click();
  await page.waitForURL(/range=this_fiscal_year/);
  await page.evaluate(`fetch('/api/v1/organization', { method: 'PUT', headers: { 'content-type': 'application/json' },
    body: '{"time_zone":"UTC","fiscal_year_start_month":1}' })`);
  assertNoConsoleErrors();
});

test('the palette, menus and dialogs of the frame have no axe findings, wide in light and on a phone in dark', async () => {
  await open('/exports');
  // What differs in the middle is the navigation, which the menu of the account is part of.
  for (const [theme, width] of [
    ['light', 1_440],
    ['dark', 1_000],
    ['dark', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
    await waitUntilLoaded(page);
    const place = `in ${theme} at ${width} px`;
    const isMiddle = width === 1_000;
    if (!isMiddle) {
      await find('');
      assert.deepEqual(await faults(), [], `palette ${place}`);
      await search().fill('no such thing');
      await page.getByText('No matches for').waitFor();
      assert.deepEqual(await faults(), [], `empty palette ${place}`);
      await page.keyboard.press('Escape');
      await search().waitFor({ state: 'detached' });
    }
    if (width < 768) await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await openAccountMenu(page);
    assert.deepEqual(await faults(), [], `account menu ${place}`);
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.waitFor();
    if (!isMiddle) assert.deepEqual(await faults(), [], `shortcuts ${place}`);
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
    assertNoConsoleErrors();
  }
});
