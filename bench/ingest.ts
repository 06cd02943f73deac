import { batchInsert, createTwins, onTwins, runBare, runPgbench, singleInsert } from './bareInserts.ts';
import { measureOrganizations } from './ingestOrganizations.ts';
import { batchRequest, deliveryRequests, jobsPerRun, runsPerBatch, runsOfBatch } from './ingestRequests.ts';
import { send } from './load.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { checkRollups } from './rollups.ts';
import { createSource, startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 9;
const batchesPerRound = isQuick ? 2 : 4;
const batchConnections = 2;
const rowsPerRound = batchesPerRound * runsPerBatch * (1 + jobsPerRun);
const runsDeliveredPerRound = isQuick ? 50 : 500;
const deliveryConnections = 50;
const pgbenchSeconds = 1;
const twins = { one: 'twins_one', two: 'twins_two' };

/**
 * Measures how fast runs and jobs are recorded over HTTP, compared with PostgreSQL inserting the same rows into copies of
 * the tables. Each round measures both in sequence.
 */
export async function benchIngest(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  for (const schema of Object.values(twins)) await createTwins(service.db, schema);
  logProgress('Recording batches …');
  const batches = await measureBatches(service);
  logProgress('Recording single deliveries …');
  const single = await measureDeliveries(service, storage.tools);
  const organizations = await measureOrganizations(service);
  await checkRollups(service.db);
  await service.stop();
  return {
    headings: ['ROWS/S', 'RUNCOST', 'BARE', 'RATIO (ROUNDS)', 'GOAL'],
    rows: [
      ['batches; bare on 1 connection', ...figures(batches.ours, batches.bareOnOne), '≥ 0.65'],
      ['batches; bare on 2 connections', ...figures(batches.ours, batches.bareOnTwo), ''],
      ['single deliveries', ...figures(single.ours, single.bare), '≥ 0.25'],
      ...organizations,
    ],
    notes: [
      `Batches: POST /api/v1/runs with ${runsPerBatch} runs of ${jobsPerRun} jobs, on ${batchConnections} connections. ` +
        'Bare: one transaction per batch, with a multi-row INSERT per table and the upsert of the rollups.',
      `Single: GitHub's workflow_job and workflow_run of a run with one job, signed, on ${deliveryConnections} ` +
        `connections; the slowest 1% waited ${median(single.p99Milliseconds).toFixed(0)} ms or more. Bare: each ` +
        'transaction inserts only one run and one job, on ' +
        `${deliveryConnections} connections${storage.tools ? ' of pgbench' : ''}.`,
      'Organizations and processes: the same events, spread over organizations and sent to each process in equal parts, beside ' +
        'the rate in the title, in turns.',
      'At the end the rollups were the exact sums of the recorded runs and jobs.',
    ],
  };
}

function figures(ours: number[], bare: number[]): string[] {
  return [rounded(median(ours)), rounded(median(bare)), ratioOf(ours, bare)];
}

/** The first round is a warm-up and does not count. */
async function measureBatches(service: Service) {
  const rates = { ours: [] as number[], bareOnOne: [] as number[], bareOnTwo: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const batches = Array.from({ length: batchesPerRound }, (_, index) => round * batchesPerRound + index);
    const requests = batches.map((batch) => batchRequest(service.token, batch));
    await service.db.query('checkpoint');
    const { seconds } = await send(service.url, requests, batchConnections);
    const inserts: string[] = [];
    for (const batch of batches) inserts.push(await batchInsert(service.db, runsOfBatch(batch)));
    const secondsOnOne = await insertBatches(service, inserts, twins.one, 1);
    const secondsOnTwo = await insertBatches(service, inserts, twins.two, 2);
    if (round === 0) continue;
    rates.ours.push(rowsPerRound / seconds);
    rates.bareOnOne.push(rowsPerRound / secondsOnOne);
    rates.bareOnTwo.push(rowsPerRound / secondsOnTwo);
  }
  return rates;
}

async function insertBatches(service: Service, inserts: string[], schema: string, connections: number) {
  const transactions = inserts.map((statements) => onTwins(schema, statements));
  await service.db.query('checkpoint');
  return runBare(service.databaseUrl, transactions, connections);
}

async function measureDeliveries(service: Service, tools: string | null) {
  const rates = { ours: [] as number[], bare: [] as number[], p99Milliseconds: [] as number[] };
  const source = await createSource(service);
  for (let round = 0; round <= rounds; round++) {
    const requests = Array.from({ length: runsDeliveredPerRound }, (_, index) =>
      deliveryRequests(source, round * runsDeliveredPerRound + index),
    ).flat();
    await service.db.query('checkpoint');
    const { seconds, p99Milliseconds } = await send(service.url, requests, deliveryConnections);
    await service.db.query('checkpoint');
    const bareRate = await insertSingly(service, tools, round);
    if (round === 0) continue;
    rates.ours.push(requests.length / seconds);
    rates.bare.push(bareRate);
    rates.p99Milliseconds.push(p99Milliseconds);
  }
  return rates;
}

/** Rows per second of bare transactions with one run and one job. */
async function insertSingly(service: Service, tools: string | null, round: number): Promise<number> {
  const rowsPerTransaction = 2;
  const script = await singleInsert(service.db, twins.one, round);
  if (tools) {
    const options = { connections: deliveryConnections, seconds: pgbenchSeconds };
    return rowsPerTransaction * (await runPgbench(tools, service.databaseUrl, script, options));
  }
  const statements = Array.from({ length: runsDeliveredPerRound }, (_, index) =>
    script.replaceAll(':client_id', '0').replaceAll(':i', String(index)),
  );
  const seconds = await runBare(service.databaseUrl, statements, deliveryConnections);
  return (rowsPerTransaction * runsDeliveredPerRound) / seconds;
}
