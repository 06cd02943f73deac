import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bill, lineOf } from '../harness/bills.ts';
import { openDashboard } from '../harness/dashboard.ts';

const { address, ask, newPage, signIn } = await openDashboard();
const page = await newPage();
await signIn(page);

async function choose(name: string, csv: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('Bill reports').setInputFiles(file);
}

async function periodOf(name: string): Promise<unknown> {
  type Reports = { data: { file_name: string; period: unknown }[] };
  const { data } = await ask<Reports>('bills/reports');
  return data.find((report) => report.file_name === name)?.period;
}

test('asks how to read ambiguous dates, and imports the file with the answer', async () => {
  await page.goto(`${address}/bill`);
  await choose('open.csv', bill(lineOf({ date: '02/01/2026' })));
  const question = page.getByRole('alert').filter({ hasText: 'open.csv: month/day or day/month?' });
  await question.getByText('line 2: has the date "02/01/2026", which is 2026-02-01 or 2026-01-02').waitFor();
  assert.equal(await periodOf('open.csv'), undefined);
  await question.getByRole('button', { name: 'Import as day/month' }).click();
  await page.getByText('open.csv was imported').waitFor();
  await page.getByText('Dates were read as day/month.').waitFor();
  await question.waitFor({ state: 'detached' });
  assert.deepEqual(await periodOf('open.csv'), { start: '2026-01-02', end: '2026-01-02' });
});

test('asks to confirm dates that can only be day/month, and imports the file', async () => {
  await choose('saved.csv', bill(lineOf({ date: '02/01/2026' }), lineOf({ date: '13/01/2026' })));
  const question = page.getByRole('alert').filter({ hasText: 'saved.csv: are the dates day/month?' });
  await question.getByText('line 3: has the date "13/01/2026"').waitFor();
  assert.equal(await question.getByRole('button').count(), 1);
  await question.getByRole('button', { name: 'Import as day/month' }).click();
  await page.getByText('saved.csv was imported').waitFor();
  assert.deepEqual(await periodOf('saved.csv'), { start: '2026-01-02', end: '2026-01-13' });
});

test('refuses a file that is cut off, names the line, and offers no other order', async () => {
  await choose('cut.csv', bill(lineOf({}), lineOf({})).slice(0, -10));
  const refusal = page.getByRole('alert').filter({ hasText: 'cut.csv was not imported' });
  await refusal
    .getByText('The file is cut off: the last line, 3, is incomplete; download the file again.')
    .waitFor();
  assert.equal(await refusal.getByRole('button').count(), 0);
});

test('shows each month as a waterfall from our total to the bill, and marks a month that differs', async () => {
  const fresh = await newPage();
  await signIn(fresh);
  await fresh.goto(`${address}/bill`);
  const waterfall = fresh.getByRole('table', { name: 'From our total to the bill' });
  await waterfall.getByRole('row', { name: /^Included minutes/ }).waitFor();
  // Once there is a bill, the file field is behind a button.
  const field = fresh.getByText('Drop CSV bill reports here');
  assert.equal(await field.isVisible(), false);
  await fresh.getByRole('button', { name: 'Import a report' }).press('Enter');
  await field.waitFor();
  const differing = fresh
    .getByRole('tab')
    .filter({ has: fresh.getByRole('img', { name: 'Large difference' }) });
  await differing.first().click();
  await waterfall.getByRole('row', { name: /^Not delivered/ }).waitFor();
  assert.match(new URL(fresh.url()).search, /^\?month=\d{4}-\d\d$/);
  await fresh.getByText('the bill is $206.40 higher than what Runcost counted.').waitFor();
  // One sign on the whole page: `+` means that the bill is higher.
  const figures = fresh.getByRole('tabpanel', { name: 'Comparison' });
  assert.ok((await figures.getByText('+$206.40', { exact: true }).count()) >= 3);
  assert.equal(await figures.getByText('−$206.40').count(), 0);
  const amounts = await waterfall.locator('td.number').allInnerTexts();
  const cents = amounts.map((text) =>
    Math.round(100 * Number(text.replaceAll(/[$,+]/g, '').replace('−', '-'))),
  );
  const sum = cents.slice(0, -1).reduce((reached, each) => reached + each);
  assert.equal(sum, cents.at(-1), cents.join());
  await fresh.getByRole('radiogroup', { name: 'Measure' }).getByText('Net').click();
  await waterfall.getByRole('row', { name: /^Included minutes/ }).waitFor({ state: 'detached' });
  await waterfall.getByRole('row', { name: /^Net cost/ }).waitFor();
  const rows = fresh.getByRole('table', { name: 'Runcost vs. bill' });
  // The total covers all pages, as the row says. For a single row, it would repeat it.
  const { search } = new URL(fresh.url());
  const total = rows.locator('tfoot th');
  assert.equal(await total.innerText(), 'Total');
  await fresh.goto(`${address}/bill${search}&by=all`);
  await total.getByText(/^Total of \d{3,} rows$/).waitFor();
  await fresh.goto(`${address}/bill${search}&repository=nimbus-commerce/web`);
  await rows.getByRole('link', { name: 'nimbus-commerce/web' }).waitFor();
  assert.equal(await total.count(), 0);
  await rows.getByRole('link', { name: 'nimbus-commerce/web' }).click();
  await fresh.getByRole('heading', { level: 1, name: 'nimbus-commerce/web' }).waitFor();
  assert.match(new URL(fresh.url()).search, /^\?(range|from)=/);
});

