import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../operations.ts';
import { commandPrefix } from '../platform/lib/commandLine.ts';
import { systemClock, type Clock } from '../platform/lib/time.ts';
import { CommandError } from './faults.ts';
import { formatCount, formatDuration, printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';

type Followed = {
  /** The verb that reads the task, and its input. */
  get: string;
  input: Input;
  /** What its progress counts. */
  unit: string;
  /** The command that continues to watch, if it is not the verb's. */
  again?: string;
  /** Where the answer has its progress, if it is no `progress`. */
  progressOf?: (task: Answer) => { done: number; total: number | null };
  /** What to say of a task that has not ended, such as why it waits. */
  noteOf?: (task: Answer) => string;
  /** Ends the watch, if the command has its own. */
  signal?: AbortSignal;
};

const firstPauseMilliseconds = 100;
/** Plans limit requests per minute. */
const longestPauseMilliseconds = 3_000;

/** Shows the progress of a server's task until it ends. Ctrl-C ends only the watch: the result is undefined. */
export async function follow(session: Session, followed: Followed): Promise<Answer> {
  const {
    get,
    input,
    unit,
    progressOf = ({ progress }) => progress,
    noteOf,
    signal = interruption(),
  } = followed;
  let progress: Progress | undefined;
  let noted = '';
  try {
    for (let pause = firstPauseMilliseconds; ; pause = Math.min(1.5 * pause, longestPauseMilliseconds)) {
      const task = await session.call(get, input);
      const { done, total } = progressOf(task);
      progress ??= startProgress(total, systemClock, process.stderr, unit, done);
      progress.report(done, total);
      if (task.ended_at !== null) return requireNotFailed(task, nameOf(followed));
      const note = noteOf?.(task) ?? '';
      if (note !== noted && note !== '') {
        progress.end();
        printNote(note);
      }
      noted = note;
      if (!signal.aborted) await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!(error instanceof CommandError) || error.kind !== 'away') throw error;
    const message = `${error.message}\nThe ${nameOf(followed)} continues when the server runs. ${lookAgain(followed)}`;
    throw new CommandError(message, 'away', { cause: error });
  } finally {
    progress?.end();
  }
  printNote(`Stopped watching; the ${nameOf(followed)} continues. ${lookAgain(followed)}`);
  return undefined;
}

function requireNotFailed(task: Answer, name: string): Answer {
  if (task.status === 'failed') throw new CommandError(task.error ?? `The ${name} has failed.`);
  return task;
}

/** `backfill` of `backfill get` */
function nameOf({ get }: Followed): string {
  return get.replace(/ get$/, '');
}

function lookAgain(followed: Followed): string {
  const { get, input, again = get } = followed;
  const ids = Object.values(input).join(' ');
  const cancel = `${nameOf(followed)} cancel`;
  const canCancel = operations.some(({ name }) => name === cancel);
  return (
    `To see it: ${commandPrefix} ${again} ${ids}` +
    (canCancel ? `. To cancel it: ${commandPrefix} ${cancel} ${ids}` : '')
  );
}

/** Aborted by Ctrl-C, after which the command ends like one that the signal has ended. */
export function interruption(): AbortSignal {
  return stopOnSignal((received) => (process.exitCode = 128 + constants.signals[received]));
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

type Report = (done: number, total?: number | null) => void;
type Progress = { report: Report; end: () => void };

/** Shows what `work` reports until it ends. */
export async function withProgress<T>(
  { total, unit }: { total: number | null; unit: string },
  work: (report: Report) => Promise<T>,
): Promise<T> {
  const progress = startProgress(total, systemClock, process.stderr, unit);
  try {
    return await work(progress.report);
  } finally {
    progress.end();
  }
}

type ProgressOutput = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

const secondsBetweenLines = 5;

export function startProgress(
  total: number | null,
  clock: Clock,
  output: ProgressOutput = process.stderr,
  unit = 'runs',
  before = 0,
): Progress {
  const startedAt = clock.now().getTime();
  let lineAfterSeconds = secondsBetweenLines;
  let known = total;
  let printed = `${before} ${total}`;
  const report = (done: number, newTotal = known): void => {
    known = newTotal;
    const seconds = (clock.now().getTime() - startedAt) / 1_000;
    const text = progressText({ done, total: known, seconds, unit, before });
    if (output.isTTY) {
      const line = withBar(text, fractionOf(done, known), output.columns ?? 80);
      return void output.write(`\r\u001B[K${line}`);
    }
    const state = `${done} ${known}`;
    if (seconds < lineAfterSeconds || state === printed || done === 0) return;
    printed = state;
    lineAfterSeconds = seconds + secondsBetweenLines;
    output.write(`${text}\n`);
  };
  report(before);
  return { report, end: () => void (output.isTTY && output.write('\n')) };
}

function fractionOf(done: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}

type Shown = { done: number; total: number | null; seconds: number; unit?: string; before?: number };

/** Until then, a pace says more about the start than about the work. */
const meaningfulSeconds = 2;

/** ` 62%  12,400 of 20,000 runs  1,520 runs/s  5 s left`. The pace leaves out what was done `before`. */
export function progressText({ done, total, seconds, unit = 'runs', before = 0 }: Shown): string {
  const fraction = fractionOf(done, total);
  const begin = fraction === null ? '' : `${`${Math.floor(100 * fraction)}%`.padStart(4)}  `;
  const count = `${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} ${unit}`;
  const fresh = done - before;
  if (fresh <= 0 || seconds < meaningfulSeconds) return `${begin}${count}`;
  const rate = fresh / seconds;
  const pace =
    rate >= 1
      ? `${formatCount(Math.round(rate))} ${unit}/s`
      : `${formatCount(Math.round(rate * 60))} ${unit}/min`;
  const left = total !== null && done < total ? `  ${formatDuration((total - done) / rate)} left` : '';
  return `${begin}${count}  ${pace}${left}`;
}

const maxBarWidth = 30;

const minBarWidth = 5;

/** Adds the bar only if the terminal is wide enough, because a wrapped line could not be redrawn. */
function withBar(text: string, fraction: number | null, columns: number): string {
  const width = Math.min(maxBarWidth, columns - text.length - 2);
  if (fraction === null || width < minBarWidth) return text.slice(0, columns - 1);
  const filled = Math.floor(fraction * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`;
}
