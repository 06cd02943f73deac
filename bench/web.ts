import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../test/harness/browser.ts';
import { fillOnlyOrganization } from '../test/harness/demo.ts';
import type { Settings } from '../test/harness/storage.ts';
import { fill, pageRequests } from './pageRequests.ts';
import { isQuick } from './quick.ts';
import { logProgress, printReport, ratioOf, type Report, rounded } from './report.ts';
import { startService, type Service } from './service.ts';
import { openSlowly, seen, visitSlowly } from './slowPage.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const root = join(import.meta.dirname, '..');
const rounds = isQuick ? 1 : 10;
const viewport = { width: 1_440, height: 900 };

/** A page, a pattern of its data, and what it requests from the API. */
type PageCase = { name: string; path: string; shows: string; requests: string[] };
/** Milliseconds from the start of the navigation. The shift is Chromium's cumulative layout shift. */
type Paint = { first: number; useful: number; shift: number; scripts: string[] };
type Round = { cold: Paint; warm: Paint; bare: number };

/**
 * Measures when a page shows its first data from the server, with an empty and a full browser cache, compared with a
 * static page that sends the same requests and shows the responses as text.
 */
export async function benchWeb(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  const browser = await launchBrowser();
  try {
    const pages = await addData(service);
    const session = await createSession(browser, service);
    printReport(await measureSlowly(browser, session, service, pages[0]!));
    const rows: string[][] = [];
    for (const page of pages) {
      logProgress(`Opening ${page.name} …`);
      const measured: Round[] = [];
      for (let round = 0; round <= rounds; round++) {
        const found = await measure(browser, session, service, page);
        if (round > 0) measured.push(found);
      }
      rows.push(rowOf(page.name, 'cold', measured), rowOf(page.name, 'warm', measured));
    }
    return reportOf(rows);
  } finally {
    await browser.close();
    await service.stop();
  }
}

function reportOf(rows: string[][]): Report {
  return {
    headings: [
      'PAGE',
      'CACHE',
      'FIRST PAINT MS (WORST)',
      'USEFUL PAINT MS (WORST)',
      'BARE PAGE MS',
      'RATIO (ROUNDS)',
      'LAYOUT SHIFT (WORST)',
      'SCRIPT KB GZIP',
    ],
    rows,
    notes: [
      `Medians of ${rounds} loads each, at ${viewport.width} × ${viewport.height}, after a warm-up. Cold: a new browser profile. ` +
        'Warm: the same page opened again in that profile.',
      'A useful paint draws the first number or row from the server. The bare page is static HTML that sends the ' +
        'same requests (pageRequests.json) and shows the responses as text.',
      'Goals: useful paint under 1,000 ms, layout shift under 0.05.',
    ],
  };
}

/** Adds three months of demo data, an alert and a webhook. Returns the pages to open. */
async function addData(service: Service): Promise<PageCase[]> {
  await fillOnlyOrganization(service.environment as Settings, { days: 90, runs: isQuick ? 300 : 3_000 });
  const inOrganization = `org_id=${service.orgId}`;
  const rule = { alert_type: 'budget', threshold_amount: 5_000, check_frequency: 'daily', period: 'month' };
  await ask(service, `alerts?${inOrganization}`, { ...rule, name: 'Monthly budget' });
  await ask(service, 'webhooks', { url: 'http://127.0.0.1:9/hook', events: ['alert.triggered'] });
  const recent = `dashboard/recent-runs?${inOrganization}`;
  const { runs } = (await ask(service, recent)) as { runs: { id: string }[] };
  const run = runs.at(-1)!.id;
  const { data } = (await ask(service, `runs/${run}`)) as {
    data: { workflow: { id: string }; created_at: string };
  };
  const day = { '/runs/{run}': data.created_at.slice(0, 10) };
  const today = new Date().toISOString().slice(0, 10);
  return opened.map(([name, page, shows = service.orgId]) => {
    const values = {
      org: service.orgId,
      run,
      workflow: data.workflow.id,
      day: day[page as keyof typeof day] ?? today,
    };
    const requests = pageRequests[page]!.map((path) => fill(path, values));
    return { name, path: fill(page, values), shows, requests };
  });
}

/** What shows that the data is there; the organization's id if it is left out. */
const opened: [name: string, page: string, shows?: string][] = [
  ['Overview', '/', String.raw`\$\d`],
  ['Workflows', '/workflows', String.raw`\$\d`],
  ['Explore', '/explore', String.raw`\$\d`],
  ['Run', '/runs/{run}', String.raw`\$\d`],
  ['Alerts', '/alerts', 'Monthly budget'],
  ['Webhooks', '/webhooks', '127.0.0.1:9'],
  ['Settings', '/settings'],
];

async function ask({ url, token }: Service, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

async function createSession(browser: Browser, { url, token }: Service): Promise<Session> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  // Until then, its button does nothing.
  await page.locator('#answers').waitFor({ state: 'detached' });
  await page.getByLabel(/^Token/).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const session = await context.storageState();
  await context.close();
  return session;
}

