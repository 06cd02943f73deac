import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openDashboard, waitUntilLoaded } from './harness/dashboard.ts';
import { openWebhookReceiver } from './harness/webhookReceiver.ts';

const { address, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();
const page = await newPage();
await signIn(page);
const phone = await newPage({ width: 390, height: 844, dark: true });
await signIn(phone);

const receiver = await openWebhookReceiver();
receiver.answer = 500;
const { data: webhook } = await ask('webhooks', { url: receiver.url, events: ['alert.triggered'] });
for (let ping = 0; ping < 5; ping++) await ask(`webhooks/${webhook['id']}/ping`, {});
await ask('members', { email: 'ada@acme.example', role: 'admin' });
await ask('sources', { kind: 'github', name: 'Actions' });

async function openOn(on: Page, path: string): Promise<void> {
  await on.goto(`${address}${path}`);
  await waitUntilLoaded(on);
}

const boxOf = async (element: Locator) => (await element.boundingBox())!;

test('on a phone, a row with a button is as high as its texts, and the button as large as a finger', async () => {
  for (const [path, list, button] of [
    ['/settings/pricing', 'Runner prices', /^Change the price of/],
    ['/settings/owners', 'Ownership rules', /^Actions for rule/],
    ['/settings/members', 'Members', /^Actions for ada/],
  ] as const) {
    await openOn(phone, path);
    const table = phone.getByRole('table', { name: list });
    const action = table.getByRole('button', { name: button }).first();
    const row = table
      .getByRole('row')
      .filter({ has: phone.getByRole('button', { name: button }) })
      .first();
    const { height } = await boxOf(row);
    assert.ok(height < 72, `${path}: ${height}`);
    const size = await boxOf(action);
    assert.ok(size.width >= 40 && size.height >= 40, `${path}: ${JSON.stringify(size)}`);
  }
  assertNoConsoleErrors();
});

test('on a phone, a delivery says its attempts, response and duration in its second line', async () => {
  while (
    (
      await ask<{ data: { deliveries: { status: string }[] } }>(
        `webhooks/${webhook['id']}/deliveries?status=failed`,
      )
    ).data.deliveries.length < 5
  )
    await phone.waitForTimeout(50);
  await openOn(phone, `/webhooks/${webhook['id']}`);
  const card = await boxOf(phone.getByRole('region', { name: 'Deliveries' }));
  const row = phone.getByRole('table', { name: 'Deliveries' }).getByRole('row').last();
  assert.match(await row.innerText(), /webhook\.ping\s+Failed[^]*1 attempt[^]*HTTP 500[^]*\d ms/);
  const name = await boxOf(row.getByText('webhook.ping'));
  assert.equal(Math.round(name.x - card.x), 17);
  await row.getByRole('button', { name: /^Show the attempts/ }).click();
  const attempt = await boxOf(phone.getByRole('article', { name: 'Attempt 1' }));
  assert.ok(attempt.x >= card.x && attempt.x + attempt.width <= card.x + card.width);
  assertNoConsoleErrors();
});

test('a webhook whose ping failed is not called active, and draws its latest deliveries', async () => {
  await openOn(page, `/webhooks/${webhook['id']}`);
  await page.getByText('Failing', { exact: true }).waitFor();
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText(/^The last attempt failed: /).waitFor();
  const bars = health.getByRole('img', { name: /^Latest 5 deliveries: 5 failed/ });
  assert.equal(await bars.locator('[data-status="failed"]').count(), 5);
  assert.equal(await page.getByRole('code').filter({ hasText: 'alert.triggered' }).count(), 1);
  assertNoConsoleErrors();
});

test('on a phone, the actions of every page end at its right edge', async () => {
  const right = 390 - 16;
  for (const [path, last] of [
    ['/settings/members', 'Invite'],
    ['/settings/owners', 'Add rule'],
    ['/settings/sessions', 'Sign out everywhere'],
    ['/webhooks', 'New webhook'],
    [`/webhooks/${webhook['id']}`, 'More actions'],
  ] as const) {
    await openOn(phone, path);
    const { x, width } = await boxOf(phone.getByRole('button', { name: last, exact: true }).first());
    assert.ok(Math.abs(x + width - right) <= 1, `${path}: ${x + width}`);
  }
  await openOn(phone, '/settings/organization');
  const ends = await phone
    .getByRole('button', { name: 'Save' })
    .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().right)));
  assert.deepEqual([ends.length, new Set(ends).size], [3, 1], String(ends));
  assertNoConsoleErrors();
});

