import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { follow, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';
import { openWebhookReceiver } from '../harness/webhookReceiver.ts';

const { address, ask, newPage, owner, signIn, assertNoConsoleErrors } = await openDashboard();
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

/** Keeps what the browser has loaded. */
async function openOn(on: Page, path: string): Promise<void> {
  if (on.url() === 'about:blank') await on.goto(`${address}${path}`);
  else await follow(on, path);
  await waitUntilLoaded(on);
}

/** After a change that the browser does not know of. */
async function openAgain(path: string): Promise<void> {
  await page.goto(`${address}${path}`);
  await waitUntilLoaded(page);
}

const boxOf = async (element: Locator) => (await element.boundingBox())!;

test('on a phone, a row with a button is as high as its texts, and the button as large as a finger', async () => {
  for (const [path, list, button] of [
    ['/settings/pricing', 'Runner prices', /^Change the price of/],
    ['/settings/owners', 'Ownership rules', /^Actions for rule/],
    ['/settings/members', 'Members', /^Actions for ada/],
    ['/settings/sessions', 'Sessions', /^Sign out/],
    ['/sources', 'Sources', /^Setup of/],
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
  await openOn(page, '/webhooks');
  const latest = page.getByRole('img', { name: 'Latest 5: 5 failed' });
  assert.equal(await latest.locator('[data-status="failed"]').count(), 5);
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
  assert.equal(await phone.getByRole('button', { name: 'Save', disabled: true }).count(), 3);
  assert.equal(await phone.getByRole('button', { name: 'Discard' }).count(), 0);
  await phone.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await phone.getByLabel('Week starts on').selectOption('Sunday');
  await phone.getByLabel('Keep runs and jobs for').fill('120');
  const heights = () =>
    phone.getByRole('group', { name: 'Changes' }).evaluateAll((rows) => rows.map((row) => row.clientHeight));
  const dirty = await heights();
  const ends = await phone
    .getByRole('button', { name: 'Save' })
    .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().right)));
  assert.deepEqual([ends.length, new Set(ends).size], [3, 1], String(ends));
  const discard = phone.getByRole('button', { name: 'Discard' });
  for (let left = 2; left >= 0; left--) {
    await discard.nth(left).click();
    await discard.nth(left).waitFor({ state: 'detached' });
  }
  // Nothing moves, and the focus stays in the form.
  assert.deepEqual(await heights(), dirty);
  await phone.locator('form :focus').waitFor({ state: 'attached' });
  assertNoConsoleErrors();
});

test('a table fades where there is more of it on the right', async () => {
  const mask = `getComputedStyle(document.querySelector('[role="dialog"] .wide-table')).maskImage`;
  for (const on of [phone, page]) {
    await openOn(on, '/settings/price-history');
    await on
      .getByRole('button', { name: /^Prices of GitHub/ })
      .first()
      .click();
    await on.getByRole('dialog').getByRole('table').waitFor();
  }
  assert.equal(await page.evaluate(mask), 'none');
  assert.match((await phone.evaluate(mask)) as string, /gradient/);
  await phone.evaluate(`document.querySelector('[role="dialog"] .wide-table').scrollLeft = 10_000`);
  // The page allows no `eval`, which `waitForFunction` needs from its second look on.
  while ((await phone.evaluate(mask)) !== 'none') await phone.evaluate(twoFrames);
});

