import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings } from '../harness/axe.ts';
import { openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const { address, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = await openDashboard();
const page = await newPage({ width: 1_440 });
await signIn(page);

const totalOn = (on: Page) =>
  on
    .getByRole('row', { name: /^Total/ })
    .getByRole('cell')
    .first();

test('the visitor of a share link sees this view, can ask nothing else, and reads when it has ended', async () => {
  await page.goto(`${address}/explore?group_by=runner&branch=main`);
  await page.locator('button[aria-haspopup=menu]', { hasText: 'Share' }).click();
  await page.getByRole('menuitem', { name: /^Create a share link/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('30 days', { exact: true }).click();
  await dialog.getByLabel('Name (optional)').fill(' For the board ');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const field = dialog.getByLabel('Shown only once');
  const url = await field.inputValue();
  const cut = await field.evaluate(
    (area: { scrollHeight: number; clientHeight: number }) => area.scrollHeight - area.clientHeight,
  );
  assert.ok(cut <= 0, `${cut} px of the link are out of sight`);
  assert.equal(await dialog.locator('[data-variant="filled"]').innerText(), 'Copy');
  const visitor = await newPage({ width: 1_440 });
  await visitor.goto(url);
  await visitor.getByRole('heading', { name: 'Cost by runner', level: 1 }).waitFor();
  await waitUntilLoaded(visitor);
  await visitor.getByText('Branch is main', { exact: true }).waitFor();
  await visitor.getByText(/^Link expires \w{3} \d+, \d{4}$/).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await totalOn(visitor).textContent(), await totalOn(page).textContent());
  assert.deepEqual(
    [await visitor.getByRole('link').count(), await visitor.getByRole('navigation').count()],
    [0, 0],
  );
  const secret = url.split('#link=')[1]!;
  const statusOf = (path: string, method = 'GET') => `fetch('/api/v1/${path}', { method: '${method}',
    headers: { authorization: 'Bearer ${secret}' } }).then(({ status }) => status)`;
  const asked = ['costs?group_by=runner', 'shared?branch=other', 'shared?days=365', 'runs', 'shared'];
  const statuses: unknown[] = [];
  for (const path of asked) statuses.push(await visitor.evaluate(statusOf(path)));
  assert.deepEqual(statuses, [401, 400, 400, 401, 200]);
  assert.deepEqual(await axeFindings(visitor), []);
  const [link] = (await ask<{ data: { id: string; name: string }[] }>('share-links')).data;
  assert.equal(link!.name, 'For the board');
  assert.equal(
    await page.evaluate(statusOf(`share-links/${link!.id}`, 'DELETE')),
    401,
    'not with its secret',
  );
  await page.evaluate(`fetch('/api/v1/share-links/${link!.id}', { method: 'DELETE' })`);
  await visitor.reload();
  await visitor.getByRole('heading', { name: 'This link has ended' }).waitFor();
  await visitor.context().close();
  consoleErrors.splice(0); // Browsers log the refused questions.
});

test('a view without an interval shows its days, and its heading once', async () => {
  const { data } = await ask('share-links', { query: 'days=30&group_by=runner' });
  const visitor = await newPage({ width: 1_440 });
  await visitor.goto(data['url']!);
  await visitor.getByRole('heading', { name: 'Cost by runner', level: 1 }).waitFor();
  const chart = visitor.getByRole('region', { name: 'Chart' });
  await chart.getByRole('img', { name: /^Cost by day, \$/ }).waitFor();
  assert.ok((await chart.boundingBox())!.width > 1_100);
  assert.deepEqual(await visitor.getByRole('heading').allInnerTexts(), ['Cost by runner', 'Total']);
  await visitor.context().close();
  assertNoConsoleErrors();
});

test('bars of cut weeks say that they are partial', async () => {
  const { data } = await ask('share-links', { query: 'days=30&granularity=week' });
  const visitor = await newPage();
  await visitor.goto(data['url']!);
  await visitor.getByRole('list', { name: 'Legend' }).getByText('Partial week').waitFor();
  await visitor.context().close();
  assertNoConsoleErrors();
});

test('two links of one question differ in Settings, and days that move keep their name', async () => {
  const query = 'days=30&group_by=team';
  for (const chart of ['lines', 'treemap']) await ask('share-links', { query, chart });
  await ask('share-links', { query: `${query}&granularity=week&compare=previous_year` });
  await ask('share-links', { name: 'For the board', query: 'days=7' });
  await page.goto(`${address}/share-links`);
  await waitUntilLoaded(page);
  const rows = page.getByRole('row').filter({ hasText: 'Cost by team · Last 30 days' });
  const texts = await rows.allInnerTexts();
  assert.equal(texts.length, 3);
  for (const each of [
    /Explore as lines · link/,
    /Explore as treemap · link/,
    /as bars, by week, vs previous year · /,
  ])
    assert.ok(
      texts.some((text) => each.test(text)),
      `${String(each)}: ${texts.join('; ')}`,
    );
  const names = await rows
    .getByRole('button')
    .evaluateAll((found) => found.map(({ ariaLabel }: { ariaLabel: string }) => ariaLabel));
  assert.equal(new Set(names).size, 3);
  const named = page.getByRole('row', { name: /^For the board\s+Cost · Last 7 days · Explore as bars/ });
  await named.getByRole('button', { name: /For the board, \w{6}$/ }).waitFor();
  assertNoConsoleErrors();
});

test('the visitor reads runners by name, in a filter too', async () => {
  type Named = { data: { groups: { by: { value: string | null; name: string }[] }[] } };
  const { data: costs } = await ask<Named>('costs?group_by=runner');
  const runner = costs.groups
    .map(({ by: [each] }) => each!)
    .find(({ value, name }) => value && value !== name)!;
  const query = `days=30&group_by=runner&runner=${runner.value}`;
  const { data } = await ask('share-links', { query });
  const visitor = await newPage();
  await visitor.goto(data['url']!);
  await visitor.getByText(`Runner is ${runner.name}`, { exact: true }).waitFor();
  await visitor.getByRole('rowheader', { name: runner.name }).waitFor();
  assert.equal(await visitor.getByText(runner.value!).count(), 0);
  await visitor.context().close();
  assertNoConsoleErrors();
});

test('an embed shows its view within the pages of its sites only', async () => {
  let src = '';
  const wiki = createServer((_, response) => response.end(`<!doctype html><iframe src="${src}"></iframe>`));
  await new Promise<void>((resolve) => wiki.listen(0, '127.0.0.1', resolve));
  after(() => wiki.close());
  const { port } = wiki.address() as AddressInfo;
  const { data } = await ask('share-links', {
    kind: 'embed',
    sites: [`http://127.0.0.1:${port}`],
    query: 'days=30&group_by=runner',
  });
  src = data['url']!;
  const reader = await newPage();
  await reader.goto(`http://127.0.0.1:${port}/`);
  const embed = reader.frameLocator('iframe');
  await embed.getByRole('heading', { name: 'Cost by runner' }).waitFor();
  assertNoConsoleErrors();
  const refusal = reader.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await reader.goto(`http://localhost:${port}/`);
  await refusal;
  assert.equal(await embed.getByRole('heading').count(), 0);
  await reader.context().close();
  consoleErrors.splice(0); // The refusal.
});
