import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { follow, openDashboard, signOut, waitUntilLoaded } from '../harness/dashboard.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { openWebhookReceiver } from '../harness/webhookReceiver.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../payloads/gitHub.ts';

const root = join(import.meta.dirname, '../..');

const dashboard = await openDashboard();
const { address, owner, ask, newPage, assertNoConsoleErrors, consoleErrors } = dashboard;
const page = await newPage();
const other = await newPage();

/** Vite's manifest: built files by source file. */
type Manifest = Record<string, { file: string; imports?: string[]; dynamicImports?: string[] }>;

test('the link of the first start signs in once and leaves no code in the address', async () => {
  await page.goto(dashboard.link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.equal(new URL(page.url()).hash, '');
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name === 'runcost_session')!;
  assert.deepEqual([session.httpOnly, session.sameSite], [true, 'Strict']);
  assertNoConsoleErrors();
  await other.goto(dashboard.link);
  await other
    .getByText(/used|expired/i)
    .first()
    .waitFor();
  consoleErrors.length = 0; // the refusal
});

test('a token signs in and out, and a wrong one shows an error', async () => {
  await other.goto(address);
  const token = other.getByLabel(/^Token/);
  await token.fill('runcost_wrong');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText(/token/i).nth(1).waitFor();
  await token.fill(owner.token);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await signOut(other);
  await other.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  consoleErrors.length = 0; // the refusal
});

test('the sessions page signs out one session, then all of them', async () => {
  const [here, there] = [other, await newPage()];
  for (const opened of [here, there]) await dashboard.signIn(opened);
  await here.goto(`${address}/settings/sessions`);
  const rows = here.getByRole('table', { name: 'Sessions' }).getByRole('row');
  await here.getByText('this browser').waitFor();
  const mine = await rows.filter({ has: here.getByRole('rowheader') }).count();
  assert.equal(mine, 2);
  await here
    .getByRole('button', { name: /^Sign out [^,]+$/ })
    .filter({ hasNotText: 'everywhere' })
    .first()
    .click();
  await here.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await here.getByText(/ was signed out\./).waitFor();
  await rows.nth(mine).waitFor({ state: 'detached' });
  await here.getByText('Everyone', { exact: true }).click();
  await here.getByRole('button', { name: 'Sign everyone out' }).waitFor();
  await here.getByText('Mine', { exact: true }).click();
  await here.getByRole('button', { name: 'Sign out everywhere' }).click();
  // Before the answer arrives, the page requests its session again.
  await here.route(/\/api\/v1\/sessions\?/, async (route) => {
    const request = route.request();
    if (request.method() !== 'DELETE') return route.continue();
    const answer = await fetch(request.url(), { method: 'DELETE', headers: await request.allHeaders() });
    await here.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await here.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
    assert.equal(await here.getByText('Your session ended').count(), 0);
    return route.fulfill({ headers: Object.fromEntries(answer.headers), body: await answer.text() });
  });
  const last = here.waitForResponse(
    (answer) => answer.request().method() === 'DELETE' && answer.url().endsWith('/session'),
  );
  await here.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await last;
  await here.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  assert.equal(await here.getByText('Your session ended').count(), 0);
  await there.goto(`${address}/workflows`);
  await there.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  for (const opened of [here, there]) await opened.context().close();
  consoleErrors.length = 0;
});

test('a token of an owner that never expires gets a word, and no badge', async () => {
  await follow(page, '/settings/tokens');
  const owned = page.getByRole('row').filter({ hasText: 'An owner token should expire.' }).first();
  await owned.getByRole('cell', { name: 'Never' }).first().waitFor();
  assert.equal(await owned.getByText('Soon').count(), 0);
});

