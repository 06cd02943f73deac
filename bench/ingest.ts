import { batchInsert, createTwins, runBare, runPgbench, singleInsert } from './bareInserts.ts';
import { batchRequest, deliveryRequests, jobsARun, runsABatch, runsOfBatch } from './ingestRequests.ts';
import { send } from './load.ts';
import { ratioOf, rounded, say, type Report } from './report.ts';
import { checkRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = 9;
const batchesARound = 4;
const batchConnections = 2;
const rowsARound = batchesARound * runsABatch * (1 + jobsARun);
const runsDeliveredARound = 500;
const deliveryConnections = 50;
const pgbenchSeconds = 1;

/**
 * How fast runs and jobs are recorded over HTTP, in rows of both a second, against PostgreSQL inserting the same rows
 * into twins of the tables. Each round measures both, one after the other.
 */
export async function benchIngest(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  await createTwins(service.db);
  say('Recording batches …');
  const batches = await measureBatches(service);
  say('Recording single deliveries …');
  const single = await measureDeliveries(service, storage.bin);
  await checkRollups(service.db);
  await service.stop();
  const bareSingle = storage.bin ? `pgbench -c ${deliveryConnections}` : 'one connection';
  return {
    headings: ['ROWS A SECOND', 'RUNCOST', 'BARE', 'RATIO (ROUNDS)', 'AIM'],
    rows: [
      ['batches', ...figures(batches), '≥ 0.50'],
      ['single deliveries', ...figures(single), ''],
    ],
    notes: [
      `Batches: POST /api/v1/runs with ${runsABatch} runs of ${jobsARun} jobs, ${batchConnections} connections. ` +
        `Bare: a multi-row INSERT a table and the upsert of the rollups, a transaction a batch, ${batchConnections} connections.`,
      `Single: GitHub's workflow_job and workflow_run of a run with one job, signed, ${deliveryConnections} connections; ` +
        `the slowest 1 % waited ${median(single.p99Milliseconds).toFixed(0)} ms or more. ` +
        `Bare: a transaction inserts one run and one job, nothing else; ${bareSingle}.`,
      'The rollups were the exact sums of the recorded runs and jobs at the end.',
    ],
  };
}

type Rates = { ours: number[]; bare: number[] };

function figures({ ours, bare }: Rates): string[] {
  return [rounded(median(ours)), rounded(median(bare)), ratioOf(ours, bare)];
}

/** The first round warms up and does not count. */
async function measureBatches(service: Service): Promise<Rates> {
  const rates: Rates = { ours: [], bare: [] };
  for (let round = 0; round <= rounds; round++) {
    const batches = Array.from({ length: batchesARound }, (_, index) => round * batchesARound + index);
    const requests = batches.map((batch) => batchRequest(service.token, batch));
    await service.db.query('checkpoint');
    const { seconds } = await send(service.url, requests, batchConnections);
    const inserts: string[] = [];
    for (const batch of batches) inserts.push(await batchInsert(service.db, runsOfBatch(batch)));
    await service.db.query('checkpoint');
    const bareSeconds = await runBare(service.address(), inserts, batchConnections);
    if (round === 0) continue;
    rates.ours.push(rowsARound / seconds);
    rates.bare.push(rowsARound / bareSeconds);
  }
  return rates;
}

async function measureDeliveries(
  service: Service,
  bin: string | null,
): Promise<Rates & { p99Milliseconds: number[] }> {
  const rates = { ours: [] as number[], bare: [] as number[], p99Milliseconds: [] as number[] };
  const source = await createSource(service);
  for (let round = 0; round <= rounds; round++) {
    const requests = Array.from({ length: runsDeliveredARound }, (_, index) =>
      deliveryRequests(source, round * runsDeliveredARound + index),
    ).flat();
    await service.db.query('checkpoint');
    const { seconds, p99Milliseconds } = await send(service.url, requests, deliveryConnections);
    await service.db.query('checkpoint');
    const bareRate = await insertSingly(service, bin, round);
    if (round === 0) continue;
    rates.ours.push(requests.length / seconds);
    rates.bare.push(bareRate);
    rates.p99Milliseconds.push(p99Milliseconds);
  }
  return rates;
}

/** Rows a second of bare transactions with one run and one job. */
async function insertSingly(service: Service, bin: string | null, round: number): Promise<number> {
  const rowsATransaction = 2;
  const script = await singleInsert(service.db, round);
  if (bin) {
    const options = { connections: deliveryConnections, seconds: pgbenchSeconds };
    return rowsATransaction * (await runPgbench(bin, service.address(), script, options));
  }
  const statements = Array.from({ length: runsDeliveredARound }, (_, index) =>
    script.replaceAll(':client_id', '0').replaceAll(':i', String(index)),
  );
  return (rowsATransaction * runsDeliveredARound) / (await runBare(service.address(), statements, 1));
}

async function createSource({ url, token }: Service): Promise<{ id: string; secret: string }> {
  const response = await fetch(`${url}/api/v1/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'github' }),
  });
  const { data } = (await response.json()) as { data: { id: string; secret: string } };
  return data;
}
