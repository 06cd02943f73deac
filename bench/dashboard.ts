import { join } from 'node:path';
import { loadHistory } from './history.ts';
import { read, type Load } from './load.ts';
import { fill, pageRequests } from './pageRequests.ts';
import { startProgram } from './program.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { checkRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const smallHistory = isQuick ? 1_000 : 10_000;
const largeHistory = isQuick ? 10_000 : 1_000_000;
const connections = 20;
const rounds = isQuick ? 1 : 9;
const secondsPerRound = 0.8;
const usual = { connections, ...(isQuick ? { amount: connections } : { duration: secondsPerRound }) };

const names = ['summary', 'trends', 'top-workflows', 'recent-runs', 'workflows', 'workflows/summary'];
const dashboard = names.map((name) => `/api/v1/dashboard/${name}?org_id={org}`);
/** Some alone, and what a page sends in turn. */
const rowsOfPaths: [title: string, paths: readonly string[]][] = [
  ...names.map((name, index): [string, string[]] => [name, [dashboard[index]!]]),
  ['all in turn', dashboard],
  ...['/', '/workflows', '/explore'].map((page): [string, string[]] => [`page ${page}`, pageRequests[page]!]),
];

/**
 * Measures how fast the dashboard responds with a small and a large history, compared with a bare Fastify that sends the
 * same bytes. Each runs in a separate process. Each round measures all three in sequence.
 */
export async function benchDashboard(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const small = await serviceWithHistory(storage, smallHistory, []);
  const large = await serviceWithHistory(storage, largeHistory, nodeOptions);
  const bodies = await bodiesOf(large);
  const bareServer = join(import.meta.dirname, 'bareServer.ts');
  const bare = await startProgram([bareServer], {}, /http.*\n/, JSON.stringify(bodies));
  const bareService = { ...large, url: bare.output.trim() };
  const rows: string[][] = [];
  for (const [title, requested] of rowsOfPaths) {
    logProgress(`Reading ${title} …`);
    // A browser sends at once what a page asks.
    const load = title.startsWith('page')
      ? { connections: requested.length, amount: requested.length }
      : usual;
    rows.push([title, ...(await measure(requested, load, { small, large, bare: bareService }))]);
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
      `${connections} connections with one token request the same address at the same time, or all six in turn; a page sends what it ` +
        `asks at once. ${rounds} rounds of ${secondsPerRound} s. Requests/s at ${rounded(largeHistory)} runs.`,
      'Both histories have the same workflows and days. Their rollups are the exact sums of the runs and jobs.',
      'Goals: at least 0.40 of bare Fastify, and a p99 that grows by a factor of at most 1.30.',
    ],
  };
}

async function serviceWithHistory(storage: Storage, runs: number, nodeOptions: string[]): Promise<Service> {
  logProgress(`Loading ${rounded(runs)} runs …`);
  const service = await startService(storage, nodeOptions);
  await loadHistory(service, runs);
  await checkRollups(service.db);
  return service;
}

function pathOf({ orgId }: Service, path: string): string {
  return fill(path, { org: orgId, day: new Date().toISOString().slice(0, 10) });
}

/** The response bodies by path. */
async function bodiesOf(service: Service): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for (const path of rowsOfPaths.flatMap(([, paths]) => paths.map((each) => pathOf(service, each)))) {
    const response = await fetch(service.url + path, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    bodies[path] = await response.text();
  }
  return bodies;
}

/** All cells of a row except its title. The first round is a warm-up and does not count. */
async function measure(
  requested: readonly string[],
  load: Parameters<typeof read>[3],
  services: { small: Service; large: Service; bare: Service },
): Promise<string[]> {
  const loads = { small: [] as Load[], large: [] as Load[], bare: [] as Load[] };
  for (let round = 0; round <= rounds; round++) {
    for (const target of ['large', 'small', 'bare'] as const) {
      const service = services[target];
      const paths = requested.map((path) => pathOf(service, path));
      const done = await read(service.url, paths, service.token, load);
      if (round > 0) loads[target].push(done);
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
