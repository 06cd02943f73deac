/**
 * What makes a process repeatable: ids and secrets from a seed, and timers of a clock that only the world moves. Import it
 * before the program, which keeps some of these functions.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import zlib from 'node:zlib';
import { randomOf, type Random } from '../../src/platform/lib/random.ts';

export const realSetTimeout = globalThis.setTimeout;
export const nextTurn = timers.setImmediate;

/** A process of the world. */
export type Place = { name: string; isDead: boolean; death: PromiseWithResolvers<null> };

/** What all that runs knows: its process, and a request when it came. */
export const here = new AsyncLocalStorage<{ place: Place; at?: Date }>();

type Timer = { at: number; order: number; every: number | null; place: Place | undefined; run: () => void };

let random: Random | null = null;
let [isVirtual, milliseconds, timersMade] = [false, 0, 0];
const waiting = new Set<Timer>();

/** From now on, ids and secrets follow from the seed. */
export function seedIds(seed: number): void {
  random = randomOf(seed);
}

export function makeTimeVirtual(): void {
  [isVirtual, milliseconds, timersMade] = [true, 0, 0];
  waiting.clear();
}

export function makeTimeReal(): void {
  isVirtual = false;
  random = null;
  waiting.clear();
}

export const elapsed = (): number => milliseconds;

/** The timer that is due first, if it is within this time. */
export function nextTimer(within: number): Timer | undefined {
  const due = [...waiting].filter(({ at, place }) => at <= milliseconds + within && !place?.isDead);
  return due.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
}

export function fire(timer: Timer): void {
  milliseconds = Math.max(milliseconds, timer.at);
  if (timer.every === null) waiting.delete(timer);
  else timer.at = milliseconds + timer.every;
  timer.run();
}

/** Time passes, and all timers that become due run. */
export function passTime(by: number): void {
  const until = milliseconds + by;
  for (let timer = nextTimer(by); timer && timer.at <= until; timer = nextTimer(until - milliseconds))
    fire(timer);
  milliseconds = until;
}

function add(run: () => void, after: number, every: number | null): Timer {
  const timer = {
    at: milliseconds + after,
    order: timersMade++,
    every,
    place: here.getStore()?.place,
    run: AsyncLocalStorage.bind(run),
  };
  waiting.add(timer);
  return timer;
}

/** The parts of Node's timers that the program and its packages use. */
function handleOf(timer: Timer, after: number) {
  const handle = {
    timer,
    ref: () => handle,
    unref: () => handle,
    hasRef: () => false,
    refresh: () => {
      timer.at = milliseconds + after;
      waiting.add(timer);
      return handle;
    },
  };
  return handle;
}

type Handle = { timer?: Timer } | undefined;
type Callback = (...args: unknown[]) => void;

function virtual<Kept extends object>(real: Kept, ours: (...args: never[]) => unknown): Kept {
  const either = (...args: unknown[]) =>
    (isVirtual ? ours : (real as unknown as Callback))(...(args as never[]));
  return Object.assign(either, real) as unknown as Kept;
}

const { setInterval: realSetInterval, clearTimeout: realClear } = globalThis;
const start =
  (isRepeated: boolean) =>
  (run: Callback, after = 1, ...args: unknown[]) =>
    handleOf(
      add(() => run(...args), after, isRepeated ? after : null),
      after,
    );
globalThis.setTimeout = virtual(realSetTimeout, start(false));
globalThis.setInterval = virtual(realSetInterval, start(true));
globalThis.clearTimeout = globalThis.clearInterval = (handle: unknown) =>
  (handle as Handle)?.timer ? void waiting.delete((handle as Handle)!.timer!) : realClear(handle as never);

timers.setTimeout = virtual(
  timers.setTimeout,
  (after = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const timer = add(() => resolve(value), after, null);
      const stop = () => {
        waiting.delete(timer);
        reject(signal!.reason as Error);
      };
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    }),
);
const realNow = performance.now.bind(performance);
performance.now = () => (isVirtual ? milliseconds : realNow());

const { randomBytes: realBytes, randomUUID: realUuid } = crypto;
function seededBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random!() * 256)));
}
const seededUuid = () =>
  seededBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5') as ReturnType<typeof realUuid>;
crypto.randomBytes = ((size: number) => (random ? seededBytes(size) : realBytes(size))) as typeof realBytes;
crypto.randomUUID = () => (random ? seededUuid() : realUuid());
globalThis.crypto.randomUUID = crypto.randomUUID;
const realRandom = Math.random;
Math.random = () => (random ?? realRandom)();

// Another thread would answer whenever it is done.
zlib.gzip = ((data: Buffer, done: (error: null, zipped: Buffer) => void) =>
  done(null, zlib.gzipSync(data))) as unknown as typeof zlib.gzip;
syncBuiltinESMExports();
