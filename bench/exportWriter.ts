/**
 * Writes one export in a separate process and prints its duration and peak memory.
 * `exportWriter.ts ORGANIZATION DATASET FORMAT`; the environment names the database.
 */
import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { DatasetName, FormatName } from '../src/insight/exports/datasets.ts';
import { createExport, getReadyExport } from '../src/insight/exports/exports.ts';
import { exportPoller } from '../src/insight/exports/writeExport.ts';
import { cliActor } from '../src/platform/lib/actor.ts';

export type ExportResult = { rows: number; bytes: number; seconds: number; peakMegabytes: number };

const [orgId, dataset, format] = process.argv.slice(2) as [string, DatasetName, FormatName];
const log = pino({ level: 'silent' });
const app = await createApp(readConfig(), { mayCreate: false, log });
const ctx = { ...app, actor: cliActor(orgId) };
const to = new Date().toISOString().slice(0, 10);
const from = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 10);

const start = performance.now();
const { id } = await createExport(ctx, { dataset, format, from, to }, 'team');
const poller = exportPoller(app);
while (await poller.run(new AbortController().signal));
const seconds = (performance.now() - start) / 1_000;

const ready = await getReadyExport(ctx, id);
const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
const result: ExportResult = { rows: Number(ready.done), bytes: ready.state.bytes, seconds, peakMegabytes };
console.log(JSON.stringify(result));
await app.close();
