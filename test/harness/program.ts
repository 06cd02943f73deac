import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { CommanderError } from 'commander';
import { pino } from 'pino';
import { exitCodeOf } from '../../src/cli/faults.ts';
import { printError } from '../../src/cli/output.ts';
import { runCli } from '../../src/cli/program.ts';
import { parts } from '../../src/operator/parts.ts';
import { nodeFlags } from './child.ts';
import { keepLog } from './log.ts';
import { createStorage, createTarget, newFolder, removeFolder, type Settings } from './storage.ts';

/** The arguments of Node that start the program like `run.mjs`. */
export const programStart = [...nodeFlags, new URL('../../src/main.ts', import.meta.url).pathname];

/** Closes what this process has opened on a database, by data folder. */
const opened = new Map<string, () => Promise<unknown>>();

/** The settings of a program with a new database: with empty tables, or like the template. Removed after the test file. */
export async function newStorage(template?: Settings): Promise<Settings> {
  const { settings, remove } = await createStorage(template);
  after(async () => {
    await opened.get(settings.DATA_DIR)?.();
    await remove();
  });
  return settings;
}

/** Settings of a program without tables, to restore or move into. Removed after the test file. */
export async function newTarget(): Promise<Settings> {
  const { settings, remove } = await createTarget();
  after(async () => {
    await opened.get(settings.DATA_DIR)?.();
    await remove();
  });
  return settings;
}

/** A data folder for the program's own PostgreSQL, which its first start creates. Removed after the test file. */
export function newDataDir(): string {
  const folder = newFolder();
  after(async () => {
    await opened.get(folder)?.();
    removeFolder(folder);
  });
  return folder;
}

type Greeted = {
  /** `http://127.0.0.1:PORT` */
  address: string;
  printed: () => string;
  /** An owner's token of the organization that the first start creates. Null at later starts. */
  ownerToken: string | null;
};

export type RunningServer = Greeted & {
  process: ChildProcess;
  stderr: () => string;
  /** Resolves with the exit code or the signal. */
  ended: Promise<number | string>;
};

type ServerHere = Greeted & {
  /** Stops the server as SIGTERM does. Throws if the server ends with an error. */
  stop: () => Promise<void>;
};

/** Starts the real server on a free port. */
export async function startServer(
  settings: Settings,
  environment: Record<string, string> = {},
  role = 'all',
  main = programStart.at(-1)!,
): Promise<RunningServer> {
  const args = [...programStart.slice(0, -1), main, 'serve', ...(role === 'all' ? [] : ['--role', role])];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...serverSettings(settings), LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  const hasGreeted = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (greeting.test(printed)) resolve();
    });
  });
  await Promise.race([
    hasGreeted,
    ended.then((code) => assert.fail(`the server ended with ${code}: ${stderr}`)),
  ]);
  const greeted = await readGreeting(settings, () => printed);
  return { ...greeted, process: child, stderr: () => stderr, ended };
}

const greeting = /(Organization +\S|health is at)[^]*\n\n/;

function serverSettings(settings: Settings): Record<string, string> {
  return { DATABASE_URL: '', ...settings, PORT: '0', RATE_LIMIT: '0' };
}

async function readGreeting(settings: Settings, printed: () => string): Promise<Greeted> {
  const listening = /Listening on +(http:\/\/[^\s/]+)/.exec(printed());
  const address = (listening ?? /(?:Runcost|health) is at (http:\/\/[^\s/]+)/.exec(printed()))![1]!;
  const ownerToken = printed().includes('/sign-in#code=') ? await createOwnerToken(settings) : null;
  return { address, printed, ownerToken };
}

/** The server prints a token only to a terminal. */
async function createOwnerToken(settings: Settings): Promise<string> {
  const args = ['token', 'create', '--name', 'first start', '--role', 'owner'];
  const { stdout, stderr } = await runCommand(args, settings);
  assert.match(stdout, /^runcost_/, stderr);
  return stdout.trim();
}

export type Owner = { orgId: string; token: string };

/** The organization that the first start created, and its owner's token. */
export function ownerOf(server: Greeted): Owner {
  const orgId = /Organization +(\S+)/.exec(server.printed())![1]!;
  return { orgId, token: server.ownerToken! };
}

export type CommandResult = { code: number; stdout: string; stderr: string };

/** Runs a command of the real program in a separate process. */
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

/** What a command of this process printed. Each write calls `heard`. */
type Output = { stdout: string; stderr: string; heard: () => void };

const newOutput = (): Output => ({ stdout: '', stderr: '', heard: () => {} });

