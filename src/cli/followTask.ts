import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/lib/time.ts';
import type { TaskRow } from '../platform/work/tasks.queries.ts';
import { stoppedUntil } from '../platform/work/tasks.ts';
import type { Poller } from '../platform/work/worker.ts';
import { printNote } from './output.ts';
import { startProgress, type Progress } from './progress.ts';
import { stopOnSignal } from './stopOnSignal.ts';

type Followed = Pick<TaskRow, 'done' | 'total' | 'endedAt' | 'status' | 'leasedUntil'>;

type Following<T> = {
  clock: Clock;
  /** Takes the task on. A server that is running does so, too; the lease keeps them apart. */
  poller: Poller;
  /** What is counted, such as `rows`. */
  unit: string;
  read: () => Promise<T>;
  /** Looks at the task each time that it has been read. */
  note?: (task: T, progress: Progress) => void;
};

const lookAgainMilliseconds = 200;

/**
 * Works at a task and shows how far it is, until it has ended or a signal asks to stop: then `isStopped`, and the task
 * is as it was read last. The second signal ends the process at once. `signal` tells of one that comes after the end, too.
 */
export async function followTask<T extends Followed>({
  clock,
  poller,
  unit,
  read,
  note,
}: Following<T>): Promise<{ task: T; isStopped: boolean; signal: AbortSignal }> {
  const signal = stopOnSignal((name) => (process.exitCode = 128 + constants.signals[name]));
  const progress = startProgress(null, clock, process.stderr, unit);
  let toldStopped = 0;
  try {
    for (;;) {
      const task = await read();
      progress.report(Number(task.done), task.total === null ? null : Number(task.total));
      if (task.endedAt || signal.aborted) return { task, isStopped: !task.endedAt, signal };
      note?.(task, progress);
      if (await poller.run(signal)) continue;
      const until = stoppedUntil(task, clock.now());
      if (until && until.getTime() !== toldStopped) {
        toldStopped = until.getTime();
        progress.end();
        printNote(`A worker that stopped had it; it goes on by ${until.toISOString().slice(11, 19)} UTC.`);
      }
      await sleep(lookAgainMilliseconds, undefined, { signal }).catch(() => {});
    }
  } finally {
    progress.end();
  }
}
