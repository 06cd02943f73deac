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
const rounds = 9;
const secondsARound = 0.8;

const names = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];

/**
 * How fast the dashboard answers with a small and a large history, and against a bare Fastify that sends the same
 * bytes. Each of the three is a process of its own; each round measures them one after the other.
 */
export async function benchDashboard(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const small = await serviceWithHistory(storage, smallHistory, []);
  const large = await serviceWithHistory(storage, largeHistory, nodeOptions);
  const bodies = await bodiesOf(large);
  const bareServer = join(import.meta.dirname, 'bareServer.ts');
  const bare = await startProgram([bareServer], {}, /http.*\n/, JSON.stringify(bodies));
  const bareService = { ...large, url: bare.output.trim() };
  const rows: string[][] = [];
  for (const asked of [...names.map((name) => [name]), names]) {
    const title = asked.length === 1 ? asked[0]! : 'all in turn';
    say(`Reading ${title} …`);
    rows.push([title, ...(await measure(asked, { small, large, bare: bareService }))]);
  }
  await bare.stop();
  await small.stop();
  await large.stop();
  return {
    headings: [
      'DASHBOARD',
      'REQUESTS/S',
      'BARE FASTIFY',
      'RATIO (ROUNDS)',
      `P99 MS AT ${rounded(smallHistory)} RUNS`,
      `AT ${rounded(largeHistory)}`,
      'RATIO (ROUNDS)',
    ],
    rows,
    notes: [
      `${connections} connections with one token ask for the same address at the same time, and in the last line for ` +
        `all six in turn; ${rounds} rounds of ${secondsARound} s. Requests/s at ${rounded(largeHistory)} runs.`,
      'Both histories have the same workflows and days, and rollups that are the exact sums of the runs and jobs.',
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

function pathOf({ orgId }: Service, name: string): string {
  return `/api/v1/dashboard/${name}?org_id=${orgId}`;
}

/** What the service answers, by path without the query. */
async function bodiesOf(service: Service): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for (const name of names) {
    const path = pathOf(service, name);
    const response = await fetch(service.url + path, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    bodies[path.split('?')[0]!] = await response.text();
  }
  return bodies;
}

/** The rest of a line of the table. The first round warms up and does not count. */
async function measure(
  asked: string[],
  services: { small: Service; large: Service; bare: Service },
): Promise<string[]> {
  const loads = { small: [] as Load[], large: [] as Load[], bare: [] as Load[] };
  for (let round = 0; round <= rounds; round++) {
    for (const target of ['large', 'small', 'bare'] as const) {
      const service = services[target];
      const paths = asked.map((name) => pathOf(service, name));
      const load = await read(service.url, paths, service.token, { connections, seconds: secondsARound });
      if (round > 0) loads[target].push(load);
    }
  }
  const rates = (of: Load[]) => of.map(({ requests, seconds }) => requests / seconds);
  const p99s = (of: Load[]) => of.map(({ p99Milliseconds }) => p99Milliseconds);
  return [
    rounded(median(rates(loads.large))),
    rounded(median(rates(loads.bare))),
    ratioOf(rates(loads.large), rates(loads.bare)),
    median(p99s(loads.small)).toFixed(1),
    median(p99s(loads.large)).toFixed(1),
    ratioOf(p99s(loads.large), p99s(loads.small)),
  ];
}
