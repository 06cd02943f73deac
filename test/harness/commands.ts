import assert from 'node:assert/strict';
import { runCommand, type CommandResult } from './program.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of an answer by reading it
export type Json = any;

/** The commands of one group, such as `alert`, with these settings. */
export function commandsOf(group: string, settings: Record<string, string>) {
  const run = (...args: string[]): Promise<CommandResult> => runCommand([group, ...args], settings);
  return {
    run,
    /** What a command, named in full, prints with `--json`: one line, and nothing beside it. */
    json: async (...args: string[]): Promise<Json> => {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], settings);
      assert.deepEqual([code, stderr], [0, '']);
      assert.equal(stdout.trim().split('\n').length, 1);
      return JSON.parse(stdout);
    },
    /** Without `--json`: what is on standard output, and what is told beside it. */
    told: async (...args: string[]): Promise<[stdout: string, stderr: string]> => {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      return [stdout, stderr];
    },
  };
}
