import type { Logger } from 'pino';

/**
 * Work that is done again and again. `run` does a piece of it and answers whether there may be more; a long piece looks at
 * the signal, which tells that the worker stops. `stop` gives back what a run still holds when the worker has stopped.
 */
export type Job = {
  name: string;
  everyMilliseconds: number | (() => number);
  run: (signal: AbortSignal) => Promise<boolean>;
  stop?: () => Promise<void>;
};

export type Worker = {
  /** Runs every job from now on, each at its own pace and never twice at once. */
  start: () => void;
  /** Runs all jobs until none of them finds anything to do; for tests, and before a measurement. */
  processAll: () => Promise<void>;
  /**
   * Begins nothing new, waits for what is under way, but no longer than ten seconds, and has every job give back what it
   * holds, which may take as long again.
   */
  stop: () => Promise<void>;
};

const longestStopMilliseconds = 10_000;

/** A worker for these jobs. A job that fails is logged and tried again at its next turn. */
export function createWorker(jobs: readonly Job[], log: Pick<Logger, 'error'>): Worker {
  const stopping = new AbortController();
  const timers = new Map<Job, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();

  async function stopJob({ name, stop }: Job): Promise<void> {
    try {
      await stop?.();
    } catch (error) {
      log.error({ err: error as Error, job: name }, 'job failed to stop');
    }
  }

  async function runAll({ name, run }: Job): Promise<void> {
    try {
      while (!stopping.signal.aborted && (await run(stopping.signal)));
    } catch (error) {
      log.error({ err: error as Error, job: name }, 'job failed');
    }
  }

  function turn(job: Job): void {
    const running = runAll(job).finally(() => {
      underWay.delete(running);
      if (!stopping.signal.aborted) wait(job);
    });
    underWay.add(running);
  }

  function wait(job: Job): void {
    const every = job.everyMilliseconds;
    timers.set(
      job,
      setTimeout(() => turn(job), typeof every === 'number' ? every : every()),
    );
  }

  return {
    start: () => jobs.forEach(turn),
    processAll: async () => {
      for (let isBusy = true; isBusy;) {
        isBusy = false;
        for (const job of jobs) while (await job.run(stopping.signal)) isBusy = true;
      }
    },
    stop: async () => {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      // What has not ended by then is left to its lease.
      await waitFor([...underWay]);
      await waitFor(jobs.map(stopJob));
    },
  };
}

async function waitFor(work: readonly Promise<void>[]): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestStopMilliseconds);
  await Promise.race([Promise.all(work), tooLong]);
  clearTimeout(timer);
}
