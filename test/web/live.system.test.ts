import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { follow, openDashboard } from '../harness/dashboard.ts';
import { runCommand } from '../harness/program.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhookReceiver.ts';

const dashboard = await openDashboard();
const { address, owner, ask, assertNoConsoleErrors } = dashboard;
const page = await dashboard.newPage();
await dashboard.signIn(page);

test('the open overview shows a new run without a reload', async () => {
  await page.goto(address);
  await page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  await ask('runs', {
    runs: [
      {
        provider: 'jenkins',
        run_id: 'live-1',
        workflow_name: 'Arrived just now',
        repo_name: 'acme/api',
        status: 'in_progress',
        created_at: now,
        jobs: [],
      },
    ],
  });
  await page.getByRole('link', { name: 'Arrived just now' }).waitFor();
  assert.equal(await page.evaluate(() => (globalThis as { isTheSame?: boolean }).isTheSame), true);
  assertNoConsoleErrors();
});

test('the page of a failing webhook says why and what to do, and shows its recovery', async () => {
  const receiver = await openWebhookReceiver();
  receiver.answer = 500;
  const { data } = await ask('webhooks', { url: receiver.url, events: ['alert.triggered'] });
  const path = `webhooks/${data['id']}`;
  const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
  const alert = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'A dollar' });
  await ask(`alerts/${alert.id}/check`, {});
  await failAllAttempts(path, receiver);

  await follow(page, '/webhooks');
  const row = page.getByRole('row', { name: receiver.url });
  await row.getByText('Failing', { exact: true }).waitFor();
  await row.getByText(/, HTTP 500$/).waitFor();
  await row.getByRole('link').click();
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('when all five attempts of a delivery failed').waitFor();
  // In the sentence and beside the time of the last error, with the same words.
  assert.equal(await health.getByText('HTTP 500', { exact: true }).count(), 2);
  await health.getByText('Check its own log for that time').waitFor();
  await health.getByRole('button', { name: 'Resend' }).waitFor();

  receiver.answer = 204;
  await page.getByRole('button', { name: 'Ping' }).click();
  await page.getByText('Delivered: your server responded with 2xx.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.locator('button:focus', { hasText: 'Ping' }).waitFor();
  await page.locator('.page-title').getByText('Active', { exact: true }).waitFor();
  await health.getByText('Failing since').waitFor({ state: 'detached' });
  assertNoConsoleErrors();
});

test('the first steps make the owner a person, unless that is skipped', async () => {
  const created = await runCommand(['org', 'create', '--name', 'New', '--json'], dashboard.settings);
  const { token } = JSON.parse(created.stdout) as { token: string };
  const open = async () => {
    const mine = await dashboard.newPage();
    const body = { headers: { origin: address }, data: { token } };
    await mine.request.post(`${address}/api/v1/session`, body);
    await mine.goto(address);
    return { mine, steps: mine.getByRole('region', { name: 'Get started' }) };
  };
  const skipping = await open();
  await skipping.mine.getByText('Token “owner” · owner').waitFor();
  await skipping.steps.getByRole('button', { name: 'Skip' }).click();
  await skipping.steps.getByText('Say who you are').waitFor({ state: 'detached' });
  const { mine, steps } = await open();
  await steps.getByLabel('Name').fill('Mona');
  await steps.getByLabel('Email').fill('mona@acme.example');
  await steps.getByRole('button', { name: 'Continue' }).click();
  await mine.getByText('Mona · owner').waitFor();
  await steps.getByText('Connect your CI').waitFor();
  assert.equal(await steps.getByText('Say who you are').count(), 0);
  await mine.goto(`${address}/settings/members`);
  await mine.getByRole('row', { name: /^Mona you mona@acme\.example Owner/ }).waitFor();

  await follow(mine, '/');
  await mine.getByRole('button', { name: 'Load the demo' }).click();
  await mine.getByText(/^Loading the demo: .+ of 6,000 runs$/).waitFor();
  // The first steps stay until all of it is there.
  const workflows = mine.getByRole('region', { name: 'Most expensive workflows' });
  await workflows
    .getByText(/^\$[\d,]+\.\d\d$/)
    .first()
    .waitFor({ timeout: 300_000 });
  assert.equal(await mine.getByRole('region', { name: 'Just looking?' }).count(), 0);
  await follow(mine, '/settings/organization');
  await mine
    .getByRole('region', { name: 'Demo', exact: true })
    .getByText(/run delete --provider github --from 20/)
    .waitFor();
  assertNoConsoleErrors();
});

