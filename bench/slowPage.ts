import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** Milliseconds from the start of the navigation to the first figure, the chart and the first click that works. */
export type SlowVisit = { figure: number; chart: number; click: number };

const network = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };
const processor = { rate: 4 };

/** Opens a page on a slow processor and network, once to look at it and once to press one of its buttons. */
export async function visitSlowly(
  context: BrowserContext,
  address: string,
  button: string,
): Promise<SlowVisit> {
  const looked = await openSlowly(context);
  await looked.page.goto(address);
  const chart = await seen(looked.page, 'chart');
  const figure = await seen(looked.page, 'figure');
  const found = looked.page.locator('main button', { hasText: button });
  await looked.page.locator('#answers').waitFor({ state: 'detached' });
  const { x, y, width, height } = (await found.boundingBox())!;
  await looked.page.close();
  const pressed = await openSlowly(context);
  const click = await pressUntilOpen(pressed, address, { x: x + width / 2, y: y + height / 2 });
  await pressed.page.close();
  return { figure, chart, click };
}

export async function openSlowly(context: BrowserContext): Promise<{ page: Page; client: CDPSession }> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', network);
  await client.send('Emulation.setCPUThrottlingRate', processor);
  await page.addInitScript({ content: watch });
  return { page, client };
}

/** The next frame starts after the page was painted. */
const watch = `
  globalThis.seen = {};
  const signs = {
    figure: () => /[$]\\d|[{[]/.test(document.querySelector('main')?.textContent ?? ''),
    chart: () => document.querySelector('main .chart-height svg path'),
    click: () => document.querySelector('main [aria-expanded="true"]'),
  };
  const check = () => {
    for (const name of Object.keys(signs)) {
      if (!signs[name]()) continue;
      delete signs[name];
      requestAnimationFrame(() => (globalThis.seen[name] = performance.now()));
    }
    requestAnimationFrame(check);
  };
  check();`;

export async function seen(page: Page, name: keyof SlowVisit): Promise<number> {
  for (;;) {
    // There is none while the page is replaced by the next.
    const time = await page.evaluate(`globalThis.seen?.${name}`).catch(() => undefined);
    if (typeof time === 'number') return time;
    await pause(20);
  }
}

/** As somebody does who sees a button and knows nothing of scripts: 20 times a second, from the start. */
async function pressUntilOpen(
  { page, client }: { page: Page; client: CDPSession },
  address: string,
  at: { x: number; y: number },
): Promise<number> {
  await page.goto(address, { waitUntil: 'commit' });
  const opened = seen(page, 'click');
  const press = { ...at, button: 'left', clickCount: 1 } as const;
  for (;;) {
    await client.send('Input.dispatchMouseEvent', { ...press, type: 'mousePressed' });
    await client.send('Input.dispatchMouseEvent', { ...press, type: 'mouseReleased' });
    const click = await Promise.race([opened, pause(50)]);
    if (click !== undefined) return click;
  }
}
