import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export type FileResult = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
  /** The failures as node:test prints them. */
  failures: string;
  /** What was skipped, and what went wrong outside of the tests. */
  notes: string[];
};

/** The next file; null when none is left. */
export type ToWorker = { file: string | null };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'started'; name: string }
  | { type: 'result'; result: FileResult };

type Options = { env: NodeJS.ProcessEnv; workers: number; onResult: (result: FileResult) => void };

const maxFileMs = 360_000;
const maxExitMs = 30_000;
const processes = new Set<ChildProcess>();

/**
 * Runs the files in a few processes, each of which takes the next file when it has finished one. A file without a test, one
 * that ends its process, and one that hangs count as failures; a process that ended is replaced.
 */
export async function runFiles(files: string[], options: Options): Promise<void> {
  const queue = files.values();
  const work = async () => {
    while ((await runWorker(queue, options)) === 'cut off') continue;
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, files.length) }, work));
}

/** One process: `cut off` when it ended within a file. */
function runWorker(queue: Iterator<string, undefined>, { env, onResult }: Options) {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    env,
    execArgv: ['--test-reporter', join(import.meta.dirname, 'workerReporter.ts')],
  });
  processes.add(child);
  const unfinished = new Map<string, number>();
  let lastStarted = '';
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
    const durationMs = Math.round(performance.now() - (unfinished.get(result.file) ?? 0));
    unfinished.delete(result.file);
    onResult({ ...result, durationMs });
  };
  child.on('message', (message: FromWorker) => {
    if (message.type === 'started') lastStarted = message.name;
    if (message.type === 'result') finish(message.result);
    if (message.type !== 'ready') return;
    const file = queue.next().value ?? null;
    if (file !== null) unfinished.set(file, performance.now());
    restartTimer(file === null ? maxExitMs : maxFileMs);
    child.send({ file } satisfies ToWorker);
  });
  return new Promise<'cut off' | 'done'>((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      processes.delete(child);
      const isCutOff = unfinished.size > 0;
      const why = hasHung ? 'hung and was killed' : `ended its process with ${signal ?? code}`;
      for (const file of unfinished.keys()) finish(failure(file, `${why}, in: ${lastStarted}`));
      if (!isCutOff && hasHung) onResult(failure('a worker', 'did not exit: a test left something open'));
      resolve(isCutOff ? 'cut off' : 'done');
    });
  });
}

function failure(file: string, note: string): FileResult {
  return { file, passed: 0, failed: 1, skipped: 0, durationMs: 0, failures: '', notes: [note] };
}

/** Kills the workers, for the end of the runner. */
export function killWorkers(): void {
  for (const child of processes) killTree(child.pid!);
}

/** Kills a process and the programs that its tests started. */
function killTree(pid: number): void {
  const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
  for (const child of children.split('\n').filter(Boolean)) killTree(Number(child));
}
