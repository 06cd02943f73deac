import type { Clock } from '../platform/lib/time.ts';

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
