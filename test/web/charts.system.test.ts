import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow, openByLink, openDashboard, twoFrames, waitUntilLoaded } from '../harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();
const page = await newPage({ width: 1_440 });
await signIn(page);
await page.goto(`${address}/no-such-page`);

/** A repository with costs, and many workflows that are too small for their own area. */
async function addSmallWorkflows(): Promise<void> {
  const { data } = await ask<{ data: { total: { value: number } } }>(`costs?org_id=${owner.orgId}&days=30`);
  const end = Date.now() - 20 * 86_400_000;
  const runOf = (workflow_name: string, share: number) => {
    const minutes = (share * data.total.value) / 0.006;
    const count = Math.ceil(minutes / 300); // A hosted job takes at most six hours.
    const started_at = new Date(end - (minutes / count) * 60_000);
    const job = { runner: 'linux_2_core', started_at, completed_at: new Date(end) };
    const jobs = Array.from({ length: count }, (_, index) => ({ job_id: String(index), ...job }));
    const names = { run_id: workflow_name, workflow_name, repo_name: 'acme/many' };
    return { ...names, status: 'completed', conclusion: 'success', created_at: started_at, jobs };
  };
  const small = Array.from({ length: 30 }, (_, index) => runOf(`Small ${index}`, 0.002));
  await ask('runs', { runs: [runOf('Large', 0.05), ...small] });
}
await addSmallWorkflows();

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const bar = () => page.getByRole('region', { name: 'Question' });

const open = (search: string) => openByLink(page, `/explore${search}`);

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
  for (const width of [390, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    await open('?chart=treemap');
    const areas = page.locator('#explore-chart svg > g');
    await areas.first().waitFor();
    const all = await areas.evaluateAll((groups) =>
      groups.map((group) => {
        const rect = group.querySelector('rect')!;
        const words = [...group.querySelectorAll('text')].map(({ textContent }) => textContent).join(' ');
        const hasRoom = rect.width.baseVal.value > 54 && rect.height.baseVal.value > 20;
        return { words, hasRoom, color: rect.getAttribute('fill') };
      }),
    );
    for (const [index, { words, hasRoom, color }] of all.entries()) {
      // The last area of each repository is the rest: a number, or a name without an amount.
      if (color === all[index + 1]?.color) assert.match(words, /\$[\d,]+\.\d\d$/);
      else if (hasRoom) assert.notEqual(words, '');
      assert.doesNotMatch(words, /^.{0,4}…/);
    }
    assert.ok(all.length > 5);
    assert.equal(
      await bar()
        .getByRole('button', { name: /^Interval/ })
        .count(),
      0,
    );
  }
  // An area without room of its own links to the whole repository.
  await page
    .locator('#explore-chart')
    .getByText(/^\d+ others$/)
    .first()
    .click();
  await page.waitForURL(/repository=/);
  assertNoConsoleErrors();
});

const few = 'repository=nimbus-commerce/web&repository=nimbus-commerce/api';

test('each of few lines has that of the period before, in its own color, and the legend says so', async () => {
  await open(`?chart=lines&days=7&${few}`);
  const chart = page.locator('#explore-chart');
  const colors = (dashes: string) =>
    chart
      .locator(`path.plot-line${dashes}`)
      .evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke')));
  await chart.locator('path.plot-line').first().waitFor();
  const lines = await colors(':not(.is-dashed)');
  assert.ok(lines.length > 1);
  assert.deepEqual(await colors('.is-dashed'), lines);
  await page.getByText('Previous period', { exact: true }).last().waitFor();
  await open(`?chart=lines&days=7&compare=none&${few}`);
  await chart.locator('path.plot-line').first().waitFor();
  assert.deepEqual(await colors('.is-dashed'), []);
  assertNoConsoleErrors();
});

test('of many lines, the one at the pointer has that of the period before', async () => {
  await open('?chart=lines&days=7&group_by=workflow');
  const curves = page.locator('#explore-chart path.plot-line');
  const dashed = curves.and(page.locator('.is-dashed'));
  await curves.first().waitFor();
  assert.equal(await dashed.count(), 0);
  const previous = page.getByText(/^Previous period( \(highlighted line\))?$/).last();
  assert.match(await previous.innerText(), /highlighted line/);
  const line = (await curves.first().boundingBox())!;
  // A line passes through each day, and the highest line of the first day has a corner there.
  const point = async (y: number) => {
    await page.mouse.move(line.x + 1, y);
    await page.evaluate(twoFrames); // React draws what the pointer is at after the event.
  };
  await point(line.y + line.height / 2);
  for (let y = line.y - 10; (await dashed.count()) === 0 && y < line.y + line.height + 10; y += 8)
    await point(y);
  assert.equal(await dashed.count(), 1);
  await page.mouse.move(5, 5);
  await dashed.waitFor({ state: 'detached' });
  // The keyboard highlights a line too.
  const names = page.getByRole('list', { name: 'Legend' }).getByRole('link');
  await names.first().focus();
  await dashed.waitFor();
  await names.first().blur();
  await dashed.waitFor({ state: 'detached' });
  // With few lines left, each shows its own previous period.
  const shown = page.getByRole('list', { name: 'Legend' }).getByRole('button', { pressed: true });
  while ((await shown.count()) > 3) await shown.last().click();
  await dashed.nth(2).waitFor();
  assert.equal(await previous.innerText(), 'Previous period');
  assertNoConsoleErrors();
});

