import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { gitHubJob, gitHubRun, signGitHub } from './factories.ts';
import { openBrowser } from './harness/browser.ts';
import { newDataDir, ownerOf, runCommand, startServer } from './harness/program.ts';
import { openWebhookReceiver } from './harness/webhookReceiver.ts';

const root = join(import.meta.dirname, '..');
const screenshots = join(root, 'test-results');
mkdirSync(screenshots, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const dataDir = await newDataDir();
const server = await startServer(dataDir);
const owner = ownerOf(server);
const link = /\S+\/sign-in#code=\S+/.exec(server.printed())![0];
const demo = await runCommand(['demo', '--org', owner.orgId, '--days', '90', '--runs', '2000'], {
  DATA_DIR: dataDir,
});
assert.equal(demo.code, 0, demo.stderr);
const browser = await openBrowser();
const complaints: string[] = [];
const page = await newPage();

/** A window of its own; what its console complains of fails the test that looks. */
async function newPage(options: { width?: number; dark?: boolean } = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1_280, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  const opened = await context.newPage();
  opened.setDefaultTimeout(15_000);
  opened.on('pageerror', (error) => complaints.push(`${opened.url()}: ${error.message}`));
  opened.on('console', (message) => {
    // Who is not signed in yet is told so by a 401, which browsers note.
    if (message.type() !== 'error' || message.text().includes('status of 401')) return;
    complaints.push(`${opened.url()}: ${message.text()} ${message.location().url}`);
  });
  return opened;
}

function noComplaints(): void {
  assert.deepEqual(complaints.splice(0), []);
}

async function ask(path: string, body?: object): Promise<{ data: Record<string, string> }> {
  const response = await fetch(`${server.address}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as { data: Record<string, string> };
}

test('the link of the first start signs in once, and the code does not stay in the address', async () => {
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.equal(new URL(page.url()).hash, '');
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name === 'runcost_session')!;
  assert.deepEqual([session.httpOnly, session.sameSite], [true, 'Strict']);
  noComplaints();
  const second = await newPage();
  await second.goto(link);
  await second
    .getByText(/used|expired/i)
    .first()
    .waitFor();
  await second.context().close();
  complaints.length = 0; // the refusal
});

test('a token signs in and out, and a wrong one is told', async () => {
  const other = await newPage();
  await other.goto(server.address);
  const token = other.getByLabel(/^Token/);
  await token.fill('runcost_wrong');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText(/token/i).nth(1).waitFor();
  await token.fill(owner.token);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  await other.context().close();
  complaints.length = 0; // the refusal
});

test('the first load is small, and charts come after it', async () => {
  const fresh = await newPage();
  const scripts = new Map<string, number>();
  let isCounting = true;
  fresh.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!isCounting || !pathname.endsWith('.js')) return;
    const file = readFileSync(join(root, 'web/dist', pathname));
    scripts.set(pathname, gzipSync(file).length);
  });
  await fresh.goto(`${server.address}/sign-in`);
  await fresh.getByLabel(/^Token/).waitFor();
  isCounting = false;
  const kilobytes = [...scripts.values()].reduce((sum, size) => sum + size, 0) / 1_000;
  assert.ok(scripts.size > 0 && kilobytes <= 180, `${kilobytes} kB`);
  await fresh.context().close();
});

test('an alert is created with its preview, triggers, and explains itself', async () => {
  await page.goto(`${server.address}/alerts/new`);
  await page.getByLabel('Name').fill('Everything over a dollar');
  await page.getByLabel('Threshold in US dollars').fill('1');
  await page
    .getByText(/would have/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Create alert' }).click();
  await page.getByRole('heading', { level: 1, name: 'Everything over a dollar' }).waitFor();
  await page.getByRole('button', { name: /Check now/ }).click();
  await page
    .getByRole('dialog')
    .getByText(/triggered/i)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  const id = new URL(page.url()).pathname.split('/')[2]!;
  const { triggers } = (await ask(`alerts/${id}/triggers`)) as never as { triggers: { id: string }[] };
  assert.equal(triggers.length, 1);
  await page.goto(server.address);
  await page
    .getByRole('link', { name: /Everything over a dollar/ })
    .first()
    .waitFor();
  noComplaints();
});

test('a webhook is created, shows its secret once, and its ping arrives', async () => {
  const receiver = await openWebhookReceiver();
  await page.goto(`${server.address}/webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  await page.getByLabel('URL', { exact: false }).first().fill(receiver.url);
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const secret = await page.getByRole('textbox', { name: 'Shown this once' }).inputValue();
  assert.match(secret, /^whsec_/);
  await page.getByLabel('I have kept it in a safe place').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/webhooks\/wh_/);
  await page.getByRole('button', { name: /ping/i }).first().click();
  await receiver.taken(1);
  await page.getByText('webhook.ping').first().waitFor();
  await page.getByText('success').first().waitFor();
  assert.ok(!(await page.content()).includes(secret));
  noComplaints();
});

