import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { openByLink, openDashboard } from '../harness/dashboard.ts';
import { startFakeGitHub } from '../harness/gitHubApi.ts';
import { newFakeApp } from '../harness/gitHubApps.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../payloads/gitHub.ts';

/** Each of the tasks that people come for starts at the overview. */
const maxClicks = 5;

const gitHub = await startFakeGitHub();
const { address, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = await openDashboard({
  environment: { GITHUB_API_URL: gitHub.url, ALLOW_PRIVATE_ADDRESSES: 'true' },
});
const page = await newPage();
const main = page.getByRole('main');
const dialog = page.getByRole('dialog');
after(() => assertNoConsoleErrors());

let clicks = 0;

/** Typing is no click, and neither is looking. */
async function click(target: Locator): Promise<void> {
  clicks++;
  await target.click();
}

const visit = (area: string) =>
  click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: area, exact: true }));
const openSettings = async (topic: string) => {
  await visit('Settings');
  await click(page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: topic }));
};
const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const minutesAfter = (start: string, minutes: number) =>
  new Date(Date.parse(start) + minutes * 60_000).toISOString();

await signIn(page);
await page.goto(`${address}/no-such-page`);
await record();
await reportSuperseded();
beforeEach(async () => {
  await openByLink(page, '/');
  clicks = 0;
});
afterEach(() => assert.ok(clicks > 0 && clicks <= maxClicks, `${clicks} clicks`));

/** Yesterday, a pull request adds macOS jobs to a quiet repository. */
async function record(): Promise<void> {
  const shop = { provider: 'github', repo_name: 'acme/shop', workflow_name: 'Shop', actor: 'ada' };
  const runOn = (ago: number, minutes: number, jobs: object[], fields = {}) => {
    const started_at = `${dayOf(ago)}T03:00:00Z`;
    const times = { started_at, completed_at: minutesAfter(started_at, minutes) };
    return newRun({
      ...shop,
      created_at: started_at,
      started_at,
      ...fields,
      jobs: jobs.map((job) => newJob({ name: 'test', ...times, ...job })),
    });
  };
  const usual = Array.from({ length: 59 }, (_, index) => runOn(index + 1, 60, [{}]));
  const ios = Array.from({ length: 9 }, (_, index) => ({ name: `ios (${index})`, runner: 'macos_12_core' }));
  const of = { branch: 'ios', pull_request: 7, commit: '1a2b3c4d5e6f7a8b', event: 'pull_request' };
  await ask('runs', { runs: [...usual, runOn(1, 300, ios, of)] });
}