test('one line far above the others makes the axis logarithmic, unless the reader chose', async () => {
  await open('?chart=lines&repository=!acme/many');
  const choose = async (from: string, to: string) => {
    await page.getByRole('button', { name: `Scale ${from}` }).click();
    await page.getByRole('menuitemradio', { name: to }).click();
  };
  await choose('Log', 'Linear');
  await page.waitForURL(/scale=linear/);
  await page.getByRole('button', { name: 'Use a log scale' }).click();
  await page.waitForURL((url) => !url.searchParams.has('scale'));
  await page.getByText(/^Log scale: .* peaks at \d+ times the next line\./).waitFor();
  await page.getByRole('button', { name: 'Use a linear scale' }).click();
  await page.waitForURL(/scale=linear/);
  await page.getByText(/^Linear scale: /).waitFor();
  assertNoConsoleErrors();
});

test('lines on a logarithmic axis, which is in the address', async () => {
  await open('?chart=lines&days=7');
  const chart = page.locator('#explore-chart');
  /** The ratio of the axis' second step to its first. */
  const ratio = async () => {
    await chart.locator('path.plot-line').first().waitFor();
    const labels = await chart.locator('text').filter({ hasText: /^\$/ }).allTextContents();
    const [, first, second] = labels.map((label) => Number(label.slice(1)));
    return Math.round(second! / first!);
  };
  assert.equal(await ratio(), 2);
  await page.getByRole('button', { name: 'Scale Linear' }).click();
  await page.getByRole('menuitemradio', { name: 'Log' }).click();
  await page.waitForURL(/scale=log/);
  await page.reload();
  await page.getByRole('button', { name: 'Scale Log' }).waitFor();
  assert.equal(await ratio(), 10);
  await open('?scale=log');
  assert.equal(await page.getByRole('button', { name: /^Scale/ }).count(), 0);
  assertNoConsoleErrors();
});

test("a budget's chart names the Mondays of its month", async () => {
  const alert = { name: 'CI budget', alert_type: 'budget', threshold_amount: 5_000, period: 'month' };
  const { id } = await ask<{ id: string }>(`alerts?org_id=${owner.orgId}`, alert);
  await follow(page, `/alerts/${id}`);
  await waitUntilLoaded(page);
  const labels = await page.locator('.burn-up-label.is-day').allTextContents();
  const year = new Date().getUTCFullYear();
  assert.ok(labels.length >= 4, labels.join());
  assert.ok(labels.every((label) => new Date(`${label}, ${year} UTC`).getUTCDay() === 1));
  assertNoConsoleErrors();
});

/** Positions of a chart's lines and labels: amounts by height, days from left to right. */
const lookAtCharts = `[...document.querySelectorAll('svg.plot')].map((chart) => {
  const middles = (selector, start, size) => [...chart.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect())
    .map((box) => box[start] + box[size] / 2)
    .sort((a, b) => a - b);
  return {
    lines: middles('.plot-grid path', 'y', 'height'),
    amounts: middles('.plot-amounts text', 'y', 'height'),
    days: middles('.plot-days text', 'x', 'width'),
  };
})`;

function assertEven(places: number[], what: string): void {
  const steps = places.slice(1).map((place, index) => place - places[index]!);
  assert.ok(steps.length > 0 && Math.max(...steps) - Math.min(...steps) < 1.5, `${what}: ${String(steps)}`);
}

test('the labels of a chart are evenly spaced, and each amount is at its line', async () => {
  type Workflows = { workflows: { workflow_id: string; total_runs: number }[] };
  const { workflows } = await ask<Workflows>(`dashboard/workflows?org_id=${owner.orgId}`);
  const busiest = workflows.toSorted((a, b) => b.total_runs - a.total_runs)[0]!;
  for (const [path, charts] of [
    ['/', 1],
    [`/workflows/${busiest.workflow_id}?days=90&tab=times`, 5],
    ['/alerts/new?threshold_amount=4500', 1],
  ] as const) {
    await follow(page, path);
    await waitUntilLoaded(page);
    await page
      .locator('svg .plot-amounts')
      .nth(charts - 1)
      .waitFor();
    const looked = (await page.evaluate(lookAtCharts)) as Record<'lines' | 'amounts' | 'days', number[]>[];
    assert.equal(looked.length, charts, path);
    for (const { lines, amounts, days: dayLabels } of looked) {
      assert.equal(amounts.length, lines.length);
      amounts.forEach((amount, index) =>
        assert.ok(Math.abs(amount - lines[index]!) < 3, `${path}: ${index}`),
      );
      assertEven(amounts, path);
      assertEven(dayLabels, path);
    }
  }
  assertNoConsoleErrors();
});