test('a webhook is paused and an alert turned off instead of deleted', async () => {
  const rule = { alert_type: 'budget', period: 'month', name: 'Kept', threshold_amount: 5 };
  const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, rule);
  const dialog = page.getByRole('dialog');
  await openOn(page, `/webhooks/${webhook['id']}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByText('Pause it to keep its history and waiting events.').waitFor();
  const pause = Promise.withResolvers<void>();
  await page.route(`**/api/v1/webhooks/${webhook['id']}`, async (route) => {
    if (route.request().method() === 'PUT') await pause.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Pause instead' }).click();
  assert.ok(await dialog.getByRole('button', { name: 'Delete webhook' }).isDisabled());
  pause.resolve();
  await dialog.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assert.equal((await ask(`webhooks/${webhook['id']}`)).data['status'], 'paused');

  await openOn(page, `/alerts/${alert.id}`);
  await page.getByRole('button', { name: 'Delete Kept' }).click();
  await dialog.getByRole('button', { name: 'Turn off instead' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { enabled } = await ask<{ enabled: boolean }>(`alerts/${alert.id}`);
  assert.equal(enabled, false);
  assertNoConsoleErrors();
});

test('members say when they were last seen, and have one name in every list', async () => {
  const { data: members } = await ask<{ data: { id: string; email: string }[] }>('members');
  const ada = members.find(({ email }) => email === 'ada@acme.example')!.id;
  await openOn(page, '/settings/members');
  const row = page.getByRole('row', { name: /ada@acme\.example/ });
  await row.getByText('Not recorded', { exact: true }).waitFor();
  const token = { name: 'Laptop', role: 'admin', member_id: ada };
  const scopes = ['costs:read', 'shares:write'];
  const { data } = await ask('tokens', { ...token, scopes, expires_at: null });
  const shared = await fetch(`${address}/api/v1/share-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${data['token']}`, 'content-type': 'application/json' },
    body: '{"query": "days=30"}',
  });
  assert.equal(shared.status, 201);
  await openAgain('/settings/members');
  await row.getByText('Not recorded', { exact: true }).waitFor({ state: 'detached' });
  for (const path of ['/share-links', '/settings/tokens']) {
    await openOn(page, path);
    await page.getByRole('cell', { name: 'ada@acme.example', exact: true }).waitFor();
  }
  assertNoConsoleErrors();
});

test('a source that waits or is quiet has its state, and leads to its setup', async () => {
  const row = page.getByRole('row', { name: /^Actions/ });
  await openOn(page, '/sources');
  await row.getByText('Waiting', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Check the setup of Actions' }).click();
  await page.getByRole('dialog', { name: 'Setup of Actions' }).waitFor();
  await page.keyboard.press('Escape');
  for (const [days, state] of [
    [0, 'Receiving'],
    [8, 'Quiet'],
  ] as const) {
    await page.route(/\/api\/v1\/sources(\?|$)/, async (route) => {
      const list = (await (await route.fetch()).json()) as { data: object[] };
      const last_event_at = new Date(Date.now() - days * 86_400_000).toISOString();
      await route.fulfill({ json: { data: list.data.map((source) => ({ ...source, last_event_at })) } });
    });
    // Opened by a link in the page, because a page from the server brings its own answers.
    await openAgain('/no-such-page');
    await follow(page, '/sources');
    await row.getByText(state, { exact: true }).waitFor();
    assert.equal(await row.getByRole('button', { name: /^Check the setup/ }).count(), days === 0 ? 0 : 1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  assertNoConsoleErrors();
});

test('the audit log names digests by what they are and links webhooks by their host', async () => {
  await ask('digests', { frequency: 'weekly', is_personal: false, recipients: ['cfo@acme.example'] });
  await openOn(page, '/settings/audit');
  await page.getByText('created the weekly digest of all costs for cfo@acme.example').waitFor();
  await page.getByText(`created the webhook “${new URL(receiver.url).host}” for alert.triggered`).waitFor();
  await page
    .getByRole('link', { name: new URL(receiver.url).host })
    .first()
    .waitFor();
  const rows = await page.locator('.audit-entries > li').count();
  await page.getByText(new RegExp(`entries \\(${rows} rows on this page\\)$`)).waitFor();
  // A name is emphasized if it differs from the one above.
  const names =
    (await page.evaluate(`[...document.querySelectorAll('.audit-entries > li p > span:first-child')]
    .map((name) => [name.textContent, getComputedStyle(name).fontWeight === '600'])`)) as [string, boolean][];
  assert.ok(names.length > 5);
  for (const [index, [name, isBold]] of names.entries())
    assert.equal(isBold, names[index - 1]?.[0] !== name, String(index));
  assertNoConsoleErrors();
});

test('the audit log names an alert whose creation is on a later page', async () => {
  const rule = { alert_type: 'budget', period: 'month', name: 'Nightly builds' };
  const { id } = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, threshold_amount: 5 });
  for (let amount = 6; amount < 57; amount++) {
    const put = await page.request.put(`${address}/api/v1/alerts/${id}`, {
      headers: { origin: address },
      data: { threshold_amount: amount },
    });
    assert.equal(put.status(), 200);
  }
  await openAgain('/settings/audit');
  await page.getByText('changed the threshold amount of the alert “Nightly builds” from 55 to 56').waitFor();
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
  await up(1).and(page.locator(':focus')).waitFor();
  assert.ok(await up(1).isDisabled());
  // As if the 51st were imported. A page from the server would bring its own answers.
  await page.route(/ownership\/rules.*per_page=1(&|$)/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: object[] };
    await route.fulfill({
      json: { ...body, data: body.data.map((rule) => ({ ...rule, source: 'codeowners' })) },
    });
  });
  await openAgain('/no-such-page');
  await follow(page, '/settings/owners');
  await down(49).waitFor();
  assert.ok(await down(50).isDisabled());
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  assertNoConsoleErrors();
});

test('a webhook gets a name, which stands before its address', async () => {
  await openOn(page, `/webhooks/${webhook['id']}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByLabel('Name (optional)').fill(' Chargeback ');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Chargeback', exact: true, level: 1 }).waitFor();
  await page.getByText(receiver.url, { exact: true }).waitFor();
  assert.equal(await page.title(), 'Chargeback · Runcost');
  await openOn(page, '/webhooks');
  await page.getByRole('rowheader', { name: `Chargeback ${receiver.url}` }).waitFor();
  await openOn(page, '/settings/audit');
  await page.getByText('changed the name of the webhook “Chargeback” from none to Chargeback').waitFor();
  assertNoConsoleErrors();
});

