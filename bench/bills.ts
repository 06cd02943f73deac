import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { addDays, dayOf } from '../src/platform/lib/days.ts';
import type { ImportResult } from './billImporter.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { openStored, type Service, startService } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const smallReport = isQuick ? 2_000 : 100_000;
/** `RUNCOST_BENCH_ROWS` sets a smaller number for a slow machine. */
const largeReport = isQuick ? 6_000 : Number(process.env['RUNCOST_BENCH_ROWS'] ?? 2_000_000);
const rounds = isQuick ? 1 : 3;
const importer = join(import.meta.dirname, 'billImporter.ts');

/** Imports a small and a large report in turn, each in a new process: what a line takes, and the memory. */
export async function benchBills(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, []);
  const { close } = await openStored(service);
  await service.stop();
  const measured: ImportResult[][] = [[], []];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [index, lines] of [smallReport, largeReport].entries()) {
      logProgress(`Importing ${rounded(lines)} lines …`);
      const file = await writeReport(service, lines, round);
      bytes = (await stat(file)).size;
      measured[index]!.push(await importFile(service, file, nodeOptions));
    }
  }
  await close();
  const [small, large] = measured as [ImportResult[], ImportResult[]];
  const processor = (results: ImportResult[]) =>
    results.map(({ processorSeconds, lines }) => (processorSeconds * 1e6) / lines);
  const wall = (results: ImportResult[]) => results.map(({ seconds, lines }) => (seconds * 1e6) / lines);
  const peak = (results: ImportResult[]) => results.map(({ peakMegabytes }) => peakMegabytes);
  return {
    headings: [
      'PER LINE',
      `AT ${rounded(smallReport)} LINES`,
      `AT ${rounded(largeReport)}`,
      'RATIO (ROUNDS)',
    ],
    rows: (
      [
        ['processor µs', processor],
        ['µs', wall],
        ['peak MB', peak],
      ] as const
    ).map(([name, of]) => [
      name,
      rounded(median(of(small))),
      rounded(median(of(large))),
      ratioOf(of(large), of(small)),
    ]),
    notes: [
      `A detailed report of 31 days, in random order within a day; the large one has ${rounded(bytes / 2 ** 20)} MiB.`,
      `${rounds} rounds. Processor time is the importing process's, without PostgreSQL.`,
      `Peak MB is its highest resident memory; ${rounded(small[0]!.startMegabytes)} MB exist before the first line.`,
      'Goal: at most 400 MB, and a line takes no longer in a large report than in a small one.',
    ],
  };
}

const run = promisify(execFile);

async function importFile(service: Service, file: string, nodeOptions: string[]): Promise<ImportResult> {
  const env = { ...process.env, ...service.environment };
  const { stdout } = await run(process.execPath, [...nodeOptions, importer, service.orgId, file], { env });
  return JSON.parse(stdout) as ImportResult;
}

/** The latest 31 days that are over. */
const today = dayOf(new Date());
const days = Array.from({ length: 31 }, (_, index) => addDays(today, index - 31));
const repositories = 500;
const skus: [sku: string, price: number][] = [
  ['actions_linux', 0.006],
  ['actions_linux_4_core', 0.012],
  ['actions_linux_arm', 0.005],
  ['actions_windows', 0.01],
  ['actions_macos', 0.062],
  ['actions_storage', 0.000336021],
];
const heading =
  'date,product,sku,quantity,unit_type,applied_cost_per_quantity,gross_amount,discount_amount,net_amount,username,' +
  'organization,repository,workflow_path,cost_center_name';

/** Users and workflows make many lines of a repository, SKU and day. Each round has other bytes. */
async function writeReport({ environment }: Service, lines: number, round: number): Promise<string> {
  const file = join(environment['DATA_DIR']!, `report-${lines}-${round}.csv`);
  const chunks = function* (): Generator<string> {
    yield `${heading}\n`;
    const perChunk = 1_000;
    for (let first = 0; first < lines; first += perChunk) {
      const count = Math.min(perChunk, lines - first);
      yield Array.from({ length: count }, (_, index) => lineAt(first + index, lines, round)).join('');
    }
  };
  await pipeline(Readable.from(chunks()), createWriteStream(file));
  return file;
}

function lineAt(number: number, lines: number, round: number): string {
  const day = days[Math.floor((number * days.length) / lines)]!;
  const random = scattered(number + round * lines);
  const [sku, price] = skus[random % skus.length]!;
  const repository = (random >>> 4) % repositories;
  const quantity = 1 + ((random >>> 12) % 300);
  const gross = (quantity * price).toFixed(9);
  const unit = sku === 'actions_storage' ? 'GigabyteHours' : 'Minutes';
  return (
    `"${day}","actions","${sku}",${quantity},"${unit}",${price},${gross},0,${gross},"user-${random % 97}",` +
    `"acme","service-${repository}",".github/workflows/build-${random % 13}.yml",""\n`
  );
}

/** The same for the same number, and spread over 32 bits. */
function scattered(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
