import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { operationOf } from '../operations.ts';
import { commandPrefix } from '../platform/lib/commandLine.ts';
import { CommandError } from './faults.ts';
import { follow, interruption } from './follow.ts';
import { formatCount, printNote } from './output.ts';
import { printFile, saveFile } from './outputFile.ts';
import type { Answer, Input, Session } from './session.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const addOutput = (command: Command): Command =>
  command.option('--output <file>', 'file or folder; - for standard output', '.');

async function create(session: Session, input: Input, options: Options): Promise<Answer> {
  const place = await placeOf(options);
  const { id } = await session.call('export create', input);
  return download(session, id, place);
}

type Place = { output: string; isFolder: boolean };

/** Checked before the server starts to write. */
async function placeOf({ output, json }: Options): Promise<Place> {
  const path = output as string;
  if (path !== '-') return { output: path, isFolder: await isFolderFor(path) };
  if (json) throw new CommandError('--json cannot be combined with --output -', 'usage');
  return { output: path, isFolder: false };
}

async function isFolderFor(output: string): Promise<boolean> {
  const found = await stat(output).catch(() => null);
  // Exports replace the target, which must not happen to a device or pipe.
  if (found && !found.isDirectory() && !found.isFile())
    throw new CommandError(`--output: ${output} is not a file or a folder; - is standard output`, 'usage');
  const folder = found?.isDirectory() ? output : dirname(output);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    const message = `--output cannot be written: folder ${folder} does not exist or is not writable`;
    throw new CommandError(message, 'usage');
  }
  return found?.isDirectory() ?? false;
}

const again = 'export download';

/** Waits until the server has written the file, and saves it. */
async function download(
  session: Session,
  id: string,
  { output, isFolder }: Place,
  signal = interruption(),
): Promise<Answer> {
  const ready = await follow(session, { get: 'export get', input: { id }, unit: 'rows', again, signal });
  if (ready === undefined) return undefined;
  if (ready.status !== 'done') throw new CommandError('Somebody has canceled the export.');
  // The name is the server's, so it must not lead elsewhere.
  const path = isFolder ? join(output, basename(ready.file_name)) : output;
  try {
    await write(bytesOf(session, ready, signal), output === '-' ? null : path);
  } catch (error) {
    if (!signal.aborted) throw error;
    printNote(
      `Stopped. The server keeps the file until ${ready.expires_at}: ${commandPrefix} ${again} ${id}`,
    );
    return undefined;
  }
  return { ...ready, path };
}

/** Throws on Ctrl-C, and if the bytes differ from the export's checksum. */
async function* bytesOf(session: Session, { id, sha256 }: Answer, signal: AbortSignal) {
  const { orgId } = session.target();
  const path = `/api/v1/exports/${id}/download${orgId === null ? '' : `?org_id=${encodeURIComponent(orgId)}`}`;
  const { body } = await session.send({ method: 'GET', path, accept: '*/*', signal });
  const hash = createHash('sha256');
  try {
    for await (const bytes of body ?? []) {
      hash.update(bytes);
      yield bytes;
    }
  } catch (error) {
    const message = `The download broke off. To repeat it: ${commandPrefix} ${again} ${id}`;
    throw new CommandError(message, 'away', { cause: error });
  }
  if (hash.digest('hex') !== sha256) throw new CommandError("The file's bytes differ from the export.");
}

/** To a file, or to standard output if there is none. */
async function write(bytes: AsyncIterable<Uint8Array>, file: string | null): Promise<void> {
  const pass = async (sink: (part: Uint8Array) => Promise<void>) => {
    for await (const part of bytes) await sink(part);
  };
  try {
    await (file === null ? printFile(pass) : saveFile(file, pass));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    // The reader, such as `head`, needs no more.
    if (file === null && code === 'EPIPE') return;
    if (file === null || syscall === undefined) throw error;
    throw new CommandError(`The file could not be written: ${message}`, 'fault', { cause: error });
  }
}

/** Writes each dataset of all days to a folder, as CSV. Returns the files, or undefined after Ctrl-C. */
export async function saveAllData(session: Session, folder: string): Promise<string[] | undefined> {
  const signal = interruption();
  try {
    // Not recursive, because that never ends in places such as /proc.
    if (!existsSync(folder)) await mkdir(folder);
  } catch (error) {
    throw new CommandError(`--export: ${(error as Error).message}`, 'usage');
  }
  const place = await placeOf({ output: folder });
  if (!place.isFolder) throw new CommandError(`--export: ${folder} is not a folder`, 'usage');
  const files: string[] = [];
  const datasets = operationOf('export create').fields.find(({ name }) => name === 'dataset')!.choices!;
  for (const dataset of datasets) {
    const to = new Date().toISOString().slice(0, 10);
    const { id } = await session.call('export create', { dataset, format: 'csv', from: firstDay, to });
    const saved = await download(session, id, place, signal);
    if (saved === undefined) return undefined;
    files.push(saved.path as string);
  }
  return signal.aborted ? undefined : files;
}

/** No CI is older. */
const firstDay = '2000-01-01';

function print({ path, rows, bytes, sha256 }: Answer): void {
  if (path !== '-') console.log(path);
  printNote(`${formatCount(rows)} rows, ${formatCount(bytes)} bytes, SHA-256 ${sha256}`);
}

export const exportCommands: TailoredGroup = {
  'export create': {
    words: 'export',
    defaults: { format: 'csv' },
    more: (command) => {
      // `export list` would need them, too. The server says what is missing.
      for (const option of command.options.filter(({ mandatory }) => mandatory)) {
        option.mandatory = false;
        option.description = `required; ${option.description}`;
      }
      return addOutput(command);
    },
    run: create,
    print,
    help: `
The file appears when it is complete, and replaces an existing file.

Examples:
  runcost export --dataset jobs --from 2026-03-01 --to 2026-03-31 --output march.csv
  runcost export --dataset focus --format parquet --from 2026-01-01 --to 2026-03-31
  runcost export --dataset daily --format jsonl --from 2026-03-01 --to 2026-03-31 --output - | jq .cost`,
  },
  'export list': { empty: 'No exports yet.' },
  [again]: {
    verb: 'export get',
    title: 'download the file of an export, once the server has written it',
    more: addOutput,
    run: async (session, { id }, options) => download(session, id as string, await placeOf(options)),
    print,
  },
};
