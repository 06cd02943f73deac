import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { DatasetName, FormatName } from '../src/insight/exports/datasets.ts';
import type { ExportResult } from './exportWriter.ts';
import { loadHistory } from './history.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { openStored, type Service, startService } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const smallHistory = isQuick ? 1_000 : 100_000;
/** `RUNCOST_BENCH_ROWS` sets a smaller number for a slow machine. */
const largeHistory = isQuick ? 2_000 : Number(process.env['RUNCOST_BENCH_ROWS'] ?? 5_000_000);
const rounds = isQuick ? 1 : 3;
const writer = join(import.meta.dirname, 'exportWriter.ts');

/** A database with a history. Its service is stopped, so that only the export's writer and psql use it. */
type History = { rows: number; service: Service; close: () => Promise<void> };

/**
 * Measures the memory and speed of exports with a small and a large history, compared with a `COPY` of the same rows by
 * psql, which only formats them. A separate process writes each export.
 */
export async function benchExports(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const small = await loadedHistory(storage, smallHistory);
  const large = await loadedHistory(storage, largeHistory);
  const rows: string[][] = [];
  for (const what of measured) {
    const { dataset, format } = what;
    logProgress(`Exporting ${dataset} as ${format} …`);
    const line = await measure(storage, { small, large, nodeOptions, ...what });
    rows.push([`${dataset} ${format}`, ...line]);
  }
  for (const { close } of [small, large]) await close();
  return {
    headings: [
      'EXPORT',
      'ROWS/S',
      'COPY BY PSQL',
      'RATIO (ROUNDS)',
      `PEAK MB AT ${rounded(smallHistory)} ROWS`,
      `AT ${rounded(largeHistory)}`,
      'GROWTH (ROUNDS)',
    ],
    rows,
    notes: [
      `A row is a job with its run. Rows/s at ${rounded(smallHistory)} rows, ${rounds} rounds; the larger history once.`,
      'Peak MB is the highest resident memory of the writing process, with Node.js and without PostgreSQL.',
      'Goal: a peak that grows by a factor of at most 1.20.',
    ],
  };
}

/**
 * The widest rows in each format, and the narrowest rows in one. Only two, because exports of the large history take
 * minutes.
 */
const measured: { dataset: DatasetName; format: FormatName; isLarge: boolean }[] = [
  { dataset: 'jobs', format: 'csv', isLarge: true },
  { dataset: 'focus', format: 'csv', isLarge: false },
  { dataset: 'focus', format: 'jsonl', isLarge: false },
  { dataset: 'focus', format: 'parquet', isLarge: true },
];

async function loadedHistory(storage: Storage, rows: number): Promise<History> {
  logProgress(`Loading ${rounded(rows)} runs …`);
  const service = await startService(storage, []);
  await loadHistory(service, rows);
  const { close } = await openStored(service);
  await service.stop();
  return { rows, service, close };
}

type Measurement = {
  small: History;
  large: History;
  dataset: DatasetName;
  format: FormatName;
  isLarge: boolean;
  nodeOptions: string[];
};

/** All cells of a row except its title. */
async function measure(storage: Storage, { small, large, isLarge, ...what }: Measurement): Promise<string[]> {
  const results: ExportResult[] = [];
  const copies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push(await write(small, what));
    const seconds = await copySeconds(storage, small, what.dataset);
    if (seconds !== null) copies.push(small.rows / seconds);
  }
  const largest = isLarge ? await write(large, what) : null;
  const rates = results.map(({ rows, seconds }) => rows / seconds);
  const peaks = results.map(({ peakMegabytes }) => peakMegabytes);
  return [
    rounded(median(rates)),
    copies.length > 0 ? rounded(median(copies)) : '-',
    copies.length > 0 ? ratioOf(rates, copies) : '-',
    rounded(median(peaks)),
    largest ? rounded(largest.peakMegabytes) : '-',
    largest
      ? ratioOf(
          peaks.map(() => largest.peakMegabytes),
          peaks,
        )
      : '-',
  ];
}

const run = promisify(execFile);

async function write(
  { rows, service }: History,
  { dataset, format, nodeOptions }: Pick<Measurement, 'dataset' | 'format' | 'nodeOptions'>,
): Promise<ExportResult> {
  const args = [...nodeOptions, writer, service.orgId, dataset, format];
  const env = { ...process.env, ...service.environment };
  const result = await run(process.execPath, args, { env }).then(
    ({ stdout }) => JSON.parse(stdout) as ExportResult,
    ({ stderr }: { stderr: string }) => {
      throw new Error(`the export could not be written:\n${stderr}`);
    },
  );
  if (result.rows !== rows) throw new Error(`${result.rows} of ${rows} rows were exported`);
  return result;
}

/** PostgreSQL formats the same rows and psql discards them. Null without psql. */
async function copySeconds(
  { tools }: Storage,
  { service }: History,
  dataset: DatasetName,
): Promise<number | null> {
  if (!tools) return null;
  const rows =
    dataset === 'runs'
      ? 'select * from runs order by created_at, id'
      : `select j.*, r.* from recorded_jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id
         order by j.completed_at, j.run_id, j.attempt, j.job_id`;
  const statement = `copy (${rows.replaceAll(/\s+/g, ' ')}) to stdout (format csv, header)`;
  const start = performance.now();
  await run('sh', [
    '-c',
    '"$0" "$1" -c "$2" > /dev/null',
    join(tools, 'psql'),
    service.databaseUrl,
    statement,
  ]);
  return (performance.now() - start) / 1_000;
}
