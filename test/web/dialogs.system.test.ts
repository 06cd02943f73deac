import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings, ofColors } from '../harness/axe.ts';
import { follow, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard({
  // Nothing answers there, so credentials are accepted unchecked.
  environment: { GITHUB_API_URL: 'http://127.0.0.1:9' },
});

type Created = { data: { id: string } };
const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'Over a dollar' });
await ask(`alerts/${alert.id}/check`, {});
const { data: webhook } = await ask<Created>('webhooks', {
  url: 'http://127.0.0.1:9/hook',
  events: ['alert.triggered'],
});
await ask(`webhooks/${webhook.id}/ping`, {});
await ask('members', { email: 'ada@acme.example', role: 'admin' });
await ask('invitations', { email: 'mona@acme.example', role: 'member' });
await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
await ask('runner-pools', {
  name: 'Own',
  match: 'label',
  pattern: 'own',
  periods: [{ first_day: '2026-01-01', machines: 1 }],
});
await ask('pricing/rules', { match: 'label', pattern: 'own-*', name: 'Own', usd_per_minute: 0.01 });
await ask('share-links', { query: 'days=30' });
const { data: source } = await ask<Created>('sources', { kind: 'github', name: 'Actions' });
await fetch(`${address}/api/v1/sources/${source.id}/credentials`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'token', token: 'github_pat_11TESTTOKENabcd' }),
});
const [run] = (await ask<{ data: [{ id: string }] }>('runs?per_page=1')).data;

type Name = string | RegExp;
/** The button that opens the dialog, or the button of the menu that contains it. */
const dialogs: [path: string, ways: [button: Name, item?: Name][]][] = [
  [
    '/explore',
    [
      ['Share', /^Create a share link/],
      ['Share', /^Embed in a page/],
      ['Share', /^Create a badge/],
      ['Views', /^Save/],
      ['Last 30 days'],
      ['+ Filter'],
    ],
  ],
  [`/runs/${run.id}`, [['Actions for this run', 'Delete run']]],
  ['/settings/notifications', [['New channel']]],
  [
    '/settings/members',
    [
      ['Invite'],
      ['Actions for ada@acme.example', 'Edit'],
      ['Actions for ada@acme.example', 'Remove'],
      [/^Actions for the invitation/, 'Revoke'],
    ],
  ],
  ['/settings/single-sign-on', [['Add provider']]],
  [
    '/settings/tokens',
    [
      ['New token', /^Personal token/],
      ['New token', /^Service account/],
      [/^Actions for/, 'Revoke'],
    ],
  ],
  ['/settings/sessions', [[/^Sign out .+, this browser$/], ['Sign out everywhere']]],
  [
    '/share-links',
    [
      [/^Actions for the link/, 'Revoke'],
      [/^Actions for the link/, 'Make a new link'],
    ],
  ],
  ['/settings/organization', [['Delete organization']]],
  ['/settings/digests', [['New digest'], [/^Actions for Weekly/, 'Delete']]],
  ['/settings/owners', [['Add rule'], [/^Actions for rule/, 'Edit'], [/^Actions for rule/, 'Delete']]],
  [
    '/settings/pricing',
    [['Add rule'], [/^Actions for the rule/, 'Edit'], [/^Actions for the rule/, 'Delete']],
  ],
  [
    '/settings/price-history',
    [[/^Prices of/], [/^Actions for GitHub/, 'Copy'], [/^Actions for GitHub.*202\d/, 'Use']],
  ],
  ['/settings/discounts', [['Set plan']]],
  [
    '/settings/pricing',
    [['Add pool'], [/^Actions for the pool/, 'Edit'], [/^Actions for the pool/, 'Delete']],
  ],
  ['/settings/price-history', [['Reprice']]],
  ['/settings/price-history', [['Set rates']]],
  ['/webhooks', [['New webhook']]],
  [
    `/webhooks/${webhook.id}`,
    [
      ['Ping'],
      ['Resend many…'],
      ['More actions', 'Edit'],
      ['More actions', 'Rotate secret'],
      ['More actions', 'Delete'],
    ],
  ],
  ['/settings/actors', [['Add pattern']]],
  ['/bill', [['Another account']]],
  [`/alerts/${alert.id}`, [[/^Check now/], ['Snooze'], [/^Delete /], ['All details']]],
  ['/exports', [['New export'], ['New scheduled export']]],
  ['/history', [['New backfill']]],
  ['/sources', [['Setup of Actions'], ['Credentials of Actions'], ['Delete Actions']]],
];

