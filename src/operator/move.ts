import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { derivedTables } from '../app.ts';
import { stopOnSignal, withProgress } from '../cli/follow.ts';
import { formatCount, printNote } from '../cli/output.ts';
import { readConfig, type Config } from '../config.ts';
import { moveData, prepareSource } from '../platform/backup/move.ts';
import { openDatabase } from '../platform/db/database.ts';
import { readDatabaseUrl } from '../platform/lib/databaseUrl.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { systemClock } from '../platform/lib/time.ts';

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .requiredOption('--to <target>', 'DATABASE_URL of an empty database, or a new data folder such as ./data')
    .addHelpText('after', help)
    .action(move);
}

const help = `
Moves the database at DATABASE_URL, or else the one in DATA_DIR. Stop the server first. If a move was stopped, run it again:
it continues where it was. The original stays, on hold.

Examples:
  runcost move --to postgres://runcost:secret@db.internal/runcost
  DATABASE_URL=postgres://runcost:secret@db.internal/runcost runcost move --to ./data
`;

type Target = { databaseUrl: string | null; dataDir: string; name: string };

async function move({ to }: { to: string }): Promise<void> {
  const config = readConfig();
  const target = readTarget(to, config);
  const signal = stopOnSignal(() => {});
  const source = await openDatabase(config, { mayCreate: false, applicationName: 'runcost move' });
  try {
    const sourceFolder = config.databaseUrl ? null : config.dataDir;
    const origin = await prepareSource(source.db, { sourceFolder, target: target.name, clock: systemClock });
    const opened = await openDatabase({ ...config, ...target }, { mayCreate: true, addressFrom: '--to' });
    try {
      const { tables, rows } = await withProgress({ total: null, unit: 'rows' }, (report) =>
        moveData(source.db, opened.db, {
          ...origin,
          derived: derivedTables,
          target: target.name,
          clock: systemClock,
          signal,
          report,
        }),
      );
      console.log(
        `Moved ${formatCount(rows)} rows in ${tables} tables, each with the same checksum on both sides.`,
      );
      printNote(nextStep(config, target));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new PublicError('conflict', 'stopped', 'Stopped. To continue, run the same command again.');
  } finally {
    await source.close();
  }
}

function readTarget(to: string, { databaseUrl, dataDir }: Config): Target {
  const servers = readDatabaseUrl(to);
  if (servers) return { databaseUrl: to, dataDir, name: nameOf(servers.urls) };
  if (!/^\.{0,2}\//.test(to))
    throw invalid(
      '--to',
      'must be postgres://user:password@host/database, or a folder that begins with / or ./',
    );
  const folder = resolve(to);
  if (!databaseUrl && folder === dataDir) throw invalid('--to', 'must be another folder than DATA_DIR');
  return { databaseUrl: null, dataDir: folder, name: folder };
}

function nextStep({ databaseUrl, dataDir, encryptionKeys }: Config, target: Target): string {
  const key =
    encryptionKeys.length > 0
      ? 'the same ENCRYPTION_KEY'
      : `ENCRYPTION_KEY="$(cat ${join(dataDir, 'encryption.key')})"`;
  const start = target.databaseUrl
    ? `Start with DATABASE_URL set to the target and ${key}.`
    : `Start without DATABASE_URL, with DATA_DIR=${target.dataDir} and ${key}.`;
  return `${start} ${databaseUrl ? 'The original on the server' : `The data in ${dataDir}`} stays, on hold.`;
}

/** Leaves out the password. */
function nameOf(urls: readonly string[]): string {
  const { pathname } = new URL(urls[0]!);
  return `${urls.map((url) => new URL(url).host).join(',')}${pathname}`;
}