test('the first steps show the price list and recommend one, and the overview replaces one that has ended', async () => {
  const created = await runCommand(['org', 'create', '--name', 'Fresh', '--json'], dashboard.settings);
  const fresh = JSON.parse(created.stdout) as { org_id: string; token: string };
  const askFresh = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await fetch(`${address}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${fresh.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return (await response.json()) as { data: Record<string, never> };
  };
  const signInFresh = async (token: string, opened: Page) => {
    await opened.goto(address);
    await opened.getByLabel(/^Token/).fill(token);
    await opened.getByRole('button', { name: 'Sign in' }).click();
  };

  const mine = await dashboard.newPage();
  await signInFresh(fresh.token, mine);
  const question = mine.getByRole('region', { name: 'Prices' });
  await question.getByText('Jobs get the prices of “GitHub').waitFor();
  await question.getByText('All price lists').click();
  const [recommended, until2025] = [
    question.getByRole('radio', { name: 'GitHub, by the date of each job (recommended)' }),
    question.getByRole('radio', { name: "GitHub's price list until 2025-12-31" }),
  ];
  await recommended.waitFor();
  assert.equal(await question.getByRole('radio').first().getAttribute('value'), 'github_by_date');
  assert.deepEqual([await recommended.isChecked(), await until2025.isChecked()], [true, false]);
  await question.getByRole('button', { name: 'Use this price list' }).click();
  await mine.getByText('New jobs use GitHub, by the date of each job.').waitFor();
  assert.equal((await askFresh('GET', 'pricing')).data['book']!['id'], 'github_by_date');
  await mine.reload();
  await question.getByText('Jobs get the prices of “GitHub, by the date of each job”.').waitFor();
  await question.getByText('All price lists').click();
  assert.ok(await recommended.isChecked());
  // The choice shows at once, and the old one does not return.
  const isChecked = await until2025.evaluate(async (radio: { click: () => void; checked: boolean }) => {
    radio.click();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve(); // microtasks only: no timer fires between
    return radio.checked;
  });
  assert.ok(isChecked);
  await mine.getByText(/New jobs use GitHub's price list until/).waitFor();

  const end = new Date(Date.now() - 60_000);
  const times = { started_at: new Date(end.getTime() - 5 * 3_600_000), completed_at: end };
  const run = { run_id: '1', workflow_name: 'CI', repo_name: 'acme/api', status: 'completed' };
  const jobs = [{ job_id: '1', runner: 'linux_4_core', ...times }];
  await askFresh('POST', 'runs', {
    runs: [{ ...run, conclusion: 'success', created_at: times.started_at, jobs }],
  });
  const banner = mine.getByRole('alert').filter({ hasText: 'has ended' });
  await banner.getByText('$1.20 less').waitFor();
  const viewer = { name: 'viewer', role: 'viewer', scopes: ['costs:read', 'alerts:read'] };
  await page.context().clearCookies();
  await signInFresh((await askFresh('POST', 'tokens', viewer)).data['token']!, page);
  await page.getByText('An admin can switch to it.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Switch and reprice' }).count(), 0);
  assertNoConsoleErrors();

  const switching = '**/api/v1/pricing/switch*';
  const problem = { title: 'Conflict', status: 409, code: 'reprice_under_way', detail: 'Wait for its end.' };
  await mine.route(switching, (route) =>
    route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem }),
  );
  await banner.getByRole('button', { name: 'Switch and reprice' }).click();
  await mine.getByText('Wait for its end.').waitFor();
  await mine.unroute(switching);
  dashboard.consoleErrors.length = 0; // the refusal
  await banner.getByRole('button', { name: 'Switch and reprice' }).click();
  await mine.getByText('Repriced 1 job: $1.20 less').waitFor();
  await mine.getByText('$3.60').first().waitFor();
  await banner.waitFor({ state: 'detached' });
  // The result stays on all pages until it is dismissed.
  await mine.getByRole('link', { name: 'Workflows' }).first().click();
  await mine.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  await mine.getByRole('link', { name: 'Overview' }).first().click();
  const result = mine.getByRole('status').filter({ hasText: 'Repriced 1 job: $1.20 less' });
  await result.getByRole('button', { name: 'Dismiss' }).click();
  await result.waitFor({ state: 'detached' });
  assertNoConsoleErrors();
  await mine.context().close();
});

/** Runs all attempts without the hours between them. */
async function failAllAttempts(webhookPath: string, receiver: WebhookReceiver): Promise<void> {
  const db = new pg.Client(dashboard.settings['DATABASE_URL']);
  await db.connect();
  try {
    const bringForward = async () => {
      const { rowCount } = await db.query(
        `update deliveries set due_at = now() - interval '1 second' where due_at > now() and lease is null`,
      );
      return rowCount === 1;
    };
    for (let attempt = 1; attempt < 5; attempt++) {
      await receiver.taken(attempt);
      while (!(await bringForward())) continue; // until this attempt's failure is stored
    }
    await receiver.taken(5);
    while ((await ask(webhookPath)).data['status'] !== 'failing') continue;
  } finally {
    await db.end();
  }
}
