import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Request } from 'autocannon';
import pg from 'pg';
import type { BareImport } from './bareImport.ts';
import { batchInsert, createTwins, onTwins } from './bareInserts.ts';
import type { Busy } from './busyOrganization.ts';
import { loadVariedHistory } from './costs.ts';
import { batchRequest, deliveryRequests, runsOfBatch } from './ingestRequests.ts';
import { ownWork, type Start } from './ownWork.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { createSource, main, startService, type Service } from './service.ts';
import { median, percentile } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 5;
const secondsPerRound = isQuick ? 1 : 4;
/** Few enough that a busy machine can answer them. Delays then come from the machine or the other work. */
const ofBoth = { perSecond: 60, probes: ['events', 'dashboards'] as const, goal: 1.5 };
const ofEvents = { perSecond: 20, probes: ['events'] as const, goal: 3 };
const readyzPerSecond = 5;
const writers = 100;
const importers = 2;
const runs = isQuick ? 2_000 : 200_000;

type Other = { orgId: string; token: string };
type Probe = 'events' | 'dashboards';
type Sample = Record<Probe, number[]> & { readyz: number[] };
type Disturbance = { title: string; start: Start };
type Measured = { perSecond: number; probes: readonly Probe[]; goal: number };

/**
 * How much slower one organization's events and dashboards get while another's row is locked and it sends all the same,
 * while another imports at full speed, and beside its own large questions. A bare program that inserts the same rows as the
 * import shows what the machine itself takes. Each round measures alone, then beside each of them.
 */
export async function benchFairness(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const first = await startService(storage, nodeOptions);
  const beside = byAnother(await createOrganization(first));
  const rows = await compare(first, beside, ofBoth);
  await first.stop();
  const second = await startService(storage, nodeOptions);
  logProgress(`Loading ${rounded(runs)} runs …`);
  await loadVariedHistory(second, runs);
  rows.push(...(await compare(second, ownWork, ofEvents)));
  await second.stop();
  return {
    headings: ['BESIDE', 'OF', 'P99 MS ALONE', 'BESIDE', 'RATIO (ROUNDS)', 'GOAL', '/READYZ NOT 200'],
    rows,
    notes: [
      `Another organization: ${ofBoth.perSecond} requests a second, events and dashboards in turn. Own work: ` +
        `${ofEvents.perSecond} events a second, with ${rounded(runs)} runs of two jobs over a year. All at fixed times: a late ` +
        `answer delays no other request. ${rounds} rounds of ${secondsPerRound} s each alone and beside; medians.`,
      `Bare inserts: another program sends such batches to copies of the tables, on ${importers} connections at full speed.`,
      'Own work is repeated without a pause. Before each cost question, the columns of all its days become outdated, as after a reprice.',
      `/readyz is asked ${readyzPerSecond} times a second beside the disturbance; the goal is 0.`,
    ],
  };
}

function byAnother(other: Other): Disturbance[] {
  return [
    { title: `another's locked row, ${writers} writers`, start: (service) => lockAndWrite(service, other) },
    {
      title: `another's import by ${importers} connections`,
      start: (service) => importBatches(service, other),
    },
    { title: 'bare inserts of the same rows', start: (service) => insertBare(service, other) },
  ];
}

async function compare(
  service: Service,
  disturbances: readonly Disturbance[],
  measured: Measured,
): Promise<string[][]> {
  const { probes, goal } = measured;
  const nextRequest = await requestsOf(service, probes);
  const alone: Sample[] = [];
  const beside = disturbances.map((): Sample[] => []);
  await measure(service, nextRequest, measured); // a warm-up
  for (let round = 0; round < rounds; round++) {
    logProgress(`Round ${round + 1} of ${rounds} …`);
    alone.push(await measure(service, nextRequest, measured));
    for (const [index, { start }] of disturbances.entries()) {
      const stop = await start(service);
      beside[index]!.push(await measure(service, nextRequest, measured));
      await stop();
    }
  }
  return disturbances.flatMap(({ title }, index) =>
    probes.map((probe) => {
      const p99s = [alone, beside[index]!].map((of) => of.map((sample) => percentile(sample[probe], 99)));
      const times = p99s.map((values) => rounded(median(values)));
      const [without, during] = p99s as [number[], number[]];
      const statuses = beside[index]!.flatMap(({ readyz }) => readyz);
      const notReady = `${statuses.filter((status) => status !== 200).length} of ${statuses.length}`;
      return [title, probe, ...times, ratioOf(during, without), `≤ ${goal.toFixed(2)}`, notReady];
    }),
  );
}

