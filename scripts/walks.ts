/**
 * `npm run walks`: sends real requests and prints the files of `src` that each enters, in order. src/README.md describes
 * them, and test/walks.test.ts compares it with what happens here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { fill, pageRequests } from '../bench/pageRequests.ts';
import { getCosts } from '../src/ledger/costs/costs.ts';
import { repricingPollers } from '../src/ledger/repricing/doReprice.ts';
import { checkDueAlerts } from '../src/outreach/alerts/checkAlerts.ts';
import { sendNotifications } from '../src/outreach/notifications/notifications.ts';
import { cliActor } from '../src/platform/lib/actor.ts';
import { windowBetween } from '../src/platform/lib/days.ts';
import { createWorker } from '../src/platform/work/worker.ts';
import { newAlert, spend } from '../test/harness/alerts.ts';
import { openTestApp, request, type TestApp, type TestOrganization } from '../test/harness/app.ts';
import { openMailbox, type Mailbox } from '../test/harness/receivers.ts';
import { newSource } from '../test/harness/source.ts';
import { gitHubJob } from '../test/payloads/gitHub.ts';

/** A file, and how many of its functions were called. */
type Room = { file: string; functions: number };
/** The rooms in the order of their first calls. Stays are counted outside of `platform`. */
export type Walk = { title: string; rooms: Room[]; stays: number };

type Entry = { file: string; scriptId: string; lineNumber: number; columnNumber: number };
/** Makes a new organization ready, and returns what is measured. */
type Scenario = () => Promise<() => Promise<unknown>>;

// Each breakpoint would look for compiled code of its function in all memory.
setFlagsFromString('--no-sparkplug');

const src = join(import.meta.dirname, '../src');
const today = '2026-03-18T12:00:00Z';
const tomorrow = '2026-03-19T00:06:00Z';

function scenariosOf(testApp: TestApp, mailbox: Mailbox) {
  const { app, clock, newOrganization } = testApp;
  const program = { ...app, publicUrl: () => 'https://runcost.example' };
  const worker = createWorker(repricingPollers({ ...app, db: app.background }), app);
  let last: { organization: TestOrganization; alert: string } | null = null;

  const spending = async () => {
    clock.set(today);
    const organization = await newOrganization();
    await spend(organization, 12, '2026-03-17');
    return organization;
  };
  const withBudget = async () => {
    // Otherwise its alert would be due again.
    if (last) await last.organization.send('DELETE', `/api/v1/alerts/${last.alert}`);
    const organization = await spending();
    await organization.send('POST', '/api/v1/members', { email: 'ada@acme.test', role: 'admin' });
    last = { organization, alert: await newAlert(organization) };
    return organization;
  };
  /** What the page in a browser requests. */
  const asking = async (page: string, start: string) => {
    const { orgId, token } = await spending();
    const path = pageRequests[page]!.find((each) => each.startsWith(start))!;
    const url = fill(path, { org: orgId, day: today.slice(0, 10) });
    const headers = { authorization: `Bearer ${token}` };
    return async () => {
      assert.equal((await request(testApp.server, { method: 'GET', url, headers })).status, 200);
    };
  };
  return {
    'A GitHub event becomes an email': async () => {
      const source = await newSource(testApp, await withBudget());
      const mails = mailbox.mails.length;
      return async () => {
        const { status } = await source.deliver('workflow_job', gitHubJob({ created_at: today }));
        assert.equal(status, 202);
        clock.set(tomorrow);
        await checkDueAlerts(program);
        await sendNotifications(program);
        assert.equal(mailbox.mails.length, mails + 1);
      };
    },
    'A cost question reaches SQL': () => asking('/explore', '/api/v1/costs?'),
    'A request of the overview, for the latest runs, reaches SQL': () =>
      asking('/', '/api/v1/dashboard/recent-runs?'),
    'A reprice': async () => {
      const organization = await spending();
      await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_2026' });
      const days = { from: '2026-03-01', to: '2026-03-31' };
      return async () => {
        assert.equal((await organization.send('POST', '/api/v1/reprices', days)).status, 202);
        await worker.processAll();
      };
    },
    checkDueAlerts: async () => {
      await withBudget();
      clock.set(tomorrow);
      return async () => assert.equal(await checkDueAlerts(program), 1);
    },
    getCosts: async () => {
      const { orgId } = await spending();
      const question = {
        window: windowBetween('2026-03-01', '2026-03-19'),
        groupBy: ['repository'],
        filters: [],
        metric: 'net_cost',
        granularity: 'day',
        compare: 'previous_period',
        sort: '-value',
        limit: 20,
      } as const;
      return () => getCosts({ ...app, actor: cliActor(orgId) }, question);
    },
  } satisfies Record<string, Scenario>;
}

