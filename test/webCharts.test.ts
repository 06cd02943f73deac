import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openDashboard, waitUntilLoaded } from './harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();
const page = await newPage({ width: 1_440 });
await signIn(page);

/** A repository that has costs, and many workflows that are too small for an area of their own. */
async function addSmallWorkflows(): Promise<void> {
  const { data } = await ask<{ data: { total: { value: number } } }>(`costs?org_id=${owner.orgId}&days=30`);
  const end = Date.now() - 20 * 86_400_000;
  const runOf = (workflow_name: string, share: number) => {
    const minutes = (share * data.total.value) / 0.006;
    const started_at = new Date(end - minutes * 60_000);
    const jobs = [{ job_id: '1', runner: 'linux_2_core', started_at, completed_at: new Date(end) }];
    const names = { run_id: workflow_name, workflow_name, repo_name: 'acme/many' };
    return { ...names, status: 'completed', conclusion: 'success', created_at: started_at, jobs };
  };
  const small = Array.from({ length: 30 }, (_, index) => runOf(`Small ${index}`, 0.002));
  await ask('runs', { runs: [runOf('Large', 0.05), ...small] });
}
await addSmallWorkflows();

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const bar = (on: Page = page) => on.getByRole('region', { name: 'Question' });

async function open(search: string, on: Page = page): Promise<void> {
  await on.goto(`${address}/explore${search}`);
  await waitUntilLoaded(on);
}

test('an area of the treemap narrows to the group it stands for', async () => {
  await open('?chart=treemap');
  type Costs = { data: { groups: { by: { name: string; value: string }[]; value: number }[] } };
  const { groups } = (await ask<Costs>(`costs?org_id=${owner.orgId}&group_by=repository,workflow`)).data;
  const [repository, workflow] = groups[0]!.by;
  await page
    .getByRole('region', { name: 'Chart' })
    .getByText(dollars.format(groups[0]!.value))
    .first()
    .click();
  await page.waitForURL(/workflow=/);
  const params = new URL(page.url()).searchParams;
  assert.deepEqual(
    [params.get('repository'), params.get('workflow'), params.get('group_by'), params.get('chart')],
    [repository!.value, workflow!.value, 'job', 'treemap'],
  );
  await bar().getByText(`Workflow is ${workflow!.name}`).waitFor();
  assertNoConsoleErrors();
});

test('every area of the treemap has a name and an amount, also on a phone, and no interval', async () => {
  const phone = await newPage({ width: 390 });
  await signIn(phone);
  for (const on of [page, phone]) {
    await open('?chart=treemap', on);
    const areas = on.locator('#explore-chart svg > g');
    await areas.first().waitFor();
    for (const area of await areas.all()) {
      const { width, height } = (await area.locator('rect').boundingBox())!;
      const words = (await area.locator('text').allTextContents()).join(' ');
      // At the end of each repository is what is left, which can be a strip.
      if (width > 34 && height > 22) assert.match(words, /\$[\d,]+\.\d\d$|^(…|\+\d+)$/);
    }
    assert.ok((await areas.count()) > 5);
    assert.equal(
      await bar(on)
        .getByRole('button', { name: /^Interval/ })
        .count(),
      0,
    );
  }
  // What has no room of its own leads to all of its repository.
  await page
    .locator('#explore-chart')
    .getByText(/^\d+ others$/)
    .first()
    .click();
  await page.waitForURL(/repository=/);
  assertNoConsoleErrors();
});

test('each line has that of the period before, in its own color, and the legend says so', async () => {
  await open('?chart=lines&days=7');
  const chart = page.locator('#explore-chart');
  const colors = (dashes: string) =>
    chart
      .locator(`path.recharts-line-curve[d]${dashes}`)
      .evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke')));
  await chart.locator('path.recharts-line-curve[d]').first().waitFor();
  const lines = await colors(':not([stroke-dasharray="4 3"])');
  assert.ok(lines.length > 1);
  assert.deepEqual(await colors('[stroke-dasharray="4 3"]'), lines);
  await page.getByText('Previous period', { exact: true }).last().waitFor();
  await open('?chart=lines&days=7&compare=none');
  await chart.locator('path.recharts-line-curve[d]').first().waitFor();
  assert.deepEqual(await colors('[stroke-dasharray="4 3"]'), []);
  assertNoConsoleErrors();
});

test('lines on a logarithmic axis, which is in the address', async () => {
  await open('?chart=lines&days=7');
  const chart = page.locator('#explore-chart');
  /** Of the second step of the axis to the first. */
  const ratio = async () => {
    await chart.locator('path.recharts-line-curve[d]').first().waitFor();
    const labels = await chart.locator('text').filter({ hasText: /^\$/ }).allTextContents();
    const [, first, second] = labels.map((label) => Number(label.slice(1)));
    return Math.round(second! / first!);
  };
  assert.equal(await ratio(), 2);
  await page.getByRole('button', { name: 'Scale Linear' }).click();
  await page.getByRole('menuitemradio', { name: 'Log' }).click();
  await page.waitForURL(/scale=log/);
  await page.reload();
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'Scale Log' }).waitFor();
  assert.equal(await ratio(), 10);
  await open('?scale=log');
  assert.equal(await page.getByRole('button', { name: /^Scale/ }).count(), 0);
  assertNoConsoleErrors();
});
