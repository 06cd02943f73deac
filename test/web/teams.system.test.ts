import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { follow, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = dashboard;
type Showback = {
  data: { total: { cost: number }; owners: { owner: string | null; name: string; cost: number }[] };
};
const dollars = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' });

// In the first hours of a month, the demo has no costs in it yet.
const now = Date.now();
const times = { started_at: new Date(now - 60_000), completed_at: new Date(now) };
const ended = { status: 'completed', conclusion: 'success', created_at: times.started_at };
const ran = [{ job_id: '1', name: 'test', runner: 'linux_4_core', conclusion: 'success', ...times }];
for (const repo_name of ['nimbus-commerce/web', 'acme/unowned']) {
  const run = { provider: 'jenkins', run_id: repo_name, repo_name, workflow_name: 'CI', jobs: ran, ...ended };
  await ask('runs', { runs: [run] });
}

const page = await newPage({ dark: true });
await signIn(page);
await page.goto(`${address}/teams`);

/** Opens the page as a link does, without loading its scripts again. */
async function open(search = ''): Promise<void> {
  await follow(page, `/teams${search}`);
  await waitUntilLoaded(page);
}

test('shows what each team spent, and on paper only that', async () => {
  await waitUntilLoaded(page);
  const { data } = await ask<Showback>('showback');
  const text = await page.locator('table[aria-label="Owners"]').innerText();
  for (const { name, cost } of data.owners) {
    assert.match(text, new RegExp(name, 'i'));
    assert.ok(text.includes(dollars(cost)), `${name}: ${text}`);
  }
  assert.ok(text.includes(dollars(data.total.cost)));
  // The legend shows the same month.
  const legend = await page.locator('.legend').innerText();
  for (const { name, cost } of data.owners.slice(0, 3)) {
    assert.match(legend, new RegExp(name, 'i'));
    assert.ok(legend.includes(dollars(cost)), `${name}: ${legend}`);
  }
  // The chosen month, which is the last, is shaded.
  const shade = (await page.locator('.shade').boundingBox())!;
  const columns = await page
    .locator('.plot-part rect')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().left));
  const isShaded = (left: number) => shade.x <= left && left < shade.x + shade.width;
  assert.deepEqual([...new Set(columns)].filter(isShaded), [Math.max(...columns)]);
  const today = new Date(now);
  const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString().slice(0, 7);
  await page.getByRole('button', { name: 'Go to the previous month' }).click();
  await page.getByRole('button', { name: /^By/ }).click();
  await page.getByRole('menuitemradio', { name: 'Cost center' }).click();
  await page.getByRole('heading', { name: 'Cost by cost center' }).waitFor();
  assert.equal(new URL(page.url()).search, `?month=${month}&by=cost_center`);
  const owners = page.getByRole('table', { name: 'Owners' });
  await owners.getByRole('link', { name: 'CC-100 Product' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), false);
  assert.equal(await page.getByText('My organization').filter({ visible: true }).count(), 1);
  const colors = await page.evaluate(
    '[getComputedStyle(document.querySelector("h1")).color, getComputedStyle(document.body).backgroundColor]',
  );
  assert.deepEqual(colors, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  await page.emulateMedia({ media: null });
  assertNoConsoleErrors();
});

test('shows net cost, and gives it as CSV', async () => {
  const set = await fetch(`${address}/api/v1/pricing/terms`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ terms: [{ discount_percent: 10 }] }),
  });
  assert.equal(set.status, 200);
  await open();
  await page.getByRole('button', { name: /^Measure/ }).click();
  await page.getByRole('menuitemradio', { name: 'Net cost' }).click();
  await page.getByRole('heading', { name: 'Net cost by team' }).waitFor();
  const { data } = await ask<Showback>('showback?metric=net_cost');
  assert.notEqual(data.total.cost, (await ask<Showback>('showback')).data.total.cost);
  const text = await page.locator('table[aria-label="Owners"]').innerText();
  for (const { name, cost } of data.owners) assert.ok(text.includes(dollars(cost)), `${name}: ${text}`);
  assert.equal(new URL(page.url()).search, '?metric=net_cost');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  assert.match(file.suggestedFilename(), /^runcost-showback-\d{4}-\d\d-by-team-net\.csv$/);
  assert.match(await readFile(await file.path(), 'utf8'), /^month,by,owner,net_cost_usd,/);
  assertNoConsoleErrors();
});