const capturing = new AsyncLocalStorage<Output>();
let lastCommand: Promise<unknown> = Promise.resolve();

/** Commands of this process run in sequence, because they share the environment. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = lastCommand.then(work);
  lastCommand = result.catch(() => {});
  return result;
}

/** Runs a command in this process, three times as fast. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  // Without `await`, node:test would count what follows toward the file that created the promise.
  return await startCommand(args, environment).ended;
}

type RunningCommand = {
  ended: Promise<CommandResult>;
  /** Resolves once its output matches. */
  until: (wanted: RegExp) => Promise<RegExpExecArray>;
  /** Does what Ctrl-C does. */
  interrupt: () => void;
};

/** Starts a command in this process. Other commands wait until it has ended. */
export function startCommand(args: string[], environment: Record<string, string>): RunningCommand {
  const output = newOutput();
  let heard = Promise.withResolvers<void>();
  output.heard = () => {
    heard.resolve();
    heard = Promise.withResolvers();
  };
  const before = process.listeners('SIGINT');
  // The environment of its turn, because a command before it has its own.
  const own = () => ({ ...process.env, DATABASE_URL: '', NO_COLOR: '1', ...environment });
  const ended = inTurn(() => runHere(() => parse(args), own(), output));
  /** Returns how many have heard it. */
  const interrupt = () => {
    const listeners = process.listeners('SIGINT').filter((each) => !before.includes(each));
    for (const listener of listeners) listener('SIGINT');
    return listeners.length;
  };
  return {
    ended,
    until: async (wanted) => {
      for (;;) {
        const found = wanted.exec(output.stdout + output.stderr);
        if (found) return found;
        const end = ended.then(({ stderr }) => assert.fail(`the command has ended: ${stderr}`));
        await Promise.race([heard.promise, end]);
      }
    },
    interrupt: () => assert.ok(interrupt() > 0, 'nothing listens to Ctrl-C'),
  };
}

let imports = 0;

/** Runs a program without the command line, such as an action, in this process, with this environment alone. */
export async function runFile(path: string, environment: Record<string, string>): Promise<CommandResult> {
  const start = async () => (await import(`${path}?${++imports}`), null);
  return await inTurn(() => runHere(start, environment, newOutput()));
}

/** Starts the server in this process, five times as fast. It stops after the test file. */
export async function serveHere(
  settings: Settings,
  environment: Record<string, string> = {},
): Promise<ServerHere> {
  const own = { ...serverSettings(settings), LOG_LEVEL: 'warn', NO_COLOR: '1', ...environment };
  const { output, stop } = await inTurn(() => startHere({ ...process.env, ...own }));
  opened.set(settings.DATA_DIR, stop);
  after(stop);
  return { ...(await readGreeting(settings, () => output.stdout)), stop };
}

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Like `main.ts`. Returns the exit code, or null if `process.exitCode` has it. */
async function parse(args: string[]): Promise<number | null> {
  try {
    await runCli(args, parts);
    return null;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (!(error instanceof CommanderError)) printError(error);
    return exitCodeOf(error);
  }
}

async function runHere(
  start: () => Promise<number | null>,
  environment: NodeJS.ProcessEnv,
  output: Output,
): Promise<CommandResult> {
  const restore = settle(environment);
  try {
    const code = (await capturing.run(output, start)) ?? Number(process.exitCode);
    return { code, stdout: output.stdout, stderr: output.stderr };
  } finally {
    restore();
  }
}

async function startHere(settings: NodeJS.ProcessEnv) {
  const greeted = Promise.withResolvers<void>();
  const output = newOutput();
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
  // A second signal would end the process.
  const signal = () => listeners.splice(0).forEach((listener) => listener('SIGTERM'));
  return {
    output,
    stop: async () => {
      signal();
      assert.equal(await ended, null, `the server ended with an error: ${output.stderr}`);
    },
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Gives a command its environment, no terminal, a log of its own, and an exit that ends only the command. The returned function undoes this,
 * removes the command's signal listeners, and returns those for SIGTERM.
 */
function settle(environment: NodeJS.ProcessEnv): () => NodeJS.SignalsListener[] {
  captureOutput();
  const { env, exitCode } = process;
  const exit = process.exit.bind(process);
  const { destination } = pino;
  const listenersBefore = signals.map((signal) => process.listeners(signal));
  pino.destination = (() => ({ write: keepLog })) as unknown as typeof destination;
  process.env = environment;
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
    pino.destination = destination;
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

/** From now on, output of a command in this process goes to its result. Other output is unchanged. */
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