test('every page loads at most 228 kB of script, and the overview two files with at most 172', () => {
  const files = JSON.parse(readFileSync(join(root, 'web/dist/.vite/manifest.json'), 'utf8')) as Manifest;
  const withImports = (name: string): string[] => [
    name,
    ...(files[name]!.imports ?? []).flatMap(withImports),
  ];
  const sizeOf = (names: string[]): number =>
    [...new Set(names.flatMap(withImports))]
      .map((name) => readFileSync(join(root, 'web/dist', `${files[name]!.file}.gz`)).length)
      .reduce((sum, size) => sum + size, 0);
  // Files of several parts have their own names.
  const pages = files['index.html']!.dynamicImports!.filter((name) =>
    /^(src\/pages\/|_(overview|workflows|alerts|settings)-)/.test(name),
  );
  assert.ok(pages.length > 20);
  for (const file of pages) {
    // The settings also load the open part.
    const parts = file.startsWith('_settings-') ? files[file]!.dynamicImports! : [file];
    for (const part of parts) {
      const kilobytes = sizeOf(['index.html', file, part]) / 1_000;
      assert.ok(kilobytes <= 228, `${file} with ${part}: ${kilobytes} kB`);
    }
  }
  const overview = pages.find((name) => name.startsWith('_overview-'))!;
  assert.deepEqual(withImports(overview), [overview, 'index.html']);
  assert.ok(sizeOf([overview]) <= 172_000, `the overview: ${sizeOf([overview])} bytes`);
});

test('the styles are those of the parts of Mantine that scripts use', () => {
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root }).map((name) => readFileSync(join(root, name), 'utf8'));
  const named = new Set(
    read('web/dist/assets/*.js')
      .join('')
      .match(/\bm_[\da-f]+/g),
  );
  const folder = 'node_modules/@mantine/core/styles/';
  const used = globSync(`${folder}*.css`, { cwd: root, exclude: ['**/*.layer.css'] }).filter((name) => {
    const classes = readFileSync(join(root, name), 'utf8').match(/(?<=\.)m_[\da-f]+/g);
    return classes === null || classes.some((each) => named.has(each));
  });
  const imported = read('web/src/mantine.css')[0]!.match(/(?<=@mantine\/core\/styles\/).+(?=')/g)!;
  assert.deepEqual(imported.toSorted(), used.map((name) => name.slice(folder.length)).toSorted());
});

const ample = { alert_type: 'budget', threshold_amount: 999_999 };

test('an alert is created with a preview, triggers, and appears on the overview', async () => {
  const badge = page.getByRole('link', { name: /^Over budget$|^\d+ budgets over$/ });
  await follow(page, '/');
  await waitUntilLoaded(page);
  assert.equal(await badge.count(), 0);
  await follow(page, '/alerts/new');
  await page.getByLabel('Name').fill('Everything over a dollar');
  await page.getByLabel('Threshold in US dollars').fill('1');
  await page
    .getByText(/would have/i)
    .first()
    .waitFor();
  const save = page.getByRole('button', { name: 'Create alert' });
  const { y, height } = (await save.boundingBox())!;
  assert.ok(y + height <= page.viewportSize()!.height, 'the button is in view without scrolling');
  await save.click();
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
  await page
    .getByRole('table', { name: /^Triggers/ })
    .getByText('Not yet')
    .waitFor();
  // The page explains it, opens Explore on its days, and the list has it first, with its amounts.
  const why = page.getByRole('region', { name: 'Why it triggered' });
  const parts = why.getByRole('table', { name: 'The parts of the change' });
  const spent = await parts.getByRole('row').last().getByRole('cell').last().innerText();
  await page
    .getByRole('region', { name: 'Now' })
    .getByRole('img', { name: `${spent} of $1. ` })
    .waitFor();
  await why.getByRole('link', { name: 'Explore these days' }).click();
  await page.waitForURL(/from=\d{4}-\d\d-01&to=[\d-]+&group_by=workflow&sort=-change$/);
  await page.getByRole('table', { name: 'Cost by workflow' }).getByText(spent, { exact: true }).waitFor();
  await ask(`alerts?org_id=${owner.orgId}`, { ...ample, name: 'Ample' });
  await page.goto(address);
  await badge.filter({ hasText: 'Over budget' }).click();
  await page.waitForURL(`${address}/alerts/${id}`);
  await follow(page, '/alerts');
  const row = (index: number) => page.getByRole('row').nth(index);
  await row(1).getByText(spent, { exact: true }).waitFor();
  await row(1)
    .getByText(/^Over since \w+ \d+$/)
    .waitFor();
  assert.match(await row(1).innerText(), /Everything over a dollar[^]*of \$1\n[\d,]+%/);
  assert.match(await row(2).innerText(), /Ample[^]*No recipients[^]*of \$999,999/);
  // An alert that is over but not checked yet is not clear.
  await ask(`alerts?org_id=${owner.orgId}`, { ...ample, name: 'Not checked', threshold_amount: 2 });
  await page.goto(address);
  await badge.filter({ hasText: '2 budgets over' }).waitFor();
  const budgets = page.getByRole('region', { name: 'Budgets' });
  for (const name of ['Everything over a dollar', 'Not checked'])
    await budgets.getByRole('link', { name, exact: true }).waitFor();
  // Nothing else is open.
  assert.equal(await page.getByRole('region', { name: 'Open alerts' }).count(), 0);
  await follow(page, '/alerts');
  const notChecked = page.getByRole('row').filter({ hasText: 'Not checked' });
  assert.match(await notChecked.innerText(), /Over budget[^]*Every day\s+next in [^]*Not yet/);
  assertNoConsoleErrors();
});

