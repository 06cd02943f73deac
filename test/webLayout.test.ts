import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openDashboard, settled } from './harness/dashboard.ts';

const dashboard = await openDashboard();
const { address, owner, ask, newPage, signIn, noComplaints } = dashboard;
const rule = { alert_type: 'budget', threshold_amount: 1, check_frequency: 'daily', period: 'month' };
await ask(`alerts?org_id=${owner.orgId}`, { ...rule, name: 'Over a dollar' });
await ask('webhooks', { url: 'http://127.0.0.1:9/hook', events: ['alert.triggered'] });

/** Run in every page before its own script: adds up how far its layout shifts. */
const addUpShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const texts = sources.map(({ node }) => node?.textContent.slice(0, 40));
      if (!hadRecentInput) globalThis.shifts.push({ value, texts });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** When what has come has been drawn, or the page has been left. */
async function drawn(window: Page): Promise<void> {
  const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await window.evaluate(twoFrames).catch(() => {});
}

for (const [width, height] of [
  [1_440, 900],
  [360, 780],
] as const) {
  test(`at a width of ${width} nothing jumps as a page fills, and no page scrolls sideways`, async () => {
    const window = await newPage({ width, height });
    await window.addInitScript({ content: addUpShifts });
    await signIn(window);
    // One answer after another, so that each part of a page fills on its own.
    let turn = Promise.resolve();
    await window.route('**/api/v1/**', (route) => {
      turn = turn.then(() => route.continue()).then(() => drawn(window));
      return turn;
    });
    for (const path of await dashboard.paths()) {
      await window.goto(`${address}${path}`);
      await settled(window);
      await drawn(window);
      const shifts = (await window.evaluate('globalThis.shifts')) as { value: number; texts: string[] }[];
      const shifted = shifts.reduce((sum, { value }) => sum + value, 0);
      assert.ok(shifted < 0.1, `${path} at ${width} shifts by ${shifted}: ${JSON.stringify(shifts)}`);
      const tooWide = (await window.evaluate('document.scrollingElement.scrollWidth - innerWidth')) as number;
      assert.ok(tooWide <= 0, `${path} is ${tooWide} pixels wider than ${width}`);
    }
    noComplaints();
    await window.context().close();
  });
}
