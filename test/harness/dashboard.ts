import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { fillOnlyOrganization } from './demo.ts';
import { openBrowser } from './openBrowser.ts';
import { newStorage, runCommand, serveHere, type Owner } from './program.ts';
import { shared } from './shared.ts';
import { createStorage, type Settings } from './storage.ts';

type Options = { width?: number; height?: number; dark?: boolean; zone?: string };

/** The real server with demo data, in a real browser. */
export type Dashboard = {
  address: string;
  settings: Settings;
  owner: Owner;
  /** A sign-in link, valid once. */
  link: string;
  /** Opens a page in a new browser context, without the sessions and cache of others. */
  newPage: (options?: Options) => Promise<Page>;
  /** Must be called before the page is opened. */
  signIn: (page: Page) => Promise<void>;
  consoleErrors: string[];
  /** Checks the errors since the last call. */
  assertNoConsoleErrors: () => void;
  /** Calls the API as the owner. `path` is relative to `/api/v1/`. With a body it is a POST. */
  ask: <Answer = { data: Record<string, string> }>(path: string, body?: object) => Promise<Answer>;
  /** The address of every page. There must be an alert and a webhook. */
  paths: () => Promise<string[]>;
};

type Opening = { draws?: boolean; environment?: Record<string, string> };

/** A test that takes screenshots asks for a browser that `draws`. */
export async function openDashboard({ draws = false, environment = {} }: Opening = {}): Promise<Dashboard> {
  const { owner, settings: template } = await shared('demo', createDemo);
  const settings = await newStorage(template);
  const { address } = await serveHere(settings, environment);
  const { stdout: link } = await runCommand(['sign-in'], settings);
  const browser = await openBrowser({ draws });
  after(async () => {
    for (const context of contexts) await context.close();
  });
  const contexts: BrowserContext[] = [];
  const consoleErrors: string[] = [];

  const newPage = async ({ width = 1_280, height = 900, dark = false, zone = 'UTC' }: Options = {}) => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      timezoneId: zone,
      // What fades in has no contrast to measure, and no place to click.
      reducedMotion: 'reduce',
    });
    contexts.push(context);
    context.setDefaultTimeout(60_000);
    context.on('page', watch);
    return await context.newPage();
  };

  const watch = (page: Page) => {
    watchRequests(page);
    waitUntilTaken(page);
    page.on('pageerror', (error) => consoleErrors.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      // Browsers log the 401 of a visitor who is not signed in.
      if (message.type() !== 'error' || message.text().includes('status of 401')) return;
      consoleErrors.push(`${page.url()}: ${message.text()} ${message.location().url}`);
    });
  };

  const signIn = async (page: Page) => {
    const response = await page.request.post(`${address}/api/v1/session`, {
      headers: { origin: address },
      data: { token: owner.token },
    });
    assert.equal(response.status(), 201);
  };

  const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${address}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return (await response.json()) as Answer;
  };

  return {
    address,
    settings,
    owner,
    link: link.trim(),
    newPage,
    signIn,
    consoleErrors,
    assertNoConsoleErrors: () => assert.deepEqual(consoleErrors.splice(0), []),
    ask,
    paths: () => pathsOf(ask, owner.orgId),
  };
}

/** Until React has replaced the server's page. */
export const untilTaken = (page: Page) => page.locator('#answers').waitFor({ state: 'detached' });

/** Playwright would already click on a page from the server, before its scripts replace it. */
function waitUntilTaken(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  const taken = () => untilTaken(page);
  page.goto = async (url, options) => {
    const answer = await goto(url, options);
    if (!options?.waitUntil) await taken();
    return answer;
  };
  page.reload = async (options) => {
    const answer = await reload(options);
    if (!options?.waitUntil) await taken();
    return answer;
  };
}

/** A database with an organization and demo history, to copy. */
async function createDemo() {
  const { settings, remove } = await createStorage();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, settings);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const created = await run('org', 'create', '--name', 'My organization', '--json');
  const { org_id: orgId, token } = JSON.parse(created) as { org_id: string; token: string };
  await fillOnlyOrganization(settings, { days: 90, runs: 2_000 });
  return { settings, owner: { orgId, token } satisfies Owner, close: remove };
}

const settingsOf = (part: string) => `/settings/${part}`;

async function pathsOf(ask: Dashboard['ask'], orgId: string): Promise<string[]> {
  type Ids = { id: string }[];
  const { workflows } = await ask<{ workflows: { workflow_id: string; repo_name: string }[] }>(
    `dashboard/workflows?org_id=${orgId}`,
  );
  const { runs } = await ask<{ runs: Ids }>(`dashboard/recent-runs?org_id=${orgId}`);
  const { alerts } = await ask<{ alerts: Ids }>(`alerts?org_id=${orgId}`);
  const { webhooks } = (await ask<{ data: { webhooks: Ids } }>('webhooks')).data;
  const { data: login } = await ask<{ data: { code: string } }>('logins', { name: 'ada@laptop' });
  return [
    '/',
    '/explore',
    '/explore?chart=treemap',
    '/workflows',
    `/workflows/${workflows[0]!.workflow_id}`,
    `/repositories/${workflows[0]!.repo_name}`,
    '/teams/unowned',
    `/runs/${runs.at(-1)!.id}`,
    '/alerts',
    '/alerts/new',
    `/alerts/${alerts[0]!.id}`,
    `/alerts/${alerts[0]!.id}/edit`,

    '/webhooks',
    `/webhooks/${webhooks[0]!.id}`,
    '/teams',
    '/teams?by=cost_center',
    '/pull-requests',
    '/waste',
    '/bill',
    '/bill?view=close',
    '/exports',
    '/sources',
    '/history',
    '/share-links',
    ...[
      'organization',
      'notifications',
      'digests',
      'pull-requests',
      'audit',
      'members',
      'single-sign-on',
      'tokens',
    ].map(settingsOf),
    ...['sessions', 'pricing', 'discounts', 'price-history', 'owners', 'actors'].map(settingsOf),
    `/confirm-login?code=${login.code}`,
    '/no-such-page',
  ];
}

const openRequests = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const open = new Set<Request>();
  openRequests.set(page, open);
  page.on('request', (request) => void open.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => void open.delete(request));
  }
}

/** Closes whatever is open on the page and clears its storage. Loaded files stay cached. */
export async function leave(page: Page): Promise<void> {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto(new URL('/icon.svg', page.url()).href);
}

/** Opens the menu of the account, which is at the lower end of the navigation. */
export async function openAccountMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account menu$/ }).click();
  await page.getByRole('menu').waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Opens a page of the app as a link does: the browser keeps the scripts, and asks for the figures. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Leaves the page and opens one, or the same again, as links do. */
export async function openByLink(page: Page, path: string): Promise<void> {
  for (const each of ['/no-such-page', path]) await follow(page, each);
  await waitUntilLoaded(page);
}

export const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Texts change their width when their font comes, so nothing is measured before. */
export async function waitForFont(page: Page): Promise<void> {
  await page.waitForLoadState(); // The styles name the font.
  await page.evaluate(`document.fonts.load('1em Inter').then(() => document.fonts.ready).then(() => {})`);
}

/** Waits until all requests have ended and the page is painted. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const open = openRequests.get(page)!;
  const loading = page.locator('[aria-busy="true"]').first();
  await waitForFont(page);
  do {
    await Promise.all([...open].map(async (request) => (await request.response())?.finished()));
    await loading.waitFor({ state: 'detached' });
    await page.evaluate(twoFrames);
  } while (open.size > 0);
}
