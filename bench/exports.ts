import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import type { DatasetName, FormatName } from '../src/insight/exports/datasets.ts';
import type { ExportResult } from './exportWriter.ts';
import { loadHistory } from './history.ts';
import { ratioOf, type Report, rounded, say } from './report.ts';
import { type Service, startService } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const smallHistory = 100_000;
/** `RUNCOST_BENCH_ROWS` makes it smaller for a machine that has less time. */
const largeHistory = Number(process.env['RUNCOST_BENCH_ROWS'] ?? 5_000_000);
const rounds = 3;
const writer = join(import.meta.dirname, 'exportWriter.ts');

/** A history in a database whose service has been stopped, so that the export's writer is alone with it. */
type History = { rows: number; service: Service };

/**
 * How much memory writing an export takes with a small and a large history, and how fast it is, against a `COPY` of the
 * same rows by psql that only formats them. Each export is written by a process of its own.
 */
export async function benchExports(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const small = await loadedHistory(storage, smallHistory);
  const large = await loadedHistory(storage, largeHistory);
  const rows: string[][] = [];
  for (const what of measured) {
    const { dataset, format } = what;
    say(`Exporting ${dataset} as ${format} …`);
    const line = await measure(storage, { small, large, nodeOptions, ...what });
    rows.push([`${dataset} ${format}`, ...line]);
  }
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
      'Peak MB is the resident memory of the process that writes, at its highest, Node.js itself included, and ' +
        'the embedded database where it is used, which is in the same process.',
      'Aim: a peak that grows by a factor of at most 1.20.',
    ],
  };
}

/** The widest rows in each format and the plainest; with the large history, which takes minutes each, two of them. */
const measured: { dataset: DatasetName; format: FormatName; isLarge: boolean }[] = [
  { dataset: 'jobs', format: 'csv', isLarge: true },
  { dataset: 'focus', format: 'csv', isLarge: false },
  { dataset: 'focus', format: 'jsonl', isLarge: false },
  { dataset: 'focus', format: 'parquet', isLarge: true },
];

async function loadedHistory(storage: Storage, rows: number): Promise<History> {
  say(`Loading ${rounded(rows)} runs …`);
  const service = await startService(storage, []);
  await loadHistory(service, rows);
  await service.stop();
  return { rows, service };
}

type Measurement = {
  small: History;
  large: History;
  dataset: DatasetName;
  format: FormatName;
  isLarge: boolean;
  nodeOptions: string[];
};

/** The rest of a line of the table. */
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

/** The same rows, formatted by the server and thrown away by psql; null where there is no server or no psql. */
async function copySeconds(
  storage: Storage,
  { service }: History,
  dataset: DatasetName,
): Promise<number | null> {
  const { DATABASE_URL: url } = service.environment;
  if (!storage.bin || !url) return null;
  const own = join(storage.bin, 'psql');
  const psql = existsSync(own) ? own : 'psql';
  const rows =
    dataset === 'runs'
      ? 'select * from runs order by created_at, id'
      : `select j.*, r.* from jobs j join runs r on r.org_id = j.org_id and r.id = j.run_id
         order by j.completed_at, j.run_id, j.attempt, j.job_id`;
  const statement = `copy (${rows.replaceAll(/\s+/g, ' ')}) to stdout (format csv, header)`;
  const start = performance.now();
  try {
    await run('sh', ['-c', '"$0" "$1" -c "$2" > /dev/null', psql, url, statement]);
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    if (code === commandNotFound) return null;
    throw new Error(`psql could not copy:\n${stderr}`, { cause: error });
  }
  return (performance.now() - start) / 1_000;
}

/** What shells answer. */
const commandNotFound = 127;
