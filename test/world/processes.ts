import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { exportPollers } from '../../src/insight/exports/writeExport.ts';
import { sumsBeforeRemoval, wastePollers } from '../../src/insight/waste/sumWaste.ts';
import { repricingPollers } from '../../src/ledger/repricing/doReprice.ts';
import { retentionPollers } from '../../src/ledger/retention/removeRuns.ts';
import { completionPollers } from '../../src/ledger/runs/completions.ts';
import { alertPollers } from '../../src/outreach/alerts/alerts.ts';
import type { Mailer } from '../../src/outreach/channels/email/mailer.ts';
import { digestPollers } from '../../src/outreach/digests/planDigests.ts';
import { notificationPollers } from '../../src/outreach/notifications/notifications.ts';
import { webhookPollers } from '../../src/outreach/webhooks/deliveries.ts';
import type { Egress } from '../../src/platform/egress/egress.ts';
import type { Clock } from '../../src/platform/lib/time.ts';
import type { Poller } from '../../src/platform/work/worker.ts';
import { buildServer } from '../../src/server.ts';
import { removalPollers } from '../../src/tenancy/organizations/deleteOrganization.ts';
import { request, type Answer } from '../harness/app.ts';
import type { Place } from './seams.ts';

export type Outside = { egress: (place: Place, real: Egress) => Egress; mailer: (place: Place) => Mailer };

/** A program with its API and its worker, as `serve` starts it. */
export type Process = {
  place: Place;
  app: App;
  server: FastifyInstance;
  pollers: ReadonlyMap<string, Poller>;
  /** The names of those that run: one never runs twice at once in a process. */
  running: Set<string>;
  close: () => Promise<void>;
};

export type Sent = {
  method?: 'POST' | 'PUT' | 'DELETE' | 'GET';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** Sends statements, each in its turn. */
export async function openApp(
  place: Place,
  settings: Record<string, string>,
  { clock, outside }: { clock: Clock; outside: Outside },
): Promise<App> {
  const config = readConfig({ RATE_LIMIT: '0', ...settings });
  const log = pino({ level: process.env.WORLD_LOG ?? 'silent' });
  const app = await createApp(config, { mayCreate: true, clock, log });
  return { ...app, egress: outside.egress(place, app.egress), mailer: outside.mailer(place) };
}

/** Sends none. */
export async function serve(place: Place, app: App): Promise<Process> {
  const server = await buildServer(app);
  await server.ready();
  const pollers = new Map(pollersOf(app).map((poller) => [poller.name, poller]));
  const close = async () => {
    await server.close();
    await app.close();
  };
  return { place, app, server, pollers, running: new Set(), close };
}

/** The work that the world is about. */
function pollersOf(app: App): Poller[] {
  const working = { ...app, db: app.background, webhookConcurrency: 4 };
  return [
    completionPollers(working),
    repricingPollers(working),
    retentionPollers({ ...working, retentionDays: {}, exportRemoved: null, ...sumsBeforeRemoval(working) }),
    wastePollers(working),
    exportPollers(working),
    removalPollers(working),
    digestPollers(working),
    alertPollers(working),
    notificationPollers(working),
    webhookPollers(working),
  ].flat();
}

/** Null if the process dies before it answers. */
export function send(
  { server, place }: Process,
  token: string,
  { method = 'POST', path: url, body, headers = {} }: Sent,
): Promise<Answer | null> {
  const asked = { method, url, headers: { authorization: `Bearer ${token}`, ...headers } };
  const answer = request(server, body === undefined ? asked : { ...asked, payload: body as object });
  return Promise.race([answer, place.death.promise]);
}