test('the runs of a workflow come before its details, and each list shows how it is sorted', async () => {
  type Workflow = { workflow_id: string; total_runs: number };
  const { workflows } = await ask<{ workflows: Workflow[] }>(`dashboard/workflows?org_id=${owner.orgId}`);
  const path = `/workflows/${workflows.toSorted((a, b) => b.total_runs - a.total_runs)[0]!.workflow_id}`;
  await openOn(page, path);
  const runs = page.getByRole('region', { name: 'Runs' });
  const details = page.getByRole('tab', { name: 'Cost breakdown' });
  const parts = page.getByRole('region', { name: 'Cost by job' });
  await parts.getByRole('columnheader', { name: 'Cost', exact: true }).waitFor();
  assert.ok((await runs.boundingBox())!.y < (await details.boundingBox())!.y);
  const sorted = (list: Locator) =>
    list.locator('th:is([aria-sort="ascending"], [aria-sort="descending"])').allInnerTexts();
  assert.deepEqual(await sorted(runs), ['Created (UTC)']);
  assert.deepEqual(await sorted(parts), ['Cost']);
  const { data: jobs } = await ask<{ data: [{ completed_at: string }] }>(
    `costs/jobs?limit=1&workflow=${path.split('/')[2]}&org_id=${owner.orgId}`,
  );
  await openOn(page, `${path}?completed_on=${jobs[0].completed_at.slice(0, 10)}`);
  await runs.getByText('Runs with a billed job').waitFor();
  await runs.getByRole('rowheader').first().waitFor();
  assert.deepEqual(await sorted(runs), ['Created (UTC)']);
  assertNoConsoleErrors();
});
