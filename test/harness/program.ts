import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { printError } from '../../src/cli/output.ts';
import { buildCli } from '../../src/cli/program.ts';
import { embeddedTemplate } from './embeddedTemplate.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
/** Starts the program with the flags of `run.mjs`. */
const start = [...process.execArgv.filter((flag) => flag.startsWith('--wasm')), main];

/** A copy of a data folder, by default with an empty database. Removed after the test file. */
export async function newDataDir(template?: string): Promise<string> {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'runcost-data-'));
  cpSync(template ?? (await embeddedTemplate()), folder, { recursive: true });
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type RunningServer = {
  process: ChildProcess;
  /** `http://127.0.0.1:PORT` */
  address: string;
  printed: () => string;
  stderr: () => string;
  /** An owner's token of the organization that the first start creates. Null at later starts. */
  ownerToken: string | null;
  /** Resolves with the exit code or the signal. */
  ended: Promise<number | string>;
};

/** Starts the real server on a free port. */
export async function startServer(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [...start, 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: '',
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  const greeted = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (/Organization +\S+[^]*\n\n/.test(printed)) resolve();
    });
  });
  await Promise.race([
    greeted,
    ended.then((code) => assert.fail(`the server ended with ${code}: ${stderr}`)),
  ]);
  const address = /Runcost is at (\S+)/.exec(printed)![1]!;
  const ownerToken = printed.includes('/sign-in#code=') ? await createOwnerToken(dataDir) : null;
  return { process: child, address, printed: () => printed, stderr: () => stderr, ownerToken, ended };
}

/** The server prints a token only to a terminal. */
async function createOwnerToken(dataDir: string): Promise<string> {
  const args = ['token', 'create', '--name', 'first start', '--role', 'owner'];
  const { stdout, stderr } = await runCommand(args, { DATA_DIR: dataDir });
  assert.match(stdout, /^runcost_/, stderr);
  return stdout.trim();
}

export type Owner = { orgId: string; token: string };

/** The organization that the first start created, and its owner's token. */
export function ownerOf(server: RunningServer): Owner {
  const orgId = /Organization +(\S+)/.exec(server.printed())![1]!;
  return { orgId, token: server.ownerToken! };
}

export type CommandResult = { code: number; stdout: string; stderr: string };

/** Runs a command of the real program in a separate process. */
export async function spawnCommand(
  args: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...start, ...args], {
    env: { ...process.env, DATABASE_URL: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code: code as number, stdout, stderr };
}

type Output = { stdout: string; stderr: string };

const capturing = new AsyncLocalStorage<Output>();
let lastCommand: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, three times as fast. Commands run in sequence, because they share the environment. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const result = lastCommand.then(() => runHere(args, { DATABASE_URL: '', NO_COLOR: '1', ...environment }));
  lastCommand = result.catch(() => {});
  // Without `await`, node:test would count what follows toward the file that created the promise.
  return await result;
}

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Like `main.ts`. */
async function parse(argv: string[]): Promise<void> {
  try {
    await buildCli().parseAsync(argv);
  } catch (error) {
    if (error instanceof Exit) throw error;
    printError(error);
    process.exitCode = 1;
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const;

async function runHere(args: string[], environment: Record<string, string>): Promise<CommandResult> {
  captureOutput();
  const { env, exitCode } = process;
  const exit = process.exit.bind(process);
  const listenersBefore = signals.map((signal) => process.listeners(signal));
  process.env = { ...env, ...environment };
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  process.exitCode = 0;
  const terminals = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY);
  for (const stream of terminals) stream.isTTY = false;
  const output = { stdout: '', stderr: '' };
  try {
    await capturing.run(output, () => parse(['node', 'runcost', ...args]));
    return { code: process.exitCode, ...output };
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, ...output };
    throw error;
  } finally {
    process.env = env;
    process.exit = exit;
    process.exitCode = exitCode;
    for (const stream of terminals) stream.isTTY = true;
    for (const [index, signal] of signals.entries()) {
      const added = process.listeners(signal).filter((each) => !listenersBefore[index]!.includes(each));
      for (const listener of added) process.off(signal, listener);
    }
  }
}

let isCapturing = false;

/** From now on, output of `runHere` goes to its result. Other output is unchanged. */
function captureOutput(): void {
  if (isCapturing) return;
  isCapturing = true;
  for (const name of ['stdout', 'stderr'] as const) {
    const write = process[name].write.bind(process[name]) as (...args: unknown[]) => boolean;
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const output = capturing.getStore();
      if (!output) return write(chunk, ...rest);
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const written = rest.find((each) => typeof each === 'function');
      if (written) process.nextTick(written as () => void);
      return true;
    }) as typeof process.stdout.write;
  }
}
