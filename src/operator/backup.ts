import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { derivedTables } from '../app.ts';
import { CommandError } from '../cli/faults.ts';
import { stopOnSignal, withProgress } from '../cli/follow.ts';
import { printJson, printNote } from '../cli/output.ts';
import { printFile, saveFile } from '../cli/outputFile.ts';
import { type Config, readConfig } from '../config.ts';
import { type Sink, withFile } from '../platform/backup/archive.ts';
import {
  type Archive,
  checkArchive,
  keyName,
  type Manifest,
  openArchive,
} from '../platform/backup/format.ts';
import { openWhole } from '../platform/backup/moved.queries.ts';
import { restoreBackup } from '../platform/backup/restore.ts';
import { writeBackup } from '../platform/backup/writeBackup.ts';
import { isDistributed } from '../platform/db/distribution.ts';
import { outageOf } from '../platform/db/outages.ts';
import { commandLine, version } from '../platform/lib/commandLine.ts';
import { createVault } from '../platform/lib/encryption.ts';
import { invalid } from '../platform/lib/errors.ts';
import { isRunning } from '../platform/lib/processes.ts';
import { countOf } from '../platform/lib/text.ts';
import { systemClock } from '../platform/lib/time.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .option('--output <file>', 'file or folder; - for standard output', '.')
    .option('--with-key', 'include the encryption key, which opens the stored secrets')
    .option('--json', 'print the manifest as JSON')
    .addHelpText('after', backupHelp)
    .action(backUp);
  program
    .command('restore')
    .argument('<file>', 'a file that `backup` wrote')
    .option('--check', 'only check the file; restores nothing')
    .option('--json', 'print the manifest as JSON')
    .addHelpText('after', restoreHelp)
    .action(restore);
}

const backupHelp = `
The file has the data of one moment. It appears when it is complete, and never replaces another file.

Examples:
  runcost backup --output /backups
  runcost backup --output - | ssh backup@nas 'cat > runcost.tar'
`;

const restoreHelp = `
Checks the whole file first. A restored Runcost is on hold: it sends nothing until \`runcost resume\`.

Example:
  runcost restore /backups/runcost.tar
`;

type BackupOptions = { output: string; withKey?: boolean; json?: boolean };

async function backUp({ output, withKey, json }: BackupOptions): Promise<void> {
  const config = readConfig();
  const now = systemClock.now();
  if (output === '-' && json) throw invalid('--json', 'cannot be combined with --output -');
  const key = withKey ? await readKey(config) : null;
  const file = output === '-' ? null : fileFor(output, now);
  const signal = stopOnSignal(() => {});
  const database = await openWhole(config);
  const options = { program: version, now, derived: derivedTables, key, signal };
  try {
    const manifest = await withProgress({ total: null, unit: 'rows' }, async (report) => {
      const write = (sink: Sink) => writeBackup(database.db, sink, { ...options, report });
      if (!file) return printFile(write);
      removeDeadParts(dirname(file));
      return saveFile(file, write, 0o600);
    }).catch((error: unknown) => {
      throw readable(
        error,
        'The backup could not be written',
        file ? undefined : 'what was written is no backup',
      );
    });
    if (json) return printJson(manifestView(manifest, file));
    if (file) console.log(file);
    printNote(summaryOf(manifest));
    if (await isDistributed(database.db)) printNote(distributedNote);
    if (manifest.keyFingerprint && !manifest.hasKey) printNote(keyNote);
  } finally {
    await database.close();
  }
}

const distributedNote =
  'Each organization is as of one moment; the moments of two servers of Citus can differ by some seconds.';
const keyNote = 'The encryption key is not in it: keep it elsewhere, or back up --with-key.';

async function readKey({ encryptionKeys, databaseUrl, dataDir }: Config): Promise<string> {
  const [key] = encryptionKeys;
  if (key) return key.toString('base64');
  const path = join(dataDir, keyName);
  if (databaseUrl || !existsSync(path))
    throw invalid('--with-key', 'needs ENCRYPTION_KEY: there is no other key here');
  return (await readFile(path, 'utf8')).trim();
}

function fileFor(output: string, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const file = basename(output).endsWith('.tar') ? output : join(output, `runcost-${stamp}.tar`);
  if (!existsSync(dirname(file)))
    throw invalid('--output', `cannot be written: there is no folder ${dirname(file)}`);
  if (existsSync(file)) throw invalid('--output', `${file} exists; backups replace nothing`);
  return file;
}

