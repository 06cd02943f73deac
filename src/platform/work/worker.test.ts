import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMetrics } from '../telemetry/metrics.ts';
import { noTracing } from '../telemetry/tracing.ts';
import { createWorker, oneByOne, type Poller } from './worker.ts';

type Logged = { err: Error; poller: string; organization?: string };

function newLog(): { error: (fields: unknown, message?: string) => void; errors: [Logged, string][] } {
  const errors: [Logged, string][] = [];
  return { errors, error: (fields, message) => void errors.push([fields as Logged, message ?? '']) };
}

const telemetry = { metrics: createMetrics(), tracing: noTracing };
const around = (log = newLog()) => ({ log, telemetry, health: { noteError: () => null } });

/** Advances the worker's time and lets due work run as far as it can. */
function mockTime(context: TestContext): (milliseconds: number) => Promise<void> {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  return async (milliseconds) => {
    await setImmediate();
    context.mock.timers.tick(milliseconds);
    await setImmediate();
  };
}

/** A poller that counts its runs and returns `answers`, then that there is no more. */
function countingPoller(
  name: string,
  everyMilliseconds: number,
  answers: (() => boolean | Promise<boolean>)[] = [],
): Poller & { runs: number } {
  const poller = {
    name,
    everyMilliseconds,
    runs: 0,
    run: async () => (await answers[poller.runs++]?.()) ?? false,
  };
  return poller;
}

function fail(): never {
  throw new Error('no database');
}

test('every poller runs at the start, repeats while there is more, and runs again at its interval', async (context) => {
  const pass = mockTime(context);
  const slow = countingPoller('slow', 5_000);
  const busy = countingPoller('busy', 1_000, [() => true, () => true, () => false]);
  const worker = createWorker([slow, busy], around());
  worker.start();
  await pass(999);
  assert.deepEqual([slow.runs, busy.runs], [1, 3]);
  await pass(1);
  assert.deepEqual([slow.runs, busy.runs], [1, 4]);
  for (let second = 1; second < 5; second++) await pass(1_000);
  assert.deepEqual([slow.runs, busy.runs], [2, 8]);
  await worker.stop();
});

/** In which of these seconds it ran. */
async function secondsOfRuns(
  poller: { runs: number },
  seconds: number,
  pass: (milliseconds: number) => Promise<void>,
): Promise<number[]> {
  const ran: number[] = [];
  for (let second = 1; second <= seconds; second++) {
    const before = poller.runs;
    await pass(1_000);
    if (poller.runs > before) ran.push(second);
  }
  return ran;
}

test('while the database cannot be used, a poller rests longer each time, and logs nothing itself', async (context) => {
  const pass = mockTime(context);
  const log = newLog();
  const poller = countingPoller('away', 1_000, [fail, fail, fail, () => false, () => false]);
  const outage = { code: 'database_away', detail: 'The database cannot be reached.', isForAll: true };
  const worker = createWorker([poller], { log, telemetry, health: { noteError: () => outage } });
  worker.start();
  assert.deepEqual(await secondsOfRuns(poller, 16, pass), [2, 6, 14, 15, 16]);
  assert.deepEqual(log.errors, []);
  await worker.stop();
});

test('what fails for another reason after an outage rests no longer than usual', async (context) => {
  const pass = mockTime(context);
  const poller = countingPoller('work', 1_000, [fail, fail, fail, fail, fail, fail]);
  const outage = { code: 'database_away', detail: 'The database cannot be reached.', isForAll: true };
  const noteError = () => (poller.runs <= 2 ? outage : null);
  const worker = createWorker([poller], { ...around(), health: { noteError } });
  worker.start();
  assert.deepEqual(await secondsOfRuns(poller, 9, pass), [2, 6, 7, 8, 9]);
  await worker.stop();
});

test('with a distributed database, a poller rests longer while it finds nothing or fails, up to five seconds', async (context) => {
  const pass = mockTime(context);
  const answers = [() => false, () => false, () => false, fail, () => false, () => true];
  const poller = countingPoller('idle', 1_000, answers);
  const hourly = countingPoller('hourly', 3_600_000);
  const worker = createWorker([poller, hourly], { ...around(), isDistributed: true });
  worker.start();
  assert.deepEqual(await secondsOfRuns(poller, 24, pass), [1, 3, 7, 12, 17, 18, 19, 21]);
  assert.equal(hourly.runs, 1);
  await worker.stop();
});

test('a poller whose own queries are too slow or in the way of others is logged', async (context) => {
  const pass = mockTime(context);
  const log = newLog();
  const outage = { code: 'database_slow', detail: 'The database took too long.', isForAll: false };
  const worker = createWorker([countingPoller('slow', 1_000, [fail])], {
    log,
    telemetry,
    health: { noteError: () => outage },
  });
  worker.start();
  await pass(500);
  assert.deepEqual(
    log.errors.map(([{ poller }]) => poller),
    ['slow'],
  );
  await worker.stop();
});

