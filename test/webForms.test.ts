import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard, waitUntilLoaded } from './harness/dashboard.ts';

const { address, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();
const page = await newPage();
await signIn(page);
const dialog = page.getByRole('dialog');

async function open(path: string): Promise<void> {
  await page.goto(`${address}${path}`);
  await waitUntilLoaded(page);
}

const focused = () =>
  page.evaluate('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.ariaLabel');

test('a backfill takes repositories from a list and typed ones, and a day', async () => {
  await ask('sources', { kind: 'github', name: 'Actions' });
  await open('/backfills');
  await page.getByText(/Each backfill is listed here/).waitFor();
  const asked: object[] = [];
  await page.route(/\/api\/v1\/backfills(\?|$)/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    asked.push(route.request().postDataJSON() as object);
    await route.fulfill({ status: 201, json: { data: {} } });
  });
  await page.getByRole('button', { name: 'New backfill' }).click();
  const start = dialog.getByRole('button', { name: 'Start backfill' });
  await start.waitFor();
  assert.ok(await start.isDisabled());
  const names = dialog.getByRole('group', { name: 'Repositories' }).getByRole('checkbox');
  const first = (await names.first().getAttribute('value'))!;
  await dialog.locator(':focus').waitFor();
  assert.equal(await focused(), first);
  await names.first().check();
  await dialog
    .getByRole('textbox', { name: 'Other repositories' })
    .fill(`${first}\nhttps://github.com/acme/new.git`);
  const since = dialog.getByRole('textbox', { name: 'Runs created since' });
  assert.match(await since.inputValue(), /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/);
  await since.fill('Jan 31, 2026');
  await start.click();
  await page.getByText('Backfill started.').waitFor();
  assert.deepEqual(asked, [{ repositories: [first, 'acme/new'], since: '2026-01-31' }]);
  await page.unrouteAll();
  assertNoConsoleErrors();
});

test('a backfill does not start from its search, from a day nobody can read or with too many repositories', async () => {
  const names = Array.from({ length: 101 }, (_, index) => `acme/app-${index}`);
  await page.route(/\/api\/v1\/costs\?.*provider/, async (route) => {
    const groups = names.map((value) => ({ by: [{ property: 'repository', value }] }));
    await route.fulfill({ json: { data: { groups } } });
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/backfills(\?|$)/.test(request.url())) asked.push(request.url());
  });
  // Not loaded as such: a page from the server has its own answers.
  await open('/no-such-page');
  await page.evaluate(`history.pushState(null, '', '/backfills')`);
  await page.getByRole('button', { name: 'New backfill' }).click();
  const list = dialog.getByRole('group', { name: 'Repositories' });
  await list.getByRole('checkbox', { name: 'acme/app-0' }).check();
  const search = dialog.getByRole('combobox', { name: 'Search repositories' });
  await search.fill('app-100');
  await search.press('Enter');
  await list.getByRole('checkbox', { name: 'acme/app-0' }).waitFor({ state: 'detached' });
  await search.fill('elsewhere');
  await list.getByText('No matches. Type it below.').waitFor();

  const since = dialog.getByRole('textbox', { name: 'Runs created since' });
  await since.fill('36h');
  await since.press('Enter');
  await dialog.getByText('Enter a day such as Nov 1, 2026').waitFor();
  const start = dialog.getByRole('button', { name: 'Start backfill' });
  await start.click();
  assert.equal(await since.inputValue(), '36h');

  await since.fill('Nov 1, 2026');
  await dialog.getByRole('textbox', { name: 'Other repositories' }).fill(names.join(' '));
  await dialog.getByText('Choose at most 100 repositories: these are 101.').waitFor();
  assert.ok(await start.isDisabled());
  assert.deepEqual(asked, []);
  await page.unrouteAll();
  assertNoConsoleErrors();
});