test('an anomaly of today is what its alert shows first, and can be acknowledged there', async () => {
  const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  // Each job takes 125 minutes and costs a dollar.
  const runOn = (ago: number, dollars: number) => {
    const completed_at = `${dayOf(ago)}T00:00:01Z`;
    const started_at = new Date(Date.parse(completed_at) - 125 * 60_000).toISOString();
    const jobs = Array.from({ length: dollars }, () => newJob({ started_at, completed_at }));
    return newRun({ repo_name: 'acme/spiky', created_at: started_at, started_at, jobs });
  };
  const usual = [1, 7, 8, 14, 15, 21, 22, 28, 29].map((ago) => runOn(ago, 2));
  await ask('runs', { runs: [...usual, runOn(0, 20)] });
  const scope = { type: 'repository', value: 'acme/spiky' };
  const rule = { name: 'Spiky', alert_type: 'anomaly', threshold_amount: 50, scope };
  const { id } = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, rule);
  await ask(`alerts/${id}/check`, {});
  await page.goto(`${address}/alerts`);
  const row = page.getByRole('row').filter({ hasText: 'Spiky' });
  await row.getByText('900% above normal').waitFor();
  await row.getByText(/until \d\d:\d\d UTC: \$[\d.]+, normally \$[\d.]+$/).waitFor();
  await row.getByText(/^Last scheduled check, [^:]+: as normal$/).waitFor();
  await follow(page, '/');
  await page
    .getByRole('region', { name: 'Open alerts' })
    .getByText(/^900% above normal on /)
    .waitFor();
  await follow(page, `/alerts/${id}`);
  await page.getByRole('region', { name: 'Now' }).getByText('900% above normal').waitFor();
  const open = page.getByRole('region', { name: 'Open trigger' });
  await open.getByRole('textbox', { name: 'Note' }).fill('A load test');
  await open.getByRole('button', { name: 'Acknowledge' }).click();
  await open.getByText(/Acknowledged by .*A load test/).waitFor();
  assertNoConsoleErrors();
});

