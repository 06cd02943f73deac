import type { Logger } from 'pino';
import type { Health } from '../db/health.ts';
import { OrganizationError } from '../lib/errors.ts';
import type { Telemetry } from '../telemetry/metrics.ts';

/** `run` returns whether there may be more. Long pieces check the signal. `stop` releases what it holds. */
export type Poller = {
  name: string;
  everyMilliseconds: number | (() => number);
  run: (signal: AbortSignal) => Promise<boolean>;
  stop?: () => Promise<void>;
};

export type Worker = {
  start: () => void;
  /** Runs all pollers until none finds work; for tests and before measurements. */
  processAll: () => Promise<void>;
  /** Waits up to ten seconds for running work, then as long while pollers release what they hold. */
  stop: () => Promise<void>;
};

const maxStopMilliseconds = 10_000;

type Surroundings = {
  log: Pick<Logger, 'error'>;
  health: Pick<Health, 'noteError'>;
  telemetry: Telemetry;
  /** Each look for work asks all servers of the database. */
  isDistributed?: boolean;
};

const maxRestMilliseconds = 30_000;
const maxIdleRestMilliseconds = 5_000;
const maxIdleTurns = 3;

/**
 * A failing poller runs again at its next turn. Without a database, the worker pauses longer each time; with a distributed one,
 * pollers that find no work do, too.
 */
export function createWorker(
  pollers: readonly Poller[],
  { log, health, telemetry, isDistributed = false }: Surroundings,
): Worker {
  const failuresOf = telemetry.metrics.workFailures;
  // Starts at 0, so that the first failure shows as an increase.
  for (const { name } of pollers) failuresOf.inc({ work: name }, 0);
  const stopping = new AbortController();
  const timers = new Map<Poller, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  const outages = new Map<Poller, number>();
  const idleTurns = new Map<Poller, number>();

  async function stopPoller({ name, stop }: Poller): Promise<void> {
    try {
      await stop?.();
    } catch (error) {
      log.error({ err: error as Error, poller: name }, 'background work could not release what it holds');
    }
  }

  function logFailures(name: string, error: Error): void {
    for (const err of error instanceof AggregateError ? (error.errors as Error[]) : [error]) {
      const of = err instanceof OrganizationError ? { organization: err.organization } : {};
      log.error({ err, poller: name, ...of }, 'background work failed');
    }
  }

  async function runAll(poller: Poller): Promise<void> {
    idleTurns.set(poller, isDistributed ? Math.min((idleTurns.get(poller) ?? -1) + 1, maxIdleTurns) : 0);
    try {
      while (!stopping.signal.aborted && (await poller.run(stopping.signal))) idleTurns.delete(poller);
      outages.delete(poller);
    } catch (error) {
      const outage = health.noteError(error);
      if (outage) outages.set(poller, (outages.get(poller) ?? 0) + 1);
      else outages.delete(poller);
      failuresOf.inc({ work: poller.name });
      if (!outage?.isForAll) logFailures(poller.name, error as Error);
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
    const { everyMilliseconds: every } = poller;
    const rest = typeof every === 'number' ? every : every();
    const longest = outages.has(poller) ? maxRestMilliseconds : maxIdleRestMilliseconds;
    const longer = rest * 2 ** (outages.get(poller) ?? idleTurns.get(poller) ?? 0);
    timers.set(
      poller,
      setTimeout(() => turn(poller), Math.max(rest, Math.min(longer, longest))),
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

/** A failure does not stop the others: all are thrown at the end, under `message`. */
export async function oneByOne<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  { nameOf, message }: { nameOf: (item: Item) => [work: string, orgId: string]; message: string },
): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (cause) {
      failures.push(new OrganizationError(...nameOf(item), cause));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, message);
}
