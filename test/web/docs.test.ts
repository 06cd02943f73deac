/** The API docs at /docs, in a real browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, test } from 'node:test';
import type { Request } from 'playwright-core';
import { leave, openDashboard } from '../harness/dashboard.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { address, owner, newPage, signIn, consoleErrors, assertNoConsoleErrors } = await openDashboard();

/** Scalar's work grows with the document. These parts are enough, except for tests that look at all of it. */
const parts = ['/api/v1/alerts', '/api/v1/alerts/preview', '/api/v1/dashboard/summary', '/api/v1/runs'];
const shortenDocument = `
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    if (!response.ok || new URL(response.url).pathname !== '/openapi.json') return response;
    const { paths, ...rest } = await response.json();
    const kept = ${JSON.stringify(parts)}.map((path) => [path, paths[path]]);
    return Response.json({ ...rest, paths: Object.fromEntries(kept) });
  };`;

// Keeps Scalar's script compiled. Each test finds it signed out and empty.
const page = await newPage();
await page.addInitScript({ content: shortenDocument });

afterEach(async () => {
  await page.unrouteAll();
  if (page.url() !== 'about:blank') await leave(page);
  await page.context().clearCookies();
});

/** Opens the docs at one operation. */
async function openDocs(hash = '', on = page): Promise<void> {
  await on.goto(`${address}/docs${hash}`);
  await on.getByRole('heading', { name: 'Runcost API', exact: true }).waitFor();
  await on.evaluate(`location.hash = '#tag/alerts/POST/api/v1/alerts/preview'`);
  await on.getByRole('heading', { name: 'Preview an alert' }).waitFor();
}

const preview = 'post /api/v1/alerts/preview';
const testButton = (operation: string, on = page) =>
  on.getByRole('button', { name: new RegExp(`Test Request.*${operation}\\)`) });

async function chooseSample(label: string, on = page): Promise<string> {
  const card = on.locator('.scalar-card').filter({ has: testButton(preview, on) });
  await card.getByRole('button', { name: /Change code sample/ }).click();
  await on.getByRole('option', { name: label }).click();
  await card.getByRole('button', { name: new RegExp(`Change code sample.*${label}`) }).waitFor();
  return (await card.locator('pre').textContent())!;
}

/** Sends the example of an operation from its form. */
async function send(operation = preview) {
  await testButton(operation).click();
  const path = operation.split(' ')[1]!;
  const arrival = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await arrival;
  await page.getByText(`${response.status()} ${response.statusText()}`).first().waitFor();
  return { url: response.url(), status: response.status(), headers: await response.request().allHeaders() };
}

const sessionLine = () => page.getByRole('status').filter({ hasText: /signed in/i });

