import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'autocannon';
import { loadHistory } from './history.ts';
import { deliveryRequests } from './ingestRequests.ts';
import { read, send } from './load.ts';
import { startProgram } from './program.ts';
import { isQuick } from './quick.ts';
import { logProgress, type Report, rounded } from './report.ts';
import { createSource, createWebhook, startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const metricsToken = 'of-the-benchmark-of-size';
const rounds = isQuick ? 1 : 9;
const readConnections = 20;
const dashboards = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
/** A fixed number of requests, because a slow second may contain no answer. */
const reading = { amount: (isQuick ? 1 : 100) * readConnections };
const sendConnections = 10;
const pingsPerRound = 20;
const runsSentPerRound = isQuick ? 20 : 200;

type History = { organizations: number; runs: number };
type Figures = {
  bytesPerRun: number;
  vacuumSeconds: number;
  dashboards: number;
  events: number;
  claims: number;
};

/**
 * How much slower everything gets in one organization with many runs, and among many organizations: dashboards, events,
 * the worker's claims and a vacuum. Each history is in a database of its own.
 */
export async function benchSize(
  storage: Storage,
  nodeOptions: string[],
  { runs = isQuick ? 2_000 : 10_000_000 }: { runs?: number | undefined } = {},
): Promise<Report> {
  const small = isQuick ? 1_000 : 10_000;
  const histories: History[] = [
    { organizations: 1, runs: small },
    { organizations: 1, runs },
    { organizations: isQuick ? 10 : 10_000, runs: isQuick ? 2_000 : 1_000_000 },
  ];
  const measured: Figures[] = [];
  for (const history of histories) measured.push(await measure(storage, nodeOptions, history));
  const [first] = measured;
  const cell = (value: number, base: number) => `${rounded(value)} (${(value / base).toFixed(2)})`;
  return {
    headings: [
      'ORGANIZATIONS',
      'RUNS',
      'BYTES A RUN',
      'VACUUM S',
      'DASHBOARD P99 MS',
      'EVENT P99 MS',
      'CLAIM MS',
    ],
    rows: measured.map((figures, index) => [
      rounded(histories[index]!.organizations),
      rounded(histories[index]!.runs),
      rounded(figures.bytesPerRun),
      figures.vacuumSeconds.toFixed(1),
      cell(figures.dashboards, first!.dashboards),
      cell(figures.events, first!.events),
      cell(figures.claims, first!.claims),
    ]),
    notes: [
      'A run has one job. In parentheses: how many times the first line.',
      `Dashboards: all six in turn on ${readConnections} connections. Events: of GitHub, on ${sendConnections} connections, ` +
        `runs of one job. Claims: the mean of the worker's claims of ${pingsPerRound} pings to a webhook. Medians of ${rounds} rounds.`,
      'Vacuum: of the whole database, after loading it and after the events.',
    ],
  };
}

async function measure(storage: Storage, nodeOptions: string[], history: History): Promise<Figures> {
  const { organizations, runs } = history;
  logProgress(`Loading ${rounded(runs)} runs of ${rounded(organizations)} organizations …`);
  const service = await startService(withMetrics(storage), nodeOptions);
  await loadHistory(service, runs, organizations);
  const receiver = await startProgram([join(import.meta.dirname, 'webhookReceiver.ts')], {}, /\n/);
  const webhook = await createWebhook(service, `${receiver.output.trim()}/hook`, ['cost.threshold']);
  const source = await createSource(service);
  const paths = dashboards.map((name) => `/api/v1/dashboard/${name}?org_id=${service.orgId}`);
  const times = { dashboards: [] as number[], events: [] as number[], claims: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    logProgress(`Round ${round} of ${rounds} …`);
    const before = await claimsOf(service);
    const requests = Array.from({ length: runsSentPerRound }, (_, index) =>
      deliveryRequests(source, round * runsSentPerRound + index),
    ).flat();
    const sent = await send(service.url, requests, sendConnections);
    await send(service.url, Array<Request>(pingsPerRound).fill(pingOf(service, webhook)), 1);
    await delivered(service);
    const after = await claimsOf(service);
    const load = await read(service.url, paths, service.token, { connections: readConnections, ...reading });
    if (round === 0) continue;
    times.events.push(sent.p99Milliseconds);
    times.claims.push((1_000 * (after.seconds - before.seconds)) / (after.count - before.count));
    times.dashboards.push(load.p99Milliseconds);
  }
  const vacuumSeconds = await vacuum(service);
  const { rows } = await service.db.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  await receiver.stop();
  await service.stop();
  return {
    bytesPerRun: Number(rows[0]!.bytes) / runs,
    vacuumSeconds,
    dashboards: median(times.dashboards),
    events: median(times.events),
    claims: median(times.claims),
  };
}

function pingOf({ token }: Service, { id }: { id: string }): Request {
  return {
    method: 'POST',
    path: `/api/v1/webhooks/${id}/ping`,
    headers: { authorization: `Bearer ${token}` },
  };
}

function withMetrics(storage: Storage): Pick<Storage, 'newDatabase'> {
  return {
    newDatabase: async () => {
      const database = await storage.newDatabase();
      return { ...database, environment: { ...database.environment, METRICS_TOKEN: metricsToken } };
    },
  };
}

/** Number of delivery claims since the start. */
async function claimsOf({ url }: Service): Promise<{ seconds: number; count: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  const text = await response.text();
  const of = (part: string) =>
    Number(
      new RegExp(`^runcost_claim_duration_seconds_${part}\\{queue="deliveries"\\} (\\S+)$`, 'm').exec(
        text,
      )?.[1] ?? 0,
    );
  return { seconds: of('sum'), count: of('count') };
}

/** Waits until every ping is delivered. */
async function delivered({ db }: Service): Promise<void> {
  const pending = "select 1 from deliveries where status = 'pending' limit 1";
  while ((await db.query(pending)).rows.length > 0) await delay(50);
}

async function vacuum({ db }: Service): Promise<number> {
  const startedAt = performance.now();
  await db.query('vacuum (analyze)');
  return (performance.now() - startedAt) / 1_000;
}