/** A running backup always writes something within an hour. */
const deadAfterMilliseconds = 3_600_000;

/** Removes what killed backups left. Another machine may be writing into the same folder. */
function removeDeadParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const writer = /\.tar\.(.+)-(\d+)-[0-9a-f]{8}\.part$/.exec(name);
    if (!writer) continue;
    const path = join(folder, name);
    const age = systemClock.now().getTime() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const isOurs = writer[1] === hostname();
    if (isOurs ? !isRunning(Number(writer[2])) : age > deadAfterMilliseconds) rmSync(path, { force: true });
  }
}

function readable(error: unknown, what: string, left = 'nothing is left of it'): unknown {
  const { name, code, syscall, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new CommandError(`Stopped; ${left}.`);
  if (outageOf(error)?.code === 'disk_full') {
    const full = `${what}: the disk is full; ${left}. Free space, and try again.`;
    return new CommandError(full);
  }
  const isFile = syscall !== undefined && syscall !== 'connect' && code !== undefined;
  return isFile ? new CommandError(`${what}: ${message}`) : error;
}

function rowsOf({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function summaryOf(manifest: Manifest): string {
  const { tables, organizations, createdAt } = manifest;
  const stored = `${countOf(rowsOf(manifest), 'row')} in ${countOf(tables.length, 'table')}`;
  return `${stored}, ${countOf(organizations, 'organization')}, as of ${createdAt}`;
}

function manifestView(manifest: Manifest, file: string | null) {
  const { tables, createdAt, keyFingerprint: _, hasKey, migrations, ...rest } = manifest;
  return {
    ...rest,
    ...(file ? { path: file } : {}),
    created_at: createdAt,
    has_key: hasKey,
    migration: migrations.at(-1)!.name,
    tables: tables.map(({ name, rows, sum }) => ({ name, rows, sum })),
  };
}

type RestoreOptions = { check?: boolean; json?: boolean };

async function restore(file: string, { check, json }: RestoreOptions): Promise<void> {
  const config = readConfig();
  const signal = stopOnSignal(() => {});
  try {
    await withFile(file, async (handle) => {
      const archive = await openArchive(handle);
      const counted = { total: rowsOf(archive.manifest), unit: 'rows' };
      await withProgress(counted, (report) => checkArchive(archive, { signal, report }));
      if (!check)
        await withProgress(counted, (report) =>
          restoreBackup(archive, config, { now: systemClock.now(), signal, report }),
        );
      if (json) return printJson(manifestView(archive.manifest, file));
      console.log(`${check ? 'The backup is whole' : 'Restored'}: ${summaryOf(archive.manifest)}`);
      if (!check) notesOnRestored(config, archive).forEach(printNote);
    });
  } catch (error) {
    throw readable(error, 'The backup could not be restored');
  }
}

function notesOnRestored(config: Config, { manifest }: Archive): string[] {
  const notes = [
    'It is on hold: no message, webhook, alert check or backfill leaves it. When it takes over from the original, or to try them, start it and run: ' +
      `${commandLine(config)} resume`,
  ];
  const { keyFingerprint, hasKey } = manifest;
  if (keyFingerprint === null) return notes;
  const [key] = config.encryptionKeys;
  const isOther = key && createVault([key]).fingerprint !== keyFingerprint;
  if (!isOther && (key || (hasKey && !config.databaseUrl))) return notes;
  const place = config.databaseUrl ? '' : `, or put it into ${join(config.dataDir, keyName)}`;
  notes.push(
    isOther
      ? 'ENCRYPTION_KEY is not the key of this backup.'
      : 'The stored secrets need the key of the original.',
    `Until then these cannot be read: ${secretsOf(manifest)}.`,
    hasKey
      ? `The key is in the backup: set ENCRYPTION_KEY to its ${keyName}.`
      : `Set ENCRYPTION_KEY to it${place}.`,
  );
  return notes;
}

function secretsOf({ tables }: Manifest): string {
  const count = (table: string, unit: string) =>
    countOf(tables.find(({ name }) => name === table)?.rows ?? 0, unit);
  return (
    `the secrets of ${count('sources', 'source')} and ${count('webhooks', 'webhook')}, ` +
    `${count('source_credentials', 'API credential')}, and chat addresses`
  );
}
