import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startProgram, type Program } from '../../bench/program.ts';
import { createOwnerToken, found, main } from '../../bench/service.ts';
import type { Storage } from '../../bench/storage.ts';
import { randomOf, type Random } from '../../src/platform/lib/random.ts';
import { compareStored, type Comparison } from './compare.ts';
import type { PowerDisk } from './disk.ts';
import { sendRuns, type Load, type Target } from './load.ts';

export type Fault = 'kill' | 'pause' | 'crash' | 'disk' | 'power';

export type Disks = {
  /** Fills the database's disk and returns a function that frees it. */
  fillDisk?: () => () => void;
  /** Cuts the power of the database's disk. */
  power?: Pick<PowerDisk, 'cut' | 'comeBack'>;
};

type Options = Disks & {
  faults: readonly Fault[];
  seed: number;
  /** Also runs `runcost verify`, which takes seconds. */
  isVerified?: boolean;
};

export type Outcome = Comparison & { restarts: number; sentAgain: number };

const senders = 4;
const maxWaitMs = 60_000;

/**
 * Sends runs to the real program while the faults happen at random moments, and compares what was acknowledged with what
 * is stored. The seed decides the runs and the moments.
 */
export async function runScenario(
  storage: Storage,
  { faults, seed, isVerified = false, ...disks }: Options,
): Promise<Outcome> {
  const random = randomOf(seed);
  const database = await storage.newDatabase();
  const program = await superviseProgram(database.environment);
  const stopping = new AbortController();
  try {
    const target = await prepare(program, database.environment);
    const load: Load = { runs: new Map(), acknowledgedRequests: 0, sentAgain: 0 };
    const sending = Promise.all(
      Array.from({ length: senders }, (_, sender) =>
        sendRuns(target, load, { sender, random: randomOf(seed + sender + 1), signal: stopping.signal }),
      ),
    );
    sending.catch(() => stopping.abort()); // it is thrown below
    const causing = async () => {
      for (const fault of faults) {
        await sleep(between(random, 300, 1_200));
        if (stopping.signal.aborted) return;
        await cause(fault, { program, storage, random, ...disks });
        await untilAcknowledged(load, stopping.signal);
      }
      stopping.abort();
    };
    await Promise.all([sending, causing()]);
    const compared = await compareStored(database.databaseUrl, load);
    if (isVerified) await verify(database.environment);
    return { ...compared, restarts: program.restarts(), sentAgain: load.sentAgain };
  } finally {
    stopping.abort();
    await program.stop();
  }
}

export function lineOf({ acknowledged, lost, doubled, wrong, restarts, sentAgain }: Outcome): string {
  return `acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, wrong sums ${wrong}, restarts ${restarts}, sent again ${sentAgain}`;
}

type Supervised = {
  url: () => string;
  restarts: () => number;
  signal: (name: NodeJS.Signals) => void;
  /** Kills the program with SIGKILL and waits until it runs again. It starts after `meanwhile`. */
  kill: (meanwhile?: () => Promise<void>) => Promise<void>;
  onStart: (changed: () => void) => void;
  stop: () => Promise<void>;
};

/** Starts the program again whenever it ends, like systemd or Kubernetes. */
async function superviseProgram(environment: Record<string, string>): Promise<Supervised> {
  const settings = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', RATE_LIMIT: '0' };
  const start = () =>
    startProgram(
      [...process.execArgv, main, 'serve'],
      { ...environment, ...settings },
      /Organization +\S[^]*\n\n/,
    );
  let program: Program = await start();
  let restarts = 0;
  let isStopping = false;
  let changed = () => {};
  let beforeStart = async () => {};
  const restart = async () => {
    for (;;) {
      await program.ended;
      if (isStopping) return;
      await beforeStart();
      const next = await startAgain(start, () => isStopping);
      if (!next) return;
      program = next;
      restarts++;
      changed();
    }
  };
  const supervising = restart();
  supervising.catch(() => {}); // it is thrown by `stop`
  return {
    url: () => found(/Runcost is at (\S+)/, program.output),
    restarts: () => restarts,
    signal: (name) => program.signal(name),
    kill: async (meanwhile = async () => {}) => {
      const before = restarts;
      beforeStart = meanwhile;
      program.signal('SIGKILL');
      await Promise.race([until(() => restarts > before, 'it started again'), supervising]);
      beforeStart = async () => {};
    },
    onStart: (run) => (changed = run),
    stop: async () => {
      isStopping = true;
      program.signal('SIGKILL');
      await supervising;
    },
  };
}

/** A start can fail, for example while the disk is full. */
async function startAgain(start: () => Promise<Program>, isOver: () => boolean): Promise<Program | null> {
  for (let tries = 1; !isOver(); tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === 30) throw error;
      await sleep(200);
    }
  }
  return null;
}

async function prepare(program: Supervised, environment: Record<string, string>): Promise<Target> {
  const token = await createOwnerToken(environment);
  const answer = await fetch(`${program.url()}/api/v1/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'github' }),
  });
  const { data: source } = (await answer.json()) as { data: Target['source'] };
  const target = { url: program.url(), token, source };
  program.onStart(() => (target.url = program.url()));
  return target;
}

type Scene = Disks & { program: Supervised; storage: Storage; random: Random };

async function cause(fault: Fault, { program, storage, random, fillDisk, power }: Scene): Promise<void> {
  if (fault === 'kill') return program.kill();
  if (fault === 'pause') {
    program.signal('SIGSTOP');
    await sleep(between(random, 300, 2_000));
    return program.signal('SIGCONT');
  }
  if (fault === 'crash') return storage.crash();
  if (fault === 'power') {
    storage.crash();
    power!.cut();
    return program.kill(power!.comeBack);
  }
  const free = fillDisk!();
  try {
    await sleep(between(random, 500, 2_000));
  } finally {
    free();
  }
}

async function untilAcknowledged(load: Load, signal: AbortSignal): Promise<void> {
  const before = load.acknowledgedRequests;
  const isOver = () => load.acknowledgedRequests > before + senders || signal.aborted;
  await until(isOver, 'runs were acknowledged again');
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${maxWaitMs / 1_000} s passed before ${what}`);
    await sleep(20);
  }
}

/** Throws if `runcost verify` finds a fault. */
async function verify(environment: Record<string, string>): Promise<void> {
  await promisify(execFile)(process.execPath, [main, 'verify'], { env: { ...process.env, ...environment } });
}

function between(random: Random, min: number, max: number): number {
  return min + random() * (max - min);
}
