import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { coverageFlags, type CoveredLines } from './coverage.ts';

export type FileResult = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
  /** The failures as node:test prints them. */
  failures: string;
  /** Skipped tests, and errors outside of tests. */
  notes: string[];
};

/** The next file; null when none is left. */
export type ToWorker = { file: string | null };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'started'; name: string }
  | { type: 'coverage'; files: CoveredLines[] }
  | { type: 'result'; result: FileResult };

/** Browser tests go to few processes, because each process has its own browser. Other files go to any process. */
type Files = { ofBrowser: string[]; others: string[] };
type Options = {
  env: NodeJS.ProcessEnv;
  workers: number;
  /** After this time, a file has hung. Busy machines take several times as long as quiet ones. */
  maxFileMs: number;
  onResult: (result: FileResult) => void;
  /** Null without coverage. */
  onCoverage: ((files: CoveredLines[]) => void) | null;
};

/** A single process would need longer for all browser tests than the others for the rest. */
const browsers = 2;
const maxExitMs = 120_000;
const processes = new Set<ChildProcess>();

/**
 * Runs the files in a few processes. Each process takes the next file when it finishes one. A file without a test, one that
 * ends its process, and one that hangs are failures. A process that ended is replaced.
 */
export async function runFiles(
  { ofBrowser, others }: Files,
  { onResult, ...options }: Options,
): Promise<void> {
  const files = [...ofBrowser, ...others];
  const [forBrowsers, forAll] = [ofBrowser.values(), others.values()];
  const missing = new Set(files);
  const finish = (result: FileResult) => {
    missing.delete(result.file);
    onResult(result);
  };
  const work = async (hasBrowser: boolean) => {
    const queue = hasBrowser ? oneAfterAnother(forBrowsers, forAll) : forAll;
    while ((await runWorker(queue, { ...options, onResult: finish })) === 'cut off') continue;
  };
  const workers = Math.min(options.workers, files.length);
  await Promise.all(Array.from({ length: workers }, (_, index) => work(index < browsers)));
  for (const file of missing) onResult(failure(file, 'was not run: the workers ended before it'));
}

/** Unlike `yield*`, leaves the iterators open for others. */
function* oneAfterAnother(first: Iterator<string>, second: Iterator<string>) {
  for (const files of [first, second]) {
    for (let next = files.next(); !next.done; next = files.next()) yield next.value;
  }
}

/** Runs one process. Returns `cut off` if it ended during a file. */
function runWorker(queue: Iterator<string, unknown>, { env, maxFileMs, onResult, onCoverage }: Options) {
  const reporter = ['--test-reporter', join(import.meta.dirname, 'workerReporter.ts')];
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    env,
    execArgv: [...process.execArgv, ...(onCoverage ? coverageFlags : []), ...reporter],
  });
  processes.add(child);
  const state = { file: null as string | null, startedAt: 0, lastStarted: '', failed: 0, isReady: false };
  let hasHung = false;
  let timer: NodeJS.Timeout | undefined;
  const restartTimer = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hasHung = true;
      killTree(child.pid!);
    }, ms);
  };
  const finish = (result: FileResult) => {
    state.failed += result.failed;
    const durationMs = result.file === state.file ? Math.round(performance.now() - state.startedAt) : 0;
    if (result.file === state.file) state.file = null;
    onResult({ ...result, durationMs });
  };
  /** A file's result may arrive after its worker is ready for the next file. */
  const sendNext = () => {
    if (!state.isReady || state.file !== null) return;
    state.isReady = false;
    const next = queue.next();
    state.file = next.done ? null : next.value;
    state.startedAt = performance.now();
    restartTimer(state.file === null ? maxExitMs : maxFileMs);
    child.send({ file: state.file } satisfies ToWorker);
  };
  restartTimer(maxExitMs);
  child.on('message', (message: FromWorker) => {
    if (message.type === 'started') state.lastStarted = message.name;
    else if (message.type === 'ready') state.isReady = true;
    else if (message.type === 'coverage') onCoverage?.(message.files);
    else finish(message.result);
    sendNext();
  });
  return new Promise<'cut off' | 'done'>((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      processes.delete(child);
      const why = hasHung ? 'hung and was killed' : `ended its process with ${signal ?? code}`;
      if (state.file !== null) {
        finish(failure(state.file, `${why}, after ${state.lastStarted || 'its start'}`));
        return resolve('cut off');
      }
      // After failed tests, node:test sets exit code 1.
      const isExpected = code === 0 || (code === 1 && state.failed > 0);
      if (!isExpected) onResult(failure('a worker', `${why}, after ${state.lastStarted || 'its start'}`));
      resolve('done');
    });
  });
}

function failure(file: string, note: string): FileResult {
  return { file, passed: 0, failed: 1, skipped: 0, durationMs: 0, failures: '', notes: [note] };
}

export function killWorkers(): void {
  for (const child of processes) killTree(child.pid!);
}

/** Also kills the programs that the tests started. */
function killTree(pid: number): void {
  const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  for (const child of children.split('\n').filter(Boolean)) killTree(Number(child));
}