test('the missing mail server is said in one wording, and a new alert says it too', async () => {
  const words = 'No mail server is set: start Runcost with SMTP_URL and EMAIL_FROM.';
  const said = page.getByText(words);
  const how = page.getByRole('link', { name: 'How to set it' });
  await open('/alerts/new');
  await said.waitFor();
  await page.getByRole('switch', { name: 'Send emails' }).uncheck({ force: true });
  await said.waitFor({ state: 'detached' });
  await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
  await open('/settings/digests');
  await said.waitFor();
  await page.getByRole('code').filter({ hasText: 'SMTP_URL' }).waitFor();
  await how.click();
  await page.waitForURL(`${address}/settings/notifications`);
  await said.waitFor();
  await page.getByRole('button', { name: 'Copy the settings' }).waitFor();
  await open('/settings/members');
  await page.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByText(words).waitFor();
  await dialog.getByRole('link', { name: 'How to set it' }).waitFor();
  assertNoConsoleErrors();
});

test('a new export starts at its contents, with days as the pages show them', async () => {
  await open('/exports');
  await page.getByRole('button', { name: 'New export' }).click();
  await dialog.locator(':focus').waitFor();
  assert.equal(await focused(), 'Jobs');
  assert.match(await dialog.getByRole('textbox', { name: 'From' }).inputValue(), /^[A-Z][a-z]{2} 1, \d{4}$/);
  assertNoConsoleErrors();
});

test('the days of a rule and of a price are typed as pages show them', async () => {
  await open('/settings/owners');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await dialog.getByRole('textbox', { name: 'Owner', exact: true }).fill('Platform');
  await dialog.getByRole('textbox', { name: 'Repository' }).fill('acme/api');
  await dialog.getByRole('textbox', { name: 'First day (UTC)' }).fill('Nov 1, 2026');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await page
    .getByRole('row', { name: /acme\/api/ })
    .getByText('from Nov 1, 2026')
    .waitFor();

  const { data: own } = await ask('pricing/books', { based_on: 'github_2025', name: 'Ours' });
  await open('/settings/pricing?tab=lists');
  await page.getByRole('button', { name: 'Prices of Ours' }).click();
  const day = dialog.getByRole('textbox', { name: /^Start day of the price of/ }).first();
  await day.fill('Dec 24, 2025');
  await day.blur();
  assert.equal(await day.inputValue(), 'Dec 24, 2025');
  await day.fill('');
  await day.fill('1.2.2026');
  await dialog.getByRole('button', { name: 'Save prices' }).click();
  await dialog.getByText('Enter a day such as Nov 1, 2026').waitFor();
  assert.equal(await day.inputValue(), '1.2.2026');
  await day.fill('Dec 24, 2025');
  await dialog.getByRole('button', { name: 'Save prices' }).click();
  await page.getByText('Prices saved.').waitFor();
  type Books = { data: { id: string; prices: { effective_from: string }[] }[] };
  const books = (await ask<Books>('pricing/books')).data;
  assert.ok(
    books
      .find(({ id }) => id === own['id'])!
      .prices.some(({ effective_from: from }) => from === '2025-12-24'),
  );
  assertNoConsoleErrors();
});

test('the command that lets an owner in without a provider is a block with Copy', async () => {
  const provider = {
    id: 'idp_1',
    name: 'Okta',
    issuer: 'https://acme.okta.com',
    allowed_domains: [],
    group_roles: [],
    default_role: null,
  };
  await page.route(/\/api\/v1\/identity-providers(\?|$)/, (route) =>
    route.fulfill({ json: { data: [provider] } }),
  );
  await open('/settings/single-sign-on');
  const block = page.getByRole('region', { name: 'Command that signs in' });
  assert.match(await block.innerText(), / sign-in$/);
  await page.getByRole('button', { name: 'Copy the command' }).waitFor();
  await page.unrouteAll();
  assertNoConsoleErrors();
});

test('deleting the organization starts in the field for its name', async () => {
  await open('/settings/organization');
  await page.getByRole('button', { name: 'Delete organization' }).click();
  await dialog.locator(':focus').waitFor();
  assert.equal(await focused(), 'Type the organization name: My organization');
  assert.equal(await dialog.locator('label b').textContent(), 'My organization');
  assertNoConsoleErrors();
});

test('the preview of a digest is chosen as lists are filtered', async () => {
  await open('/settings/digests');
  const preview = page.getByRole('region', { name: 'What it looks like' });
  await preview.getByRole('button', { name: 'How often Weekly' }).click();
  await page.getByRole('menuitemradio', { name: 'Monthly' }).click();
  await preview.getByText(/^Subject: Monthly digest/).waitFor();
  assertNoConsoleErrors();
});
