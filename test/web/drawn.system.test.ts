import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { createPageDrawer } from '../../src/platform/http/drawnPages.ts';
import { leave, openDashboard, untilTaken, waitForFont, waitUntilLoaded } from '../harness/dashboard.ts';
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

async function pageOf(cookie: string, path = '/', site = 'none') {
  const headers = { accept: 'text/html', cookie, 'sec-fetch-site': site };
  const answer = await fetch(address + path, { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return { html: await answer.text(), headers: answer.headers };
}

const isDrawn = ({ html }: { html: string }) => !html.includes('<div id="root"></div>');

/** A page that would be late is left to the browser, on a busy machine many times. */
async function drawnPageOf(cookie: string, path: string, shows: RegExp) {
  let drawn!: Awaited<ReturnType<typeof pageOf>>;
  await untilDrawn(path, async () => {
    drawn = await pageOf(cookie, path);
    return shows.test(drawn.html);
  });
  return drawn;
}

async function untilDrawn(path: string, isThere: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isThere()) return;
    await pause(250); // The late page is still being drawn, and others would wait for it.
  }
  throw new Error(`The server never drew ${path} in time.`);
}

const cookie = await cookieOf(owner.token);

test('a page from the server has the figures of the API', async () => {
  const { workflows } = await ask<{ workflows: { workflow_name: string; total_cost: number }[] }>(
    `dashboard/workflows?org_id=${owner.orgId}&days=30`,
  );
  const costs = workflows.map(({ total_cost: cost }) => cost).toSorted((a, b) => b - a);
  const shown = `$${costs[0]!.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  const { html } = await drawnPageOf(cookie, '/workflows', new RegExp(RegExp.escape(shown)));
  assert.ok(html.includes(shown), `${shown} is in the page`);
});

test('nobody gets the page of another, and no name in it can become code', async () => {
  const name = '</script><script>alert(1)</script><b>$&';
  const { stdout } = await runCommand(['org', 'create', '--name', name, '--json'], settings);
  const { token } = JSON.parse(stdout) as { token: string };
  const theirs = await cookieOf(token);
  const [{ html }, ours] = await Promise.all([
    drawnPageOf(theirs, '/settings', /alert\(1\)/),
    drawnPageOf(cookie, '/workflows', /\$\d/),
  ]);
  assert.ok(!html.includes('<script>alert') && !html.includes('<b>$'));
  assert.ok(
    html.includes('&lt;/script&gt;&lt;script&gt;alert(1)') && html.includes(String.raw`\u003c/script>`),
  );
  assert.ok(!html.includes(owner.orgId) && !ours.html.includes('alert(1)'));

  for (const nobody of ['runcost_session=wrong', theirs.slice(0, -1)]) {
    const { html: form } = await drawnPageOf(nobody, '/workflows', />Sign in to Runcost</);
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

const page = await newPage();
// Instead of `page.route`, which would turn off the browser's cache.
const requests = await page.context().newCDPSession(page);
type Served = { path: string; answer: { body: string; responseHeaders: { name: string; value: string }[] } };
let served: Served | null = null;
requests.on('Fetch.requestPaused', ({ requestId, request }) => {
  const isServed = new URL(request.url).pathname === served?.path;
  void (isServed
    ? requests.send('Fetch.fulfillRequest', { requestId, responseCode: 200, ...served!.answer })
    : requests.send('Fetch.continueRequest', { requestId }));
  if (isServed) served = null;
});
await requests.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] });

const figureCell = /<td\b[^>]*>(<[^>]*>)*\$\d/;

/** Opens a server-rendered page whose scripts wait for `letScriptsIn`. */
async function openDrawn(path: string, reader = cookie, shows = figureCell): Promise<void> {
  const { html, headers } = await drawnPageOf(reader, path, shows);
  const kept = ['content-type', 'content-security-policy'];
  const body = Buffer.from(html.replace('<script type="module"', '<script type="waiting"')).toString(
    'base64',
  );
  const responseHeaders = kept.map((name) => ({ name, value: headers.get(name)! }));
  served = { path, answer: { body, responseHeaders } };
  await page.goto(address + path, { waitUntil: 'commit' });
  await page.locator('#answers').waitFor({ state: 'attached' });
  await waitForFont(page);
}

const letScriptsIn = () =>
  page.evaluate(`(() => {
    const waiting = document.querySelector('script[type="waiting"]');
    const { src, nonce, crossOrigin } = waiting;
    waiting.replaceWith(Object.assign(document.createElement('script'), { type: 'module', nonce, crossOrigin, src }));
  })()`);

test('without a session, a page is the sign-in form before its scripts, and does not move with them', async () => {
  for (const path of ['/workflows', '/sign-in'])
    assert.match((await pageOf('', path)).html, />Sign in to Runcost</);
  const place = () => page.getByRole('heading', { name: 'Sign in to Runcost' }).boundingBox();
  await openDrawn('/workflows', '', />Sign in to Runcost</);
  const before = await place();
  const field = page.getByLabel('Token', { exact: true });
  const token = `runcost_${'0'.repeat(32)}_a_b`;
  await field.fill(token);
  await field.press('Enter');
  assert.equal(page.url(), `${address}/workflows`);
  await letScriptsIn();
  await untilTaken(page);
  assert.equal(await field.inputValue(), token);
  assert.equal(await page.evaluate(`document.activeElement.getAttribute('placeholder')`), 'runcost_…');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This token is unknown, revoked or expired.', { exact: true }).waitFor();
  await page.getByText('No token, or a link that no longer works?').waitFor();
  assert.deepEqual(await place(), before);
  consoleErrors.splice(0); // The refusal.
});

test('an ended session opens the sign-in page, which says so and leads back to the page', async () => {
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
  assertNoConsoleErrors();
  await leave(page);
  await signIn(page);
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
  for (let made = 0; made < 500; made++)
    await drawer.draw({ address: `${address}/${made}`, nonce: '', ask: async () => refused });
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

const boxesOf = `['#menu', '#content h1'].map((selector) => {
  const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
  return [x, y, width].map(Math.round);
})`;

test('a page from the server is painted before its scripts run', async () => {
  await openDrawn('/workflows');
  await page.evaluate(`(() => {
    globalThis.requestFrame = requestAnimationFrame;
    globalThis.asked = new Promise((resolve) => {
      globalThis.requestAnimationFrame = (paint) => resolve({ paint });
    });
  })()`);
  await letScriptsIn();
  await page.evaluate('asked.then(() => {})');
  assert.equal(await page.locator('#answers').count(), 1);
  await page.evaluate(`asked.then(({ paint }) => {
    globalThis.requestAnimationFrame = requestFrame;
    paint(performance.now());
  })`);
  await untilTaken(page);
});

test('the page of the browser replaces the one of the server at once, and its reader goes on', async () => {
  for (const width of [1_280, 1_000, 390]) {
    await page.setViewportSize({ width, height: 700 });
    await page.emulateMedia({ colorScheme: width === 390 ? 'dark' : 'light' });
    await openDrawn('/workflows');
    const places = () => page.evaluate(boxesOf);
    const before = await places();
    const link = page.locator('#content tbody a').nth(2);
    const href = await link.getAttribute('href');
    await link.focus();
    const scrolled = await page.evaluate('scrollTo(0, 120), scrollY');
    await letScriptsIn();
    await untilTaken(page);
    assert.equal(await page.evaluate(`document.activeElement.getAttribute('href')`), href);
    assert.equal(await page.evaluate('scrollY'), scrolled);
    await page.evaluate('scrollTo(0, 0)');
    assert.deepEqual(await places(), before);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
  }
  assertNoConsoleErrors();
});

test('an overview sends at most ten requests', async () => {
  const sent = new Set<string>();
  page.on('request', (request) => sent.add(new URL(request.url()).pathname));
  // All that the server asks was answered in time.
  const complete =
    /(?=.*actor_kind)(?=.*unknowns)(?=.*bills)(?=.*annotations)(?=.*projection)(?=.*recent-runs)/s;
  await openDrawn('/', cookie, complete);
  await letScriptsIn();
  await untilTaken(page);
  await waitUntilLoaded(page);
  // The list of runs is asked for again after some seconds.
  sent.delete('/api/v1/dashboard/recent-runs');
  const asked = [...sent].filter((path) => path.startsWith('/api/')).toSorted();
  assert.deepEqual(asked, ['/api/v1/moves', '/api/v1/storage', '/api/v1/waste/fixes']);
  assert.ok(sent.size <= 10, [...sent].join(' '));
});

test('a part that loads late is there when the page is replaced', async () => {
  await openDrawn('/settings/pricing', cookie, /Add runner/);
  await page.evaluate(`(() => {
    globalThis.missed = 0;
    const look = () => (globalThis.missed += document.body.textContent.includes('Add runner') ? 0 : 1);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  })()`);
  await letScriptsIn();
  await untilTaken(page);
  assert.equal(await page.evaluate('globalThis.missed'), 0);
  await page.getByRole('button', { name: 'Add runner' }).click();
  await page.getByRole('dialog', { name: 'Add rule' }).waitFor();
  assertNoConsoleErrors();
  await page.context().close();
});
