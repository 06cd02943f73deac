import assert, { AssertionError } from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Clock } from '../../src/platform/lib/time.ts';
import { createWorker, type Poller, type Worker } from '../../src/platform/work/worker.ts';
import { buildServer } from '../../src/server.ts';
import type { Step } from '../auditor/history.ts';
import { request, type Answer } from '../harness/app.ts';
import { breakPostgres, type Fault } from './faultyPostgres.ts';

type Sent = {
  method?: 'POST' | 'PUT' | 'DELETE' | 'GET';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether an answer to the same request sent again says that it was done before. */
  isDone?: (answer: Answer) => boolean;
};

/** The program of a trial, as its senders and its operator know it: they send again what nobody acknowledged. */
export type Program = {
  /** Sends until an answer below 500 comes, and throws if that is a refusal. */
  send: (request: Sent) => Promise<Answer>;
  /** Lets the worker do all that is due. Time passes between its attempts if one of them fails. */
  work: () => Promise<void>;
  forward: (seconds: number) => void;
  app: () => App;
};

/** What senders know was done, for the auditor. */
export type Acknowledged = Step & { headers: Record<string, string> };

export type Opened = Program & {
  now: () => Date;
  acknowledged: Acknowledged[];
  /** From here on no statement counts, and none fails. */
  endFault: () => void;
  statements: ReadonlyMap<string, string>;
  /** Throws if requests were not sent or the worker failed without the fault. */
  close: () => Promise<void>;
};

const start = '2026-03-18T12:00:00Z';
const maxTries = 10;
/** Longer than any lease. */
const restSeconds = 1_800;

/** What the work of the program needs. */
export type Working = App & { webhookConcurrency: number };

type Running = { app: App; server: FastifyInstance; worker: Worker };

async function openRunning(
  config: ReturnType<typeof readConfig>,
  clock: Clock,
  pollersOf: (app: Working) => Poller[],
): Promise<Running> {
  const app = await createApp(config, { mayCreate: true, clock, log: pino({ level: 'silent' }) });
  const server = await buildServer(app);
  await server.ready();
  // One at a time: the fewer, the less do trials differ in their statements.
  const working = { ...app, db: app.background, webhookConcurrency: 1 };
  return { app, server, worker: createWorker(pollersOf(working), app) };
}

export async function openProgram(
  settings: Record<string, string>,
  pollersOf: (app: Working) => Poller[],
  fault: Fault | null = null,
): Promise<Opened> {
  let now = new Date(start);
  const clock = { now: () => now };
  const config = readConfig({ RATE_LIMIT: '0', ...settings });
  const open = () => openRunning(config, clock, pollersOf);
  const postgres = breakPostgres(new URL(settings['DATABASE_URL']!).pathname.slice(1), fault);
  let running = await open();
  postgres.begin();
  const close = async ({ server, app }: Running): Promise<void> => {
    await server.close();
    await app.close();
  };
  const restart = async (): Promise<void> => {
    await close(running);
    postgres.revive();
    running = await open();
  };

  async function untilDone<T>(attempt: () => Promise<T | null>): Promise<T> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const done = await attempt().catch((error: unknown) => {
        if (fault === null || error instanceof AssertionError) throw error;
        return null;
      });
      if (postgres.isDead()) await restart();
      else if (done !== null) return done;
    }
    throw new Error(`not done after ${maxTries} attempts`);
  }

  const acknowledged: Acknowledged[] = [];
  return {
    statements: postgres.statements,
    now: clock.now,
    acknowledged,
    endFault: postgres.end,
    app: () => running.app,
    forward: (seconds) => void (now = new Date(now.getTime() + seconds * 1_000)),
    send: ({ method = 'POST', path: url, body, headers = {}, isDone = () => false }) =>
      untilDone(async () => {
        const answer = await request(running.server, {
          method,
          url,
          headers,
          ...(body === undefined ? {} : { payload: body as object }),
        });
        if (answer.status >= 500) return null;
        assert.ok(answer.status < 400 || isDone(answer), `${method} ${url}: ${answer.status} ${answer.text}`);
        const done = { status: 200, body: answer.body as unknown };
        if (method !== 'GET') acknowledged.push({ at: now, method, path: url, body, headers, answer: done });
        return answer;
      }),
    work: async () => {
      await untilDone(async () => {
        try {
          await running.worker.processAll();
          return true;
        } catch (error) {
          now = new Date(now.getTime() + restSeconds * 1_000);
          throw error;
        }
      });
      acknowledged.push({ at: now, path: 'settled', headers: {} });
    },
    close: async () => {
      try {
        await close(running);
      } finally {
        postgres.remove();
      }
    },
  };
}
