import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

// Nothing answers there, so credentials are accepted unchecked.
const { address, ask, newPage, owner, signIn, consoleErrors, assertNoConsoleErrors } = await openDashboard({
  environment: { GITHUB_API_URL: 'http://127.0.0.1:9' },
});
const page = await newPage();
await signIn(page);
const dialog = page.getByRole('dialog');

/** Loads a page, which then has the newest answers, and no field of the page before. */
async function load(path: string): Promise<void> {
  await page.goto(`${address}${path}`);
  await waitUntilLoaded(page);
}

/** Opens a page as a link does, without loading its scripts again. */
async function open(path: string): Promise<void> {
  await follow(page, path);
  await waitUntilLoaded(page);
}

const focused = () =>
  page.evaluate('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.ariaLabel');

async function setCredentials(source: string): Promise<void> {
  const put = await fetch(`${address}/api/v1/sources/${source}/credentials`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'token', token: 'github_pat_11TESTTOKENabcd' }),
  });
  assert.equal(put.status, 200);
}

const idOf = async (name: string) => (await ask('sources', { kind: 'github', name })).data['id']!;

test('before the first backfill, the page leads over GitHub and its credentials to the form', async () => {
  const step = page.getByRole('listitem').and(page.locator('[aria-current="step"]'));
  await load('/history');
  await step.getByText('Connect GitHub').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Connect GitHub' }).count(), 1);

  await idOf('Actions');
  await load('/history');
  await step.getByText('Let Runcost read past runs').waitFor();
  await page.getByRole('button', { name: 'Add credentials' }).click();
  await dialog.locator('input[type=password]').fill('github_pat_11TESTTOKENabcd');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await step.getByText('Choose repositories and a first day').waitFor();
  await page.getByRole('button', { name: 'New backfill' }).click();
  await dialog.getByText('Choose a repository first.').waitFor();
  assert.equal(await dialog.getByLabel('Source').count(), 0);
  assertNoConsoleErrors();
});

test('until the sources are known, no step is done or current', async () => {
  const asked = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/sources(\?|$)/, async (route) => {
    await asked.promise;
    await route.continue();
  });
  // Opened by a link in the page, because a page from the server brings its own answers.
  await page.goto(`${address}/no-such-page`);
  await follow(page, '/history');
  const steps = page.getByRole('list', { name: 'Steps to a backfill' });
  await steps.waitFor();
  assert.equal(await steps.locator('[aria-current]').count(), 0);
  assert.equal(await steps.getByText('(done)').count(), 0);
  asked.resolve();
  await steps.locator('[aria-current]').waitFor();
  assert.equal(await steps.getByText('(done)').count(), 2);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assertNoConsoleErrors();
});

