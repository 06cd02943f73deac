import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';

const root = join(import.meta.dirname, '..');

/** Runs a file of this folder in a process of its own, as `runTool` does. */
export function runScript(file: string): Promise<boolean> {
  return runHere(file, join(import.meta.dirname, file), []);
}

/**
 * Runs a development dependency's command in the project's folder, prints a line with its time, and all it said if it
 * failed. Answers whether it succeeded.
 */
export function runTool(command: string, ...args: string[]): Promise<boolean> {
  // The commands are scripts that would look for a Node on the PATH: they are to run with this one.
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
  const [isGood, ...said] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isGood ? styleText('green', '✔') : styleText('red', '✖')} ${name} (${seconds} s)`);
  if (!isGood) console.log(said.filter(Boolean).join('\n'));
  return isGood;
}
