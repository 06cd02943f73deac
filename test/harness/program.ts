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
import { openDatabase } from '../../src/platform/db/database.ts';
import { nodeFlags } from './child.ts';
import { embeddedTemplate } from './embeddedTemplate.ts';

/** The arguments that make Node start the program, as `run.mjs` does. */
export const programStart = [...nodeFlags, new URL('../../src/main.ts', import.meta.url).pathname];

/** By data folder: what closes the database that this process has open there. */
const openFolders = new Map<string, () => Promise<unknown>>();

/** A copy of a data folder, by default of one with an empty database; removed after the test file. */
export async function newDataDir(template?: string): Promise<string> {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'runcost-data-'));
  cpSync(template ?? (await embeddedTemplate()), folder, { recursive: true });
  after(async () => {
    await openFolders.get(folder)?.();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Keeps the database of a data folder open until the test file ends: a command that joins it takes a tenth of the time. */
export async function keepOpen(dataDir: string): Promise<string> {
  const options = { command: 'test', mayJoin: false, mayCreate: false };
  const { close } = await openDatabase({ databaseUrl: null, dataDir }, options);
  openFolders.set(dataDir, close);
  after(close);
  return dataDir;
}

type Greeted = {
  /** `http://127.0.0.1:PORT` */
  address: string;
  printed: () => string;
  /** An owner's token of the organization that the first start has made; null at a later start. */
  ownerToken: string | null;
};

export type RunningServer = Greeted & {
  process: ChildProcess;
  complaints: () => string;
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
};

type ServerHere = Greeted & {
  /** Resolves with the exit code. */
  stop: () => Promise<number>;
};

/** The real program, serving on a free port. */
export async function startServer(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [...programStart, 'serve'], {
    env: { ...process.env, ...settingsOf(dataDir), LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk));
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  const hasGreeted = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (greeting.test(printed)) resolve();
    });
  });
  await Promise.race([
    hasGreeted,
    ended.then((code) => assert.fail(`the server ended with ${code}: ${complaints}`)),
  ]);
  const greeted = await readGreeting(dataDir, () => printed);
  return { ...greeted, process: child, complaints: () => complaints, ended };
}

const greeting = /Organization +\S+[^]*\n\n/;

function settingsOf(dataDir: string): Record<string, string> {
  return { DATABASE_URL: '', DATA_DIR: dataDir, PORT: '0', RATE_LIMIT: '0' };
}

async function readGreeting(dataDir: string, printed: () => string): Promise<Greeted> {
  const address = /Runcost is at (\S+)/.exec(printed())![1]!;
  const ownerToken = printed().includes('/sign-in#code=') ? await createOwnerToken(dataDir) : null;
  return { address, printed, ownerToken };
}

/** The server itself prints one only to a terminal. */
async function createOwnerToken(dataDir: string): Promise<string> {
  const args = ['token', 'create', '--name', 'first start', '--role', 'owner'];
  const { stdout, stderr } = await runCommand(args, { DATA_DIR: dataDir });
  assert.match(stdout, /^runcost_/, stderr);
  return stdout.trim();
}

export type Owner = { orgId: string; token: string };

/** The organization that the first start has made, and its owner's token. */
export function ownerOf(server: Greeted): Owner {
  const orgId = /Organization +(\S+)/.exec(server.printed())![1]!;
  return { orgId, token: server.ownerToken! };
}

export type CommandResult = { code: number; stdout: string; stderr: string };

/** Runs a command of the real program, in a process of its own, to its end. */
export async function spawnCommand(
  args: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...programStart, ...args], {
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

/** What a command has printed within this process; `heard` is called at each write. */
type Output = { stdout: string; stderr: string; heard: () => void };

const capturing = new AsyncLocalStorage<Output>();
let lastCommand: Promise<unknown> = Promise.resolve();

/** One after the other, for commands within this process share its settings. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = lastCommand.then(work);
  lastCommand = result.catch(() => {});
  return result;
}

/** Runs a command within this process, which takes a third of the time. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const result = inTurn(() => runHere(args, { DATABASE_URL: '', NO_COLOR: '1', ...environment }));
  // A promise of this call: node:test takes what follows another file's promise for a part of that file.
  return await result;
}

/** The program's `serve` within this process, for a fifth of a start's time. Ends with the test file. */
export async function serveHere(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<ServerHere> {
  // It logs to the file descriptor of standard error, which is that of all tests.
  const settings = { ...settingsOf(dataDir), LOG_LEVEL: 'silent', NO_COLOR: '1', ...environment };
  const { output, stop } = await inTurn(() => startHere(settings));
  openFolders.set(dataDir, stop);
  after(stop);
  return { ...(await readGreeting(dataDir, () => output.stdout)), stop };
}

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** As `main.ts` does. Returns the exit code; null leaves it to `process.exitCode`. */
async function parse(args: string[]): Promise<number | null> {
  try {
    await buildCli().parseAsync(['node', 'runcost', ...args]);
    return null;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    printError(error);
    return 1;
  }
}

async function runHere(args: string[], environment: Record<string, string>): Promise<CommandResult> {
  const output: Output = { stdout: '', stderr: '', heard: () => {} };
  const restore = settle(environment);
  try {
    const code = (await capturing.run(output, () => parse(args))) ?? Number(process.exitCode);
    return { code, stdout: output.stdout, stderr: output.stderr };
  } finally {
    restore();
  }
}

async function startHere(settings: Record<string, string>) {
  const greeted = Promise.withResolvers<void>();
  const output: Output = { stdout: '', stderr: '', heard: () => {} };
  output.heard = () => void (greeting.test(output.stdout) && greeted.resolve());
  const restore = settle(settings);
  const ended = capturing.run(output, () => parse(['serve']));
  const failed = ended.then((code) => assert.fail(`the server ended with ${code}: ${output.stderr}`));
  failed.catch(() => {});
  let listeners: NodeJS.SignalsListener[] = [];
  try {
    await Promise.race([greeted.promise, failed]);
  } finally {
    listeners = restore();
  }
  // Once: the program ends at once at a second signal.
  const signal = () => listeners.splice(0).forEach((listener) => listener('SIGTERM'));
  return {
    output,
    stop: async () => {
      signal();
      return (await ended) ?? 0;
    },
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Lets a command find its settings, no terminal, and an exit that ends only itself. The returned function undoes that; it
 * takes the listeners for SIGTERM that the command has added from the process, and returns them.
 */
function settle(environment: Record<string, string>): () => NodeJS.SignalsListener[] {
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
  return () => {
    process.env = env;
    process.exit = exit;
    process.exitCode = exitCode;
    for (const stream of terminals) stream.isTTY = true;
    let added: NodeJS.SignalsListener[] = [];
    for (const [index, signal] of signals.entries()) {
      added = process.listeners(signal).filter((each) => !listenersBefore[index]!.includes(each));
      for (const listener of added) process.off(signal, listener);
    }
    return added;
  };
}

let isCapturing = false;

/** From now on, what a command within this process writes goes to its result, and everything else to where it went before. */
function captureOutput(): void {
  if (isCapturing) return;
  isCapturing = true;
  for (const name of ['stdout', 'stderr'] as const) {
    const write = process[name].write.bind(process[name]) as (...args: unknown[]) => boolean;
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const output = capturing.getStore();
      if (!output) return write(chunk, ...rest);
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      output.heard();
      const written = rest.find((each) => typeof each === 'function');
      if (written) process.nextTick(written as () => void);
      return true;
    }) as typeof process.stdout.write;
  }
}
