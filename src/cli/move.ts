import { join } from 'node:path';
import type { Command } from 'commander';
import { derivedTables } from '../app.ts';
import { readConfig } from '../config.ts';
import { moveData } from '../platform/backup/move.ts';
import { openDatabase } from '../platform/db/database.ts';
import { readDatabaseUrl } from '../platform/lib/databaseUrl.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { systemClock } from '../platform/lib/time.ts';
import { startProgress, stopOnSignal } from './followTask.ts';
import { formatCount, printNote } from './output.ts';

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('bring the embedded data to a PostgreSQL server')
    .requiredOption('--to <url>', 'DATABASE_URL of an empty database')
    .addHelpText('after', help)
    .action(move);
}

const help = `
Stop the server first. If a move was stopped, run it again: it continues where it was. The data in DATA_DIR stays, on hold.
`;

async function move({ to }: { to: string }): Promise<void> {
  const config = readConfig();
  const { dataDir, encryptionKeys } = config;
  if (config.databaseUrl) throw invalid('--to', 'needs embedded data to move: unset DATABASE_URL');
  const servers = readDatabaseUrl(to);
  if (!servers) throw invalid('--to', 'must be postgres://user:password@host/database');
  const signal = stopOnSignal(() => {});
  const command = 'move';
  const source = await openDatabase(
    { databaseUrl: null, dataDir },
    { command, mayJoin: false, mayCreate: false },
  );
  const progress = startProgress(null, systemClock, process.stderr, 'rows');
  try {
    const target = await openDatabase(
      { databaseUrl: to, dataDir },
      { command, mayJoin: false, mayCreate: false, addressFrom: '--to' },
    );
    try {
      const options = {
        derived: derivedTables,
        dataDir,
        target: nameOf(servers.urls),
        clock: systemClock,
        signal,
      };
      const moving = moveData(source.db, target.db, { ...options, report: progress.report });
      const { tables, rows } = await Promise.race([moving, source.failed]);
      progress.end();
      console.log(
        `Moved ${formatCount(rows)} rows in ${tables} tables, each with the same checksum on both sides.`,
      );
      const key =
        encryptionKeys.length > 0
          ? 'the same ENCRYPTION_KEY'
          : `ENCRYPTION_KEY="$(cat ${join(dataDir, 'encryption.key')})"`;
      printNote(
        `Start with DATABASE_URL set to the target and ${key}. The data in ${dataDir} stays, on hold.`,
      );
    } finally {
      await target.close();
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new PublicError('conflict', 'stopped', 'Stopped. To continue, run the same command again.');
  } finally {
    await source.close();
  }
}

/** Leaves out the password. */
function nameOf(urls: readonly string[]): string {
  const { pathname } = new URL(urls[0]!);
  return `${urls.map((url) => new URL(url).host).join(',')}${pathname}`;
}