/** Runs before the scripts of the page, and sums its layout shifts. */
const addUpShifts = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const whole = await newPage();
await whole.addInitScript({ content: addUpShifts });
for (const [theme, width] of [
  ['light', 1_440],
  ['dark', 360],
] as const) {
  test(`in ${theme} at ${width} px, an operation has both samples, and all comes from this server`, async () => {
    await whole.setViewportSize({ width, height: 900 });
    await whole.emulateMedia({ colorScheme: theme });
    const origins = new Set<string>();
    const addOrigin = (request: Request) => void origins.add(new URL(request.url()).origin);
    whole.on('request', addOrigin);
    await whole.goto(`${address}/docs#token=${owner.token}`);
    await whole.getByRole('heading', { name: 'Runcost API', exact: true }).waitFor();
    await whole.locator('[data-testid="lazy-container"][data-placeholder="false"] h2').first().waitFor();
    const shifted = await whole.evaluate('globalThis.shifts');
    assert.ok(Number(shifted) < 0.05, `it shifts by ${String(shifted)}`);
    const bar = whole.getByRole('banner').first();
    const { height, y: top } = (await bar.boundingBox())!;
    for (const target of await bar.locator('a, button').filter({ visible: true }).all()) {
      const { y, height: own, x, width: wide } = (await target.boundingBox())!;
      assert.ok(
        y >= top && own < height && x + wide <= width,
        `${await target.innerText()} is ${own} px high`,
      );
    }
    await openDocs('', whole);
    assert.match(await chooseSample('TypeScript', whole), /await fetch\('http:/);
    assert.match(await chooseSample('curl', whole), /curl -X POST 'http:/);
    assert.equal(await whole.evaluate('document.documentElement.scrollWidth'), width);
    assert.deepEqual(await whole.evaluate('document.body.className.match(/(light|dark)-mode/)[1]'), theme);
    await whole.evaluate(axe);
    const serious = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))`;
    assert.deepEqual(await whole.evaluate(serious), []);
    assert.deepEqual([...origins], [address]);
    assertNoConsoleErrors();
    whole.off('request', addOrigin);
    await leave(whole);
  });
}

test('a link signs in with its token, which the address drops and the browser does not keep', async () => {
  await openDocs(`#token=${owner.token}`);
  await page.getByText("owner of My organization. Requests from this page use the link's token.").waitFor();
  const { status, headers } = await send();
  assert.equal(status, 200);
  assert.equal(headers['authorization'], `Bearer ${owner.token}`);
  const kept = await page.evaluate(
    'location.href + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
  );
  assert.ok(!String(kept).includes(owner.token));
  await page.goBack();
  assert.ok(!page.url().includes(owner.token));
  assertNoConsoleErrors();
});

test('without a cookie and a token, the docs ask for no session, which would log an error', async () => {
  const asked: string[] = [];
  const add = (request: Request) => void asked.push(new URL(request.url()).pathname);
  page.on('request', add);
  await openDocs();
  await page.getByText('You are not signed in.').waitFor();
  page.off('request', add);
  assert.ok(asked.includes('/openapi.json') && !asked.includes('/api/v1/session'), asked.join());
  assertNoConsoleErrors();
});

test("a signed-in browser sends its cookie, and the examples have the caller's organization", async () => {
  await signIn(page);
  await openDocs();
  await sessionLine()
    .getByText(/use your session/)
    .waitFor();
  const { status, headers } = await send();
  assert.equal(status, 200);
  assert.equal(headers['authorization'], undefined);
  assert.match(headers['cookie']!, /^runcost_session=/);
  assert.equal(headers['origin'], address);
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = '#tag/dashboard/GET/api/v1/dashboard/summary'`);
  await page.getByText(`summary?org_id=${owner.orgId}`).first().waitFor();
  assertNoConsoleErrors();
});

test('the form leaves out the filters until somebody chooses them', async () => {
  await openDocs(`#token=${owner.token}`);
  await page.evaluate(`location.hash = '#tag/runs/GET/api/v1/runs'`);
  assert.equal((await send('get /api/v1/runs')).url, `${address}/api/v1/runs`);
  assertNoConsoleErrors();
});

test('without a session or a valid token, the page says how to sign in', async () => {
  for (const hash of ['', `#token=${owner.token}x`]) {
    await openDocs(hash);
    const line = page.getByRole('status').filter({ hasText: 'enter a token under Authentication' });
    assert.match(
      (await line.textContent())!,
      hash ? /^The link's token is not valid/ : /^You are not signed in/,
    );
    assert.equal((await send()).status, 401);
    await page.keyboard.press('Escape');
    await page.evaluate('scrollTo(0, 0)');
    await line.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in to Runcost' }).waitFor();
  }
  assertNoConsoleErrors();
});

const sessionPath = '/api/v1/session';
for (const [what, path, status] of [
  ['a refused session request', sessionPath, 503],
  ['too many session requests', sessionPath, 429],
  ['a session request without an answer', sessionPath, null],
  ['a refused document', '/openapi.json', 503],
  ['a document without an answer', '/openapi.json', null],
  ["Scalar's script without an answer", '/assets/scalar-*', null],
] as const) {
  test(`the page says that it failed to load after ${what}`, async () => {
    await signIn(page); // Without its cookie, no session is asked for.
    await page.route(`${address}${path}`, (route) =>
      status ? route.fulfill({ status, json: {} }) : route.abort(),
    );
    await page.goto(`${address}/docs`);
    const line = page.getByText('The docs failed to load. Reload the page. Reason: ');
    await line.waitFor();
    if (status) assert.ok((await line.textContent())!.endsWith(`${path} answers ${status}.`));
    // Browsers log a failed request themselves.
    for (const complaint of consoleErrors.splice(0)) assert.match(complaint, /Failed to load resource/);
  });
}

test('a link entered while the page is open signs in, and the address drops whatever follows #token', async () => {
  await openDocs();
  const enter = (hash: string) => page.evaluate(`location.hash = '${hash}'`);
  await enter(`#token=${owner.token}`);
  await page.getByText("owner of My organization. Requests from this page use the link's token.").waitFor();
  assert.ok(!page.url().includes('token'), page.url());
  await enter('#token=x&y');
  await page.getByText("The link's token is not valid.").waitFor();
  assert.ok(!page.url().includes('token'), page.url());
  assertNoConsoleErrors();
});

test('at another address than the configured one, the samples call that one', async () => {
  const other = address.replace('127.0.0.1', 'localhost');
  await page.goto(`${other}/docs#token=${owner.token}`);
  await page.evaluate(`location.hash = '#tag/alerts/POST/api/v1/alerts/preview'`);
  await page.getByRole('heading', { name: 'Preview an alert' }).waitFor();
  for (const label of ['TypeScript', 'curl'])
    assert.ok((await chooseSample(label)).includes(`'${other}/api/v1/alerts/preview`), label);
  assertNoConsoleErrors();
});

test('a keyboard user skips to the content, and a link leads back to the dashboard', async () => {
  await signIn(page);
  await page.goto(`${address}/docs`);
  await page.getByRole('heading', { name: 'Runcost API', exact: true }).waitFor();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate('document.activeElement.textContent.trim()');
  assert.equal(await focused(), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(`document.activeElement.closest('#content') !== null`));
  const bar = page.getByRole('navigation', { name: 'Main' });
  await bar.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.deepEqual(consoleErrors, []);
});