test('a failing poller is logged and runs again after its interval, while others continue', async (context) => {
  const pass = mockTime(context);
  const log = newLog();
  const failing = countingPoller('failing', 1_000, [fail, () => Promise.reject(new Error('again'))]);
  const other = countingPoller('other', 1_000);
  const worker = createWorker([failing, other], around(log));
  worker.start();
  await pass(999);
  assert.deepEqual([failing.runs, other.runs], [1, 1]);
  await pass(1);
  await pass(1_000);
  assert.deepEqual([failing.runs, other.runs], [3, 3]);
  assert.deepEqual(
    log.errors.map(([{ err, poller }, message]) => [err.message, poller, message]),
    [
      ['no database', 'failing', 'background work failed'],
      ['again', 'failing', 'background work failed'],
    ],
  );
  await worker.stop();
});

test('each failed organization has a line of its own that names it, and failures are counted', async (context) => {
  const pass = mockTime(context);
  const log = newLog();
  const work = () =>
    oneByOne(['org-a', 'org-b', 'org-c'], async (orgId) => void (orgId === 'org-b' || fail()), {
      nameOf: (orgId) => ['runs', orgId],
      message: 'could not',
    });
  const poller = { ...countingPoller('of many', 1_000), run: () => work().then(() => false) };
  const worker = createWorker([poller], around(log));
  worker.start();
  await pass(0);
  assert.deepEqual(
    log.errors.map(([{ err, organization }]) => [err.message, organization]),
    [
      ['runs of organization org-a', 'org-a'],
      ['runs of organization org-c', 'org-c'],
    ],
  );
  assert.match(await telemetry.metrics.registry.metrics(), /_failures_total\{work="of many"\} 1\n/);
  await worker.stop();
});

test('a poller that takes longer than its interval never runs twice at once', async (context) => {
  const pass = mockTime(context);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const long = countingPoller('long', 1_000, [() => promise]);
  const worker = createWorker([long], around());
  worker.start();
  for (let second = 0; second < 10; second++) await pass(1_000);
  assert.equal(long.runs, 1);
  resolve(false);
  await pass(999);
  assert.equal(long.runs, 1);
  await pass(1);
  assert.equal(long.runs, 2);
  await worker.stop();
});

test('a stop waits for running work and starts no more', async (context) => {
  const pass = mockTime(context);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const underWay = countingPoller('under way', 1_000, [() => promise]);
  const waiting = countingPoller('waiting', 1_000);
  const worker = createWorker([underWay, waiting], around());
  worker.start();
  await pass(0);
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await pass(5_000);
  assert.ok(!isStopped);
  resolve(true); // there would be more
  await stopped;
  await pass(60_000);
  assert.deepEqual([underWay.runs, waiting.runs], [1, 1]);
});

test('pollers release their leases once nothing runs, and a failing one is logged', async (context) => {
  const pass = mockTime(context);
  const log = newLog();
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const poller = {
    ...countingPoller('holds', 1_000, [() => promise]),
    stop: async () => void done.push('given back'),
  };
  const failing = { ...countingPoller('failing', 1_000), stop: async () => fail() };
  const worker = createWorker([failing, poller], around(log));
  worker.start();
  await pass(0);
  const stopped = worker.stop();
  await pass(9_000);
  done.push('ended');
  resolve(false);
  await stopped;
  assert.deepEqual(done, ['ended', 'given back']);
  assert.deepEqual(
    log.errors.map(([{ err, poller: name }, message]) => [err.message, name, message]),
    [['no database', 'failing', 'background work could not release what it holds']],
  );
});

test('work that runs for more than ten seconds after a stop is released without waiting', async (context) => {
  const pass = mockTime(context);
  const { promise } = Promise.withResolvers<boolean>();
  const poller = { ...countingPoller('endless', 1_000, [() => promise]), isGivenBack: false };
  const stop = async () => void (poller.isGivenBack = true);
  const worker = createWorker([{ ...poller, stop }], around());
  worker.start();
  await pass(0);
  const stopped = worker.stop();
  await pass(9_999);
  assert.ok(!poller.isGivenBack);
  await pass(1);
  await stopped;
  assert.ok(poller.isGivenBack);
});

test('a poller that needs more than ten seconds to release does not delay the stop further', async (context) => {
  const pass = mockTime(context);
  const { promise } = Promise.withResolvers<void>();
  const worker = createWorker([{ ...countingPoller('stuck', 1_000), stop: () => promise }], around());
  const stopped = worker.stop();
  await pass(10_000);
  await stopped;
});

test('after a stop, the worker does not keep the process alive', async () => {
  const timersNow = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const timersBefore = timersNow();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const hourly = [
    countingPoller('waiting', 3_600_000),
    countingPoller('under way', 3_600_000, [() => promise]),
  ];
  const worker = createWorker(hourly, around());
  worker.start();
  await setImmediate();
  assert.equal(timersNow(), timersBefore + 1);
  const stopped = worker.stop();
  resolve(false);
  await stopped;
  await setImmediate();
  assert.equal(timersNow(), timersBefore);
});

test('processAll ends when no poller finds anything more, and throws failures then', async () => {
  let toSend = 0;
  const send = { name: 'send', everyMilliseconds: 1_000, run: async () => toSend > 0 && toSend-- > 0 };
  const check = countingPoller('check', 1_000, [() => (toSend += 2) > 0, () => (toSend += 1) > 0]);
  await createWorker([send, check], around()).processAll();
  assert.equal(toSend, 0);
  const failing = countingPoller('failing', 1_000, [fail]);
  await assert.rejects(createWorker([failing], around()).processAll(), /no database/);
});
