import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openDashboard } from './harness/dashboard.ts';
import { openWebhookReceiver } from './harness/webhookReceiver.ts';
import type { Holder } from '../src/db/directoryLock.ts';

const dashboard = await openDashboard();
const { address, owner, ask, noComplaints } = dashboard;
const page = await dashboard.newPage();
await dashboard.signIn(page);

test('a run that arrives while the overview is open is shown without loading it again', async () => {
  await page.goto(address);
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  await ask('runs', {
    runs: [
      {
        ...{
          provider: 'jenkins',
          run_id: 'live-1',
          workflow_name: 'Arrived just now',
          repo_name: 'acme/api',
        },
        ...{ status: 'in_progress', created_at: now },
        jobs: [],
      },
    ],
  });
  await page.getByRole('link', { name: 'Arrived just now' }).waitFor();
  assert.equal(await page.evaluate(() => (globalThis as { isTheSame?: boolean }).isTheSame), true);
  noComplaints();
});

test('the page of a webhook that fails says why and what to do, and that it is well again', async () => {
  const receiver = await openWebhookReceiver();
  receiver.answer = 500;
  const { data } = await ask('webhooks', { url: receiver.url, events: ['alert.triggered'] });
  const path = `webhooks/${data['id']}`;
  const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
  const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'A dollar' });
  await ask(`alerts/${alert.id}/check`, {});
  await failAllAttempts(path);

  await page.goto(`${address}/webhooks`);
  const row = page.getByRole('row', { name: receiver.url });
  await row.getByText('failing', { exact: true }).waitFor();
  await row.getByText('answered 500').waitFor();
  await row.getByRole('link').click();
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('when a delivery had failed all five attempts').waitFor();
  await health.getByText('answered 500').first().waitFor();
  await health.getByText('its own log of that time tells why').waitFor();
  await health.getByRole('button', { name: 'Send again' }).waitFor();

  receiver.answer = 204;
  await page.getByRole('button', { name: 'Ping' }).click();
  await page.getByText('It has arrived').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await health.getByText('active', { exact: true }).waitFor();
  await health.getByText('Failing since').waitFor({ state: 'detached' });
  noComplaints();
});

/** Has the attempts, which lie hours apart, follow one another at once. */
async function failAllAttempts(webhookPath: string): Promise<void> {
  const holder = JSON.parse(readFileSync(join(dashboard.dataDir, 'holder.json'), 'utf8')) as Holder;
  const db = new pg.Client({ host: holder.socketDirectory, user: 'postgres', database: 'postgres' });
  await db.connect();
  try {
    while ((await ask(webhookPath)).data['status'] !== 'failing') {
      await db.query(
        `update deliveries set due_at = now() - interval '1 second' where due_at > now() and lease is null`,
      );
    }
  } finally {
    await db.end();
  }
}
