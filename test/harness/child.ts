import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';

/** The Node flags of `run.mjs`, which make the program start faster. */
export const nodeFlags = process.execArgv.filter((flag) => /^--(wasm|preserve)/.test(flag));

/** A fixture in a separate process. It reads and writes lines. */
export type Child = {
  pid: number;
  /** The next line. Throws with its stderr if the process ends. */
  readLine: () => Promise<string>;
  writeLine: (text: string) => void;
  endInput: () => void;
  kill: () => Promise<void>;
  ended: Promise<{ exit: number | NodeJS.Signals; stderr: string }>;
};

/** Starts `test/fixtures/<fixture>`. It is killed after the test file. */
export function startChild(fixture: string, ...args: string[]): Child {
  const script = new URL(`../fixtures/${fixture}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...nodeFlags, script, ...args]);
  after(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  // Writing to a killed child is no error.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close').then(([code, signal]) => ({ exit: code ?? signal, stderr }));
  return {
    pid: child.pid!,
    readLine: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${fixture} ended: ${(await ended).stderr}`);
      return value;
    },
    writeLine: (text) => void child.stdin.write(`${text}\n`),
    endInput: () => void child.stdin.end(),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}