/** GitHub reports that a run of a branch went on for hours after a newer one started. */
async function reportSuperseded(): Promise<void> {
  const { data: source } = await ask('sources', { kind: 'github' });
  for (const [index, hour] of ['01', '02'].entries()) {
    const started_at = `${dayOf(2)}T${hour}:00:00Z`;
    const of = { created_at: started_at, head_branch: 'topic', repository: 'acme/api' };
    const completed_at = minutesAfter(started_at, 1_200);
    const ids = { id: 4_000 + index, run_id: 5_000 + index };
    const run = { ...of, id: ids.run_id, name: 'Slow', run_started_at: started_at, updated_at: completed_at };
    const job = { ...of, ...ids, workflow_name: 'Slow', started_at, completed_at };
    for (const [event, payload] of [
      ['workflow_run', gitHubRun(run)],
      ['workflow_job', gitHubJob(job)],
    ] as const) {
      const repository = { ...(payload['repository'] as object), html_url: `${gitHub.url}/acme/api` };
      const body = JSON.stringify({ ...payload, repository });
      const answer = await fetch(`${address}${new URL(source['ingest_url']!).pathname}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-hub-signature-256': signGitHub(body, source['secret']!),
        },
        body,
      });
      assert.equal(answer.status, 202);
    }
  }
}

test('what rose, and its cause', async () => {
  await main.getByText(/cost \$[\d,.]+ more: 9 new .+ from pull request/).waitFor();
  const changed = main.getByRole('region', { name: 'What changed' });
  await click(changed.getByRole('link', { name: 'Explore the change' }));
  await title('Explore');
  await click(main.getByRole('table').getByRole('row').nth(1).getByRole('link'));
  await main.getByRole('table', { name: 'Cost by job' }).getByText('ios (0)').waitFor();
});

test('what macOS costs by person', async () => {
  await click(main.getByRole('link', { name: 'People', exact: true }));
  await title('Explore');
  await click(main.getByRole('button', { name: '+ Filter' }));
  await click(dialog.getByRole('button', { name: 'Runner', exact: true }));
  await dialog.getByLabel('Search Runner').fill('macos');
  await click(dialog.getByRole('checkbox', { name: 'Matches “*macos*”' }));
  await click(dialog.getByRole('button', { name: 'Apply' }));
  const people = main.getByRole('table', { name: /^Cost by / });
  await people.getByRole('rowheader', { name: 'ada' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('runner'), '*macos*');
});

test('a budget that notifies a chat', async () => {
  await visit('Budgets');
  await click(main.getByRole('link', { name: 'New alert' }).first());
  await main.getByLabel('Threshold in US dollars').fill('3000');
  await click(main.getByRole('button', { name: /^Connect Slack/ }));
  await dialog
    .getByRole('textbox', { name: 'Address' })
    .fill('https://hooks.slack.com/services/T0/B0/secret');
  await click(dialog.getByRole('button', { name: 'Create channel' }));
  await dialog.waitFor({ state: 'detached' });
  await click(main.getByRole('button', { name: 'Create alert' }));
  await title('Monthly budget');
  await main.getByText('default').first().waitFor();
});

test('why the bill differs', async () => {
  await visit('Bill');
  const differing = page
    .getByRole('tab')
    .filter({ has: page.getByRole('img', { name: 'Large difference' }) });
  await click(differing.first());
  await main.getByRole('row', { name: /^Not delivered \+\$[\d.]+/ }).waitFor();
});

test('the costs are shared with finance', async () => {
  await click(main.getByRole('button', { name: 'Share', exact: true }).first());
  await click(page.getByRole('menuitem', { name: /^Create a share link/ }));
  await click(dialog.getByRole('button', { name: 'Create link' }));
  const url = await dialog.getByLabel('Shown only once').inputValue();
  await click(dialog.getByRole('button', { name: 'Copy' }));
  const visitor = await newPage();
  await visitor.goto(url);
  await visitor.getByText(/^Link expires/).waitFor();
  await visitor.context().close();
});

test('from a spike to its pull request', async () => {
  const grid = main.getByRole('region', { name: 'Daily cost' }).locator('.plot-grid');
  const { x, y, width, height } = (await grid.boundingBox())!;
  clicks++;
  await page.mouse.click(x + (width * 28.5) / 30, y + height / 2);
  await click(dialog.getByRole('row', { name: /^Shop/ }).getByRole('link'));
  await title('Shop');
  await click(
    main.getByRole('region', { name: 'Runs' }).getByRole('row').filter({ hasText: 'ios' }).getByRole('link'),
  );
  await main.getByRole('img', { name: 'Pull request' }).locator('..').getByText('#7').waitFor();
});

test('a colleague is added', async () => {
  await openSettings('Members and sign-in');
  await click(main.getByRole('button', { name: 'Invite' }));
  await dialog.getByLabel('Email (optional)').fill('grace@acme.example');
  await click(dialog.getByRole('button', { name: 'Create link' }));
  const link = dialog.getByRole('textbox', { name: 'Shown only once' });
  assert.match(await link.inputValue(), /#/);
});

test('a runner gets a price', async () => {
  await openSettings('Prices');
  const row = main.getByRole('table', { name: 'Runner prices' }).getByRole('row', { name: /^perf-lab/ });
  await click(row.getByRole('button', { name: 'Set price' }));
  const field = page.getByRole('textbox', { name: 'in US dollars per minute' });
  await field.fill('0.25');
  await field.press('Enter');
  await click(row.getByRole('link', { name: 'Reprice' }));
  await click(main.getByRole('button', { name: 'Dry run' }));
  await main.getByRole('table', { name: 'Reprices' }).getByText('Dry run').waitFor();
});

test('the cost of a change is estimated', async () => {
  await visit('Workflows');
  await click(main.getByRole('table').getByRole('row', { name: /^Shop/ }).getByRole('link').first());
  await click(main.getByRole('button', { name: 'Try a change' }));
  const file = 'name: Shop\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n';
  await main.getByLabel('The file now').fill(file);
  await main.getByLabel('The file with the change').fill(file.replace('ubuntu', 'macos'));
  await click(main.getByRole('button', { name: 'Estimate' }));
  await main.getByRole('table', { name: 'Changed jobs' }).getByText('test').first().waitFor();
  // Without an App, its file is pasted.
  consoleErrors.splice(0);
});

test('GitHub is connected without a public address', async () => {
  gitHub.app = newFakeApp();
  const commit = 'd'.repeat(40);
  const content = 'name: Slow\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n';
  gitHub.repositories.set('acme/api', { runs: [], about: { default_branch: 'main' } });
  gitHub.pulls.branches.set('acme/api', new Map([['main', commit]]));
  gitHub.pulls.trees.set(`acme/api@${commit}`, { '.github/workflows/build.yml': content });
  await visit('Connections');
  await click(main.getByRole('button', { name: 'Connect GitHub' }));
  await main.getByLabel('Organization at GitHub').fill('acme');
  await click(main.getByLabel('Allow pull requests with fixes'));
  await click(main.getByRole('button', { name: 'Create the App at GitHub' }));
  await main.getByText('asks it for new runs every 10 minutes').waitFor();
});

test('a fix is applied', async () => {
  const headers = { origin: address };
  const saved = await page.request.put(`${address}/api/v1/pull-request-settings`, {
    headers,
    data: { open_fixes: true },
  });
  assert.equal(saved.status(), 200);
  await visit('Waste');
  await click(main.getByRole('list', { name: 'To do' }).getByRole('button', { name: /^Slow/ }));
  await click(main.getByRole('button', { name: 'Open a pull request' }));
  await main.getByRole('link', { name: /^Pull request \d+/ }).waitFor();
});
