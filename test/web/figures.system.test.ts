import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openByLink, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, assertNoConsoleErrors, consoleErrors } = dashboard;

// Recorded before any page asks, because pages keep answers for some seconds.
const now = Date.now();
const minutesAgo = (minutes: number) => new Date(now - 60_000 * minutes).toISOString();
const recorded = { provider: 'jenkins', repo_name: 'acme/api', jobs: [] };
const pathId = 'folder/job/feature%2Flogin/12';
const job = { job_id: '1', name: 'test', runner: 'linux_4_core', conclusion: 'success' };
const isUnderWay = { ...recorded, status: 'in_progress' };
await ask('runs', {
  runs: [
    { ...recorded, run_id: pathId, workflow_name: 'Folders', status: 'queued', created_at: minutesAgo(1) },
    {
      ...isUnderWay,
      run_id: 'late',
      workflow_name: 'Late',
      created_at: minutesAgo(3),
      started_at: minutesAgo(0),
    },
    {
      ...isUnderWay,
      run_id: 'prompt',
      workflow_name: 'Prompt',
      created_at: minutesAgo(2),
      started_at: minutesAgo(2),
    },
    {
      ...recorded,
      run_id: 'whole',
      workflow_name: 'Whole',
      conclusion: 'success',
      status: 'completed',
      created_at: minutesAgo(9),
      jobs: [{ ...job, started_at: minutesAgo(9), completed_at: minutesAgo(1) }],
    },
  ],
});
await ask(`alerts?org_id=${owner.orgId}`, { name: 'A cent', alert_type: 'budget', threshold_amount: 0.01 });

type Total = { series: { start: string; value: number; is_anomalous: boolean | null }[] };
const { series } = (
  await ask<{ data: { total: Total } }>(`costs?days=30&granularity=day&org_id=${owner.orgId}`)
).data.total;
await ask('annotations', {
  start: series[9]!.start,
  end: series[11]!.start,
  text: 'Larger runners for a release',
});

// Amounts and times are of UTC, wherever their reader is.
const page = await newPage({ zone: 'America/Los_Angeles' });
await signIn(page);
await page.goto(`${address}/no-such-page`);

type Day = { date: string; cost: number; runs: number };
type Workflow = { workflow_id: string; repo_name: string; total_cost: number; total_runs: number };
const { data: days } = await ask<{ data: Day[] }>(`dashboard/trends?days=30&org_id=${owner.orgId}`);
const { workflows } = await ask<{ workflows: Workflow[] }>(`dashboard/workflows?org_id=${owner.orgId}`);
const busiest = workflows.toSorted((a, b) => b.total_runs - a.total_runs)[0]!;
const workflowPath = `/workflows/${busiest.workflow_id}`;

const open = (path: string, on: Page = page) => openByLink(on, path);

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const named = (day: string) => dates.format(new Date(day));

