import assert from 'node:assert/strict';
import { runCommand, type CommandResult } from './program.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts the shape of its responses
export type Json = any;

/** On a busy machine, commands take over five seconds and also report progress. */
const progressLines = /^ *(\d+% {2})?[\d,]+( of [\d,]+)? \w+( {2}.*)?\n/gm;

export function commandsOf(group: string, settings: Record<string, string>) {
  const run = (...args: string[]): Promise<CommandResult> => runCommand([group, ...args], settings);
  return {
    run,
    /** The output with `--json`, which must be one line. */
    json: async (...args: string[]): Promise<Json> => {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], settings);
      assert.deepEqual([code, stderr.replaceAll(progressLines, '')], [0, '']);
      assert.equal(stdout.trim().split('\n').length, 1);
      return JSON.parse(stdout);
    },
    /** The output without `--json`. */
    printed: async (...args: string[]): Promise<[stdout: string, stderr: string]> => {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      return [stdout, stderr];
    },
  };
}
