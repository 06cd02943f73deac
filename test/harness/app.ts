import { after } from 'node:test';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino, type Logger } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { cliActor, scopes as allScopes, type Role, type Scope } from '../../src/platform/lib/actor.ts';
import type { Clock } from '../../src/platform/lib/time.ts';
import type { Worker } from '../../src/platform/work/worker.ts';
import { buildServer } from '../../src/server.ts';
import { createOrganization, updateOrganization } from '../../src/tenancy/organizations/organizations.ts';
import { createToken } from '../../src/tenancy/tokens/tokens.ts';
import { buildWorker } from '../../src/worker.ts';
import { shared } from './shared.ts';
import { createStorage } from './storage.ts';

type ManualClock = Clock & {
  set: (instant: string | Date) => void;
  forward: (seconds: number) => void;
};

export type TestApp = {
  app: App;
  server: FastifyInstance;
  /** The worker is never started. Tests call `processAll`. */
  worker: Worker;
  /** The server's address. It listens from the first call on. */
  listen: () => Promise<string>;
  /** The worker of a second program with the same database, settings and clock. */
  secondWorker: () => Promise<Worker>;
  clock: ManualClock;
  /** The log so far, as JSON lines. */
  logged: () => string;
  newOrganization: (options?: { plan?: 'free' | 'pro' | 'team' }) => Promise<TestOrganization>;
};

/** What test files of one process can use side by side. */
export type SharedTestApp = Omit<TestApp, 'clock' | 'worker' | 'secondWorker'> & { clock: Clock };

export type TestOrganization = {
  orgId: string;
  /** An owner's token with all scopes. */
  token: string;
  newToken: (role: Role, scopes?: readonly Scope[]) => Promise<string>;
  get: (path: string, query?: Record<string, string | number>) => Promise<Answer>;
  send: (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, token?: string) => Promise<Answer>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts the shape of its responses
export type Answer = { status: number; body: any; text: string; headers: LightMyRequestResponse['headers'] };

/** The production server on a new database. Closes after the test file. */
export async function startTestApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const { close, ...testApp } = await openTestApp(environment);
  after(close);
  return testApp;
}

/** For files that neither move the clock nor run the worker. Each test creates its own organizations. */
export function sharedTestApp(): Promise<SharedTestApp> {
  return shared('app', () => openTestApp({}));
}

/** The same, for a caller that closes it. */
export async function openTestApp(
  environment: Record<string, string>,
): Promise<TestApp & { close: () => Promise<void> }> {
  const storage = await createStorage();
  const clock = manualClock('2026-03-18T12:00:00Z');
  const { log, logged } = recordingLog();
  const config = readConfig({ RATE_LIMIT: '0', ...storage.settings, ...environment });
  const app = await createApp(config, { mayCreate: true, clock, log });
  const others: App[] = [];
  const server = await buildServer(app);
  await server.ready();
  let address: Promise<string> | undefined;
  return {
    app,
    server,
    worker: buildWorker(app),
    listen: () => (address ??= server.listen({ port: 0, host: '127.0.0.1' })),
    secondWorker: async () => {
      const other = await createApp(config, { mayCreate: true, clock, log });
      others.push(other);
      return buildWorker(other);
    },
    clock,
    logged,
    newOrganization: (options) => newOrganization(app, server, options ?? {}),
    close: async () => {
      await server.close();
      for (const other of others) await other.close();
      await app.close();
      await storage.remove();
    },
  };
}

async function newOrganization(
  app: App,
  server: FastifyInstance,
  options: { plan?: 'free' | 'pro' | 'team' },
): Promise<TestOrganization> {
  const orgId = await createOrganization(app, { name: 'Acme', login: 'acme' });
  const ctx = { ...app, actor: cliActor(orgId) };
  if (options.plan) await updateOrganization(ctx, { plan: options.plan });
  const newToken = async (role: Role, scopes: readonly Scope[] = allScopes) =>
    (await createToken(ctx, { name: 'test', role, scopes })).text;
  const token = await newToken('owner');
  return {
    orgId,
    token,
    newToken,
    get: (path, query = {}) =>
      request(server, {
        method: 'GET',
        url: path,
        query: {
          org_id: orgId,
          ...Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)])),
        },
        headers: { authorization: `Bearer ${token}` },
      }),
    send: (method, path, body, as = token) =>
      request(server, {
        method,
        url: path,
        headers: { authorization: `Bearer ${as}` },
        ...(body === undefined ? {} : { payload: body as object }),
      }),
  };
}

/** Sends one request. A JSON body is parsed. */
export async function request(server: FastifyInstance, options: InjectOptions): Promise<Answer> {
  const response = await server.inject(options);
  const isJson = /json/.test(String(response.headers['content-type']));
  return {
    status: response.statusCode,
    body: isJson && response.body !== '' ? response.json() : null,
    text: response.body,
    headers: response.headers,
  };
}

function manualClock(start: string): ManualClock {
  let now = new Date(start);
  return {
    now: () => now,
    set: (instant) => void (now = new Date(instant)),
    forward: (seconds) => void (now = new Date(now.getTime() + seconds * 1_000)),
  };
}

function recordingLog(): { log: Logger; logged: () => string } {
  const lines: string[] = [];
  return {
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
    logged: () => lines.join(''),
  };
}