test('a table fades where there is more of it on the right', async () => {
  const mask = `getComputedStyle(document.querySelector('[role="dialog"] .wide-table')).maskImage`;
  for (const on of [phone, page]) {
    await openOn(on, '/settings/pricing?tab=lists');
    await on
      .getByRole('button', { name: /^Prices of GitHub/ })
      .first()
      .click();
    await on.getByRole('dialog').getByRole('table').waitFor();
  }
  assert.equal(await page.evaluate(mask), 'none');
  assert.match((await phone.evaluate(mask)) as string, /gradient/);
  await phone.evaluate(`document.querySelector('[role="dialog"] .wide-table').scrollLeft = 10_000`);
  await phone.waitForFunction(`${mask} === 'none'`);
});

test('a source that waits for long says since when, and what to look at', async () => {
  const later = await newPage();
  await signIn(later);
  await later.clock.setFixedTime(Date.now() + 3 * 3_600_000);
  await openOn(later, '/sources');
  const row = later.getByRole('row', { name: /^Actions/ });
  await row.getByText('Connected 3 hours ago. Does Setup match the webhook there?').waitFor();
  await later.context().close();
  await openOn(page, '/sources');
  await page
    .getByRole('row', { name: /^Actions/ })
    .getByText('Waiting for the first event', { exact: true })
    .waitFor();
  assert.equal(await page.getByText('Does Setup match').count(), 0);
});

test('the audit log names digests by what they are and webhooks by their whole address', async () => {
  await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
  await openOn(page, '/settings/audit');
  await page.getByText('created the weekly digest of all costs for cfo@acme.example').waitFor();
  await page.getByText(`created the webhook “${receiver.url}”`).waitFor();
  // A name stands out where it is another than above.
  const names =
    (await page.evaluate(`[...document.querySelectorAll('.audit-entries > li p > span:first-child')]
    .map((name) => [name.textContent, getComputedStyle(name).fontWeight === '600'])`)) as [string, boolean][];
  assert.ok(names.length > 5);
  for (const [index, [name, isBold]] of names.entries())
    assert.equal(isBold, names[index - 1]?.[0] !== name, String(index));
  assertNoConsoleErrors();
});

test('the last own rule of a full page moves down only if another own rule follows', async () => {
  const lines = Array.from({ length: 51 }, (_, index) => `team,T${index},acme/app-${index},,,,`);
  const put = await page.request.put(`${address}/api/v1/ownership/csv`, {
    headers: { 'content-type': 'text/csv', origin: address },
    data: ['kind,owner,repository,workflow,label,valid_from,valid_until', ...lines].join('\n'),
  });
  assert.equal(put.status(), 200);
  await openOn(page, '/settings/owners');
  const down = (position: number) => page.getByRole('button', { name: `Move rule ${position} down` });
  await down(50).waitFor();
  const up = (position: number) => page.getByRole('button', { name: `Move rule ${position} up` });
  await up(2).hover();
  await page.getByText('Move up', { exact: true }).waitFor();
  await up(2).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^1 acme\/app-1 / }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Move rule 1 up');
  assert.ok(await up(1).isDisabled());
  // As if the 51st were imported. A page from the server would have its own answers.
  await page.route(/ownership\/rules.*per_page=1(&|$)/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: object[] };
    await route.fulfill({
      json: { ...body, data: body.data.map((rule) => ({ ...rule, source: 'codeowners' })) },
    });
  });
  await openOn(page, '/no-such-page');
  await page.evaluate(`history.pushState(null, '', '/settings/owners')`);
  await down(49).waitFor();
  assert.ok(await down(50).isDisabled());
  await page.unrouteAll();
  assertNoConsoleErrors();
});
