import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createPageDrawer } from '../../src/platform/http/drawnPages.ts';
import { openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';
import { runCommand } from '../harness/program.ts';

/** Pages as the server rendered them, before their scripts run. */
const { address, settings, owner, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } =
  await openDashboard();

async function cookieOf(token: string): Promise<string> {
  const answer = await fetch(`${address}/api/v1/session`, {
    method: 'POST',
    headers: { origin: address, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  assert.equal(answer.status, 201);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

async function pageOf(cookie: string, path = '/', site = 'none'): Promise<string> {
  const headers = { accept: 'text/html', cookie, 'sec-fetch-site': site };
  const answer = await fetch(address + path, { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return answer.text();
}

const isDrawn = (html: string) => !html.includes('<div id="root"></div>');

const maxTries = 100;

/** A page that would be late is left to the browser. */
async function drawnPageOf(cookie: string, path: string, shows: RegExp): Promise<string> {
  for (let tries = 0; tries < maxTries; tries++) {
    const html = await pageOf(cookie, path);
    if (shows.test(html)) return html;
  }
  throw new Error(`The server drew no ${path} with ${shows}.`);
}

const cookie = await cookieOf(owner.token);

test('a page from the server has the figures of the API', async () => {
  const { workflows } = await ask<{ workflows: { workflow_name: string; total_cost: number }[] }>(
    `dashboard/workflows?org_id=${owner.orgId}&days=30`,
  );
  const costs = workflows.map(({ total_cost: cost }) => cost).toSorted((a, b) => b - a);
  const shown = `$${costs[0]!.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  // The list may arrive too late for one page, but not for a hundred.
  const html = await drawnPageOf(cookie, '/workflows', new RegExp(RegExp.escape(shown)));
  assert.ok(html.includes(shown), `${shown} is in the page`);
});

test('nobody gets the page of another, and no name in it can become code', async () => {
  const name = '</script><script>alert(1)</script><b>$&';
  const { stdout } = await runCommand(['org', 'create', '--name', name, '--json'], settings);
  const { token } = JSON.parse(stdout) as { token: string };
  const theirs = await cookieOf(token);
  const [html, ours] = await Promise.all([
    drawnPageOf(theirs, '/settings', /alert\(1\)/),
    drawnPageOf(cookie, '/workflows', /\$\d/),
  ]);
  assert.ok(!html.includes('<script>alert') && !html.includes('<b>$'));
  assert.ok(
    html.includes('&lt;/script&gt;&lt;script&gt;alert(1)') && html.includes(String.raw`\u003c/script>`),
  );
  assert.ok(!html.includes(owner.orgId) && !ours.includes('alert(1)'));

  for (const nobody of ['runcost_session=wrong', theirs.slice(0, -1)]) {
    const form = await drawnPageOf(nobody, '/workflows', />Sign in to Runcost</);
    assert.match(form, /Your session ended\. Sign in to continue\./);
    assert.ok(!form.includes('alert(1)') && !/\$\d/.test(form), nobody);
  }
  for (const path of ['/invitation', '/shared', '/sign-in?org=acme'])
    assert.ok(!isDrawn(await pageOf('', path)), path);
  // There may still be a session.
  assert.ok(!isDrawn(await pageOf('', '/workflows', 'cross-site')));
  for (const path of ['/sign-in', '/invitation', '/shared'])
    assert.ok(!isDrawn(await pageOf(cookie, path)), path);
});

test('without a session, a page is the sign-in form before its scripts, and does not move with them', async () => {
  for (const path of ['/workflows', '/sign-in']) assert.match(await pageOf('', path), />Sign in to Runcost</);
  const page = await newPage();
  const place = () => page.getByRole('heading', { name: 'Sign in to Runcost' }).boundingBox();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto(`${address}/workflows`, { waitUntil: 'commit' });
  const before = await place();
  answer();
  await page.locator('.alive[inert]').waitFor({ state: 'detached' });
  await page.getByLabel('Token', { exact: true }).fill(`runcost_${'0'.repeat(32)}_a_b`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This token is unknown, revoked or expired.', { exact: true }).waitFor();
  await page.getByText('No token, or a link that no longer works?').waitFor();
  assert.deepEqual(await place(), before);
  await page.context().close();
  consoleErrors.splice(0); // The refusal.
});

test('an ended session opens the sign-in page, which says so and leads back to the page', async () => {
  const page = await newPage();
  await page.context().addCookies([{ name: 'runcost_session', value: 'ended', url: address }]);
  await page.goto(`${address}/workflows`);
  await page.getByText('Your session ended. Sign in to continue.').waitFor();
  await page.getByLabel('Token', { exact: true }).fill(owner.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  await page.getByRole('button', { name: /account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Runcost' }).waitFor();
  assert.equal(await page.getByText('Your session ended').count(), 0);
  await page.context().close();
  assertNoConsoleErrors();
});

test('a page that was drawn before asks all its questions at once', async () => {
  const drawer = createPageDrawer(
    join(import.meta.dirname, '../../web/dist/drawn/drawPage.js'),
    assert.ifError,
  );
  after(() => drawer.close());
  const read = async (path: string, as = cookie) => {
    const answer = await fetch(address + path, { headers: { cookie: as } });
    return { status: answer.status, contentType: 'application/json', body: await answer.text() };
  };
  const drawn = async (answers: () => (path: string) => ReturnType<typeof read>) => {
    const isDrawnNow = async () =>
      (await drawer.draw({ address: `${address}/settings`, nonce: '', ask: answers() }))?.html.includes(
        owner.orgId,
      );
    while (!(await isDrawnNow())) await setImmediate();
  };
  const known = new Map<string, Awaited<ReturnType<typeof read>>>();
  const keep = async (path: string) => {
    const answer = known.get(path) ?? (await read(path));
    known.set(path, answer);
    return answer;
  };
  // A busy machine answers the last queries too late for the first page.
  do await drawn(() => keep);
  while (known.size < 3);
  const questions = known.size;
  // As many made-up addresses as are remembered; none of them may displace it.
  const refused = await read('/api/v1/session', 'runcost_session=wrong');
  for (let page = 0; page < 500; page++)
    await drawer.draw({ address: `${address}/${page}`, nonce: '', ask: async () => refused });
  // Requests the session first, and answers nothing before everything else is requested.
  await drawn(() => {
    const all = Promise.withResolvers<void>();
    let asked = 0;
    return async (path) => {
      if (++asked === questions) all.resolve();
      if (asked > 1) await all.promise;
      return known.get(path) ?? read(path);
    };
  });
});

/** A server-rendered page whose scripts wait until the test releases them. */
async function openDrawn(path: string, options: Parameters<typeof newPage>[0] = {}) {
  const page = await newPage(options);
  await signIn(page);
  const scripts = Promise.withResolvers<void>();
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await scripts.promise;
    await route.continue();
  });
  const figure = page.locator('td', { hasText: /^\$\d/ }).first();
  for (let tries = 0; (await figure.count()) === 0; tries++) {
    assert.ok(tries < maxTries, `the server drew no ${path}`);
    await page.goto(address + path, { waitUntil: 'commit' });
    await page.locator('#answers').waitFor({ state: 'attached' });
  }
  return { page, figure, letScriptsIn: scripts.resolve };
}

const boxesOf = `['#menu', '#content h1'].map((selector) => {
  const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
  return [x, y, width].map(Math.round);
})`;

test('a page from the server is painted before its scripts run', async () => {
  const page = await newPage();
  await signIn(page);
  await page.addInitScript(`
    const held = [];
    globalThis.requestFrame = requestAnimationFrame;
    globalThis.requestAnimationFrame = (callback) => held.push(callback);
    globalThis.paint = () => {
      globalThis.requestAnimationFrame = requestFrame;
      for (const callback of held) callback(performance.now());
    };`);
  let isFromServer = false;
  for (let tries = 0; !isFromServer; tries++) {
    assert.ok(tries < maxTries, 'the server drew no page');
    await page.goto(`${address}/workflows`, { waitUntil: 'commit' });
    await page.waitForLoadState('networkidle');
    isFromServer = await page.evaluate(`document.querySelector('#answers').textContent !== ''`);
  }
  const isAlive = `Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__reactContainer$'))`;
  assert.equal(await page.evaluate(isAlive), false);
  await page.evaluate('paint()');
  await page.locator('.alive[inert]').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(isAlive), true);
  await page.context().close();
});

test('the browser goes on with the page that the server has drawn', async () => {
  for (const width of [1_280, 1_000, 390]) {
    const { page, figure, letScriptsIn } = await openDrawn('/workflows', { width, dark: width === 390 });
    const places = () => page.evaluate(boxesOf);
    const before = await places();
    await figure.evaluate((element) => element.setAttribute('data-drawn', 'by the server'));
    letScriptsIn();
    while ((await page.title()) !== 'Workflows · Runcost');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    assert.equal(await figure.getAttribute('data-drawn'), 'by the server');
    assert.deepEqual(await places(), before);
    await page.context().close();
  }
  assertNoConsoleErrors();
});

test('a click before the scripts is repeated once they are there', async () => {
  for (const [path, text, opened] of [
    ['/workflows', 'Search', ['combobox', /^Search pages/]],
    ['/workflows', 'account menu', ['menuitem', 'Keyboard shortcuts']],
    ['/workflows', 'Last 30 days', ['dialog', 'Period']],
    // The overview's bar has its own scripts, which load last.
    ['/', 'Last 30 days', ['dialog', 'Period']],
    // So does each part of the settings.
    ['/settings/pricing', 'Rules', ['button', 'Add rule']],
  ] as const) {
    const { page, letScriptsIn } = await openDrawn(path);
    const button = page.locator('button', { hasText: text });
    await button.click({ position: { x: 20, y: 10 }, force: true });
    letScriptsIn();
    const [role, name] = opened;
    await page.getByRole(role, { name }).waitFor();
    assert.equal(await page.locator('[data-waiting]').count(), 0);
    await page.context().close();
  }
  assertNoConsoleErrors();
});

type Link = { href: string; textContent: string; cloneNode: (isDeep: boolean) => unknown };

test('a click before the scripts of its part is repeated, when all others are there', async () => {
  const { page, letScriptsIn } = await openDrawn('/settings/pricing');
  const part = Promise.withResolvers<void>();
  await page.route(/\/assets\/PricingPart.*\.js$/, async (route) => {
    await part.promise;
    await route.continue();
  });
  letScriptsIn();
  await page.locator('.alive:not([inert])').waitFor();
  const button = page.locator('button', { hasText: 'Rules' });
  await button.click({ position: { x: 20, y: 10 }, force: true });
  assert.equal(await page.locator('[data-waiting]').count(), 1);
  part.resolve();
  await page.getByRole('button', { name: 'Add rule' }).waitFor();
  assert.equal(await page.locator('[data-waiting]').count(), 0);
  await page.context().close();
  assertNoConsoleErrors();
});

test('an early click is repeated in its own row only, and not after a while', async () => {
  const { page, letScriptsIn } = await openDrawn('/workflows');
  await page.clock.install();
  const links = page.locator('#content tbody a');
  await links.first().click({ position: { x: 5, y: 5 }, force: true });
  const waiting = page.locator('[data-waiting]');
  assert.equal(await waiting.count(), 1);
  await page.clock.fastForward(10_000);
  assert.equal(await waiting.count(), 0);

  // As if React had replaced the second workflow with the same name.
  const opened = await links.evaluateAll((all: unknown[]) => {
    const list = all as Link[];
    const isSecond = ({ textContent, href }: Link, index: number) =>
      list.some((other, at) => at < index && other.textContent === textContent && other.href !== href);
    const link = list.find(isSecond)!;
    const scope = globalThis as unknown as { earlyClick: { target: unknown } };
    scope.earlyClick.target = link.cloneNode(true);
    return link.href;
  });
  letScriptsIn();
  await page.waitForURL((url) => url.pathname !== '/workflows');
  assert.equal(page.url(), opened);
  await page.context().close();
  assertNoConsoleErrors();
});

/** What differs between the server's page and React's, except texts. Ids differ from page to page. */
const attributesOf = `[...document.querySelectorAll('#content *')].flatMap(({ attributes }) =>
  [...attributes]
    .filter(({ name, value }) => /^(aria-|title$|href$|datetime$|data-title$)/.test(name) && !/mantine-|_r_/i.test(value))
    .map(({ name, value }) => name + ' ' + value))`;

test('a page from the server has the attributes of the page reached by a link, wherever its reader is', async () => {
  const page = await newPage({ width: 390, dark: true, zone: 'America/Los_Angeles' });
  await signIn(page);
  for (const path of ['/workflows', '/showback', '/settings/audit']) {
    await page.goto(`${address}/no-such-page`);
    await page.evaluate(`history.pushState(null, '', '${path}')`);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor({ state: 'detached' });
    await waitUntilLoaded(page);
    const byLink = await page.evaluate(attributesOf);
    const isDrawnPage = async () => (await page.locator('#answers').textContent()) !== '';
    for (let tries = 0; tries === 0 || !(await isDrawnPage()); tries++) {
      assert.ok(tries < maxTries, `the server drew no ${path}`);
      await page.goto(address + path);
    }
    // Each part becomes usable by itself, which takes a while on a busy machine.
    await waitUntilLoaded(page);
    const read = () => page.evaluate(attributesOf);
    for (let frames = 0; frames < 300 && !isDeepStrictEqual(await read(), byLink); frames++)
      await page.evaluate(twoFrames);
    assert.deepEqual(await read(), byLink, path);
  }
  await page.context().close();
  assertNoConsoleErrors();
});
