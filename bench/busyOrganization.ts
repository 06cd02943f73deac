/**
 * Runs in its own thread, so that its work does not delay measured requests. A message stops it after the last answer.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { batchRequest } from './ingestRequests.ts';

export type Busy = {
  url: string;
  token: string;
  connections: number;
  /** Each request sends a batch of 1,000 runs, or a single one. */
  runs: 'batch' | 'one';
  /** Each thread imports different runs. */
  firstBatch: number;
};

const { url, token, connections, runs, firstBatch } = workerData as Busy;
const stopping = new AbortController();
let next = 0;
parentPort!.once('message', () => stopping.abort());

const batch = batchRequest(token, firstBatch).body as string;
const single = (JSON.parse(batch) as { runs: object[] }).runs.map((run) => JSON.stringify({ runs: [run] }));

function nextBody(): string {
  const number = next++;
  return runs === 'one'
    ? single[number % single.length]!
    : (batchRequest(token, firstBatch + number).body as string);
}

async function sendUntilStopped(): Promise<void> {
  while (!stopping.signal.aborted) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/runs`, { method: 'POST', headers, body: nextBody() });
    await response.arrayBuffer();
  }
}

await Promise.all(Array.from({ length: connections }, sendUntilStopped));