async function measure(browser: Browser, session: Session, { url }: Service, page: PageCase): Promise<Round> {
  const context = await browser.newContext({ viewport, storageState: session });
  const cold = await measurePaint(await context.newPage(), url + page.path, page.shows);
  const warm = await measurePaint(await context.newPage(), url + page.path, page.shows);
  const bare = await context.newPage();
  const { useful } = await measurePaint(bare, await serveBare(bare, url, page), String.raw`[{[]`);
  await context.close();
  return { cold, warm, bare: useful };
}

/** The overview in a warm profile, in turn with the bare page. */
async function measureSlowly(browser: Browser, session: Session, { url }: Service, overview: PageCase) {
  logProgress(`Opening ${overview.name} slowly …`);
  const context = await browser.newContext({ viewport, storageState: session });
  const visits: Awaited<ReturnType<typeof visitSlowly>>[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const visit = await visitSlowly(context, url + overview.path, 'Last 30 days');
    const { page } = await openSlowly(context);
    await page.goto(await serveBare(page, url, overview));
    const figure = await seen(page, 'figure');
    await page.close();
    if (round === 0) continue;
    visits.push(visit);
    bare.push(figure);
  }
  await context.close();
  // Now the thread that draws has started, and knows what the overview asks.
  const other = await browser.newContext({ viewport, storageState: session });
  const cold = await other.newPage();
  await cold.goto(url + overview.path, { waitUntil: 'networkidle' });
  const requests = await cold.evaluate(`1 + performance.getEntriesByType('resource').length`);
  await other.close();
  const aims = { figure: 300, chart: 400, click: 1_200 } as const;
  return {
    headings: ['OVERVIEW, WARM', 'MS (WORST)', 'AIM', 'BARE PAGE MS', 'RATIO (ROUNDS)'],
    rows: (['figure', 'chart', 'click'] as const).map((name) => {
      const times = visits.map((visit) => visit[name]);
      return [
        name,
        withWorst(times, rounded),
        rounded(aims[name]),
        rounded(median(bare)),
        ratioOf(times, bare),
      ];
    }),
    notes: [
      `Medians of ${rounds} loads each on a processor four times slower, at 10 Mbit/s with a latency of 40 ms. The click is ` +
        'the first that opens the choice of the period; it is pressed 20 times a second from the start.',
      `A cold overview sends ${String(requests)} requests (aim: at most 10).`,
    ],
  };
}

async function serveBare(page: Page, url: string, { requests }: PageCase): Promise<string> {
  const address = `${url}/bare`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: bareOf(requests) }));
  return address;
}

function bareOf(requests: readonly string[]): string {
  const script = `for (const path of ${JSON.stringify(requests)})
    fetch(path).then((answer) => answer.text()).then((text) => document.querySelector('main').append(text));`;
  return `<!doctype html><title>Bare</title><h1>Bare</h1><main></main><script>${script}</script>`;
}

/** Checks before each frame whether the data is in the page. The next frame starts after the page was painted. */
function watch(shows: string): string {
  return `
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    const check = () => {
      const main = document.querySelector('main');
      const values = [...(main?.querySelectorAll('input') ?? [])].map(({ value }) => value);
      const isThere = new RegExp(${JSON.stringify(shows)}).test([main?.textContent, ...values].join(' '));
      if (isThere) requestAnimationFrame(() => (globalThis.useful = performance.now()));
      else requestAnimationFrame(check);
    };
    check();`;
}

async function measurePaint(page: Page, address: string, shows: string): Promise<Paint> {
  await page.addInitScript({ content: watch(shows) });
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.waitForFunction(() => 'useful' in globalThis);
  const found = await page.evaluate(`({
    first: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    useful: globalThis.useful,
    shift: globalThis.shift,
    scripts: performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js')),
  })`);
  await page.close();
  return found as Paint;
}

function rowOf(name: string, cache: 'cold' | 'warm', measured: readonly Round[]): string[] {
  const loads = measured.map((round) => round[cache]);
  const bare = measured.map((round) => round.bare);
  const useful = loads.map((load) => load.useful);
  const first = loads.map((load) => load.first);
  const shift = loads.map((load) => load.shift);
  const scripts = new Set(loads.flatMap((load) => load.scripts));
  const bytes = [...scripts].reduce(
    (sum, path) => sum + statSync(join(root, 'web/dist', `${path}.gz`)).size,
    0,
  );
  return [
    name,
    cache,
    withWorst(first, rounded),
    withWorst(useful, rounded),
    rounded(median(bare)),
    ratioOf(useful, bare),
    withWorst(shift, (value) => value.toFixed(3)),
    cache === 'cold' ? rounded(bytes / 1e3) : 'cached',
  ];
}

function withWorst(values: readonly number[], shown: (value: number) => string): string {
  return `${shown(median(values))} (${shown(Math.max(...values))})`;
}
