/** The API docs at /docs, in a real browser. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Request } from 'playwright-core';
import { axeFindings, ofColors } from '../harness/axe.ts';
import { leave, openDashboard, waitForFont } from '../harness/dashboard.ts';

const { address, owner, newPage, signIn, consoleErrors, assertNoConsoleErrors } = await openDashboard();

/** Scalar's work grows with the document. One test looks at all of it; for the others, these parts are enough. */
const parts = ['alerts', 'alerts/{id}', 'alerts/preview', 'dashboard/summary'].map(
  (part) => `/api/v1/${part}`,
);
const shortenDocument = `
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    if (!response.ok || new URL(response.url).pathname !== '/openapi.json') return response;
    const { paths, ...rest } = await response.json();
    const kept = ${JSON.stringify(parts)}.map((path) => [path, paths[path]]);
    return Response.json({ ...rest, paths: Object.fromEntries(kept) });
  };`;

/** Runs before the scripts of the page, and sums its layout shifts. */
const addUpShifts = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

// Keeps Scalar's script compiled.
const page = await newPage();
await page.addInitScript({ content: addUpShifts });
const origins = new Set<string>();
page.on('request', (request) => void origins.add(new URL(request.url()).origin));

const preview = 'post /api/v1/alerts/preview';
async function load(url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { name: 'Runcost API', exact: true }).waitFor();
}

async function openPreview(): Promise<void> {
  await page.evaluate(`location.hash = '#tag/alerts/POST/api/v1/alerts/preview'`);
  await page.getByRole('heading', { name: 'Preview an alert' }).waitFor();
}

const testButton = (operation: string) =>
  page.getByRole('button', { name: new RegExp(`Test Request.*${operation}\\)`) });

async function chooseSample(label: string): Promise<string> {
  const card = page.locator('.scalar-card').filter({ has: testButton(preview) });
  const isChosen = async (): Promise<boolean> => {
    await card.getByRole('button', { name: /Change code sample/ }).click();
    await page.getByRole('option', { name: label }).click();
    const chosen = card.getByRole('button', { name: new RegExp(`Change code sample.*${label}`) });
    return chosen.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  };
  // With all operations, Scalar can draw a card again while it loads, and forgets a choice of before.
  for (let tries = 5; !(await isChosen()); tries--) assert.ok(tries > 1, `${label} was not chosen`);
  return (await card.locator('pre').textContent())!;
}

/** Sends the example of an operation from its form. */
async function send(operation = preview) {
  await testButton(operation).click();
  const path = operation.split(' ')[1]!;
  const arrival = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await arrival;
  const answer = `${response.status()} ${response.statusText()}`;
  // The page behind it has such a text too. Scalar logs an error if its form closes before it has read the answer.
  await page.getByRole('dialog').getByText(answer).waitFor();
  await page.keyboard.press('Escape');
  return { url: response.url(), status: response.status(), headers: await response.request().allHeaders() };
}

/** The page is loaded, in this theme and at this width, and shows its first operation. */
async function assertLooks(
  theme: 'light' | 'dark',
  width: number,
  rules: { rules?: string[] },
  server: string,
): Promise<void> {
  await page.locator('[data-testid="lazy-container"][data-placeholder="false"] h2').first().waitFor();
  await waitForFont(page);
  const shifted = await page.evaluate('globalThis.shifts');
  assert.ok(Number(shifted) < 0.05, `it shifts by ${String(shifted)}`);
  const bar = page.getByRole('banner').first();
  const { height, y: top } = (await bar.boundingBox())!;
  for (const target of await bar.locator('a, button').filter({ visible: true }).all()) {
    const { y, height: own, x, width: wide } = (await target.boundingBox())!;
    assert.ok(y >= top && own < height && x + wide <= width, `${await target.innerText()} is ${own} px high`);
  }
  await openPreview();
  const url = `'${server}/api/v1/alerts/preview`;
  assert.ok((await chooseSample('TypeScript')).includes(`await fetch(${url}`));
  assert.ok((await chooseSample('curl')).includes(`curl -X POST ${url}`));
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
  assert.deepEqual(await page.evaluate('document.body.className.match(/(light|dark)-mode/)[1]'), theme);
  assert.deepEqual(await axeFindings(page, { isSerious: true, ...rules }), []);
  assert.deepEqual([...origins], [server]);
  assertNoConsoleErrors();
}

const usesToken = "owner of My organization. Requests from this page use the link's token.";

