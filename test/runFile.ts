import { spawnSync, type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';

export type FileResult = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
  /** What node:test's reporters print of the failures. */
  failures: TestEvent[];
  /** The runner's own findings, what was skipped, and all the file printed. */
  notes: string[];
};

const longestMs = 360_000;

/**
 * Runs one test file in a process of its own. Counts its tests, the suites skipped and the hooks that failed; a
 * file without a test, or ending before its tests do, or killed for taking too long, counts as a failure itself.
 */
export async function runFile(file: string, env: NodeJS.ProcessEnv): Promise<FileResult> {
  const result: FileResult = {
    file,
    passed: 0,
    failed: 0,
    skipped: 0,
    durationMs: 0,
    failures: [],
    notes: [],
  };
  const running = new Set<string>();
  let cameToItsEnd = false;
  const startedAt = performance.now();
  for await (const event of run({ files: [file], isolation: 'process', env })) {
    const { type, data } = event as TestEvent;
    if (type === 'test:dequeue' && data.name !== file) running.add(data.name);
    if (type === 'test:complete') running.delete(data.name);
    if (type === 'test:summary' && data.file) cameToItsEnd = true;
    count(event as TestEvent, result);
  }
  result.durationMs = Math.round(performance.now() - startedAt);
  if (killed.delete(file)) {
    const tests = [...running].join(', ') || 'a test that kept the process busy, or something left open';
    result.notes.unshift(`killed after ${longestMs / 1000} s, in: ${tests}`);
  } else if (!cameToItsEnd && result.failed === 0) {
    result.failed++;
    result.notes.unshift('has no test, or ended its process before its tests were done');
  }
  return result;
}

function count({ type, data }: TestEvent, result: FileResult): void {
  switch (type) {
    case 'test:pass':
      if (data.skip !== undefined || data.todo !== undefined) skip(data, result);
      else if (data.details.type !== 'suite' && data.name !== result.file) result.passed++;
      break;
    case 'test:fail':
      if (data.todo !== undefined) return skip(data, result);
      if (!onlyItsTestsFailed(data.details)) result.failed++;
      if ('exitCode' in data.details.error) result.notes.push(howProcessEnded(data.details.error));
      else result.failures.push({ type, data });
      break;
    case 'test:diagnostic':
      if (data.file !== undefined) result.notes.push(data.message);
      break;
    case 'test:stdout':
    case 'test:stderr':
      result.notes.push(data.message.trimEnd());
      break;
  }
}

/** A suite whose tests failed is named in the report but is not one more failure; one whose hook failed is. */
function onlyItsTestsFailed({
  type,
  error,
}: {
  type?: string;
  error: Error & { failureType?: string };
}): boolean {
  return type === 'suite' && error.failureType === 'subtestsFailed';
}

function howProcessEnded({ signal, exitCode }: { signal?: string | null; exitCode?: unknown }): string {
  return signal
    ? `its process was ended by ${signal}`
    : `its process ended with exit code ${Number(exitCode)}`;
}

type Skipped = { name: string; skip?: string | boolean; todo?: string | boolean };

function skip({ name, skip: reason, todo }: Skipped, result: FileResult): void {
  result.skipped++;
  const why = [reason, todo].find((word) => typeof word === 'string' && word !== '');
  result.notes.push(`skipped: ${name}${why ? ` (${why})` : ''}`);
}

const processes = new Set<ChildProcess>();
const killed = new Set<string>();

// `run()` ends a file with SIGTERM only, which a busy loop never sees, so the runner holds on to the processes itself.
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  const timer = setTimeout(() => {
    const file = child.spawnargs.at(-1)!;
    killed.add(file);
    console.error(`${relative('.', file)} is killed: it hangs.`);
    killTree(child.pid!);
  }, longestMs);
  processes.add(child);
  child.once('exit', () => {
    clearTimeout(timer);
    processes.delete(child);
  });
});

/** Ends all test files that are still running. */
export function killFiles(): void {
  for (const child of processes) killTree(child.pid!);
}

/** A test that starts the program must not leave it behind. */
function killTree(pid: number): void {
  const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
  for (const child of children.split('\n').filter(Boolean)) killTree(Number(child));
}
