import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findPostgres, type Postgres } from '../test/server/findPostgres.ts';
import { startReplicated } from '../test/server/startReplicated.ts';
import { hasPatroni, startPatroni, type Cluster } from './patroni.ts';
import { isQuick } from './quick.ts';
import { logProgress, type Report } from './report.ts';
import { checkRollups } from './rollups.ts';
import { startService, type Service } from './service.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 3;
const connections = 20;
const secondsBefore = isQuick ? 1 : 5;
const secondsAfter = isQuick ? 1 : 5;

type Event = { id: string; attempts: number; sentAt: number; acknowledgedAt: number };

/**
 * Kills the primary with SIGKILL while events come, and sends each event until it is acknowledged: how long nothing is
 * acknowledged, and whether the standby has each event once.
 */
export async function benchFailover(_storage: Storage, nodeOptions: string[]): Promise<Report> {
  const postgres = findPostgres();
  if (!postgres) throw new Error('The failover needs the programs of PostgreSQL.');
  const results: Awaited<ReturnType<typeof failOver>>[] = [];
  let name = '';
  for (let round = 1; round <= rounds; round++) {
    logProgress(`Round ${round} of ${rounds} …`);
    const cluster = hasPatroni ? await startPatroni(postgres) : scripted(postgres);
    name = cluster.name;
    try {
      results.push(await failOver(cluster, nodeOptions));
    } finally {
      await cluster.stop();
    }
  }
  return {
    headings: [
      'ROUND',
      'PROMOTED AFTER',
      'ACKNOWLEDGED AGAIN AFTER',
      'ACKNOWLEDGED',
      'SENT AGAIN',
      'LOST',
      'DOUBLED',
    ],
    rows: results.map((result, index) => [
      String(index + 1),
      `${result.promotedSeconds.toFixed(1)} s`,
      `${result.acknowledgedSeconds.toFixed(1)} s`,
      ...[result.acknowledged, result.sentAgain, result.lost, result.doubled].map((count) =>
        count.toLocaleString('en-US'),
      ),
    ]),
    notes: [
      `${name}. Times are from the kill. ${connections} connections post a run with a job each, and again until it is acknowledged.`,
      'At the end the rollups were the exact sums of the recorded runs and jobs.',
    ],
  };
}

function scripted(postgres: Postgres): Cluster {
  const { url, primaryUrl, standbyUrl, killPrimary, promoteStandby, stop } = startReplicated(postgres);
  return {
    name: 'A script promotes at once',
    url,
    primaryUrl,
    standbyUrl,
    killPrimary,
    promote: async () => promoteStandby(),
    stop: async () => stop(),
  };
}

async function failOver(cluster: Cluster, nodeOptions: string[]) {
  const environment = { DATABASE_URL: cluster.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const database = { environment, databaseUrl: cluster.primaryUrl };
  const service = await startService({ newDatabase: async () => database }, nodeOptions);
  service.db.on('error', () => {}); // its server is killed
  const events: Event[] = [];
  const stopping = new AbortController();
  const senders = Array.from({ length: connections }, () => send(service, events, stopping.signal));
  await sleep(secondsBefore * 1_000);
  cluster.killPrimary();
  const killedAt = performance.now();
  const promoted = untilPromoted(cluster.standbyUrl);
  await cluster.promote();
  const promotedAt = await promoted;
  while (acknowledgedAfter(events, killedAt).length === 0) await sleep(20);
  await sleep(secondsAfter * 1_000);
  stopping.abort();
  await Promise.all(senders);
  const stored = await readStored(cluster.standbyUrl);
  await service.stop();
  return {
    promotedSeconds: (promotedAt - killedAt) / 1_000,
    acknowledgedSeconds: (Math.min(...acknowledgedAfter(events, killedAt)) - killedAt) / 1_000,
    acknowledged: events.length,
    sentAgain: events.filter(({ attempts }) => attempts > 1).length,
    lost: events.filter(({ id }) => !stored.ids.has(id)).length,
    doubled: stored.counted - stored.ids.size,
  };
}

/** Counts attempts that were acknowledged, without those that the former primary had already stored. */
function acknowledgedAfter(events: readonly Event[], killedAt: number): number[] {
  return events.filter(({ sentAt }) => sentAt > killedAt).map(({ acknowledgedAt }) => acknowledgedAt);
}

async function send({ url, token }: Service, events: Event[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const event = { id: randomBytes(8).toString('hex'), attempts: 0, sentAt: 0, acknowledgedAt: 0 };
    const end = new Date().toISOString();
    const job = { job_id: event.id, runner: 'linux_2_core', started_at: end, completed_at: end };
    const common = { workflow_name: 'CI', repo_name: 'acme/api', status: 'completed', conclusion: 'success' };
    const body = JSON.stringify({ runs: [{ run_id: event.id, ...common, created_at: end, jobs: [job] }] });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    while (event.acknowledgedAt === 0) {
      event.attempts++;
      event.sentAt = performance.now();
      const answer = await fetch(`${url}/api/v1/runs`, { method: 'POST', headers, body }).catch(() => null);
      await answer?.arrayBuffer().catch(() => {});
      if (answer?.status === 200) event.acknowledgedAt = performance.now();
      else await sleep(20);
    }
    events.push(event);
  }
}

async function untilPromoted(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ask = () => client.query<{ is: boolean }>('select pg_is_in_recovery() as is');
  while ((await ask()).rows[0]!.is) await sleep(20);
  const at = performance.now();
  await client.end();
  return at;
}

async function readStored(url: string): Promise<{ ids: Set<string>; counted: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const runs = await client.query<{ id: string }>(`select right(id, 16) as id from runs`);
  const days = await client.query<{ runs: number }>('select sum(runs)::int as runs from organization_days');
  await checkRollups(client);
  await client.end();
  return { ids: new Set(runs.rows.map(({ id }) => id)), counted: days.rows[0]!.runs };
}
