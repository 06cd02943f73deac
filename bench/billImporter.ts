/**
 * Imports one report in a separate process, as an upload is imported, and prints what it took.
 * `billImporter.ts ORGANIZATION FILE`; the environment names the database.
 */
import { createReadStream } from 'node:fs';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { importReport, withSpooled } from '../src/ledger/bills/importReport.ts';
import { cliActor } from '../src/platform/lib/actor.ts';

export type ImportResult = {
  lines: number;
  seconds: number;
  processorSeconds: number;
  peakMegabytes: number;
  /** The highest resident memory before the first line was read. */
  startMegabytes: number;
};

const [orgId, file] = process.argv.slice(2) as [string, string];
const app = await createApp(readConfig(), { mayCreate: false, log: pino({ level: 'silent' }) });
const ctx = { ...app, actor: cliActor(orgId) };
const tooLarge = () => new Error('too large');

const before = process.cpuUsage();
const startMegabytes = process.resourceUsage().maxRSS / 1_024;
const start = performance.now();
const limit = { maxBytes: Number.MAX_SAFE_INTEGER, tooLarge };
const { report } = await withSpooled(createReadStream(file), limit, (path) =>
  importReport(ctx, { path, name: 'bench.csv' }),
);
const seconds = (performance.now() - start) / 1_000;
const { user, system } = process.cpuUsage(before);

const result: ImportResult = {
  lines: report.linesKept,
  seconds,
  processorSeconds: (user + system) / 1_000_000,
  peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  startMegabytes,
};
console.log(JSON.stringify(result));
await app.close();
