/** Inserts a batch repeatedly with plain SQL, each time as different runs. A message stops it after the last commit. */
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { runIdInBatch } from './ingestRequests.ts';

export type BareImport = {
  databaseUrl: string;
  connections: number;
  /** The statements that insert the batch. */
  transaction: string;
  batch: number;
  /** Each thread imports different runs. */
  firstBatch: number;
};

const { databaseUrl, connections, transaction, batch, firstBatch } = workerData as BareImport;
const stopping = new AbortController();
let next = firstBatch;
parentPort!.once('message', () => stopping.abort());

async function insertUntilStopped(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  while (!stopping.signal.aborted) {
    await client.query(transaction.replaceAll(runIdInBatch(batch), runIdInBatch(next++)));
  }
  await client.end();
}

await Promise.all(Array.from({ length: connections }, insertUntilStopped));
