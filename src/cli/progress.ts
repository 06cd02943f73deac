import type { Clock } from '../lib/clock.ts';

export type Progress = {
  /** So many are done, all in all. */
  report: (done: number) => void;
  /** Leaves the bar as it is and goes on below it. */
  end: () => void;
};

/** Where progress is shown: a terminal gets a bar that is redrawn, everything else a line now and then. */
export type ProgressOutput = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

const secondsBetweenLines = 5;

/** Shows how far a work on `total` runs has come, how fast it is and how long it will take. */
export function startProgress(
  total: number,
  clock: Clock,
  output: ProgressOutput = process.stderr,
): Progress {
  const startedAt = clock.now().getTime();
  let lineAfterSeconds = secondsBetweenLines;
  const report = (done: number): void => {
    const seconds = (clock.now().getTime() - startedAt) / 1_000;
    const text = progressText(done, total, seconds);
    if (output.isTTY)
      return void output.write(`\r\u001B[K${withBar(text, done / total, output.columns ?? 80)}`);
    if (seconds < lineAfterSeconds) return;
    lineAfterSeconds = seconds + secondsBetweenLines;
    output.write(`${text}\n`);
  };
  report(0);
  return { report, end: () => void (output.isTTY && output.write('\n')) };
}

/** `62 %  12,400 of 20,000 runs  1,520 runs/s  5 s left`; the speed and what follows from it once there is one. */
export function progressText(done: number, total: number, seconds: number): string {
  const share = `${Math.floor((100 * done) / total)} %`.padStart(5);
  const count = `${formatCount(done)} of ${formatCount(total)} runs`;
  if (done === 0 || seconds === 0) return `${share}  ${count}`;
  const rate = done / seconds;
  const left = done < total ? `  ${formatDuration((total - done) / rate)} left` : '';
  return `${share}  ${count}  ${formatCount(Math.round(rate))} runs/s${left}`;
}

const widestBar = 30;
const narrowestBar = 5;

/** The text with a bar before it, where the terminal has the room: a line that wraps could not be redrawn. */
function withBar(text: string, share: number, columns: number): string {
  const width = Math.min(widestBar, columns - text.length - 2);
  if (width < narrowestBar) return text.slice(0, columns - 1);
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`;
}

/** `20,000` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Whole seconds, with minutes from one on: `1 min 05 s`. */
function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
