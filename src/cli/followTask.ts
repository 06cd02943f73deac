import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PublicError } from '../platform/lib/errors.ts';
import type { Clock } from '../platform/lib/time.ts';
import type { TaskRow } from '../platform/work/tasks.queries.ts';
import { stoppedUntil } from '../platform/work/tasks.ts';
import type { Poller } from '../platform/work/worker.ts';
import { isServerAway } from './command.ts';
import { startProgress, stopOnSignal, type Progress } from './follow.ts';
import { printNote } from './output.ts';

type Followed = Pick<TaskRow, 'done' | 'total' | 'endedAt' | 'status' | 'leasedUntil'>;

type Following<T> = {
  clock: Clock;
  /** A running server works on the task, too. The lease keeps the two apart. */
  poller: Poller;
  unit: string;
  name: string;
  shownBy: string;
  read: () => Promise<T>;
  note?: (task: T, progress: Progress) => void;
};

const lookAgainMilliseconds = 200;

/**
 * Works on a task and shows its progress until it ends or Ctrl-C stops it (`isStopped`). A second Ctrl-C ends
 * the process. `signal` stays usable after the end.
 */
export async function followTask<T extends Followed>({
  clock,
  poller,
  unit,
  name,
  shownBy,
  read,
  note,
}: Following<T>): Promise<{ task: T; isStopped: boolean; signal: AbortSignal }> {
  const signal = stopOnSignal((received) => (process.exitCode = 128 + constants.signals[received]));
  const progress = startProgress(null, clock, process.stderr, unit);
  let printedStopped = 0;
  try {
    for (;;) {
      const task = await read();
      progress.report(Number(task.done), task.total === null ? null : Number(task.total));
      if (task.endedAt || signal.aborted) return { task, isStopped: !task.endedAt, signal };
      note?.(task, progress);
      if (await poller.run(signal)) continue;
      const until = stoppedUntil(task, clock.now());
      if (until && until.getTime() !== printedStopped) {
        printedStopped = until.getTime();
        progress.end();
        printNote(
          `Another worker stopped during this task; it continues by ${until.toISOString().slice(11, 19)} ` +
            'UTC.',
        );
      }
      await sleep(lookAgainMilliseconds, undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    if (!isServerAway(error)) throw error;
    const message =
      `The database has stopped. The ${name} continues when a server runs. To see its ` +
      `progress: ${shownBy}`;
    throw new PublicError('unavailable', 'database_away', message);
  } finally {
    progress.end();
  }
}
