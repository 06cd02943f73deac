/** The API docs at /docs, in a real browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { openDashboard } from './harness/dashboard.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { address, owner, newPage, signIn, consoleErrors, assertNoConsoleErrors } = await openDashboard();

/** Opens the docs at one operation. Collects all requests of the page. */
async function openDocs(page: Page, hash = ''): Promise<Request[]> {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  await page.goto(`${address}/docs${hash}`);
  await page.getByRole('heading', { name: 'Runcost', exact: true }).waitFor();
  await page.evaluate(`location.hash = '#tag/alerts/POST/api/v1/alerts/preview'`);
  await page.getByRole('heading', { name: 'Preview an alert' }).waitFor();
  return requests;
}

const preview = 'post /api/v1/alerts/preview';
const testButton = (page: Page, operation: string) =>
  page.getByRole('button', { name: new RegExp(`Test Request.*${operation}\\)`) });
const card = (page: Page) => page.locator('.scalar-card').filter({ has: testButton(page, preview) });

async function chooseSample(page: Page, label: string): Promise<string> {
  await card(page)
    .getByRole('button', { name: /Change code sample/ })
    .click();
  await page.getByRole('option', { name: label }).click();
  await card(page)
    .getByRole('button', { name: new RegExp(`Change code sample.*${label}`) })
    .waitFor();
  return (await card(page).locator('pre').textContent())!;
}

/** Sends the form of an operation with its example. */
async function send(page: Page, operation = preview) {
  await testButton(page, operation).click();
  const path = operation.split(' ')[1]!;
  const arrival = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await arrival;
  await page.getByText(`${response.status()} ${response.statusText()}`).first().waitFor();
  return { url: response.url(), status: response.status(), headers: await response.request().allHeaders() };
}

const sessionLine = (page: Page) => page.getByRole('status').filter({ hasText: /signed in/i });

for (const [theme, width] of [
  ['light', 1_440],
  ['dark', 360],
] as const) {
  test(`in ${theme} at ${width} px, an operation has both samples, and all comes from this server`, async () => {
    const page = await newPage({ width, dark: theme === 'dark' });
    const requests = await openDocs(page, `#token=${owner.token}`);
    assert.match(await chooseSample(page, 'TypeScript'), /await fetch\('http:/);
    assert.match(await chooseSample(page, 'curl'), /curl -X POST 'http:/);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
    assert.deepEqual(await page.evaluate('document.body.className.match(/(light|dark)-mode/)[1]'), theme);
    await page.evaluate(axe);
    const serious = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))`;
    assert.deepEqual(await page.evaluate(serious), []);
    const origins = new Set(requests.map((request) => new URL(request.url()).origin));
    assert.deepEqual([...origins], [address]);
    assertNoConsoleErrors();
    await page.context().close();
  });
}

test('a link signs in with its token, which the address drops and the browser does not keep', async () => {
  const page = await newPage();
  await openDocs(page, `#token=${owner.token}`);
  await page.getByText("owner of My organization. Requests from this page use the link's token.").waitFor();
  const { status, headers } = await send(page);
  assert.equal(status, 200);
  assert.equal(headers['authorization'], `Bearer ${owner.token}`);
  const kept = await page.evaluate(
    'location.href + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
  );
  assert.ok(!String(kept).includes(owner.token));
  await page.goBack();
  assert.ok(!page.url().includes(owner.token));
  assertNoConsoleErrors();
  await page.context().close();
});

test("a signed-in browser sends its cookie, and the examples have the caller's organization", async () => {
  const page = await newPage();
  await signIn(page);
  await openDocs(page);
  await sessionLine(page)
    .getByText(/use your session/)
    .waitFor();
  const { status, headers } = await send(page);
  assert.equal(status, 200);
  assert.equal(headers['authorization'], undefined);
  assert.match(headers['cookie']!, /^runcost_session=/);
  assert.equal(headers['origin'], address);
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = '#tag/dashboard/GET/api/v1/dashboard/summary'`);
  await page.getByText(`summary?org_id=${owner.orgId}`).first().waitFor();
  assertNoConsoleErrors();
  await page.context().close();
});

test('the form leaves out the filters until somebody chooses them', async () => {
  const page = await newPage();
  await openDocs(page, `#token=${owner.token}`);
  await page.evaluate(`location.hash = '#tag/runs/GET/api/v1/runs'`);
  assert.equal((await send(page, 'get /api/v1/runs')).url, `${address}/api/v1/runs`);
  assertNoConsoleErrors();
  await page.context().close();
});

test('without a session or a valid token, the page says how to sign in', async () => {
  for (const hash of ['', `#token=${owner.token}x`]) {
    const page = await newPage();
    await openDocs(page, hash);
    const line = page.getByRole('status').filter({ hasText: 'enter a token under Authentication' });
    assert.match(
      (await line.textContent())!,
      hash ? /^The link's token is not valid/ : /^You are not signed in/,
    );
    assert.equal((await send(page)).status, 401);
    await page.keyboard.press('Escape');
    await page.evaluate('scrollTo(0, 0)');
    await line.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in to Runcost' }).waitFor();
    await page.context().close();
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
    const page = await newPage();
    await page.route(`${address}${path}`, (route) =>
      status ? route.fulfill({ status, json: {} }) : route.abort(),
    );
    await page.goto(`${address}/docs`);
    const line = page.getByText('The docs failed to load. Reload the page. Reason: ');
    await line.waitFor();
    if (status) assert.ok((await line.textContent())!.endsWith(`${path} answers ${status}.`));
    // Browsers log failed requests.
    for (const complaint of consoleErrors.splice(0)) assert.match(complaint, /Failed to load resource/);
    await page.context().close();
  });
}

test('a link entered while the page is open signs in, and the address drops whatever follows #token', async () => {
  const page = await newPage();
  await openDocs(page);
  const enter = (hash: string) => page.evaluate(`location.hash = '${hash}'`);
  await enter(`#token=${owner.token}`);
  await page.getByText("owner of My organization. Requests from this page use the link's token.").waitFor();
  assert.ok(!page.url().includes('token'), page.url());
  await enter('#token=x&y');
  await page.getByText("The link's token is not valid.").waitFor();
  assert.ok(!page.url().includes('token'), page.url());
  assertNoConsoleErrors();
  await page.context().close();
});

test('at another address than the configured one, the samples call that one', async () => {
  const page = await newPage();
  const other = address.replace('127.0.0.1', 'localhost');
  await page.goto(`${other}/docs#token=${owner.token}`);
  await page.evaluate(`location.hash = '#tag/alerts/POST/api/v1/alerts/preview'`);
  await page.getByRole('heading', { name: 'Preview an alert' }).waitFor();
  for (const label of ['TypeScript', 'curl'])
    assert.ok((await chooseSample(page, label)).includes(`'${other}/api/v1/alerts/preview`), label);
  assertNoConsoleErrors();
  await page.context().close();
});

test('a keyboard user skips to the content, and a link leads back to the dashboard', async () => {
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/docs`);
  await page.getByRole('heading', { name: 'Runcost', exact: true }).waitFor();
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