test('shows storage by repository, beside the minutes and on the overview', async () => {
  const fresh = await newPage();
  await signIn(fresh);
  await fresh.goto(`${address}/bill`);
  const products = fresh.getByRole('table', { name: 'Other products by repository' });
  await products.getByRole('row', { name: /mobile Storage [\d.]+ GB/ }).waitFor();
  await fresh.goto(address);
  await fresh.getByText(/storage \$[\d.]+ \(largest: nimbus-commerce\/\w+ \$[\d.]+\)/).waitFor();
});

test('closes a month on one printed page, whose rows add up', async () => {
  const fresh = await newPage();
  await signIn(fresh);
  await fresh.goto(`${address}/bill`);
  await fresh.getByRole('button', { name: 'Month close' }).click();
  await fresh.getByText(/^\w+ \d{4} closed: \$[\d,.]+ billed, /).waitFor();
  const centsIn = async (table: string): Promise<number[]> => {
    const texts = await fresh.getByRole('table', { name: table }).locator('td.number').allInnerTexts();
    return texts.map((text) => Math.round(100 * Number(text.replaceAll(/[$,+%]/g, '').replace('−', '-'))));
  };
  const steps = await centsIn('From list cost to the bill');
  assert.ok(steps.length > 3);
  assert.equal(
    steps.slice(0, -1).reduce((sum, each) => sum + each),
    steps.at(-1),
  );
  const costs = (await centsIn('Teams')).filter((_, index) => index % 3 === 0);
  assert.equal(
    costs.slice(0, -1).reduce((sum, each) => sum + each),
    costs.at(-1),
  );
  assert.equal(costs.at(-1), steps[0]);
  const [to, error] = [['cfo@acme.test', 'ceo@acme.test'], 'mailbox full'];
  const outcomes = [
    { email: to[0], delivered: true, error: null },
    { email: to[1], delivered: false, error },
  ];
  await fresh.route(/\/months\/.*\/send/, (route) => route.fulfill({ json: { data: outcomes } }));
  await fresh.getByRole('button', { name: 'Send' }).click();
  const dialog = fresh.getByRole('dialog');
  await dialog.getByLabel('Recipients').fill(to.join(', '));
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByText(`Sent to ${to[0]}. Not to ${to[1]}: ${error}`).waitFor();
  await fresh.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const heading = fresh.getByRole('heading', { level: 1 });
  const first = await heading.innerText();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await fresh.route(/\/bills\/months\/\d/, async (route) => {
    await released;
    await route.continue();
  });
  await fresh.getByRole('tab').nth(1).click();
  await fresh.locator('.month-close[aria-busy="true"]').waitFor();
  assert.equal(await heading.innerText(), first, 'it names the month of the figures below');
  release();
  await fresh.locator('.month-close[aria-busy="false"]').waitFor();
  assert.notEqual(await heading.innerText(), first);
  await fresh.goto(`${address}/bill?view=close&month=2026-13`);
  await fresh.getByRole('heading', { name: first }).waitFor();
  await fresh.getByText(/^\w+ \d{4} closed: /).waitFor();
  await fresh.emulateMedia({ media: 'print' });
  assert.equal(await fresh.getByRole('button', { name: 'Print' }).isVisible(), false);
  assert.equal(await fresh.getByRole('tablist').isVisible(), false);
  const pdf = await fresh.pdf({ format: 'A4' });
  assert.match(pdf.toString('latin1'), /\/Count 1\b/);
});