/**
 * Does everything twice: coverage finds the functions that a walk calls, and the second time each has a breakpoint that never
 * stops, but notes its first call.
 */
async function measure(scenarios: Record<string, Scenario>): Promise<Walk[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  const functions = new Map<string, Entry[]>();
  for (const [title, scenario] of Object.entries(scenarios)) {
    const work = await scenario();
    await session.post('Profiler.takePreciseCoverage'); // counts from here
    await work();
    functions.set(title, await calledFunctions(session));
  }
  await session.post('Profiler.stopPreciseCoverage');

  await session.post('Debugger.enable', {});
  const walks: Walk[] = [];
  for (const [title, scenario] of Object.entries(scenarios)) {
    const work = await scenario();
    walks.push({ title, ...roomsOf(await firstCalls(session, functions.get(title)!, work)) });
  }
  session.disconnect();
  return walks;
}

/** The functions that the work called since the last time. Callbacks have no name: they belong to the function that passes them. */
async function calledFunctions(session: Session): Promise<Entry[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ scriptId, url, functions }) => {
    const file = url.startsWith('file:') ? relative(src, fileURLToPath(url)) : '..';
    const called = functions.filter(({ functionName, ranges }) => functionName && ranges[0]!.count > 0);
    if (file.startsWith('..') || called.length === 0) return [];
    const text = readFileSync(join(src, file), 'utf8');
    return called.map(({ ranges }) => {
      const lines = text.slice(0, ranges[0]!.startOffset).split('\n');
      return { file, scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)!.length };
    });
  });
}

/** The file of each function, in the order of their first calls. */
async function firstCalls(session: Session, entries: readonly Entry[], work: () => Promise<unknown>) {
  const files: string[] = [];
  const waiting = new Map<number, string>();
  const remove = (index: number) => {
    void session.post('Debugger.removeBreakpoint', { breakpointId: waiting.get(index)! });
    waiting.delete(index);
  };
  const enter = (index: number) => {
    files.push(entries[index]!.file);
    remove(index); // later calls need no time
  };
  Object.assign(globalThis, { enter });
  for (const [index, { file: _, ...location }] of entries.entries()) {
    const breakpoint = { location, condition: `enter(${index})` };
    waiting.set(index, (await session.post('Debugger.setBreakpoint', breakpoint)).breakpointId);
  }
  await work();
  [...waiting.keys()].forEach(remove);
  return files;
}

/** From the file of each function, in the order of their first calls. */
function roomsOf(files: readonly string[]): Omit<Walk, 'title'> {
  const rooms = [...Map.groupBy(files, (file) => file)].map(([file, { length }]) => ({
    file,
    functions: length,
  }));
  const outside = files.filter((file) => !isPlatform(file));
  return { rooms, stays: outside.filter((file, index) => file !== outside[index - 1]).length };
}

export const isPlatform = (file: string): boolean => file.startsWith('platform/');

function print({ title, rooms, stays }: Walk): void {
  const own = rooms.filter(({ file }) => !isPlatform(file)).length;
  console.log(`\n${title}: ${own} rooms, ${stays} stays, ${stays - own} returns`);
  for (const { file, functions } of rooms) console.log(`${String(functions).padStart(5)}  ${file}`);
}

// This is a test, because the harness closes PostgreSQL at the end of a test.
test('walks', async () => {
  const mailbox = await openMailbox();
  const testApp = await openTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'alerts@runcost.example' });
  const walks = await measure(scenariosOf(testApp, mailbox));
  process.send?.(walks);
  walks.forEach(print);
  await testApp.close();
});
