import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Work that is done again and again. `run` does a piece of it and answers whether there may be more. */
export type Job = { name: string; everyMilliseconds: number; run: () => Promise<boolean> };

export type Worker = {
  /** Runs every job from now on, each at its own pace and never twice at once. */
  start: () => void;
  /** Runs all jobs until none of them finds anything to do; for tests, and before a measurement. */
  processAll: () => Promise<void>;
  /** Begins nothing new, and waits for what is under way, but no longer than ten seconds. */
  stop: () => Promise<void>;
};

const longestStopMilliseconds = 10_000;

/** A worker for these jobs. A job that fails is logged and tried again at its next turn. */
export function createWorker(jobs: readonly Job[], log: Pick<Logger, 'error'>): Worker {
  const stopping = new AbortController();
  const timers = new Map<Job, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();

  async function runAll({ name, run }: Job): Promise<void> {
    try {
      while (!stopping.signal.aborted && (await run()));
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
    timers.set(
      job,
      setTimeout(() => turn(job), job.everyMilliseconds),
    );
  }

  return {
    start: () => jobs.forEach(turn),
    processAll: async () => {
      for (let isBusy = true; isBusy;) {
        isBusy = false;
        for (const job of jobs) while (await job.run()) isBusy = true;
      }
    },
    stop: async () => {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      const tooLong = new AbortController();
      const { signal } = tooLong;
      // What has not ended by then is left to its lease.
      await Promise.race([Promise.all(underWay), delay(longestStopMilliseconds, undefined, { signal })]);
      tooLong.abort();
    },
  };
}
