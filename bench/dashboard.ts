import { join } from 'node:path';
import { loadHistory } from './history.ts';
import { read, type Load } from './load.ts';
import { startProgram } from './program.ts';
import { ratioOf, rounded, say, type Report } from './report.ts';
import { checkRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const smallHistory = 10_000;
const largeHistory = 1_000_000;
const connections = 20;
const rounds = 5;
const secondsARound = 1.2;

const endpoints = [
  ...['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'],
].map((name) => `/api/v1/dashboard/${name}`);

/**
 * How fast the dashboard answers with a small and a large history, and against a bare Fastify that sends the same
 * bytes. Each of the three is a process of its own; each round measures them one after the other.
 */
export async function benchDashboard(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const small = await serviceWithHistory(storage, smallHistory, []);
  const large = await serviceWithHistory(storage, largeHistory, nodeOptions);
  const bodies = Object.fromEntries(
    await Promise.all(endpoints.map(async (path) => [path, await bodyOf(large, path)] as const)),
  );
  const bare = await startProgram(
    [join(import.meta.dirname, 'bareServer.ts')],
    {},
    /http.*\n/,
    JSON.stringify(bodies),
  );
  const rows: string[][] = [];
  for (const path of endpoints) {
    say(`Reading ${path} …`);
    rows.push(
      await measure(path, { small, large, bareUrl: bare.output.trim(), bytes: bodies[path]!.length }),
    );
  }
  await bare.stop();
  await small.stop();
  await large.stop();
  return {
    headings: [
      ...['DASHBOARD', 'BYTES', 'REQUESTS/S', 'BARE FASTIFY', 'RATIO (ROUNDS)'],
      ...[`P99 MS AT ${rounded(smallHistory)} RUNS`, `AT ${rounded(largeHistory)}`, 'RATIO (ROUNDS)'],
    ],
    rows,
    notes: [
      `${connections} connections ask for one address; ${rounds} rounds of ${secondsARound} s. Requests/s at ` +
        `${rounded(largeHistory)} runs. Both histories have the same workflows and days; their rollups are the exact sums.`,
      'Aims: at least 0.40 of bare Fastify, and a p99 that grows by a factor of at most 1.30.',
    ],
  };
}

async function serviceWithHistory(storage: Storage, runs: number, nodeOptions: string[]): Promise<Service> {
  say(`Loading ${rounded(runs)} runs …`);
  const service = await startService(storage, nodeOptions);
  await loadHistory(service, runs);
  await checkRollups(service.db);
  return service;
}

async function bodyOf(service: Service, path: string): Promise<string> {
  const response = await fetch(addressOf(service, path), {
    headers: { authorization: `Bearer ${service.token}` },
  });
  return response.text();
}

function addressOf({ url, orgId }: Service, path: string): string {
  return `${url}${path}?org_id=${orgId}`;
}

type Targets = { small: Service; large: Service; bareUrl: string; bytes: number };

/** One endpoint's line of the table. The first round warms up and does not count. */
async function measure(path: string, { small, large, bareUrl, bytes }: Targets): Promise<string[]> {
  const loads = { small: [] as Load[], large: [] as Load[], bare: [] as Load[] };
  const addresses = {
    small: addressOf(small, path),
    large: addressOf(large, path),
    bare: addressOf({ ...large, url: bareUrl }, path),
  };
  const tokens = { small: small.token, large: large.token, bare: large.token };
  for (let round = 0; round <= rounds; round++) {
    for (const target of ['large', 'small', 'bare'] as const) {
      const load = await read(addresses[target], tokens[target], connections, secondsARound);
      if (round > 0) loads[target].push(load);
    }
  }
  const rates = (of: Load[]) => of.map(({ requests, seconds }) => requests / seconds);
  const p99s = (of: Load[]) => of.map(({ p99Milliseconds }) => p99Milliseconds);
  return [
    path.split('/dashboard/')[1]!,
    rounded(bytes),
    rounded(median(rates(loads.large))),
    rounded(median(rates(loads.bare))),
    ratioOf(rates(loads.large), rates(loads.bare)),
    median(p99s(loads.small)).toFixed(1),
    median(p99s(loads.large)).toFixed(1),
    ratioOf(p99s(loads.large), p99s(loads.small)),
  ];
}
