import type { Logger } from 'pino';

/**
 * Background work that is looked for again and again. `run` does a piece of it and answers whether there may be more; a
 * long piece looks at the signal, which says that the worker stops. `stop` gives back what a run still holds by then.
 */
export type Poller = {
  /** What it does, such as `send notifications`. */
  name: string;
  everyMilliseconds: number | (() => number);
  run: (signal: AbortSignal) => Promise<boolean>;
  stop?: () => Promise<void>;
};

export type Worker = {
  /** Runs every poller from now on, each at its own pace and never twice at once. */
  start: () => void;
  /** Runs all pollers until none of them finds anything to do; for tests, and before a measurement. */
  processAll: () => Promise<void>;
  /**
   * Begins nothing new, waits for what is under way, but no longer than ten seconds, and has every poller give back what
   * it holds, which may take as long again.
   */
  stop: () => Promise<void>;
};

const maxStopMilliseconds = 10_000;

/** A worker for these pollers. One that fails is logged and runs again at its next turn. */
export function createWorker(pollers: readonly Poller[], log: Pick<Logger, 'error'>): Worker {
  const stopping = new AbortController();
  const timers = new Map<Poller, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();

  async function stopPoller({ name, stop }: Poller): Promise<void> {
    try {
      await stop?.();
    } catch (error) {
      log.error({ err: error as Error, poller: name }, 'background work could not give back what it holds');
    }
  }

  async function runAll({ name, run }: Poller): Promise<void> {
    try {
      while (!stopping.signal.aborted && (await run(stopping.signal)));
    } catch (error) {
      log.error({ err: error as Error, poller: name }, 'background work failed');
    }
  }

  function turn(poller: Poller): void {
    const running = runAll(poller).finally(() => {
      underWay.delete(running);
      if (!stopping.signal.aborted) wait(poller);
    });
    underWay.add(running);
  }

  function wait(poller: Poller): void {
    const every = poller.everyMilliseconds;
    timers.set(
      poller,
      setTimeout(() => turn(poller), typeof every === 'number' ? every : every()),
    );
  }

  return {
    start: () => pollers.forEach(turn),
    processAll: async () => {
      for (let isBusy = true; isBusy;) {
        isBusy = false;
        for (const { run } of pollers) while (await run(stopping.signal)) isBusy = true;
      }
    },
    stop: async () => {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      // What has not ended by then is left to its lease.
      await waitFor([...underWay]);
      await waitFor(pollers.map(stopPoller));
    },
  };
}

async function waitFor(work: readonly Promise<void>[]): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxStopMilliseconds);
  await Promise.race([Promise.all(work), tooLong]);
  clearTimeout(timer);
}

/**
 * Works through the items one after another. One that fails costs the others nothing: what failed is thrown at the end,
 * each named by `nameOf`, under `message`.
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  { nameOf, message }: { nameOf: (item: Item) => string; message: string },
): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (cause) {
      failures.push(new Error(nameOf(item), { cause }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, message);
}
