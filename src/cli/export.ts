import { createHash, randomBytes } from 'node:crypto';
import { access, constants, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { createExport, type ExportRequest } from '../exports/createExport.ts';
import { datasetNames, formatNames, type Export } from '../exports/exportTask.ts';
import { fileNameOf } from '../exports/fileName.ts';
import { cancelExport, getExport, getReadyExport } from '../exports/getExport.ts';
import { readFile } from '../exports/readFile.ts';
import { exportView } from '../exports/views.ts';
import { exportJob } from '../exports/writeExport.ts';
import { invalid, PublicError } from '../lib/errors.ts';
import type { Context } from '../organizations/context.ts';
import { getOrganization } from '../organizations/getOrganization.ts';
import { followTask } from './followTask.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { printJson, printNote } from './output.ts';
import { formatCount } from './progress.ts';

type ExportOptions = ExportRequest & { output?: string; org?: string; json?: boolean };

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write runs, jobs or costs to a file')
    .addOption(new Option('--dataset <name>', 'rows of what').choices(datasetNames).makeOptionMandatory())
    .addOption(new Option('--format <name>', 'of the file').choices(formatNames).default('csv'))
    .requiredOption('--from <day>', 'UTC day, or date-time as 2026-01-31T09:30:00Z')
    .requiredOption('--to <day>', 'UTC day, which is included, or date-time, which is not')
    .option('--output <file>', 'file or folder; - for standard output', '.')
    .option(...orgOption)
    .option('--json', 'print the export as JSON')
    .addHelpText('after', help)
    .action((options: ExportOptions) => withApp('export', (app) => writeFile(app, options)));
}

const help = `
Datasets: jobs (each job that counts, with its run), runs, daily (workflows by day), focus (FOCUS 1.3, a row a job).
The file appears under its name once it is whole, and takes the place of one that is there.

Examples:
  runcost export --dataset jobs --from 2026-03-01 --to 2026-03-31 --output march.csv
  runcost export --dataset focus --format parquet --from 2026-01-01 --to 2026-03-31
  runcost export --dataset daily --format jsonl --from 2026-03-01 --to 2026-03-31 --output - | jq .cost
`;

async function writeFile(app: App, options: ExportOptions): Promise<void> {
  const { output = '.' } = options;
  const ctx = await contextFor(app, options.org);
  const isStandardOutput = output === '-';
  if (isStandardOutput && options.json) throw invalid('--json', 'cannot be printed where the file is');
  const isFolder = !isStandardOutput && (await isWritableFolder(output));
  const { plan } = await getOrganization(ctx);
  const created = await namingOptions(() => createExport(ctx, options, plan));
  const isWritten = await waitFor(app, ctx, created.id);
  if (!isWritten) return printNote('Stopped; the export has been cancelled.');
  const ready = await getReadyExport(ctx, created.id);
  const file = isFolder ? join(output, fileNameOf(ready.input)) : output;
  await (isStandardOutput ? printFile(app, ready) : saveFile(app, ready, file));
  const view = exportView(ready, { publicUrl: app.publicUrl(), now: app.clock.now() });
  if (options.json) return printJson({ ...view, path: file });
  if (!isStandardOutput) console.log(file);
  printNote(`${formatCount(view.rows)} rows, ${formatCount(view.bytes)} bytes, SHA-256 ${ready.sha256}`);
}

/** Whether the output is a folder for the file; throws where neither it nor a file in its place can be written. */
async function isWritableFolder(output: string): Promise<boolean> {
  const isFolder = await stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const folder = isFolder ? output : dirname(output);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw invalid('--output', `cannot be written: there is no folder ${folder} that may be written to`);
  }
  return isFolder;
}

/** Errors name the options where the API would name fields. */
async function namingOptions<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    throw new PublicError(error.kind, error.code, error.message.replaceAll('body.', '--'), error.errors);
  }
}

/** Works at the export until it has ended. Answers false when it was asked to stop, and has cancelled it. */
async function waitFor(app: App, ctx: Context, id: string): Promise<boolean> {
  const { task, isStopped } = await followTask({
    ...{ clock: app.clock, job: exportJob(app), unit: 'rows' },
    read: () => getExport(ctx, id),
  });
  if (!isStopped) return isDone(task);
  await cancelExport(ctx, id);
  return false;
}

function isDone({ status, error }: Export): true {
  if (status === 'done') return true;
  const message = status === 'cancelled' ? 'The export was cancelled elsewhere.' : (error ?? 'It failed.');
  throw new PublicError('conflict', 'export_not_written', message);
}

type Ready = Export & { sha256: string };

/** Writes the file beside its place, and moves it there once it is whole and on the disk. */
async function saveFile(app: App, ready: Ready, file: string): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
  const handle = await open(unfinished, 'wx');
  try {
    try {
      await copy(app, ready, (bytes) => handle.writeFile(bytes));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await unlink(unfinished);
    throw error;
  }
}

async function printFile(app: App, ready: Ready): Promise<void> {
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  // The write that fails says so as well.
  process.stdout.on('error', () => {});
  try {
    await copy(app, ready, write);
  } catch (error) {
    // Who reads, such as `head`, has enough.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

/** Hands over the file's bytes one after the other, and throws at the end if they are not what was written. */
async function copy(app: App, ready: Ready, write: (bytes: Buffer) => Promise<void>): Promise<void> {
  const hash = createHash('sha256');
  for await (const bytes of readFile(app.db, ready, { first: 0, last: ready.state.bytes - 1 })) {
    hash.update(bytes);
    await write(bytes);
  }
  if (hash.digest('hex') !== ready.sha256) throw new Error('The bytes read are not those of the export.');
}