test('the check of an alert that is off says what holds, and that nothing is recorded', async () => {
  const rule = { alert_type: 'budget', threshold_amount: 0.01, check_frequency: 'monthly', period: 'month' };
  await ask(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'Switched off', enabled: false });
  // On the first day of a month, the demo history may have no cost of this month.
  const completed_at = new Date().toISOString();
  const started_at = new Date(Date.parse(completed_at) - 60_000).toISOString();
  const run = newRun({ created_at: started_at, started_at, jobs: [newJob({ started_at, completed_at })] });
  await ask('runs', { runs: [run] });
  await page.goto(`${address}/alerts`);
  await page.getByRole('link', { name: 'Switched off' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Check now: Switched off' }).count(), 0);
  await page.getByRole('link', { name: 'Switched off' }).click();
  await page.getByRole('button', { name: /Check now/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Checked: Switched off' });
  await dialog.getByText('Over budget. The alert is off, so nothing was recorded or sent.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('[aria-label="Check now: Switched off"]:focus').waitFor();
  assertNoConsoleErrors();
});

test('prices are edited in their rows by keyboard, and what is unpriced comes first', async () => {
  await follow(page, '/settings/pricing');
  const prices = page.getByRole('table', { name: 'Runner prices' });
  const row = (name: string) => prices.getByRole('row').filter({ hasText: name });
  const edit = (name: string) => row(name).getByRole('button', { name: 'Change the price of' });
  const field = page.getByRole('textbox', { name: 'in US dollars per minute' });
  const type = async (rate: string) => {
    await field.fill(rate);
    await field.press('Enter');
  };
  assert.match(await prices.getByRole('row').nth(1).innerText(), /perf-lab\s+Unpriced[^]*Set price/);
  await row('perf-lab').getByRole('button', { name: 'Set price of' }).click();
  await type('0.25');
  await row('perf-lab').getByRole('link', { name: 'Reprice' }).waitFor();
  await row('label perf-lab').getByText('$0.250').first().waitFor();

  await edit('linux_2_core').click();
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  const focused = await page.locator(':focus').getAttribute('aria-label');
  assert.equal(focused, 'Change the price of Linux 2-core');
  await page.route('**/api/v1/pricing/books?*', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 409, json: { detail: 'There are too many price lists.' } })
      : route.continue(),
  );
  await edit('linux_2_core').press('Enter');
  await type('0.004');
  await row('linux_2_core').getByText('There are too many price lists.').waitFor();
  await page.unroute('**/api/v1/pricing/books?*');
  await field.press('Enter');
  await page.getByText('Price list in use: Own prices').waitFor();
  await page.getByText('Own prices', { exact: true }).last().click();
  await page.waitForURL(/\?show=own$/);
  const own = await prices.getByRole('row').allInnerTexts();
  assert.deepEqual(
    own.slice(1).map((text) =>
      text
        .split('\n')
        .slice(0, 2)
        .map((line) => line.trim()),
    ),
    [
      ['Linux 2-core', 'Own price'],
      ['perf-lab', 'Own price'],
    ],
  );
  assert.match(own[1]!, /GitHub\s+\$0\.006\s+\$0\.004/);
  const { data: pricing } = await ask<{ data: { book: { name: string } } }>('pricing');
  assert.equal(pricing.book.name, 'Own prices');
  await page
    .getByRole('table', { name: 'Rules' })
    .getByRole('row')
    .filter({ hasText: 'label is perf-lab' })
    .getByText('$0.25 per minute')
    .waitFor();
  consoleErrors.length = 0; // the refusal
});

test('a new webhook shows its secret once, and its ping arrives', async () => {
  const receiver = await openWebhookReceiver();
  await follow(page, '/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  await page.getByLabel('URL', { exact: false }).first().fill(receiver.url);
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const secret = await page.getByRole('textbox', { name: 'Shown only once' }).inputValue();
  assert.match(secret, /^whsec_/);
  await page.getByLabel('I saved it in a safe place').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/webhooks\/wh_/);
  await page.getByRole('button', { name: /ping/i }).first().click();
  await receiver.taken(1);
  await page.getByRole('rowheader', { name: 'webhook.ping' }).first().waitFor();
  await page.getByRole('cell', { name: 'success' }).first().waitFor();
  assert.ok(!(await page.content()).includes(secret));
  assertNoConsoleErrors();
});

test('the list shows the response and the retry time of a webhook whose delivery failed', async () => {
  const receiver = await openWebhookReceiver();
  receiver.answer = 500;
  await ask('webhooks', { url: receiver.url, events: ['alert.triggered'] });
  const rule = { name: 'A dollar', alert_type: 'budget', threshold_amount: 1 };
  const { id } = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, rule);
  await ask(`alerts/${id}/check`, {});
  await receiver.taken(1);
  await page.goto(`${address}/webhooks`);
  const row = page.getByRole('row').filter({ hasText: receiver.url });
  await row.getByText(/, HTTP 500$/).waitFor();
  await row.getByText(/^Retry at .*\d:\d\d/).waitFor();
  assertNoConsoleErrors();
});

test('a GitHub source is connected and shows its first run', async () => {
  await follow(page, '/sources');
  await page.getByRole('button', { name: 'Use a webhook for GitHub' }).click();
  const create = page.getByRole('button', { name: 'Create source' });
  if (await create.isVisible()) await create.click();
  const url = await page.getByRole('textbox', { name: 'Payload URL' }).inputValue();
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
  await page.getByRole('button', { name: 'I added the webhook' }).click();
  const now = new Date();
  const times = { created_at: now.toISOString(), run_started_at: now.toISOString() };
  const jobTimes = { created_at: times.created_at, started_at: times.created_at };
  const deliveries = [
    ['workflow_run', gitHubRun({ ...times, id: 4_711, name: 'First of all' })],
    ['workflow_job', gitHubJob({ ...jobTimes, run_id: 4_711, workflow_name: 'First of all' })],
  ] as const;
  for (const [event, payload] of deliveries) {
    const body = JSON.stringify(payload);
    const response = await fetch(`${address}${new URL(url).pathname}`, {
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
  await page.getByText('First run recorded').waitFor();
  await page.getByRole('link', { name: /First of all/ }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'First of all' }).waitFor();
  assertNoConsoleErrors();
});