test('GitHub is connected, and its first run is shown when it comes', async () => {
  await page.goto(`${server.address}/settings/sources`);
  await page
    .getByRole('button', { name: /Connect|Create the source/ })
    .first()
    .click();
  const create = page.getByRole('button', { name: 'Create the source' });
  if (await create.isVisible()) await create.click();
  const url = await page.getByRole('textbox', { name: 'Payload URL' }).inputValue();
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
  await page.getByRole('button', { name: 'I have added the webhook' }).click();
  const now = new Date();
  const times = { created_at: now.toISOString(), run_started_at: now.toISOString() };
  const jobTimes = { created_at: times.created_at, started_at: times.created_at };
  const deliveries = [
    ['workflow_run', gitHubRun({ ...times, id: 4_711, name: 'First of all' })],
    ['workflow_job', gitHubJob({ ...jobTimes, run_id: 4_711, workflow_name: 'First of all' })],
  ] as const;
  for (const [event, payload] of deliveries) {
    const body = JSON.stringify(payload);
    const response = await fetch(`${server.address}${new URL(url).pathname}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-hub-signature-256': signGitHub(body, secret),
      },
      body,
    });
    assert.equal(response.status, 202);
  }
  await page.getByText('The first run is here').waitFor();
  await page.getByRole('link', { name: /First of all/ }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'First of all' }).waitFor();
  noComplaints();
});

test('every page is sound in both themes: nothing in the console, nothing serious for axe', async () => {
  const { workflows } = (await ask(`dashboard/workflows?org_id=${owner.orgId}`)) as never as {
    workflows: { workflow_id: string }[];
  };
  const { runs } = (await ask(`dashboard/recent-runs?org_id=${owner.orgId}`)) as never as {
    runs: { id: string }[];
  };
  const { alerts } = (await ask(`alerts?org_id=${owner.orgId}`)) as never as { alerts: { id: string }[] };
  const { webhooks } = (await ask('webhooks')).data as never as { webhooks: { id: string }[] };
  const paths = [
    ...['/', '/workflows', `/workflows/${workflows[0]!.workflow_id}`, `/runs/${runs.at(-1)!.id}`],
    ...['/alerts', '/alerts/new', `/alerts/${alerts[0]!.id}`, `/alerts/${alerts[0]!.id}/edit`],
    ...['/webhooks', `/webhooks/${webhooks[0]!.id}`],
    ...['organization', 'members', 'tokens', 'sources', 'pricing', 'notifications', 'audit'].map(
      (part) => `/settings/${part}`,
    ),
    '/no-such-page',
  ];
  for (const dark of [false, true]) {
    const window = await newPage({ dark, width: dark ? 390 : 1_280 });
    await signIn(window);
    for (const path of paths) {
      await window.goto(`${server.address}${path}`);
      await window.waitForLoadState('networkidle');
      await window.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      const name = `${path.replaceAll('/', '-').slice(1, 40) || 'overview'}-${dark ? 'dark-390' : 'light-1280'}`;
      await window.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
      await window.evaluate(axe);
      const found = (await window.evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
      )) as { id: string; impact: string; nodes: { html: string }[] }[];
      const serious = found
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${path} ${dark ? 'dark' : 'light'}: ${id} ${nodes[0]!.html.slice(0, 160)}`);
      assert.deepEqual(serious, []);
      noComplaints();
    }
    await window.context().close();
  }
});

async function signIn(window: Page): Promise<void> {
  await window.goto(`${server.address}/sign-in`);
  await window.getByLabel(/^Token/).fill(owner.token);
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}
