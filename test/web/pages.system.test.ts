import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings, ofColors } from '../harness/axe.ts';
import { follow, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';
import { runCommand } from '../harness/program.ts';

/** TEST_SCREENSHOTS names a folder for a picture of every page. */
const screenshots = process.env.TEST_SCREENSHOTS;

const dashboard = await openDashboard({ draws: screenshots !== undefined });
const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = dashboard;
const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
type Created = { data: { id: string } };
// In the first days of a month, costs may be too low to trigger.
const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'Over a dollar' });
await ask(`alerts/${alert.id}/check`, {});
const webhook = await ask<Created>('webhooks', {
  url: 'http://127.0.0.1:9/hook',
  events: ['alert.triggered'],
});
await ask(`webhooks/${webhook.data.id}/ping`, {});
// Long names, which the audit log shows too.
const email = 'maximiliane.von-der-heide@platform-engineering.nimbus-commerce.example';
await ask('members', { email, role: 'member' });
const longName = 'Deployments of the production cluster, read only for the finance team';
await ask('tokens', { name: longName, role: 'viewer', scopes: ['costs:read'] });
// The overview shows a banner for an ended price list.
const chosen = await fetch(`${address}/api/v1/pricing`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ book_id: 'github_2025' }),
});
assert.equal(chosen.status, 200);

/** Runs before the scripts of every page, and sums its layout shifts. */
const addUpShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const texts = sources.map(({ node }) => node?.textContent.slice(0, 40));
      if (!hadRecentInput) globalThis.shifts.push({ value, texts });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Answers one request after another, in any order, so that each part of a page fills separately. */
const answerInTurn = `
  const send = globalThis.fetch;
  const waiting = [];
  let isAnswering = false;
  let random = 1;
  globalThis.unanswered = 0;
  const answerAll = async () => {
    if (isAnswering) return;
    isAnswering = true;
    while (waiting.length > 0) {
      random = (random * 16807) % 2147483647;
      const [{ request, answer }] = waiting.splice(random % waiting.length, 1);
      const sent = send(...request);
      answer(sent);
      await sent.catch(() => {});
      await ${twoFrames};
      globalThis.unanswered--;
    }
    isAnswering = false;
  };
  globalThis.fetch = (...request) => {
    globalThis.unanswered++;
    const { promise, resolve: answer } = Promise.withResolvers();
    waiting.push({ request, answer });
    void answerAll();
    return promise;
  };`;

/** The tables that are wider than their container. */
const wideTables = `[...document.querySelectorAll('.wide-table')]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => table.getAttribute('aria-label'))`;

/** The amount columns that are not visible when a table is scrolled to either end. */
const hiddenAmounts = `[...document.querySelectorAll('.wide-table')].flatMap((table) =>
  [0, table.scrollWidth].flatMap((left) => {
    table.scrollLeft = left;
    const room = table.getBoundingClientRect();
    const hidden = [...table.querySelectorAll('th, .row-main')]
      .filter((head) => head.getClientRects().length > 0)
      .filter((head) => /^(cost|waste|shadow cost)\\b(?! center)/i.test(head.dataset.title ?? head.innerText))
      .filter((head) => head.getBoundingClientRect().left < room.left - 1 || head.getBoundingClientRect().right > room.right + 1)
      .map((head) => table.getAttribute('aria-label') + ': ' + head.innerText);
    table.scrollLeft = 0;
    return hidden;
  }))`;

/** Buttons, tabs and fields that are too small for a finger. */
const smallTargets = `[...document.querySelectorAll(
  '#content :is(.mantine-Button-root, .mantine-ActionIcon-root, .mantine-Tabs-tab, input[type=text], select), .phone-header button')]
  .filter((target) => target.checkVisibility() && !target.closest('table .mantine-Input-root'))
  .filter((target) => Math.min(target.offsetHeight, target.offsetWidth) < 40)
  .map((target) => (target.ariaLabel ?? target.textContent) + ' ' + target.offsetWidth + ' x ' + target.offsetHeight)`;

/** Help texts and labels smaller than the smallest font size of the theme. */
const smallHelp = `[...document.querySelectorAll('[class*="-description"], .mantine-InputWrapper-label')]
  .filter((text) => text.checkVisibility() && Number.parseFloat(getComputedStyle(text).fontSize) < 12)
  .map((text) => text.textContent)`;