test('an incomplete backfill is tried again with the same days', async () => {
  const source = (await ask<{ data: { id: string }[] }>('sources')).data[0]!.id;
  const days = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-31T00:00:00.000Z' };
  const backfill = {
    id: 'bf_1',
    source_id: source,
    repositories: ['acme/api', 'acme/web'],
    ...days,
    is_nightly: false,
    status: 'done',
    progress: { done: 3, total: 4, repositories: 2 },
    waiting: null,

    problems: [{ repository: 'acme/api', message: 'acme/api was not found.' }],
    unread_runs: [],
    unread_count: 0,
    error: null,
    created_at: days.until,
    ended_at: days.until,
    estimated_end_at: null,
  };
  const asked: object[] = [];
  await page.route(/\/api\/v1\/backfills(\?|$)/, async (route) => {
    if (route.request().method() === 'POST') {
      asked.push(route.request().postDataJSON() as object);
      return route.fulfill({ status: 201, json: { data: backfill } });
    }
    const pagination = { page: 1, per_page: 25, total: 1, total_pages: 1 };
    return route.fulfill({ json: { data: [backfill], pagination } });
  });
  await page.goto(`${address}/no-such-page`);
  await follow(page, '/history');
  const of = 'acme/api and 1 more';
  await page.getByRole('button', { name: `Check the credentials for ${of}` }).waitFor();
  await page.getByRole('button', { name: `Try again: backfill of ${of}` }).click();
  await page.getByText('Backfill started.').waitFor();
  assert.deepEqual(asked, [{ repositories: backfill.repositories, ...days, source_id: source }]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assertNoConsoleErrors();
});

test('a backfill takes repositories from a list and typed ones, and a day', async () => {
  await load('/history');
  await page.getByText(/so that costs start before the day/).waitFor();
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
  await dialog.getByText('Choose a repository first.').waitFor();
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
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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
  // Opened by a link in the page, because a page from the server brings its own answers.
  await load('/no-such-page');
  await follow(page, '/history');
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
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assertNoConsoleErrors();
});

test('of several sources that can read, a backfill asks for one first', async () => {
  await setCredentials(await idOf('Other'));
  await load('/history');
  await page.getByRole('button', { name: 'New backfill' }).click();
  await dialog.getByRole('group', { name: 'Repositories' }).getByRole('checkbox').first().check();
  await dialog.getByText('Choose a source first.').waitFor();
  await dialog.getByRole('combobox', { name: 'Source' }).selectOption({ label: 'Other' });
  assert.ok(await dialog.getByRole('button', { name: 'Start backfill' }).isEnabled());
  assertNoConsoleErrors();
});

test('the missing mail server is said in one wording, and a new alert says it too', async () => {
  const words = 'No mail server is set: start Runcost with SMTP_URL and EMAIL_FROM.';
  const said = page.getByText(words);
  const how = page.getByRole('link', { name: 'How to set it' });
  await load('/alerts/new');
  await said.waitFor();
  await page.getByRole('switch', { name: 'Send emails' }).uncheck({ force: true });
  await said.waitFor({ state: 'detached' });
  await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
  await load('/settings/digests');
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
  await page.getByRole('button', { name: 'Add rule', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Owner', exact: true }).fill('Platform');
  await dialog.getByRole('textbox', { name: 'Repository' }).fill('acme/api');
  await dialog.getByRole('textbox', { name: 'First day (UTC)' }).fill('Nov 1, 2026');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await page
    .getByRole('row', { name: /acme\/api/ })
    .getByText('from Nov 1, 2026')
    .waitFor();

  const { data: own } = await ask('pricing/books', { based_on: 'github_2025', name: 'Ours' });
  await open('/settings/price-history');
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

test('costs of pools come from a file, after a preview, and a faulty line is named', async () => {
  await ask('runner-pools', { name: 'Macs', match: 'label', pattern: 'mac-mini' });
  await load('/settings/pricing');
  const choose = async (csv: string) => {
    const file = { name: 'pools.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel('File of pool costs').setInputFiles(file);
    await dialog.waitFor();
  };
  await choose('pool,month,cost_usd\nMac,2026-13,10\n');
  await dialog.getByText('line 2, pool', { exact: true }).waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Import costs' }).count(), 0);
  assert.match(consoleErrors.splice(0).join(), /^[^,]+ 400 \(Bad Request\)[^,]+$/);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await choose('pool,month,cost_usd\nMacs,2026-01,345.60\n');
  await dialog.getByText('31 days new or changed').waitFor();
  await dialog.getByRole('button', { name: 'Import costs' }).click();
  await page.getByRole('cell', { name: '$345.60, Jan 1, 2026 to Jan 31, 2026' }).waitFor();
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
  // A page that the server renders would not request the providers again.
  await open('/settings/members');
  await page.locator('a[href="/settings/single-sign-on"]').click();
  const block = page.getByRole('region', { name: 'Command that signs in' });
  assert.match(await block.innerText(), / sign-in$/);
  await page.getByRole('button', { name: 'Copy the command' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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

test('a channel has the fields of its kind, and alerts and digests choose it', async () => {
  await load('/settings/notifications');
  await page.getByRole('button', { name: 'New channel' }).click();
  await dialog.getByRole('textbox', { name: 'Incoming webhook address' }).waitFor();
  await dialog.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'PagerDuty' });
  assert.ok(await dialog.getByRole('button', { name: 'Create channel' }).isDisabled());
  await dialog.getByRole('textbox', { name: 'Name' }).fill('On call');
  await dialog.getByRole('combobox', { name: 'Service region' }).selectOption({ label: 'Europe' });
  await dialog.getByRole('textbox', { name: 'Integration key' }).fill(`${'a'.repeat(28)}1234`);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  const channels = page.getByRole('region', { name: 'Channels' });
  await channels.getByText('…1234, eu').waitFor();
  await page.getByRole('button', { name: 'New channel' }).click();
  await dialog.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'PagerDuty' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('on call');
  await dialog.getByRole('textbox', { name: 'Integration key' }).fill(`${'a'.repeat(28)}1234`);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByText('belongs to another channel').waitFor();
  // A refused form shows where to go on.
  await dialog.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  assert.match(consoleErrors.splice(0).join(), /^[^,]+ 409 \(Conflict\)[^,]+$/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ask('channels', { name: 'Mails', kind: 'email', settings: { addresses: 'ops@acme.example' } });
  await load('/alerts/new');
  await page.getByRole('textbox', { name: 'Threshold in US dollars' }).fill('5000');
  await page.getByRole('checkbox', { name: 'On call (PagerDuty)' }).check();
  await page.getByText('Notifies channel “On call”.').waitFor();
  await load('/settings/digests');
  await page.getByRole('button', { name: 'New digest' }).first().click();
  await dialog.getByRole('combobox', { name: 'Send it to' }).selectOption({ label: 'Others and channels' });
  await dialog.getByRole('checkbox', { name: 'Mails (Email)' }).check();
  assert.equal(await dialog.getByRole('checkbox', { name: /PagerDuty/ }).count(), 0);
  await dialog.getByRole('button', { name: 'Create digest' }).click();
  await page.getByText('Mails', { exact: true }).waitFor();
  assertNoConsoleErrors();
});
