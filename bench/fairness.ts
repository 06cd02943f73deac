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
import { batchRequest, deliveryRequests, runsOfBatch } from './ingestRequests.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { createSource, main, startService, type Service } from './service.ts';
import { median, percentile } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 9;
const secondsPerRound = isQuick ? 1 : 4;
/** Few enough that a busy machine can answer them. Delays then come from the machine or the other organization. */
const requestsPerSecond = 60;
const writers = 100;
const importers = 2;

type Other = { orgId: string; token: string };
type Probe = 'events' | 'dashboards';
type Latencies = Record<Probe, number[]>;
type Disturbance = { title: string; start: (service: Service, other: Other) => Promise<() => Promise<void>> };

const disturbances: Disturbance[] = [
  { title: `row locked, ${writers} writers`, start: lockAndWrite },
  { title: `import by ${importers} connections`, start: importBatches },
  { title: `bare inserts of the same rows`, start: insertBare },
];

/**
 * How much slower one organization's events and dashboards get while another's row is locked and it sends all the same,
 * and while another imports at full speed. A bare program that inserts the same rows shows what the machine itself takes.
 * Each round measures without, then with.
 */
export async function benchFairness(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  const other = await createOrganization(service);
  const nextRequest = await probesOf(service);
  const rows: string[][] = [];
  for (const { title, start } of disturbances) {
    const [without, during]: [Latencies[], Latencies[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      logProgress(`${title}: round ${round + 1} of ${rounds} …`);
      without.push(await measure(service, nextRequest));
      const stop = await start(service, other);
      during.push(await measure(service, nextRequest));
      await stop();
    }
    for (const probe of ['events', 'dashboards'] as const) {
      const p99 = (each: Latencies) => percentile(each[probe], 99);
      const [alone, disturbed] = [without.map(p99), during.map(p99)];
      const times = [alone, disturbed].map((values) => rounded(median(values)));
      rows.push([title, probe, ...times, ratioOf(disturbed, alone)]);
    }
  }
  await service.stop();
  return {
    headings: ['ANOTHER ORGANIZATION', 'OF THIS ONE', 'P99 MS WITHOUT', 'WITH', 'RATIO (ROUNDS)'],
    rows,
    notes: [
      `${requestsPerSecond} requests a second, events and dashboards in turn, at fixed times: a late answer delays no other ` +
        `request. ${rounds} rounds of ${secondsPerRound} s each without and with; medians.`,
      `Bare inserts: another program sends such batches to copies of the tables, on ${importers} connections at full speed.`,
      'Goal: at most 1.50.',
    ],
  };
}

async function createOrganization({ environment }: Service): Promise<Other> {
  const command = [main, 'org', 'create', '--name', 'other', '--json'];
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, command, { env });
  const { org_id: orgId, token } = JSON.parse(stdout) as { org_id: string; token: string };
  return { orgId, token };
}

type NextRequest = (index: number) => { probe: Probe; request: Request };

async function probesOf(service: Service): Promise<NextRequest> {
  const { orgId, token } = service;
  const source = await createSource(service);
  const names = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
  let event = 0;
  const waiting: Request[] = [];
  return (index) => {
    if (index % 2 === 0) {
      if (waiting.length === 0) waiting.push(...deliveryRequests(source, event++));
      return { probe: 'events', request: waiting.shift()! };
    }
    const path = `/api/v1/dashboard/${names[(index >> 1) % names.length]}?org_id=${orgId}`;
    return {
      probe: 'dashboards',
      request: { method: 'GET', path, headers: { authorization: `Bearer ${token}` } },
    };
  };
}

async function measure(service: Service, nextRequest: NextRequest): Promise<Latencies> {
  const latencies: Latencies = { events: [], dashboards: [] };
  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  for (let index = 0; index < secondsPerRound * requestsPerSecond; index++) {
    const dueAt = startedAt + (index * 1_000) / requestsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const { probe, request } = nextRequest(index);
    const timed = async (): Promise<void> => {
      const status = await ask(service, request);
      if (status >= 300) throw new Error(`${request.path} answered ${status}`);
      latencies[probe].push(performance.now() - dueAt);
    };
    sending.push(timed());
  }
  await Promise.all(sending);
  return latencies;
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
  const lock = new pg.Client(service.address());
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
  const load = { address: service.address(), connections: importers, transaction: example, batch };
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