test('a team leads to its page, with its cost of the month, and unowned costs to one too', async () => {
  const { data } = await ask<Showback>('showback');
  for (const { name, cost } of [data.owners[0]!, data.owners.find((each) => each.owner === null)!]) {
    await open();
    const shown = name === 'unowned' ? 'Unowned' : name;
    await page.getByRole('table', { name: 'Owners' }).getByRole('link', { name: shown, exact: true }).click();
    await page
      .getByRole('heading', { level: 1, name: name === 'unowned' ? shown : `Team ${name}` })
      .waitFor();
    const total = page.getByRole('link', { name: ': workflows by cost' });
    await total.filter({ hasText: dollars(cost) }).waitFor();
    const jobs = page.getByRole('table', { name: 'Most expensive jobs' }).getByRole('rowheader');
    await jobs.first().waitFor();
    // Each has its workflow, and no two are equal.
    const names = await jobs.allInnerTexts();
    assert.ok(
      names.every((text) => / · \S/.test(text)) && new Set(names).size === names.length,
      names.join(),
    );
  }
  assertNoConsoleErrors();
});

test('a team shows its repositories and its budget, also on days without costs', async () => {
  const { data } = await ask<Showback>('showback');
  const team = data.owners[0]!.owner!;
  const scope = { type: 'team', value: team };
  const budget = { name: 'Monthly limit', alert_type: 'budget', threshold_amount: 50, scope };
  await ask(`alerts?org_id=${owner.orgId}`, budget);
  await page.goto(`${address}/teams/${encodeURIComponent(team)}`);
  const link = page.getByRole('region', { name: 'Budgets' }).getByRole('link', { name: 'Monthly limit' });
  await link.waitFor();
  await page.getByRole('table', { name: 'Repositories' }).getByRole('rowheader').first().waitFor();
  const past = new Date(now - 200 * 86_400_000).toISOString().slice(0, 10);
  await follow(page, `/teams/${encodeURIComponent(team)}?from=${past}&to=${past}`);
  await page.getByRole('link', { name: 'Show the last 90 days' }).waitFor();
  await link.waitFor();
  await page.getByRole('link', { name: 'check its rules' }).click();
  await page.waitForURL(`${address}/settings/owners`);
  assertNoConsoleErrors();
});

test('an unowned repository gets its owner in the settings, and a rule is dragged to its place', async () => {
  const name = 'acme/unowned';
  await follow(page, '/settings/owners');
  const unowned = page.getByRole('region', { name: 'No team' });
  await unowned.getByRole('button', { name: `Add rule for ${name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Owner', exact: true }).and(page.locator(':focus')).fill('Web');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await unowned.getByRole('button', { name: `Add rule for ${name}` }).waitFor({ state: 'detached' });
  const rule = page
    .getByRole('table', { name: 'Ownership rules' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name }) });
  await rule.getByRole('cell', { name: '$', exact: false }).waitFor();

  await rule.scrollIntoViewIfNeeded();
  const rows = page.getByRole('table', { name: 'Ownership rules' }).locator('tbody tr');
  const at = async (row: Locator) => {
    const { x, y, height } = (await row.locator('.rule-handle').boundingBox())!;
    return [x + 4, y + height / 2] as const;
  };
  const count = await rows.count();
  const dragTo = async (row: Locator) => {
    await page.mouse.move(...(await at(rule)));
    await page.mouse.down();
    await page.mouse.move(...(await at(row)));
  };
  await dragTo(rows.nth(count - 3));
  await page.locator('tr[data-drop="before"]').waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.equal(await page.locator('tr[data-drop]').count(), 0);
  await page.getByRole('rowheader', { name: `${count} ${name}` }).waitFor();
  await dragTo(rows.nth(count - 3));
  await page.mouse.up();
  await page.getByRole('rowheader', { name: `${count - 2} ${name}` }).waitFor();
  await page.getByText('Rule moved.').waitFor();
  type Rules = { data: { repository: string; position: number }[] };
  const { data } = await ask<Rules>('ownership/rules');
  assert.equal(data.find(({ repository }) => repository === name)!.position, count - 2);
  assertNoConsoleErrors();
});

test('without rules, it says how to add some, and an error can be tried again', async () => {
  const headers = { authorization: `Bearer ${owner.token}` };
  const { data } = await ask<{ data: { id: string }[] }>('ownership/rules?per_page=100');
  for (const { id } of data)
    await fetch(`${address}/api/v1/ownership/rules/${id}`, { method: 'DELETE', headers });
  // Loaded again for the newest answers.
  await page.goto(`${address}/teams`);
  await page.getByRole('heading', { name: 'No teams yet' }).waitFor();
  await page.getByText('From the command line').click();
  assert.match(await page.getByLabel('Commands that add rules').innerText(), /ownership add --team Platform/);
  await open('?month=2001-01');
  await page.getByText("where your plan's history begins").waitFor();
});

test('old addresses lead here with their query, from the server and by a link', async () => {
  await page.goto(`${address}/showback?by=cost_center`);
  await page.waitForURL(`${address}/teams?by=cost_center`);
  await page.getByRole('heading', { level: 1, name: 'Teams' }).waitFor();
  await follow(page, '/backfills?page=2');
  await page.waitForURL(`${address}/history?page=2`);
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
});
