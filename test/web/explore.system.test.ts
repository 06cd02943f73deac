import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings, ofColors } from '../harness/axe.ts';
import { openByLink, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = dashboard;
const page = await newPage({ width: 1_440 });
await signIn(page);
await page.goto(`${address}/explore`);

type Group = {
  by: { name: string; value: string }[];
  value: number;
  series: { start: string; value: number }[];
};
type Costs = { total: { value: number; series: { start: string; value: number }[] }; groups: Group[] };

async function costs(query: string): Promise<Costs> {
  return (await ask<{ data: Costs }>(`costs?org_id=${owner.orgId}&${query}`)).data;
}

const byRepository = await costs('group_by=repository&granularity=day');
const largest = byRepository.groups[0]!;
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const open = (search: string, on: Page = page) => openByLink(on, `/explore${search}`);

/** The parameters of the address, decoded. */
const search = (on: Page = page) => decodeURIComponent(new URL(on.url()).search);
const bar = (on: Page = page) => on.getByRole('region', { name: 'Question' });
const table = (on: Page = page) => on.getByRole('table', { name: /by / });
const total = () =>
  page
    .getByRole('row', { name: /^Total/ })
    .getByRole('cell')
    .first();

async function choose(label: RegExp, item: string): Promise<void> {
  await bar().getByRole('button', { name: label }).click();
  await page.getByRole('menuitemradio', { name: item, exact: true }).click();
  await waitUntilLoaded(page);
}

test('the whole question is in the address, and Back takes back each change', async () => {
  await open('');
  await choose(/^Group by/, 'Runner');
  await choose(/^Measure/, 'Billed minutes');
  await choose(/^Then/, 'Branch');
  await bar().getByRole('button', { name: 'Last 30 days' }).click();
  await page.getByRole('button', { name: 'Last month' }).click();
  await page.waitForURL(/range=last_month/);
  assert.equal(search(), '?range=last_month&metric=minutes&group_by=runner,branch');
  await waitUntilLoaded(page);
  await page.getByRole('columnheader', { name: 'Runner · Branch' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.waitForURL(`${address}/explore?metric=minutes&group_by=runner`);
  await page.reload();
  await bar().getByRole('button', { name: 'Group by Runner' }).waitFor();
  await bar().getByRole('button', { name: 'Measure Billed minutes' }).waitFor();
  assertNoConsoleErrors();
});

test('days are typed, or refused with an example', async () => {
  await open('');
  await bar().getByRole('button', { name: 'Last 30 days' }).click();
  const first = page.getByRole('textbox', { name: 'First day' });
  await first.fill('soon');
  await first.press('Enter');
  const error = page.getByRole('alert').filter({ hasText: 'Enter days such as Nov 1, 2026' });
  assert.equal(await first.getAttribute('aria-describedby'), await error.getAttribute('id'));
  assert.equal(await page.locator('.typed-dates [aria-invalid="true"]').count(), 1);
  const [from, to] = [3, 9].map((at) => byRepository.total.series[at]!.start) as [string, string];
  await first.fill(from);
  await error.waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Last day' }).fill(to);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(new RegExp(`from=${from}&to=${to}`));
  await bar().getByRole('button', { name: /–/ }).click();
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await page.waitForURL(/range=yesterday/);
  assertNoConsoleErrors();
});

test('the arrows go through the periods, and dates are chosen', async () => {
  await open('?range=last_month');
  await bar().getByRole('button', { name: 'Go to the previous period' }).click();
  await page.waitForURL(/from=\d{4}-\d\d-01&to=/);
  await bar().getByRole('button', { name: 'Go to the next period' }).click();
  await page.waitForURL(/range=last_month/);
  const [from, to] = [byRepository.total.series[3]!.start, byRepository.total.series[9]!.start];
  await bar().getByRole('button', { name: 'Last month' }).click();
  // Two clicks in the calendar, which begins with the month of the last day shown.
  const clickDay = async (day: string) => {
    const [year, month] = [day.slice(0, 4), { month: 'short', day: 'numeric', timeZone: 'UTC' } as const];
    const name = `${new Date(day).toLocaleString('en-US', month)}, ${year}`;
    const found = page.getByRole('button', { name, exact: true });
    for (let back = 0; back < 2 && (await found.count()) === 0; back++)
      await page.getByRole('button', { name: 'Previous month' }).click();
    await found.click();
  };
  await page.getByRole('button', { name: 'Next month' }).click();
  await clickDay(to);
  await clickDay(from);
  await page.waitForURL(new RegExp(`from=${from}&to=${to}$`));
  await bar().getByRole('button', { name: /–/ }).click();
  await page
    .getByRole('button', { name: /^\w+ 20\d\d$/ })
    .nth(1)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Period' }).waitFor({ state: 'detached' });
  await waitUntilLoaded(page);
  const there = await costs(`from=${from}&to=${to}`);
  assert.equal(await total().innerText(), dollars.format(there.total.value));
  assertNoConsoleErrors();
});

test('a row, an entry of the legend and a bar narrow to what they stand for', async () => {
  const { name } = largest.by[0]!;
  const inIt = await costs(`group_by=workflow&repository=${encodeURIComponent(name)}`);
  const narrows = async (act: () => Promise<unknown>) => {
    await open('');
    await act();
    await page.waitForURL(/repository=/);
    assert.equal(search(), `?group_by=workflow&repository=${name}`);
    await waitUntilLoaded(page);
    assert.equal(await total().innerText(), dollars.format(inIt.total.value));
    assert.equal(await table().getByRole('rowheader').count(), inIt.groups.length + 1);
  };
  await narrows(() => page.getByRole('cell', { name: dollars.format(largest.value) }).click());
  await narrows(() => page.getByRole('list', { name: 'Legend' }).getByRole('link').first().click());
  await narrows(async () => {
    const { series } = largest;
    const day = series.reduce((best, { value }, index) => (value > series[best]!.value ? index : best), 0);
    await clickColumn(day / series.length + 0.5 / series.length, 0.97);
  });
  assertNoConsoleErrors();
});

async function plot(): Promise<{ x: number; y: number; width: number; height: number }> {
  const grid = page.getByRole('region', { name: 'Chart' }).locator('.plot-grid');
  await grid.scrollIntoViewIfNeeded();
  return (await grid.boundingBox())!;
}

async function clickColumn(across: number, down: number): Promise<void> {
  const { x, y, width, height } = await plot();
  await page.mouse.click(x + width * across, y + height * down);
}

test('a drag over the chart zooms to its days, and a click beside a bar to one day', async () => {
  const days = byRepository.total.series.map(({ start }) => start);
  await open('');
  const { x, y, width, height } = await plot();
  const at = (day: number) => x + (width * (day + 0.5)) / days.length;
  await page.mouse.move(at(4), y + height / 2);
  await page.mouse.down();
  await page.mouse.move(at(8), y + height / 2, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(new RegExp(`from=${days[4]}&to=${days[8]}`));
  await waitUntilLoaded(page);
  await clickColumn(0.5, 0.01);
  await page.waitForURL(new RegExp(`from=${days[6]}&to=${days[6]}`));
  assertNoConsoleErrors();
});

test('the legend hides and shows a part, and the columns of the table sort it', async () => {
  await open('');
  const legend = page.getByRole('list', { name: 'Legend' });
  const bars = page.getByRole('region', { name: 'Chart' }).locator('.plot-part');
  const before = await bars.count();
  const toggle = legend.getByRole('button').first();
  await toggle.click();
  await bars.nth(before - 1).waitFor({ state: 'detached' });
  assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
  await toggle.click();
  const names = () => table().getByRole('rowheader').allInnerTexts();
  await page.getByRole('columnheader', { name: 'Repository' }).getByRole('button').click();
  await page.waitForURL(/sort=name/);
  await waitUntilLoaded(page);
  const sorted = (await names()).slice(0, -1);
  assert.deepEqual(sorted, sorted.toSorted());
  await page.getByRole('columnheader', { name: 'Change' }).getByRole('button').click();
  await page.waitForURL(/sort=-change/);
  await page.getByRole('columnheader', { name: 'Share' }).getByRole('button').click();
  await page.waitForURL(/sort=-share/);
  await page.reload();
  await page.locator('[aria-sort="descending"]', { hasText: 'Share' }).waitFor();
  assert.equal(await page.locator('[aria-sort="descending"]').count(), 1);
  assertNoConsoleErrors();
});

test('what is shown downloads as the CSV of the API, and as a picture', async () => {
  await open('?group_by=runner&days=7');
  const download = async (name: string) => {
    await page.getByRole('button', { name: 'Download' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name }).click(),
    ]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const url = `${address}/api/v1/costs?group_by=runner&days=7&compare=previous_period`;
  const headers = { authorization: `Bearer ${owner.token}`, accept: 'text/csv' };
  const csv = await download('CSV of the table');
  assert.match(csv.name, /^runcost-costs-[\d-]+-to-[\d-]+\.csv$/);
  assert.equal(csv.bytes.toString(), await (await fetch(url, { headers })).text());
  const daily = await download('CSV by day');
  assert.equal(daily.bytes.toString(), await (await fetch(`${url}&granularity=day`, { headers })).text());
  const png = await download('PNG of the chart');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  // Twice the size of the page's, with a title above and a legend below the chart.
  const { width, height } = (await page.locator('#explore-chart').boundingBox())!;
  assert.ok(png.bytes.readUInt32BE(16) >= 2 * Math.floor(width) && png.bytes.readUInt32BE(20) > 2 * height);
  assertNoConsoleErrors();
});

test('a view is saved, shared and found again, and deleted', async () => {
  await open('?group_by=runner&compare=none');
  const menu = page.getByRole('button', { name: 'Views', exact: true });
  await menu.click();
  await page.getByText('No saved views yet.').waitFor();
  await page.getByRole('menuitem', { name: 'Save this view …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByLabel('Name').fill('Runners');
  await dialog.getByLabel(/^Share/).check();
  await page.keyboard.press('Enter');
  await page.getByText('View saved.').waitFor();
  await page.getByRole('button', { name: 'Runners', exact: true }).waitFor();
  await open('');
  await menu.click();
  await page.getByRole('menuitem', { name: /^Runners/ }).click();
  await page.waitForURL(`${address}/explore?group_by=runner&compare=none`);
  await bar().getByRole('button', { name: 'Group by Runner' }).waitFor();
  await page.getByRole('button', { name: 'Runners', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete “Runners”' }).click();
  await page.getByRole('button', { name: 'Delete view' }).click();
  await menu.waitFor();
  assert.deepEqual((await ask<{ data: unknown[] }>('views')).data, []);
  assertNoConsoleErrors();
});

test('a keyboard user adds, changes and removes a filter', async () => {
  await open('?group_by=branch');
  await bar().getByRole('button', { name: '+ Filter' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Search filters').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('job');
  await page.keyboard.press('Enter');
  await page.getByLabel('Search Job').and(page.locator(':focus')).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Apply' }).isDisabled());
  await page.getByRole('button', { name: 'All filters' }).press('Enter');
  await page.getByLabel('Search filters').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('branch');
  await page.keyboard.press('Enter');
  await page.getByLabel('Search Branch').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('mai');
  await page.getByRole('checkbox', { name: 'main' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.waitForURL(/branch=main$/);
  await waitUntilLoaded(page);
  assert.deepEqual(await table().getByRole('rowheader').allInnerTexts(), ['main']);
  // The focus stays at what opened the dialog.
  await page.locator('button:focus', { hasText: '+ Filter' }).waitFor();
  const chip = bar().getByRole('button', { name: 'Branch is main', exact: true });
  await chip.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Filter: Branch' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Filter: Branch' }).waitFor({ state: 'detached' });
  await chip.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('is not', { exact: true }).click();
  await page.getByRole('button', { name: 'Apply' }).press('Enter');
  await page.waitForURL(/branch=%21main$/);
  await page.locator('.filter-text:focus', { hasText: 'Branch is not main' }).waitFor();
  await bar().getByRole('button', { name: 'Remove filter: Branch is not main' }).press('Enter');
  await page.waitForURL(/group_by=branch$/);
  await page.locator('button:focus', { hasText: '+ Filter' }).waitFor();
  assertNoConsoleErrors();
});

test('a filter finds values by a part of their name, and takes a pattern', async () => {
  await open('');
  await bar().getByRole('button', { name: '+ Filter' }).click();
  const dialog = page.getByRole('dialog', { name: 'New filter' });
  await dialog.getByRole('button', { name: 'Repository' }).click();
  const part = largest.by[0]!.name.split('/')[1]!.toUpperCase();
  await dialog.getByRole('searchbox').fill(part);
  await dialog.getByRole('checkbox', { name: largest.by[0]!.name }).waitFor();
  await dialog.getByRole('searchbox').fill('nimbus-*/w*');
  await dialog.getByRole('checkbox', { name: 'Matches “nimbus-*/w*”' }).check();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(/repository=/);
  assert.equal(search(), '?repository=nimbus-*/w*');
  assertNoConsoleErrors();
});

/** The filter, opened on this page, has rows of at least this height. */
async function assertFilterFits(on: Page, height: number): Promise<void> {
  await open('', on);
  await on.getByRole('button', { name: '+ Filter' }).click();
  const dialog = on.getByRole('dialog', { name: 'New filter' });
  const kinds = dialog.locator('.filter-kinds');
  await kinds.getByRole('button', { name: 'Visibility' }).waitFor();
  type Box = { scrollHeight: number; clientHeight: number };
  assert.ok(await kinds.evaluate((box: Box) => box.scrollHeight <= box.clientHeight));
  await kinds.getByRole('button', { name: 'Visibility' }).click();
  const row = dialog.locator('.filter-value').first();
  await row.waitFor();
  assert.ok((await row.boundingBox())!.height >= height);
  const last = (await dialog.locator('.filter-value').last().boundingBox())!;
  const apply = (await dialog.getByRole('button', { name: 'Apply' }).boundingBox())!;
  const rows = await dialog.locator('.filter-value').count();
  assert.ok(apply.y - last.y - last.height <= 12 + Math.max(0, 3 - rows) * height);
  // Its right end too.
  await row.click({ position: { x: (await row.boundingBox())!.width - 8, y: height / 2 } });
  assert.equal(await row.getByRole('checkbox').isChecked(), true);
  await on.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assertNoConsoleErrors();
}

test('a filter has rows of 28 px without air below them, and all its kinds in sight', async () => {
  await page.setViewportSize({ width: 1_280, height: 844 });
  await assertFilterFits(page, 28);
});

test('a wrong question names the field and the fix, and an empty answer the next step', async () => {
  await open('?group_by=repo');
  // Notifications of earlier tests are outside of it.
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText(/group_by must be of .*did you mean repository\?/).waitFor();
  assert.equal(await alert.count(), 1);
  consoleErrors.length = 0; // the refusal
  await alert.getByRole('link', { name: 'start again' }).click();
  await table().waitFor();
  await open('?branch=no-such-branch');
  await page.getByRole('heading', { name: 'No matching jobs' }).waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await table().waitFor();
  assertNoConsoleErrors();
});

test('on a phone, filters have larger rows, and the name and the cost stay in view, in both themes without axe findings', async () => {
  const phone = await newPage({ width: 390, height: 844 });
  await signIn(phone);
  await phone.goto(`${address}/explore`);
  await assertFilterFits(phone, 40);
  await open('?branch=main', phone);
  const name = table(phone).getByRole('rowheader').first();
  const before = (await name.boundingBox())!.x;
  await table(phone).evaluate((element) => (element.parentElement!.scrollLeft = 300));
  assert.equal((await name.boundingBox())!.x, before);
  const cost = await table(phone).getByRole('columnheader', { name: 'Cost' }).boundingBox();
  assert.ok(cost!.x > before && cost!.x + cost!.width < 390);
  assert.ok(((await phone.evaluate('document.scrollingElement.scrollWidth - innerWidth')) as number) <= 0);
  const filter = bar(phone).getByRole('button', { name: 'Branch is main', exact: true });
  for (const opening of [() => Promise.resolve(), () => filter.click()]) {
    await opening();
    await waitUntilLoaded(phone);
    for (const [colorScheme, rules] of [
      ['light', {}],
      ['dark', { rules: ofColors }],
    ] as const) {
      await phone.emulateMedia({ colorScheme });
      await phone.evaluate(twoFrames);
      assert.deepEqual(await axeFindings(phone, rules), []);
    }
  }
  await phone.context().close();
  assertNoConsoleErrors();
});