test('a click anywhere in the column of a day opens the day, also without a prior pointer move', async () => {
  await open('/');
  const grid = page.getByRole('region', { name: 'Daily cost' }).locator('.plot-grid');
  for (const [index, across, down] of [
    [0, 0.1, 0.03],
    [29, 0.9, 0.5],
    [14, 0.9, 0.97],
    [14, 0.1, 0.03],
  ] as const) {
    const { x, y, width, height } = (await grid.boundingBox())!;
    await page.mouse.click(x + (width * (index + across)) / days.length, y + height * down);
    const { date } = days[index]!;
    await page.waitForURL(`${address}/?day=${date}`);
    await page.getByRole('dialog', { name: `Costs on ${named(date)}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(`${address}/`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await open(`${workflowPath}?tab=times`);
  const line = page.getByRole('region', { name: 'Duration' }).locator('.plot-grid');
  await line.scrollIntoViewIfNeeded();
  const { x, y, width } = (await line.boundingBox())!;
  await page.mouse.click(x + width - 3, y + 3);
  await page.waitForURL(`${address}${workflowPath}?tab=times&created_on=${days.at(-1)!.date}`);
  assertNoConsoleErrors();
});

test('the overview answers the question of its address, and takes it along', async () => {
  const costs = 'compare=previous_period&days=14&org_id=' + owner.orgId;
  const inRepository = `repository=${encodeURIComponent(busiest.repo_name)}`;
  type Amounts = { total: { value: number; change: number } };
  const answers = await Promise.all(
    [`costs?metric=net_cost&${costs}&${inRepository}`, `costs/change?${costs}&${inRepository}`].map((path) =>
      ask<{ data: Amounts }>(path),
    ),
  );
  const [net, change] = answers.map(({ data }) => data) as [Amounts, Amounts];
  await open(`/?days=14&${inRepository}`);
  await page
    .getByRole('region', { name: 'Question' })
    .getByRole('button', { name: /^Measure/ })
    .click();
  await page.getByRole('menuitemradio', { name: 'Net cost' }).click();
  await page.waitForURL(/metric=net_cost/);
  await waitUntilLoaded(page);
  const cost = page.getByRole('link', { name: ': workflows by cost' });
  const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  assert.match(await cost.innerText(), new RegExp(`^${dollars.format(net.total.value).replace('$', '\\$')}`));
  // The forecast always covers all costs.
  assert.equal(await page.getByTitle('How the forecast is made').count(), 0);
  const size = dollars.format(Math.abs(change.total.change)).replace('$', '\\$');
  const said = new RegExp(`[+−]${size}\\s+[\\d.,]+% vs previous 14 days[^$]*\\.$`);
  await page.locator('.summary').getByText(said).waitFor();
  await page.getByRole('link', { name: 'Explore the change' }).click();
  await page.waitForURL(/\/explore\?.*sort=-?change/);
  assert.equal(new URL(page.url()).searchParams.get('repository'), busiest.repo_name);
  await page.goBack();
  await page.getByRole('button', { name: /^Remove filter/ }).click();
  await page.waitForURL(`${address}/?days=14&metric=net_cost`);
  await open('/?from=2026-03-10&to=2026-03-01');
  consoleErrors.length = 0; // the refusal
  await page.getByRole('alert').getByRole('link', { name: 'start again' }).click();
  await page.waitForURL(`${address}/`);
  await page.getByRole('region', { name: 'Daily cost' }).waitFor();
  assertNoConsoleErrors();
});

test('a workflow’s page explains its change with the figures of the overview', async () => {
  type Changed = { by: { value: string }[]; change: number; duration: number; mix: number };
  const { groups } = (await ask<{ data: { groups: Changed[] } }>('costs/change?limit=1')).data;
  const [{ by, change, duration, mix }] = groups as [Changed];
  await open(`/workflows/${by[0]!.value}`);
  const panel = page.getByRole('region', { name: 'What changed' });
  const parts = panel.getByRole('table', { name: 'The parts of the change' });
  await parts.waitFor();
  const texts = await parts.locator('td.number').allInnerTexts();
  const amounts = texts.map((text) => Number(text.replaceAll(/[$,+]/g, '').replace('−', '-')));
  const shown = amounts.slice(1, -1);
  assert.ok(Math.abs(shown.reduce((sum, each) => sum + each, 0) - change) < 0.02, texts.join());
  // The shown amounts are rounded so that they add up.
  for (const amount of [duration, mix].filter((each) => Math.abs(each) > 0.02))
    assert.ok(
      shown.some((each) => Math.abs(each - amount) < 0.02),
      `${amount}: ${texts.join()}`,
    );
  await panel.getByRole('table', { name: 'Jobs that changed most' }).waitFor();
  assertNoConsoleErrors();
});

test('the daily cost marks unusual days and notes, and names the day that it compares with', async () => {
  const mean = series.reduce((sum, { value }) => sum + value, 0) / series.length;
  // Rises on cheap days are small in dollars.
  const unusual = series.filter(({ is_anomalous, value }) => is_anomalous && value >= mean).length;
  await open('/');
  const panel = page.getByRole('region', { name: 'Daily cost' });
  const notes = panel.getByRole('list', { name: 'Annotations' }).getByRole('listitem');
  const note = notes.filter({ hasText: 'Larger runners for a release' });
  const number = Number.parseInt(await note.innerText(), 10);
  assert.equal(await panel.locator('.pin').count(), await notes.count());
  assert.equal(await panel.locator('.plot .warning-mark').count(), unusual);
  assert.ok(unusual > 0);
  const grid = panel.locator('.plot-grid');
  const { x, y, width, height } = (await grid.boundingBox())!;
  await page.mouse.move(x + (width * 10.5) / 30, y + height / 2);
  const tip = panel.locator('.chart-note');
  await tip.getByText(`${number}. Larger runners for a release`).waitFor();
  const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' });
  const text = await tip.innerText();
  // The day itself, and the day that it is compared with.
  const day = weekday.format(new Date(series[10]!.start));
  assert.equal(text.match(new RegExp(`\\b${day}, `, 'g'))?.length, 2, text);
  // The largest parts of the day, and the rest of them if there are more.
  const rest = /^and \d+ more, (\S+)$/m.exec(text)?.slice(1) ?? [];
  const parts = [...(await tip.locator('.number').allInnerTexts()), ...rest];
  const sum = parts.reduce((cents, amount) => cents + Number(amount.replaceAll(/\D/g, '')), 0);
  assert.ok(Math.abs(sum - 100 * series[10]!.value) <= parts.length, text);
  assertNoConsoleErrors();
});

test('on a phone, the header names the organization, and two figures stand between two wide ones', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open('/');
  assert.match(await page.getByRole('banner').innerText(), /^My organization$/);
  const figures = page.locator('.figure-place');
  const tops = await figures.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
  assert.deepEqual([tops.length, new Set(tops).size], [4, 3]);
  assert.equal(tops[1], tops[2]);
  await figures.getByRole('link', { name: /^[\d,]+% of \$0\.01$/ }).waitFor();
  const budgets = page.getByRole('region', { name: 'Budgets' });
  await budgets.getByText(/^Over since \w+ \d+$/).waitFor();
  await budgets.getByText(/^\$[\d,.]+ of \$0\.01, [\d,]+%$/).waitFor();
  await budgets.getByRole('img', { name: /of \$0\.01\. / }).waitFor();
  await page.setViewportSize({ width: 1_280, height: 900 });
  assertNoConsoleErrors();
});

test('a chart becomes a table that starts with today, and a chart again', async () => {
  await open('/');
  const panel = page.getByRole('region', { name: 'Daily cost' });
  await panel.getByRole('button', { name: 'Daily cost: show as table' }).click();
  const rows = panel.getByRole('rowheader');
  assert.equal(await rows.first().innerText(), named(days.at(-1)!.date));
  assert.equal(await rows.nth(29).innerText(), named(days[0]!.date));
  await panel.getByRole('button', { name: 'Daily cost: show as chart' }).click();
  await panel.getByRole('img').first().waitFor();
  await panel.getByText('Show as table').waitFor();
  assertNoConsoleErrors();
});

test('the total row is the sum of the workflows that match', async () => {
  const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  const total = page.getByRole('table', { name: 'Workflows' }).locator('tfoot');
  type Row = { repo_name: string };
  // As the page asks: with workflows that ran only in the period before.
  const { data } = await ask<{ data: Row[] }>('costs/workflows?days=30&compare=previous_period&per_page=100');
  for (const filter of ['', `?repo=${encodeURIComponent(busiest.repo_name)}`]) {
    await open(`/workflows${filter}`);
    const matches = ({ repo_name }: Row) => !filter || repo_name === busiest.repo_name;
    const cost = workflows.filter(matches).reduce((sum, { total_cost }) => sum + total_cost, 0);
    const count = data.filter(matches).length;
    const text = await total.innerText();
    assert.match(text, new RegExp(`^${count} ${filter ? 'matching ' : ''}workflows`));
    assert.ok(text.includes(dollars.format(cost)), `${text} without ${cost}`);
  }
  assertNoConsoleErrors();
});

test('in every zone, the runs of a day show times of that day, with their zone', async () => {
  const { data } = await ask<{ data: { daily: Day[] } }>(`workflows/${busiest.workflow_id}?days=30`);
  const { date, runs } = data.daily.toSorted((a, b) => b.runs - a.runs)[0]!;
  const elsewhere = await newPage({ zone: 'Pacific/Kiritimati' });
  await signIn(elsewhere);
  await elsewhere.goto(`${address}/no-such-page`);
  for (const [there, ...names] of [
    [page, 'PST', 'PDT'],
    [elsewhere, 'GMT+14'],
  ] as const) {
    await open(`${workflowPath}?created_on=${date}`, there);
    const runsTable = there.getByRole('table', { name: 'Runs' });
    const created = runsTable.locator('time');
    const times = await created.allInnerTexts();
    assert.equal(times.length, Math.min(runs, 10));
    const day = named(date).replace(/, \d{4}$/, '(, \\d{4})?');
    for (const time of times) assert.match(time, new RegExp(`^${day}, \\d\\d:\\d\\d$`));
    await runsTable.getByRole('columnheader', { name: 'Created (UTC)' }).waitFor();
    const inZone = names.map((name) => `[aria-description$="${name}"]`).join();
    await created.first().and(there.locator(inZone)).waitFor();
    await runsTable.getByRole('rowheader').getByRole('link').first().click();
    const facts = there.getByRole('region', { name: 'Details' }).locator('time');
    await facts.nth(1).waitFor();
    for (const time of await facts.allInnerTexts()) assert.match(time, /, \d\d:\d\d UTC$/);
  }
  await elsewhere.context().close();
  assertNoConsoleErrors();
});

type Run = { id: string; attempt: number; run_number: number; branch: string; commit: string };

/** On some days, the newest runs of the demo have no second attempt that repeats jobs of the first. */
async function findRerunWithCopies(number = 1): Promise<Run> {
  const { data } = await ask<{ data: Run[] }>(`runs?days=30&per_page=100&page=${number}&status=completed`);
  for (const run of data.filter(({ attempt }) => attempt === 2))
    if (JSON.stringify(await ask(`runs/${run.id}`)).includes('"is_carried_over":true')) return run;
  assert.ok(data.length > 0, 'a run repeats jobs of its first attempt');
  return findRerunWithCopies(number + 1);
}

test('a run links what it built, and shows each attempt on a timeline with receipts', async () => {
  const run = await findRerunWithCopies();
  await open(`/runs/${run.id}`);
  await page.getByRole('heading', { level: 1, name: `Run #${run.run_number} of ` }).waitFor();
  const link = page.getByRole('link', { name: run.commit.slice(0, 12), exact: true });
  assert.match((await link.getAttribute('href'))!, new RegExp(`/commit/${run.commit}$`));
  const tabs = page.getByRole('tab');
  assert.deepEqual(await tabs.count(), 2);
  const timeline = page.getByRole('table', { name: 'Jobs' });
  const copied = timeline.getByRole('img', { name: 'copied from an earlier attempt' });
  // More than three of them are behind a button.
  const unfold = timeline.getByRole('button', { name: /^Show \d+ jobs that were carried over/ });
  await copied.or(unfold).first().waitFor();
  if (await unfold.isVisible()) await unfold.click();
  await copied.first().waitFor();
  await tabs.first().click();
  await copied.waitFor({ state: 'detached' });
  await timeline
    .getByRole('img', { name: /(waited|ran) \d+ / })
    .first()
    .waitFor();
  await timeline.getByRole('button').first().click();
  await timeline.getByText(/round(s)? up to|are \d+ minute/).waitFor();
  const amounts = await timeline
    .locator('tbody > tr > td:last-child.number, tfoot th:last-child')
    .allInnerTexts();
  const nanos = amounts.map((text) => Math.round(Number(text.replace('$', '')) * 1e9));
  assert.equal(
    nanos.slice(0, -1).reduce((sum, each) => sum + each, 0),
    nanos.at(-1),
  );
  assertNoConsoleErrors();
});

test('a run whose id is a path has its own page, and a waiting run has no duration', async () => {
  await open('/');
  const recent = page.getByRole('table', { name: 'Recent runs' });
  await recent.getByRole('columnheader', { name: 'Created' }).waitFor();
  const times = await recent
    .locator('time')
    .evaluateAll((all) => all.map((time) => Date.parse(time.getAttribute('datetime')!)));
  assert.ok(times.length >= 3);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  await recent.getByRole('link', { name: 'Folders' }).click();
  for (const comeBack of [
    () => page.reload(),
    async () => {
      await page.getByRole('link', { name: 'All runs of this workflow' }).click();
      await page.getByRole('table', { name: 'Runs' }).getByRole('rowheader').getByRole('link').click();
    },
  ]) {
    await page.getByRole('heading', { level: 1, name: 'Run of Folders' }).waitFor();
    await page.getByText(`run_jenkins_${pathId}`, { exact: true }).waitFor();
    await page.getByText('not started yet').waitFor();
    assert.equal(await page.getByText('Running', { exact: true }).count(), 0);
    await comeBack();
  }
  await page.getByRole('heading', { level: 1, name: 'Run of Folders' }).waitFor();
  await open(`${workflowPath}?branch=feature%252Flogin`);
  await page.getByRole('button', { name: 'Branch is feature%2Flogin', exact: true }).waitFor();
  assertNoConsoleErrors();
});

test('a run of whole minutes names no rounding, and a workflow without failures leads to none', async () => {
  await open('/runs/run_jenkins_whole');
  await page.getByText('whole minutes', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'All runs of this workflow' }).click();
  await page.getByText('excluding skipped', { exact: true }).waitFor();
  await open(workflowPath);
  await page.getByRole('button', { name: 'show failures' }).waitFor();
  assertNoConsoleErrors();
});

test('waste is compared with the days before, in total, by category and by week, as the address says', async () => {
  type Fixes = { data: { previous: { waste_cost: number } } };
  const { data } = await ask<Fixes>('waste/fixes?days=14&compare=previous_period');
  const before = data.previous.waste_cost.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  await open('/waste?days=14');
  const saving = page.getByRole('region', { name: 'Saving' });
  await saving.getByText(`vs ${before}`).waitFor();
  await saving.getByRole('columnheader', { name: 'Change' }).waitFor();
  // The amount, by which change columns sort, then the percentage.
  await saving
    .getByRole('cell', { name: /^[+−]\$[\d.,]+ (up|down) [\d.,]+%$/ })
    .first()
    .waitFor();
  await page.getByText(/Previous 12 weeks: nothing recorded to compare/).waitFor();
  await page.getByRole('button', { name: 'vs Previous period' }).click();
  await page.getByRole('menuitemradio', { name: 'None' }).click();
  await page.waitForURL(({ search }) => search === '?days=14&compare=none');
  for (const gone of [
    saving.getByText(/^vs /),
    saving.getByRole('columnheader', { name: 'Change' }),
    page.getByText(/nothing recorded to compare/),
  ])
    await gone.waitFor({ state: 'detached' });
  await page.goBack();
  await saving.getByText(`vs ${before}`).waitFor();
  assertNoConsoleErrors();
});

test('moves to other runners say why, and each job leads to its workflow, which has the same part', async () => {
  type Moves = { data: { moves: { text: string; jobs: { job: string; workflow_id: string }[] }[] } };
  const [move] = (await ask<Moves>('moves')).data.moves;
  const { job: name, workflow_id: id } = move!.jobs[0]!;
  await open('/waste');
  const part = page.getByRole('region', { name: 'Other runners' });
  const rows = part.getByRole('button', { name: /^Show jobs from / });
  await rows.first().click();
  await part.getByText(move!.text).waitFor();
  await part.getByRole('link', { name, exact: true }).first().click();
  await page.waitForURL(({ pathname }) => pathname === `/workflows/${id}`);
  await page.getByRole('tab', { name: 'Other runners' }).click();
  await part.getByText('How moves are measured').click();
  await part.getByText(/^A job is measured if it passed at least 5 times/).waitFor();
  assertNoConsoleErrors();
});