let theme: 'light' | 'dark' = 'light';

/** In light and dark, and with the focus going round in it. */
async function assertAccessible(page: Page, place: string): Promise<void> {
  const focused = page.locator('[role="dialog"]:focus, [role="dialog"] :focus');
  await focused.waitFor().catch((error: unknown) => {
    throw new Error(`the focus is not in the dialog of ${place}`, { cause: error });
  });
  await waitUntilLoaded(page);
  // Changing the theme draws the whole page again, so each dialog begins with the theme of the one before.
  const other = theme === 'light' ? 'dark' : 'light';
  for (const colorScheme of [theme, other] as const) {
    const rules = colorScheme === theme ? {} : { rules: ofColors };
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await page.evaluate(twoFrames);
    const found = await axeFindings(page, { include: '[role="dialog"]', ...rules });
    assert.deepEqual(found, [], `${place} in ${colorScheme}`);
  }
  theme = other;
  for (const key of ['Shift+Tab', 'Shift+Tab', 'Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(key);
    assert.equal(await focused.count(), 1, `${key} leaves the dialog of ${place}`);
  }
}

async function openPage(): Promise<Page> {
  const page = await newPage();
  await page.emulateMedia({ colorScheme: theme });
  await signIn(page);
  await page.goto(`${address}/no-such-page`);
  return page;
}

test('every dialog has no axe findings, opens by keyboard, keeps the focus, closes with Escape and gives it back', async () => {
  const page = await openPage();
  const dialog = page.getByRole('dialog');
  const main = page.getByRole('main');
  const named = (name: Name, exact: boolean) =>
    main.getByRole('button', { name, exact }).or(main.getByRole('link', { name, exact }));
  for (const [path, ways] of dialogs) {
    await follow(page, path);
    await waitUntilLoaded(page);
    for (const [name, item] of ways) {
      const opener = named(name, typeof name === 'string').first();
      const label = ((await opener.getAttribute('aria-label')) ?? (await opener.textContent()))!;
      const open = async () => {
        await opener.press('Enter');
        if (item)
          await page.getByRole('menuitem', { name: item, exact: typeof item === 'string' }).press('Enter');
      };
      await open();
      // A key is lost if late answers draw the opener again at that moment.
      await dialog.waitFor({ timeout: 10_000 }).catch(open);
      await assertAccessible(page, `${path}: ${String(name)} ${String(item ?? '')}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await named(label, true).and(page.locator(':focus')).waitFor();
    }
  }
  await page.context().close();
  assertNoConsoleErrors();
});

test('neither has a dialog that an address, an answer or a change opens', async () => {
  const page = await openPage();
  const dialog = page.getByRole('dialog');
  const press = (name: string, within: Pick<Page, 'getByRole'> = page) =>
    within.getByRole('button', { name, exact: true }).press('Enter');
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const ways: [path: string, open?: () => Promise<unknown>][] = [
    [`/?day=${yesterday}`],
    ['/?flag=guessed_runner'],
    [
      '/waste?days=90',
      async () => {
        await page.locator('.fixes button[aria-expanded]').first().press('Enter');
        await press('Dismiss');
      },
    ],
    [
      `/webhooks/${webhook.id}`,
      async () => {
        await press('Ping');
        await dialog.getByText('Not delivered.').waitFor();
      },
    ],
    [
      '/alerts/new',
      async () => {
        await page.getByLabel('Name').fill('Typed');
        await page.getByRole('main').getByRole('link').first().press('Enter');
      },
    ],
  ];
  for (const [path, open] of ways) {
    await follow(page, path);
    await waitUntilLoaded(page);
    await open?.();
    await assertAccessible(page, path);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('main :focus, main:focus').waitFor();
  }
  await follow(page, '/settings/tokens');
  await press('New token');
  await page.getByRole('menuitem', { name: /^Service account/ }).press('Enter');
  await dialog.getByLabel('Name').fill('Dashboards');
  await press('Create token', dialog);
  await dialog.getByLabel('Shown only once').waitFor();
  await assertAccessible(page, 'a secret');
  await page.keyboard.press('Escape');
  await dialog.getByLabel('I saved it in a safe place').press('Space');
  await press('Done', dialog);
  await dialog.waitFor({ state: 'detached' });
  await page.locator('main :focus, main:focus').waitFor();
  await page.context().close();
  assertNoConsoleErrors();
});