async function createOrganization({ environment }: Service): Promise<Other> {
  const command = [main, 'org', 'create', '--name', 'other', '--json'];
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, command, { env });
  const { org_id: orgId, token } = JSON.parse(stdout) as { org_id: string; token: string };
  return { orgId, token };
}

type NextRequest = (index: number) => { probe: Probe; request: Request };

async function requestsOf(service: Service, probes: readonly Probe[]): Promise<NextRequest> {
  const { orgId, token } = service;
  const source = await createSource(service);
  const names = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
  let event = 0;
  const waiting: Request[] = [];
  return (index) => {
    const probe = probes[index % probes.length]!;
    if (probe === 'events') {
      if (waiting.length === 0) waiting.push(...deliveryRequests(source, event++));
      return { probe, request: waiting.shift()! };
    }
    const path = `/api/v1/dashboard/${names[(index >> 1) % names.length]}?org_id=${orgId}`;
    return { probe, request: { method: 'GET', path, headers: { authorization: `Bearer ${token}` } } };
  };
}

async function measure(service: Service, nextRequest: NextRequest, { perSecond }: Measured): Promise<Sample> {
  const sample: Sample = { events: [], dashboards: [], readyz: [] };
  const startedAt = performance.now();
  const sending: Promise<unknown>[] = [];
  for (let index = 0; index < secondsPerRound * perSecond; index++) {
    const dueAt = startedAt + (index * 1_000) / perSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const { probe, request } = nextRequest(index);
    const timed = async (): Promise<void> => {
      const status = await ask(service, request);
      if (status >= 300) throw new Error(`${request.path} answered ${status}`);
      sample[probe].push(performance.now() - dueAt);
    };
    sending.push(timed());
    if (index % (perSecond / readyzPerSecond) === 0)
      sending.push(
        ask(service, { method: 'GET', path: '/readyz' }).then((status) => sample.readyz.push(status)),
      );
  }
  await Promise.all(sending);
  return sample;
}

async function ask({ url }: Service, { method, path, headers, body }: Request): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    method: method!,
    headers: headers as Record<string, string>,
    ...(body ? { body: body as string } : {}),
  });
  await response.arrayBuffer();
  return response.status;
}

async function lockAndWrite(service: Service, { orgId, token }: Other): Promise<() => Promise<void>> {
  const lock = new pg.Client({ connectionString: service.databaseUrl });
  await lock.connect();
  await lock.query('begin');
  await lock.query('select 1 from organizations where org_id = $1 for update', [orgId]);
  const stop = await keepBusy(service, { token, connections: writers, runs: 'one' });
  return async () => {
    await lock.query('rollback');
    await lock.end();
    await stop();
  };
}

function importBatches(service: Service, { token }: Other): Promise<() => Promise<void>> {
  return keepBusy(service, { token, connections: importers, runs: 'batch' });
}

const examples = { batch: 1, schema: 'twins' };
let example: string | undefined;

async function insertBare(service: Service, { token }: Other): Promise<() => Promise<void>> {
  const { batch, schema } = examples;
  if (example === undefined) {
    const request = batchRequest(token, batch);
    if ((await ask(service, request)) >= 300) throw new Error('the example was not recorded');
    await createTwins(service.db, schema);
    example = onTwins(schema, await batchInsert(service.db, runsOfBatch(batch)));
  }
  const { databaseUrl } = service;
  const load = { databaseUrl, connections: importers, transaction: example, batch };
  return runThread<BareImport>('bareImport.ts', load);
}

function keepBusy({ url }: Service, load: Omit<Busy, 'url' | 'firstBatch'>): Promise<() => Promise<void>> {
  return runThread<Busy>('busyOrganization.ts', { ...load, url });
}

let firstBatch = 0;

async function runThread<Data extends { firstBatch: number }>(
  file: string,
  data: Omit<Data, 'firstBatch'>,
): Promise<() => Promise<void>> {
  firstBatch += 10_000;
  const worker = new Worker(new URL(file, import.meta.url), { workerData: { ...data, firstBatch } });
  const ended = once(worker, 'exit');
  await sleep(1_000);
  return async () => {
    worker.postMessage('stop');
    await ended;
  };
}