const wide = await newPage({ width: 1_440 });
const phone = await newPage({ width: 360, height: 780, dark: true });
for (const window of [wide, phone]) {
  await window.addInitScript({ content: addUpShifts + answerInTurn });
  await signIn(window);
}

for (const [way, window] of [
  ['mostly by links in light at 1440 px', wide],
  ['mostly from the server in dark at 360 px', phone],
] as const) {
  test(`${way}, no page shifts, scrolls sideways, logs errors or has axe findings`, async () => {
    const { width } = window.viewportSize()!;
    const isPhone = window === phone;
    for (const [index, path] of (await dashboard.paths()).entries()) {
      const isFirst = index === 0;
      // Both ways draw a page, and each is seen at both widths.
      if (isFirst || isPhone !== (index % 4 === 0)) await window.goto(`${address}${path}`);
      else await follow(window, path);
      await assertStill(window, `${path} at ${width}`);
      const tooWide = (await window.evaluate('document.scrollingElement.scrollWidth - innerWidth')) as number;
      assert.ok(tooWide <= 0, `${path} is ${tooWide} pixels wider than ${width}`);
      const hidden = (await window.evaluate(isPhone ? hiddenAmounts : wideTables)) as string[];
      assert.deepEqual(hidden, [], `${path} at ${width}`);
      if (isPhone) assert.deepEqual(await window.evaluate(smallTargets), [], path);
      assert.deepEqual(await window.evaluate(smallHelp), [], path);
      if (screenshots) {
        const name = `${path.replaceAll('/', '-').slice(1, 40) || 'overview'}-${width}.png`;
        await window.screenshot({ path: join(screenshots, name), fullPage: true });
      }
      // The rest is the same in both themes, and the navigation on all pages.
      const part = { exclude: isFirst ? [] : ['#menu'], ...(isPhone && { rules: ofColors }) };
      assert.deepEqual(await axeFindings(window, part), [], path);
      assertNoConsoleErrors();
    }
  });
}

test('at 1000 px, the last column of the alerts is in view', async () => {
  await wide.setViewportSize({ width: 1_000, height: 900 });
  await follow(wide, '/alerts');
  await wide.getByRole('columnheader', { name: 'Actions' }).waitFor();
  await waitUntilLoaded(wide);
  assert.deepEqual(await wide.evaluate(wideTables), []);
});

test('at 1920 px, the bill does not shift, and neither do the amounts of its months', async () => {
  await wide.setViewportSize({ width: 1_920, height: 1_080 });
  for (const path of ['/bill', '/bill?by=sku']) {
    await wide.goto(`${address}${path}`);
    await assertStill(wide, path);
  }
});

test('on phones, plans and free use keep still below included usage that comes late', async () => {
  const path = '/settings/discounts';
  await phone.goto(`${address}${path}`);
  await assertStill(phone, path);
});

test('with nothing recorded, the overview shifts neither from the server nor by a link', async () => {
  const { stdout } = await runCommand(['org', 'create', '--name', 'Fresh', '--json'], dashboard.settings);
  const { token } = JSON.parse(stdout) as { token: string };
  await phone.request.post(`${address}/api/v1/session`, { headers: { origin: address }, data: { token } });
  const started = phone.getByRole('region', { name: 'Get started' });
  for (const way of ['from the server', 'by a link']) {
    await phone.goto(`${address}${way === 'by a link' ? '/no-such-page' : '/'}`);
    await waitUntilLoaded(phone);
    if (way === 'by a link') await follow(phone, '/');
    await started.waitFor();
    await assertStill(phone, way);
  }
  assertNoConsoleErrors();
});

/** The shifts since the page was opened. */
async function assertStill(window: Page, place: string): Promise<void> {
  do await waitUntilLoaded(window);
  while ((await window.evaluate('globalThis.unanswered')) !== 0);
  await window.evaluate(twoFrames);
  const shifts = (await window.evaluate('globalThis.shifts.splice(0)')) as {
    value: number;
    texts: string[];
  }[];
  const shifted = shifts.reduce((sum, { value }) => sum + value, 0);
  assert.ok(shifted <= 0.02, `${place} shifts by ${shifted}: ${JSON.stringify(shifts)}`);
}
