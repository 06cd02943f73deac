import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { datasetNames, fileNameOf, formatNames } from '../insight/exports/datasets.ts';
import {
  cancelExport,
  createExport,
  type Export,
  type ExportRequest,
  exportView,
  getExport,
  getReadyExport,
  readFile,
} from '../insight/exports/exports.ts';
import { exportPoller } from '../insight/exports/writeExport.ts';
import { findRecordedDays } from '../ledger/runs/reading.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, namingOptions, orgOption, withApp } from './command.ts';
import { followTask } from './followTask.ts';
import { formatCount, printJson, printNote } from './output.ts';

type ExportOptions = ExportRequest & { output?: string; org?: string; json?: boolean };

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write runs, jobs or costs to a file')
    .addOption(
      new Option('--dataset <name>', 'what the rows are').choices(datasetNames).makeOptionMandatory(),
    )
    .addOption(new Option('--format <name>', 'file format').choices(formatNames).default('csv'))
    .requiredOption('--from <day>', 'UTC day, or date-time as 2026-01-31T09:30:00Z')
    .requiredOption('--to <day>', 'UTC day (included), or date-time (not included)')
    .option('--output <file>', 'file or folder; - for standard output', '.')
    .option(...orgOption)
    .option('--json', 'print the export as JSON')
    .addHelpText('after', help)
    .action((options: ExportOptions) => withApp((app) => writeFile(app, options)));
}

const help = `
Datasets: jobs (every job that counts, with its run), runs, daily (workflows by day), focus (FOCUS 1.3, one row per job).
The file appears when it is complete, and replaces an existing file.

Examples:
  runcost export --dataset jobs --from 2026-03-01 --to 2026-03-31 --output march.csv
  runcost export --dataset focus --format parquet --from 2026-01-01 --to 2026-03-31
  runcost export --dataset daily --format jsonl --from 2026-03-01 --to 2026-03-31 --output - | jq .cost
`;

async function writeFile(app: App, options: ExportOptions): Promise<void> {
  const { output = '.' } = options;
  const ctx = await contextFor(app, options.org);
  const isStandardOutput = output === '-';
  if (isStandardOutput && options.json) throw invalid('--json', 'cannot be combined with --output -');
  const isFolder = !isStandardOutput && (await isFolderFor(output));
  const { plan } = await getOrganization(ctx);
  const created = await namingOptions(() => createExport(ctx, options, plan));
  const signal = await waitFor(app, ctx, created.id);
  if (!signal) return printNote('Stopped; the export is canceled.');
  const ready = await getReadyExport(ctx, created.id);
  const file = isFolder ? join(output, fileNameOf(ready.input)) : output;
  const bytes = bytesOf(app, ready, signal);
  try {
    await (isStandardOutput ? printFile(bytes) : saveFile(bytes, file));
  } catch (error) {
    if (signal.aborted) return printNote('Stopped; the API has the file for 24 hours.');
    throw error;
  }
  const view = exportView(ready, { publicUrl: app.publicUrl(), now: app.clock.now() });
  if (options.json) return printJson({ ...view, path: file });
  if (!isStandardOutput) console.log(file);
  printNote(`${formatCount(view.rows)} rows, ${formatCount(view.bytes)} bytes, SHA-256 ${ready.sha256}`);
}

/** Writes one CSV file per dataset. Returns their paths, or null after Ctrl-C. */
export async function saveAllData(app: App, ctx: Context, folder: string): Promise<string[] | null> {
  try {
    // Not recursive, because that never ends in places such as /proc.
    if (!existsSync(folder)) await mkdir(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw invalid('--export', `cannot be written to: ${(error as Error).message}`);
  }
  const days = await findRecordedDays(ctx);
  const files: string[] = [];
  for (const dataset of days ? datasetNames : []) {
    const { first: from, last: to } = days!;
    const created = await createExport(ctx, { dataset, format: 'csv', from, to }, null);
    const signal = await waitFor(app, ctx, created.id);
    if (!signal) return null;
    const ready = await getReadyExport(ctx, created.id);
    const file = join(folder, fileNameOf(ready.input));
    await saveFile(bytesOf(app, ready, signal), file);
    files.push(file);
  }
  return files;
}

async function isFolderFor(output: string): Promise<boolean> {
  const found = await stat(output).catch(() => null);
  if (found && !found.isDirectory() && !found.isFile()) {
    // Exports replace the target, which must not happen to a device or pipe.
    throw invalid('--output', `${output} is not a file or a folder; - is standard output`);
  }
  const folder = found?.isDirectory() ? output : dirname(output);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw invalid('--output', `cannot be written: folder ${folder} does not exist or is not writable`);
  }
  return found?.isDirectory() ?? false;
}

async function waitFor(app: App, ctx: Context, id: string): Promise<AbortSignal | null> {
  const { task, isStopped, signal } = await followTask({
    clock: app.clock,
    poller: exportPoller(app),
    unit: 'rows',
    name: 'export',
    shownBy: `GET /api/v1/exports/${id}`,
    read: () => getExport(ctx, id),
  });
  if (isStopped) {
    await cancelExport(ctx, id);
    return null;
  }
  requireDone(task);
  return signal;
}

function requireDone({ status, error }: Export): void {
  if (status === 'done') return;
  const message =
    status === 'cancelled' ? 'Somebody else canceled the export.' : (error ?? 'The export failed.');
  throw new PublicError('conflict', 'export_not_written', message);
}

type Ready = Export & { sha256: string };

/** Throws on Ctrl-C, and if the bytes differ from the export's checksum. */
async function* bytesOf(app: App, ready: Ready, signal: AbortSignal): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const bytes of readFile(app.db, ready, { first: 0, last: ready.state.bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') !== ready.sha256) throw new Error("The file's bytes differ from the export.");
}

async function saveFile(bytes: AsyncIterable<Buffer>, file: string): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    const handle = await open(unfinished, 'wx');
    try {
      for await (const part of bytes) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new PublicError('unavailable', 'file_not_written', `The file could not be written: ${message}`);
  }
}

async function printFile(bytes: AsyncIterable<Buffer>): Promise<void> {
  const write = (part: Buffer) =>
    new Promise<void>((resolve, reject) => {
      process.stdout.write(part, (error) => (error ? reject(error) : resolve()));
    });
  // The failing write reports the error, too.
  process.stdout.on('error', () => {});
  try {
    for await (const part of bytes) await write(part);
  } catch (error) {
    // The reader, such as `head`, needs no more.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
