import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetName, FormatName } from '../src/insight/exports/datasets.ts';
import { addDays, dayOf } from '../src/platform/lib/days.ts';
import type { Service } from './service.ts';

/** Starts some work and returns what stops it. */
export type Start = (service: Service) => Promise<() => Promise<void>>;

/** Large questions and work of one organization, each repeated without a pause. */
export const ownWork: { title: string; start: Start }[] = [
  { title: 'cost questions over a year', start: askForCosts },
  { title: 'price previews of 90 days', start: previewPrices },
  { title: 'exports of a year, jobs csv', start: exportYear('jobs', 'csv') },
  { title: 'exports of a year, focus parquet', start: exportYear('focus', 'parquet') },
  { title: 'vacuum (analyze) of runs and jobs', start: vacuum },
];

function askForCosts(service: Service): Promise<() => Promise<void>> {
  return repeat(async () => {
    // As after a reprice: the program computes the columns of all days again.
    await service.db.query('update organization_days set version = gen_random_uuid()');
    await ask(service, 'GET', '/costs?days=365&group_by=repository');
  });
}

function previewPrices(service: Service): Promise<() => Promise<void>> {
  return repeat(() => ask(service, 'POST', '/pricing/what-if', { days: 90 }));
}

function exportYear(dataset: DatasetName, format: FormatName): Start {
  const to = dayOf(new Date());
  return (service) =>
    repeat(async (signal) => {
      const asked = { dataset, format, from: addDays(to, -364), to };
      const { id } = await ask(service, 'POST', '/exports', asked);
      for (;;) {
        const { status } = await ask(service, 'GET', `/exports/${id}`);
        if (status === 'done') return;
        if (status === 'failed') throw new Error('the export failed');
        // It may have just ended.
        if (signal.aborted) return void (await ask(service, 'POST', `/exports/${id}/cancel`).catch(() => {}));
        await sleep(100);
      }
    });
}

function vacuum({ db }: Service): Promise<() => Promise<void>> {
  return repeat(() => db.query('vacuum (analyze) runs, jobs'));
}

async function repeat(work: (signal: AbortSignal) => Promise<unknown>): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const repeating = (async () => {
    while (!stopping.signal.aborted) await work(stopping.signal);
  })();
  repeating.catch(() => {}); // it is thrown when the work is stopped
  return () => {
    stopping.abort();
    return repeating;
  };
}

type Answer = { id?: string; status?: string };

async function ask({ url, token }: Service, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return (JSON.parse(text) as { data: Answer }).data;
}
