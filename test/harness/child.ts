import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';

/** Those that `run.mjs` gives to the program, which starts slower without them. */
export const nodeFlags = process.execArgv.filter((flag) => /^--(wasm|preserve)/.test(flag));

/** A fixture that runs as a process of its own and is talked to line by line. */
export type Child = {
  pid: number;
  /** Its next line; throws what it complained of if it ends instead. */
  readLine: () => Promise<string>;
  writeLine: (text: string) => void;
  endInput: () => void;
  kill: () => Promise<void>;
  ended: Promise<{ exit: number | NodeJS.Signals; complaints: string }>;
};

/** Starts `test/fixtures/<fixture>`; it ends with the test file at the latest. */
export function startChild(fixture: string, ...args: string[]): Child {
  const script = new URL(`../fixtures/${fixture}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...nodeFlags, script, ...args]);
  after(() => void child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk));
  // What is written to a child that has been killed is lost, as it should be.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close').then(([code, signal]) => ({ exit: code ?? signal, complaints }));
  return {
    pid: child.pid!,
    readLine: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${fixture} ended: ${(await ended).complaints}`);
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
