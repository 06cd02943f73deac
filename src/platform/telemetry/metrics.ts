import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Tracing } from './tracing.ts';

const prefix = 'runcost_';
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const waitSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Organizations can have thousands, and a series is never freed. */
export const maxSources = 1_000;

/** Each program has its own, because a process can hold several programs. */
export type Telemetry = { metrics: Metrics; tracing: Tracing };

export type Metrics = ReturnType<typeof createMetrics>;

/** docs/reference/metrics.md describes each metric. */
export function createMetrics() {
  const registry = new Registry();
  const database = databaseMetrics([registry]);
  clearDatabaseMetrics(database);
  return {
    registry,
    ...requestMetrics([registry]),
    ...workMetrics([registry]),
    ...poolMetrics([registry]),
    ...database,
    sourceLabel: createSourceLabels(),
    /** Called before each scrape, for values that are cheap to read. */
    beforeScrape: [] as (() => void)[],
    isWatchingProcess: false,
  };
}

type Registers = [Registry];

function requestMetrics(registers: Registers) {
  return {
    requestSeconds: new Histogram({
      name: `${prefix}http_request_duration_seconds`,
      help: 'Time to answer requests',
      labelNames: ['method', 'route', 'status'],
      buckets: requestSeconds,
      registers,
    }),
    pageFailures: new Counter({
      name: `${prefix}page_failures_total`,
      help: 'Pages that the server drew with an error or not at all',
      registers,
    }),
    events: new Counter({
      name: `${prefix}events_total`,
      help: 'Events of sources and submitted runs that were accepted',
      labelNames: ['provider', 'source'],
      registers,
    }),
    rejectedEvents: new Counter({
      name: `${prefix}rejected_events_total`,
      help: 'Events of sources and submitted runs that were refused',
      labelNames: ['provider', 'source', 'reason'],
      registers,
    }),
    ingestSeconds: new Histogram({
      name: `${prefix}ingest_commit_duration_seconds`,
      help: 'Time from the receipt of a live report to its commit, with its rollups',
      buckets: waitSeconds,
      registers,
    }),
    rollupLag: new Gauge({
      name: `${prefix}rollup_lag_seconds`,
      help: 'Age of the oldest report that waits for its commit; rollups commit with their runs',
      registers,
    }),
  };
}

function workMetrics(registers: Registers) {
  return {
    claimSeconds: new Histogram({
      name: `${prefix}claim_duration_seconds`,
      help: 'Time to claim due work',
      labelNames: ['queue'],
      buckets: waitSeconds,
      registers,
    }),
    deliveryAttempts: new Counter({
      name: `${prefix}delivery_attempts_total`,
      help: 'Attempts to deliver webhooks',
      labelNames: ['outcome'],
      registers,
    }),
    workFailures: new Counter({
      name: `${prefix}background_failures_total`,
      help: 'Failed runs of background work',
      labelNames: ['work'],
      registers,
    }),
    taskFailures: new Counter({
      name: `${prefix}task_failures_total`,
      help: 'Exports, backfills, reprices and other tasks that were given up',
      labelNames: ['task'],
      registers,
    }),
  };
}

function poolMetrics(registers: Registers) {
  return {
    poolWaitSeconds: new Histogram({
      name: `${prefix}pool_wait_seconds`,
      help: 'Wait for a connection to the database',
      labelNames: ['pool'],
      buckets: waitSeconds,
      registers,
    }),
    poolConnections: new Gauge({
      name: `${prefix}pool_connections`,
      help: 'Open connections to the database',
      labelNames: ['pool', 'state'],
      registers,
    }),
    poolWaiting: new Gauge({
      name: `${prefix}pool_waiting`,
      help: 'Callers that wait for a connection to the database',
      labelNames: ['pool'],
      registers,
    }),
    lostConnections: new Counter({
      name: `${prefix}pool_lost_connections_total`,
      help: 'Connections to the database that broke, idle or in use',
      labelNames: ['pool'],
      registers,
    }),
  };
}

/** Set from the database when they are scraped. Without a value, they have no series. */
function databaseMetrics(registers: Registers) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames: [], registers });
  return {
    databaseUp: gauge('database_up', 'Whether the database answered the scrape'),
    fromDatabase: {
      oldestDueDelivery: gauge('oldest_due_delivery_seconds', 'How long the oldest due delivery is overdue'),
      alertCheckLag: gauge('alert_check_lag_seconds', 'How long the oldest due check of an alert is overdue'),
      lastEvent: new Gauge({
        name: `${prefix}source_last_event_timestamp_seconds`,
        help: 'Unix time of the last event of a source, to the minute',
        labelNames: ['provider', 'source'],
        registers,
      }),
      hold: new Gauge({
        name: `${prefix}hold`,
        help: 'Whether this installation is on hold and sends nothing by itself',
        labelNames: ['reason'],
        registers,
      }),
      databaseBytes: gauge('database_size_bytes', 'Size of the database'),
      walBytes: gauge('wal_size_bytes', 'Size of the write-ahead log'),
      freeBytes: gauge('disk_free_bytes', "Free space of the disk that holds Runcost's own PostgreSQL"),
      diskBytes: gauge('disk_size_bytes', "Size of the disk that holds Runcost's own PostgreSQL"),
    },
  };
}

/** Otherwise a gauge without labels would start at 0 and keep its last value. */
export function clearDatabaseMetrics({ fromDatabase }: Pick<Metrics, 'fromDatabase'>): void {
  const { lastEvent, hold, ...single } = fromDatabase;
  for (const gauge of [lastEvent, hold]) gauge.reset();
  for (const gauge of Object.values(single)) gauge.remove();
}

function createSourceLabels(): (id: string) => string {
  const known = new Set<string>();
  return (id) => {
    if (known.size < maxSources) known.add(id);
    return known.has(id) ? id : 'other';
  };
}

/** From the first scrape on, because measuring the event loop wakes the process. */
export function watchProcess(metrics: Metrics): void {
  if (metrics.isWatchingProcess) return;
  metrics.isWatchingProcess = true;
  collectDefaultMetrics({ register: metrics.registry });
}
