import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';

const root = join(import.meta.dirname, '..');

/** Runs a file of this folder, like `runTool`. */
export function runScript(file: string): Promise<boolean> {
  return runHere(file, join(import.meta.dirname, file), []);
}

/**
 * Runs a command of a development dependency in the project's folder and prints its time, and its output if it failed.
 * Returns whether it succeeded.
 */
export function runTool(command: string, ...args: string[]): Promise<boolean> {
  // Run directly, these scripts would use any Node on the PATH.
  return runHere(
    [command, ...args.filter((arg) => !arg.startsWith('-'))].join(' '),
    join(root, 'node_modules/.bin', command),
    args,
  );
}

async function runHere(name: string, file: string, args: string[]): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
  const [isGood, ...output] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isGood ? styleText('green', '✔') : styleText('red', '✖')} ${name} (${seconds} s)`);
  if (!isGood) console.log(output.filter(Boolean).join('\n'));
  return isGood;
}
