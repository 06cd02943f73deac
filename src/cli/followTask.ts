import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../platform/db/database.ts';
import { PublicError } from '../platform/lib/errors.ts';
import type { Clock } from '../platform/lib/time.ts';
import type { TaskRow } from '../platform/work/tasks.queries.ts';
import { stoppedUntil } from '../platform/work/tasks.ts';
import type { Poller } from '../platform/work/worker.ts';
import { formatCount, printNote } from './output.ts';

type Followed = Pick<TaskRow, 'done' | 'total' | 'endedAt' | 'status' | 'leasedUntil'>;

type Following<T> = {
  clock: Clock;
  /** Takes the task on. A server that is running does so, too; the lease keeps them apart. */
  poller: Poller;
  /** What is counted, such as `rows`. */
  unit: string;
  /** What the task is, such as `reprice`, and where people see how far it is. */
  name: string;
  shownBy: string;
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
  name,
  shownBy,
  read,
  note,
}: Following<T>): Promise<{ task: T; isStopped: boolean; signal: AbortSignal }> {
  const signal = stopOnSignal((received) => (process.exitCode = 128 + constants.signals[received]));
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
  } catch (error) {
    if (!isDatabaseAway(error) && !isDatabaseAway((error as Error).cause)) throw error;
    const message = `The server of the database has stopped. The ${name} continues when it runs again. To look at it: ${shownBy}`;
    throw new PublicError('unavailable', 'database_away', message);
  } finally {
    progress.end();
  }
}

/** Aborted by the first signal to stop, of which `onStop` hears; the second one ends the process at once. */
export function stopOnSignal(onStop?: (name: NodeJS.Signals) => void): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      onStop?.(name);
      stopping.abort();
    });
  }
  return stopping.signal;
}

export type Progress = {
  /** So many are done, all in all; the total as it is known by now, unless it stays as it was. */
  report: (done: number, total?: number | null) => void;
  /** Leaves the bar as it is and goes on below it. */
  end: () => void;
};

/** Where progress is shown: a terminal gets a bar that is redrawn, everything else a line now and then. */
export type ProgressOutput = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

const secondsBetweenLines = 5;

/** Shows how far a work on `total` runs, or other units, has come, how fast it is and how long it will take. */
export function startProgress(
  total: number | null,
  clock: Clock,
  output: ProgressOutput = process.stderr,
  unit = 'runs',
): Progress {
  const startedAt = clock.now().getTime();
  let lineAfterSeconds = secondsBetweenLines;
  let known = total;
  const report = (done: number, newTotal = known): void => {
    known = newTotal;
    const seconds = (clock.now().getTime() - startedAt) / 1_000;
    const text = progressText(done, known, seconds, unit);
    if (output.isTTY) {
      const line = withBar(text, shareOf(done, known), output.columns ?? 80);
      return void output.write(`\r\u001B[K${line}`);
    }
    if (seconds < lineAfterSeconds) return;
    lineAfterSeconds = seconds + secondsBetweenLines;
    output.write(`${text}\n`);
  };
  report(0);
  return { report, end: () => void (output.isTTY && output.write('\n')) };
}

/** Null where the total is not known; never above 1, though more may be done than was reckoned with. */
function shareOf(done: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}

/**
 * `62 %  12,400 of 20,000 runs  1,520 runs/s  5 s left`; the speed and what follows from it once there is one, the
 * share where the total is known.
 */
export function progressText(done: number, total: number | null, seconds: number, unit = 'runs'): string {
  const share = shareOf(done, total);
  const begin = share === null ? '' : `${`${Math.floor(100 * share)} %`.padStart(5)}  `;
  const count = `${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} ${unit}`;
  if (done === 0 || seconds === 0) return `${begin}${count}`;
  const rate = done / seconds;
  const left = total !== null && done < total ? `  ${formatDuration((total - done) / rate)} left` : '';
  return `${begin}${count}  ${formatCount(Math.round(rate))} ${unit}/s${left}`;
}

const widestBar = 30;

const narrowestBar = 5;

/** The text with a bar before it, where the terminal has the room: a line that wraps could not be redrawn. */
function withBar(text: string, share: number | null, columns: number): string {
  const width = Math.min(widestBar, columns - text.length - 2);
  if (share === null || width < narrowestBar) return text.slice(0, columns - 1);
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`;
}

/** Whole seconds, with minutes from one on: `1 min 05 s`. */
function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