test('a link signs in at another address than the configured one, and the form leaves out filters that nobody chose', async () => {
  const other = address.replace('127.0.0.1', 'localhost');
  await page.setViewportSize({ width: 1_440, height: 900 });
  await load(`${other}/docs#token=${owner.token}`);
  // With all operations, so only for the theme's colors. The next test has the other rules.
  await assertLooks('light', 1_440, { rules: ofColors }, other);
  await page.getByText(usesToken).waitFor();
  const { status, headers } = await send();
  assert.equal(status, 200);
  assert.equal(headers['authorization'], `Bearer ${owner.token}`);
  await page.evaluate(`location.hash = '#tag/runs/GET/api/v1/runs'`);
  assert.equal((await send('get /api/v1/runs')).url, `${other}/api/v1/runs`);
  assertNoConsoleErrors();
});

test("a signed-in browser sends its cookie, and the examples have the caller's organization", async () => {
  origins.clear();
  await page.addInitScript({ content: shortenDocument });
  await page.setViewportSize({ width: 360, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await signIn(page);
  await load(`${address}/docs`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(`document.activeElement.closest('#content') !== null`));
  await assertLooks('dark', 360, {}, address);
  await page
    .getByRole('status')
    .getByText(/^Signed in .* use your session/)
    .waitFor();
  const { status, headers } = await send();
  assert.equal(status, 200);
  assert.equal(headers['authorization'], undefined);
  assert.match(headers['cookie']!, /^runcost_session=/);
  assert.equal(headers['origin'], address);
  await page.context().clearCookies();
  assert.equal((await send()).status, 401);
  await page.evaluate(`location.hash = '#tag/dashboard/GET/api/v1/dashboard/summary'`);
  await page.getByText(`summary?org_id=${owner.orgId}`).first().waitFor();
  assertNoConsoleErrors();
  await page.context().close();
});

// Whatever is the page's own needs no Scalar. Each test finds it signed out and empty.
const light = await newPage();
const scalar = `${address}/assets/scalar-*`;
const stub = `globalThis.Scalar = {
  createApiReference: (_, configuration) => Object.assign(globalThis, { configuration }),
};`;
const useStub = () =>
  light.route(scalar, (route) => route.fulfill({ contentType: 'text/javascript', body: stub }));
await useStub();
afterEach(async () => {
  if (light.url() !== 'about:blank') await leave(light);
  await light.context().clearCookies();
});
const line = light.getByRole('status');
const openLight = (hash = '') => light.goto(`${address}/docs${hash}`);

test('the address drops the token of a link, and the browser does not keep it', async () => {
  await openLight(`#token=${owner.token}`);
  await line.getByText(usesToken).waitFor();
  const kept = await light.evaluate(
    'location.href + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
  );
  assert.ok(!String(kept).includes(owner.token));
  await light.evaluate(`location.hash = '#tag/alerts'`);
  await light.goBack();
  assert.ok(!light.url().includes(owner.token));
  assertNoConsoleErrors();
});

test('without a cookie and a token, the docs ask for no session, which would log an error, and say how to sign in', async () => {
  const asked: string[] = [];
  const add = (request: Request) => void asked.push(new URL(request.url()).pathname);
  light.on('request', add);
  await openLight();
  await line.getByText(/^You are not signed in.* or enter a token under Authentication/).waitFor();
  light.off('request', add);
  assert.ok(asked.includes('/openapi.json') && !asked.includes('/api/v1/session'), asked.join());
  assert.deepEqual(await light.evaluate('configuration.content.security'), [{ token: [] }]);
  const bar = light.getByRole('navigation', { name: 'Main' });
  assert.equal(await bar.getByRole('link', { name: 'Dashboard' }).getAttribute('href'), '/');
  await line.getByRole('link', { name: 'Sign in' }).click();
  await light.getByRole('heading', { name: 'Sign in to Runcost' }).waitFor();
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
    await signIn(light); // Without its cookie, no session is asked for.
    const pattern = `${address}${path}`;
    await light.route(pattern, (route) => (status ? route.fulfill({ status, json: {} }) : route.abort()));
    await openLight();
    await line.getByText('The docs failed to load. Reload the page. Reason: ').waitFor();
    if (status) assert.ok((await line.textContent())!.endsWith(`${path} answers ${status}.`));
    await light.unroute(pattern);
    if (pattern === scalar) await useStub();
    // Browsers log a failed request themselves.
    for (const complaint of consoleErrors.splice(0)) assert.match(complaint, /Failed to load resource/);
  });
}

test('a link entered while the page is open signs in, and the address drops whatever follows #token', async () => {
  await openLight();
  await line.getByText('You are not signed in.').waitFor();
  const enter = (hash: string) => light.evaluate(`location.hash = '${hash}'`);
  await enter(`#token=${owner.token}`);
  await line.getByText(usesToken).waitFor();
  assert.ok(!light.url().includes('token'), light.url());
  await enter('#token=x&y');
  await line.getByText(/^The link's token is not valid.* or enter a token under Authentication/).waitFor();
  assert.equal(await line.getByRole('link', { name: 'Sign in' }).getAttribute('href'), '/sign-in');
  assert.ok(!light.url().includes('token'), light.url());
  assertNoConsoleErrors();
});
