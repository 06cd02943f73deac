import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PublicError } from '../platform/lib/errors.ts';
import type { Clock } from '../platform/lib/time.ts';
import type { TaskRow } from '../platform/work/tasks.queries.ts';
import { stoppedUntil } from '../platform/work/tasks.ts';
import type { Poller } from '../platform/work/worker.ts';
import { isServerAway } from './command.ts';
import { formatDuration, formatCount, printNote } from './output.ts';

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
  report: (done: number, total?: number | null) => void;
  end: () => void;
};

export type ProgressOutput = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

const secondsBetweenLines = 5;

export function startProgress(
  total: number | null,
  clock: Clock,
  output: ProgressOutput = process.stderr,
  unit = 'runs',
): Progress {
  const startedAt = clock.now().getTime();
  let lineAfterSeconds = secondsBetweenLines;
  let known = total;
  let printed = '';
  const report = (done: number, newTotal = known): void => {
    known = newTotal;
    const seconds = (clock.now().getTime() - startedAt) / 1_000;
    const text = progressText(done, known, seconds, unit);
    if (output.isTTY) {
      const line = withBar(text, shareOf(done, known), output.columns ?? 80);
      return void output.write(`\r\u001B[K${line}`);
    }
    const state = `${done} ${known}`;
    if (seconds < lineAfterSeconds || state === printed || done === 0) return;
    printed = state;
    lineAfterSeconds = seconds + secondsBetweenLines;
    output.write(`${text}\n`);
  };
  report(0);
  return { report, end: () => void (output.isTTY && output.write('\n')) };
}

function shareOf(done: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}

/** ` 62%  12,400 of 20,000 runs  1,520 runs/s  5 s left` */
export function progressText(done: number, total: number | null, seconds: number, unit = 'runs'): string {
  const share = shareOf(done, total);
  const begin = share === null ? '' : `${`${Math.floor(100 * share)}%`.padStart(4)}  `;
  const count = `${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} ${unit}`;
  if (done === 0 || seconds === 0) return `${begin}${count}`;
  const rate = done / seconds;
  const left = total !== null && done < total ? `  ${formatDuration((total - done) / rate)} left` : '';
  return `${begin}${count}  ${formatCount(Math.round(rate))} ${unit}/s${left}`;
}

const maxBarWidth = 30;

const minBarWidth = 5;

/** Adds the bar only if the terminal is wide enough, because a wrapped line could not be redrawn. */
function withBar(text: string, share: number | null, columns: number): string {
  const width = Math.min(maxBarWidth, columns - text.length - 2);
  if (share === null || width < minBarWidth) return text.slice(0, columns - 1);
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`;
}
