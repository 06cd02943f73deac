import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFindings } from '../harness/axe.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { startIssuer } from '../harness/issuer.ts';
import { runCommand } from '../harness/program.ts';

const { address, owner, settings, newPage, ask, assertNoConsoleErrors } = await openDashboard();
const issuer = await startIssuer([address], 'localhost');
issuer.accounts.set('ada', { email: 'ada@acme.test', email_verified: true, name: 'Ada' });
const provider = { kind: 'oidc', name: 'Acme', ...issuer.client, allowed_domains: [] };

/** An organization of Ada's whose members sign in at the same issuer. */
async function newCompany(name: string, role: string) {
  const { stdout, stderr } = await runCommand(
    ['org', 'create', '--name', name, '--login', name.toLowerCase(), '--json'],
    settings,
  );
  assert.equal(stderr, '');
  const { org_id: orgId, token } = JSON.parse(stdout) as { org_id: string; token: string };
  const send = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${address}/api/v1/${path}?org_id=${orgId}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 201, await answer.text());
  };
  await send('members', { email: 'ada@acme.test', role });
  await send('identity-providers', provider);
  return { send };
}

let page: Page;
before(async () => {
  await ask('members', { email: 'ada@acme.test', role: 'owner' });
  await ask('identity-providers', provider);
  await newCompany('Beta', 'viewer');
  const gamma = await newCompany('Gamma', 'admin');
  await gamma.send('alerts', { name: 'Budget of Gamma', alert_type: 'budget', threshold_amount: 10 });
  page = await newPage();
  await page.goto(`${address}/sign-in?org=${owner.orgId}`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await page.getByRole('link', { name: 'Continue as ada' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
});

const switcher = (on = page) => on.getByRole('button', { name: /switch organization/ });
const choice = (name: string) => page.getByRole('menuitem', { name });

test('a person switches by mouse, keyboard and palette, and the address names the organization', async () => {
  await page.goto(`${address}/alerts?tab=all`);
  await page.getByRole('heading', { name: 'Budgets and alerts' }).waitFor();
  await page.waitForURL(/\/alerts\?tab=all&org=[\w-]+$/);
  await switcher().click();
  await choice('Gamma').waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await choice('Gamma').click();
  await page.waitForURL(`${address}/alerts?org=gamma`);
  await page.getByText('Budget of Gamma').first().waitFor();
  await switcher().filter({ hasText: 'Gamma' }).waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.waitForURL(`${address}/settings?org=gamma`);
  await switcher().focus();
  await page.keyboard.press('Enter');
  await choice('Beta').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('switch to beta');
  await page.getByRole('option', { name: /Switch to Beta/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address}/?org=beta`);
  await switcher().filter({ hasText: 'Beta' }).waitFor();
  await page.goBack();
  await page.waitForURL(`${address}/settings?org=gamma`);
  await page.getByRole('button', { name: /Gamma.*switch organization/ }).waitFor();
  assertNoConsoleErrors();
});

test('two tabs show and change each its own organization, and a copied link opens in its own', async () => {
  await page.goto(`${address}/settings/organization?org=gamma`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.waitFor();
  const other = await page.context().newPage();
  await other.goto(`${address}/alerts?org=beta`);
  await switcher(other).waitFor();
  await other.getByText('No alerts yet').waitFor();
  assert.equal(await other.getByText('Budget of Gamma').count(), 0);
  await name.fill('Gamma 2');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByRole('button', { name: /Gamma 2.*switch organization/ }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: /Beta.*switch organization/ }).waitFor();
  await other.close();
  const { data } = await ask<{ data: { name: string } }>('organization');
  assert.equal(data.name, 'My organization');
  assertNoConsoleErrors();
});

test('an address of no organization of theirs says so and names their own', async () => {
  await page.goto(`${address}/waste?org=nobody`);
  await page.getByRole('heading', { name: 'You have no access to “nobody”' }).waitFor();
  assert.deepEqual(await axeFindings(page), []);
  await page.getByRole('link', { name: /Gamma/ }).click();
  await page.getByRole('button', { name: /Gamma.*switch organization/ }).waitFor();
  assertNoConsoleErrors();
});
