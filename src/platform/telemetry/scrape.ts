import type { Logger } from 'pino';
import type { Clock } from '../lib/time.ts';
import { clearDatabaseMetrics, watchProcess, type Metrics } from './metrics.ts';

const cachedMilliseconds = 5_000;
const maxReadMilliseconds = 4_000;

type Scraped = {
  metrics: Metrics;
  clock: Clock;
  log: Pick<Logger, 'debug'>;
  readDatabase: () => Promise<void>;
};

/** Reads the database at most every five seconds, and goes without it after four. */
export function createScrape({ metrics, clock, log, readDatabase }: Scraped): () => Promise<string> {
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const now = clock.now().getTime();
    if (now - readAt < cachedMilliseconds) return;
    reading ??= readDatabase().finally(() => (reading = null));
    try {
      await inTime(reading);
      metrics.databaseUp.set(1);
      readAt = now;
    } catch (error) {
      log.debug({ err: error }, 'metrics of the database could not be read');
      metrics.databaseUp.set(0);
      clearDatabaseMetrics(metrics);
    }
  }

  return async () => {
    watchProcess(metrics);
    await read();
    for (const set of metrics.beforeScrape) set();
    return metrics.registry.metrics();
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database has not answered in time')), maxReadMilliseconds);
  });
  work.catch(() => {});
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
