import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axeFindings } from '../harness/axe.ts';
import { openDashboard } from '../harness/dashboard.ts';

const { address, owner, newPage, signIn, ask, assertNoConsoleErrors, consoleErrors } = await openDashboard();

type Started = { data: { secret: string; code: string; confirm_url: string } };

const start = async () => (await ask<Started>('logins', { name: 'mia@laptop' })).data;

async function poll(secret: string) {
  const answer = await fetch(`${address}/api/v1/logins/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret }),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { code?: string; data?: { token: string } },
  };
}

test('a visitor signs in, compares the code and confirms, and the terminal gets its token', async () => {
  const { secret, code, confirm_url: url } = await start();
  const page = await newPage();
  await page.goto(url);
  await page.getByLabel('Token', { exact: true }).fill(owner.token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'mia@laptop wants to log in' }).waitFor();
  await page.getByText(code, { exact: true }).waitFor();
  await page.getByText('My organization, as owner').waitFor();
  assert.deepEqual(await axeFindings(page), []);
  assert.equal((await poll(secret)).status, 202);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Return to your terminal.').waitFor();
  const { status, body } = await poll(secret);
  assert.equal(status, 200);
  assert.match(body.data!.token, /^runcost_/);
  await page.context().close();
  assertNoConsoleErrors();
});

test('a person refuses a login, and an old or mistyped code says what to do', async () => {
  const { secret, confirm_url: url } = await start();
  const page = await newPage();
  await signIn(page);
  await page.goto(url);
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByText('mia@laptop gets no access').waitFor();
  assert.equal((await poll(secret)).body.code, 'login_denied');
  assertNoConsoleErrors();
  await page.goto(`${address}/confirm-login?code=BBBB-BBBB`);
  await page.getByRole('heading', { name: 'No login is waiting' }).waitFor();
  await page.getByText('Run runcost login again').waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await page.context().close();
  consoleErrors.splice(0); // The 404.
});
